import { describe, expect, it } from 'vitest';
import { Claims, type FromThread, type ToThread } from '../../../src/coding/pool/messages.ts';
import {
  canShareMemory,
  defaultThreadCount,
  overWebWorker,
  threadStarter,
  type WebWorkerEvent,
} from '../../../src/coding/pool/thread.ts';
import { type LoopHost, serveTasks } from '../../../src/coding/pool/thread-loop.ts';

describe('defaultThreadCount', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 4],
    [64, 4],
  ])('of %i cores is %i', (hardwareConcurrency, count) => {
    expect(defaultThreadCount({ navigator: { hardwareConcurrency } })).toBe(count);
  });

  it('is 1 where the host does not say', () => {
    expect(defaultThreadCount({})).toBe(1);
    expect(defaultThreadCount({ navigator: {} })).toBe(1);
  });
});

describe('canShareMemory', () => {
  it.each([
    [{}, false],
    [{ SharedArrayBuffer }, true],
    [{ SharedArrayBuffer, crossOriginIsolated: true }, true],
    [{ SharedArrayBuffer, crossOriginIsolated: false }, false],
  ])('of host %# is %s', (host, can) => {
    expect(canShareMemory(host)).toBe(can);
  });
});

describe('threadStarter', () => {
  it('finds the workers of Node', () => {
    expect(threadStarter()).toBeTypeOf('function');
  });
});

/** A worker of a browser that is steered by hand. */
class FakeWebWorker {
  readonly posted: unknown[] = [];
  readonly #listeners = new Map<string, (event: WebWorkerEvent) => void>();
  terminations = 0;

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  addEventListener(type: string, listener: (event: WebWorkerEvent) => void): void {
    this.#listeners.set(type, listener);
  }

  terminate(): void {
    this.terminations += 1;
  }

  tell(type: string, event: WebWorkerEvent): void {
    this.#listeners.get(type)?.(event);
  }
}

describe('overWebWorker', () => {
  function start() {
    const worker = new FakeWebWorker();
    const log: unknown[] = [];
    const port = overWebWorker<string>(worker, {
      message: (message) => log.push(message),
      end: (cause) => log.push(['end', cause]),
    });
    return { worker, log, port };
  }

  it('passes messages both ways', () => {
    const { worker, log, port } = start();
    port.post({ type: 'fetch', ticket: 1, regions: [] });
    worker.tell('message', { data: { type: 'ready' } });
    expect(worker.posted).toEqual([{ type: 'fetch', ticket: 1, regions: [] }]);
    expect(log).toEqual([{ type: 'ready' }]);
    port.hold(false);
    expect(log).toHaveLength(1);
  });

  it.each([
    ['error', { message: 'blocked by policy' }, 'blocked by policy'],
    ['error', {}, 'the worker failed to start'],
    ['messageerror', {}, 'a message could not be read'],
  ])('ends once on %s %j, never within the call', async (type, event, cause) => {
    const { worker, log, port } = start();
    worker.tell(type, event);
    worker.tell('message', { data: { type: 'ready' } });
    port.terminate();
    expect(log).toEqual([]);
    expect(worker.terminations).toBe(1);
    await Promise.resolve();
    expect(log).toEqual([['end', cause]]);
  });

  it('ends when it is told to', async () => {
    const { worker, log, port } = start();
    port.terminate();
    port.terminate();
    await Promise.resolve();
    expect(worker.terminations).toBe(1);
    expect(log).toEqual([['end', 'terminated']]);
  });
});

describe('Claims', () => {
  it('gives a ticket to the first who claims it, on either side', () => {
    const here = new Claims();
    const there = new Claims(here.words);
    here.offer(1);
    here.offer(2);
    expect([there.claim(1), here.claim(1), there.claim(1)]).toEqual([true, false, false]);
    expect([here.claim(2), there.claim(2)]).toEqual([true, false]);
    expect(there.claim(3)).toBe(false);
  });

  it('does not take an old ticket for a later one with the same word', () => {
    const claims = new Claims();
    claims.offer(1);
    claims.offer(65);
    expect(claims.claim(1)).toBe(false);
    expect(claims.claim(65)).toBe(true);
  });
});

