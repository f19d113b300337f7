/**
 * @module
 * The program in `native/`, built by cargo and kept alive: asks it for one job at a time.
 */

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Stop } from './support/arguments.ts';

const FOLDER = join(import.meta.dirname, 'native');

/** One question: a job on a payload, so many times in a row. */
export type NativeQuestion = {
  readonly job: string;
  readonly payloadBytes: number;
  readonly validators: number;
  readonly repetitions: number;
};

/** Times of the repetitions in ms, and a digest of the result (empty where there is nothing to compare). */
export type NativeAnswer = {
  readonly wallMs: readonly number[];
  readonly cpuMs: readonly number[];
  readonly digest: string;
};

/** Who gives the crates memory: the system, or what a node's binary brings. */
export const ALLOCATORS = ['system', 'jemalloc'] as const;

/** See {@link ALLOCATORS}. */
export type Allocator = (typeof ALLOCATORS)[number];

/** A running program; answers come one after the other. */
export interface NativePeer extends Disposable {
  /** @throws Stop when the program refuses, or dies. */
  ask(question: NativeQuestion): Promise<NativeAnswer>;
}

/** Whether cargo is there. */
export function hasCargo(): boolean {
  return spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Builds the program; cargo writes its progress to stderr. Minutes at the first time, nothing when it is built.
 *
 * @returns Path of the program.
 * @throws Stop when it can't be built.
 */
export function buildNative(allocator: Allocator): string {
  const { status, stdout } = spawnSync(
    'cargo',
    [
      ...['build', '--release', '--message-format=json-render-diagnostics'],
      ...(allocator === 'jemalloc' ? ['--features', 'jemalloc'] : []),
    ],
    { cwd: FOLDER, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 },
  );
  const messages = String(stdout).split('\n').filter(Boolean);
  const paths = messages.map((line) => (JSON.parse(line) as { executable?: string }).executable);
  const path = paths.findLast(Boolean);
  if (status !== 0 || !path) {
    throw new Stop('cargo could not build bench/native (it needs a registry of crates)');
  }
  return path;
}

/** Starts a built program. */
export function startNative(path: string): NativePeer {
  const child = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) {
        throw new Stop(`the native program ended at ${JSON.stringify(question)}`);
      }
      const answer = JSON.parse(value) as NativeAnswer & { readonly error?: string };
      if (answer.error !== undefined) {
        throw new Stop(`the native program says: ${answer.error}`);
      }
      return answer;
    },
    [Symbol.dispose]: () => {
      child.stdin.end();
    },
  };
}
