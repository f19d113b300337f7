/**
 * @module
 * Processes of their own for what must be measured apart: memory, cold start, servers. Question and answer over
 * the channel between parent and child; a child ends when its parent closes it or is gone.
 */

import { fork } from 'node:child_process';
import { basename } from 'node:path';

/** A running child. */
export interface Child extends AsyncDisposable {
  /** Asks the child; it answers in order. @throws Error with the child's words when it fails or ends. */
  ask<Answer>(question: unknown): Promise<Answer>;
}

type Reply = { readonly answer?: unknown; readonly error?: string };

/**
 * Starts a program of TypeScript by the same Node.
 *
 * @param program - Where it is.
 * @param nodeOptions - Options of the Node that runs it, such as `--expose-gc`.
 */
export function startChild(program: URL, nodeOptions: readonly string[] = []): Child {
  const file = basename(program.pathname);
  const child = fork(program, {
    execArgv: [...nodeOptions],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  child.on('message', (reply: Reply) => {
    const first = waiting.shift();
    if (reply.error === undefined) {
      first?.resolve(reply.answer);
    } else {
      first?.reject(new Error(`${file}: ${reply.error}`));
    }
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      for (const { reject } of waiting.splice(0)) {
        reject(new Error(`${file}: ended before it answered`));
      }
      resolve();
    });
  });
  return {
    ask: <Answer>(question: unknown) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.push({ resolve: resolve as (value: unknown) => void, reject });
        child.send(question as object);
      }),
    [Symbol.asyncDispose]: async () => {
      if (child.connected) {
        child.disconnect();
      }
      await exited;
    },
  };
}

/** Inside a child: answers each question, one after the other, until the parent is gone. */
export function answerParent(answer: (question: never) => unknown): void {
  let turn = Promise.resolve();
  process.on('message', (question) => {
    turn = turn.then(async () => {
      try {
        process.send?.({ answer: await answer(question as never) } satisfies Reply);
      } catch (error: unknown) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ error: text } satisfies Reply);
      }
    });
  });
  process.once('disconnect', () => process.exit());
}