describe('serveTasks', () => {
  /** A loop that answers at once, and what it answered. */
  function serve(host: Partial<LoopHost<string>> = {}) {
    const answers: FromThread[] = [];
    const done: string[] = [];
    const memory = new Uint8Array(64);
    let send: (message: ToThread<string>) => void = () => undefined;
    serveTasks<string>(
      {
        post: (message) => answers.push(message),
        listen: (receive) => {
          send = receive;
        },
      },
      (setup) => {
        if (setup === 'bad') {
          throw new RangeError('no kernel');
        }
        return { runTask: (task) => done.push(task), ownBytes: () => memory, ...host };
      },
    );
    return { send: (message: ToThread<string>) => send(message), answers, done, memory };
  }

  it('says that it is ready, or why not', () => {
    const good = serve();
    good.send({ type: 'setup', setup: 'good' });
    expect(good.answers).toEqual([{ type: 'ready' }]);
    const bad = serve();
    bad.send({ type: 'setup', setup: 'bad' });
    expect(bad.answers).toEqual([
      { type: 'not_ready', cause: expect.stringContaining('no kernel') },
    ]);
    bad.send({ type: 'task', ticket: 1, task: 'a' });
    expect(bad.answers).toHaveLength(1);
  });

  it('does tasks in order and skips those taken back', () => {
    const claims = new Claims();
    const { send, answers, done } = serve();
    send({ type: 'setup', setup: '', claims: claims.words });
    claims.offer(1);
    claims.offer(2);
    claims.claim(1);
    send({ type: 'task', ticket: 1, task: 'a' });
    send({ type: 'task', ticket: 2, task: 'b' });
    expect(done).toEqual(['b']);
    expect(answers.slice(1)).toEqual([
      { type: 'skipped', ticket: 1 },
      { type: 'done', ticket: 2 },
    ]);
  });

  it('answers what a task throws in words, whatever it throws', () => {
    const { send, answers } = serve({
      runTask: (task) => {
        if (task === 'a') {
          throw new RangeError('no memory');
        }
        const stranger: unknown = task;
        throw stranger;
      },
    });
    send({ type: 'setup', setup: '' });
    send({ type: 'task', ticket: 1, task: 'a' });
    send({ type: 'task', ticket: 2, task: 'b' });
    expect(answers.slice(1)).toEqual([
      { type: 'failed', ticket: 1, cause: expect.stringContaining('no memory') },
      { type: 'failed', ticket: 2, cause: 'b' },
    ]);
  });

  it('loads its own memory before the task, and gives bytes of it', () => {
    const { send, answers, memory } = serve();
    send({ type: 'setup', setup: '' });
    const load = { memoryBytes: 64, regions: [{ address: 8, bytes: Uint8Array.of(1, 2) }] };
    send({ type: 'task', ticket: 1, task: 'a', load });
    send({ type: 'fetch', ticket: 2, regions: [{ address: 8, bytes: 3 }] });
    expect(answers.at(-1)).toEqual({
      type: 'fetched',
      ticket: 2,
      regions: [{ address: 8, bytes: Uint8Array.of(1, 2, 0) }],
    });
    expect(memory[9]).toBe(2);
  });

  it('fails the task for which its memory does not grow', () => {
    const { send, answers, done } = serve({
      ownBytes: () => {
        throw new RangeError('no memory left');
      },
    });
    send({ type: 'setup', setup: '' });
    send({ type: 'task', ticket: 1, task: 'a', load: { memoryBytes: 1e9, regions: [] } });
    send({ type: 'fetch', ticket: 2, regions: [] });
    expect(answers.slice(1).map(({ type }) => type)).toEqual(['failed', 'failed']);
    expect(done).toEqual([]);
  });
});
