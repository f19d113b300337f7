import { NEVER, of, Subscription, takeUntil, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { validatorIndex } from '../../src/primitives/ids.ts';
import {
  chunkSourceFrom,
  chunkStoreFrom,
  dataSourceFrom,
  fromAbortable,
  fromAbortableOptional,
  sessionDirectoryFrom,
} from '../../src/recovery/from-abortable.ts';
import type { ChunkReply } from '../../src/recovery/ports.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { authorityAt } from '../support/fake-network.ts';
import { marbles } from '../support/marbles.ts';

/** Lets every promise that can settle do so. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await Promise.resolve();
  }
}

/** A promise with its levers, and the signals it was started with. */
function gate<T>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<T> => {
    signals.push(signal);
    return promise;
  };
  return { start, signals, resolve, reject };
}

type Seen = { log: unknown[]; subscription: Subscription };

function watch(stream: ReturnType<typeof fromAbortable<unknown>>): Seen {
  const log: unknown[] = [];
  const subscription = stream.subscribe({
    next: (value) => log.push(value),
    error: (error: unknown) => log.push(['error', error]),
    complete: () => log.push('complete'),
  });
  return { log, subscription };
}

describe('fromAbortable', () => {
  it('is cold: starts once per subscription, not before', async () => {
    const { start, signals, resolve } = gate<number>();
    const stream = fromAbortable(start);
    await settle();
    expect(signals).toHaveLength(0);
    const first = watch(stream);
    const second = watch(stream);
    expect(signals).toHaveLength(2);
    resolve(7);
    await settle();
    expect(first.log).toEqual([7, 'complete']);
    expect(second.log).toEqual([7, 'complete']);
  });

  it('emits in a later microtask, never in the turn of the subscription', async () => {
    const { log } = watch(fromAbortable(async () => 1));
    expect(log).toEqual([]);
    await settle();
    expect(log).toEqual([1, 'complete']);
  });

  it('aborts in the turn of the unsubscribe', () => {
    const { start, signals } = gate<number>();
    const { subscription } = watch(fromAbortable(start));
    expect(signals[0]?.aborted).toBe(false);
    subscription.unsubscribe();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('does not abort after it has settled', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { start, signals, ...levers } = gate<number>();
      const { subscription } = watch(fromAbortable(start));
      levers[end](1);
      await settle();
      subscription.unsubscribe();
      expect(signals[0]?.aborted, end).toBe(false);
    }
  });

  it('does not abort when the subscriber leaves inside the value', async () => {
    const { start, signals, resolve } = gate<number>();
    const subscription = new Subscription();
    subscription.add(fromAbortable(start).subscribe({ next: () => subscription.unsubscribe() }));
    resolve(1);
    await settle();
    expect(subscription.closed).toBe(true);
    expect(signals[0]?.aborted).toBe(false);
  });

  it('turns a rejection and a synchronous throw into an error', async () => {
    const { start, reject } = gate<number>();
    const rejected = watch(fromAbortable(start));
    const cause = new Error('rejected');
    reject(cause);
    const thrown = watch(
      fromAbortable(() => {
        throw cause;
      }),
    );
    await settle();
    expect(rejected.log).toEqual([['error', cause]]);
    expect(thrown.log).toEqual([['error', cause]]);
  });

  it('is silent when it settles after the unsubscribe', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { start, ...levers } = gate<number>();
      const { log, subscription } = watch(fromAbortable(start));
      subscription.unsubscribe();
      levers[end](1);
      // An unhandled rejection would fail the run.
      await settle();
      expect(log, end).toEqual([]);
    }
  });

  it('stays silent when the abort itself makes the promise reject', async () => {
    const { log, subscription } = watch(
      fromAbortable(
        (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      ),
    );
    subscription.unsubscribe();
    await settle();
    expect(log).toEqual([]);
  });

  it('is given up by a deadline of virtual time', () => {
    marbles(({ scheduler, expectObservable }) => {
      const { start, signals } = gate<number>();
      const stream = fromAbortable(start).pipe(takeUntil(timer(3, scheduler)));
      expectObservable(stream).toBe('---|');
      scheduler.flush();
      expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    });
  });
});

describe('fromAbortableOptional', () => {
  it.each<[unknown, unknown[]]>([
    [undefined, ['complete']],
    [0, [0, 'complete']],
    [null, [null, 'complete']],
  ])('takes %j', async (value, expected) => {
    const { log } = watch(fromAbortableOptional(async () => value));
    await settle();
    expect(log).toEqual(expected);
  });
});

describe('the adapters from promises', () => {
  const { candidateHash, chunks } = testCandidate({ validatorCount: 4 });
  const chunk = chunks[1]!;
  const question = {
    candidateHash,
    sessionIndex: 1,
    validatorIndex: validatorIndex(1),
    authority: authorityAt(1),
    maxBytes: 1_000,
  };
  const reply: ChunkReply = { type: 'chunk', chunk, protocol: 'p', bytes: 3 };
  const entry = { type: 'chunk', validatorIndex: validatorIndex(1) } as const;

  it('hand over the arguments and a signal, and give back what is promised', async () => {
    const calls: unknown[][] = [];
    const noted =
      <T>(result: T) =>
      async (...args: unknown[]): Promise<T> => {
        calls.push(args.filter((arg) => !(arg instanceof AbortSignal)));
        expect(args.at(-1)).toBeInstanceOf(AbortSignal);
        return result;
      };
    const session = { index: 3, validators: [], groups: [], nodeFeatures: [] };
    const location = { peerId: 'p', addresses: [] };
    const noData = { type: 'no_such_data', protocol: 'd', bytes: 1 } as const;
    const data = { ...question, maxBytes: 9, dial: true };
    const directory = sessionDirectoryFrom({ session: noted(session), locate: noted(location) });
    const stored = { validatorIndex: validatorIndex(1), chunk };
    const store = chunkStoreFrom({
      loadChunks: noted([stored, stored]),
      loadAvailableData: noted(Uint8Array.of(1)),
      loadChunkBytes: noted(5),
      dropCorrupt: noted(undefined),
    });
    const seen = [
      watch(chunkSourceFrom({ askChunk: noted(reply) }).askChunk(question)),
      watch(dataSourceFrom({ askData: noted(noData) }).askData(data)),
      watch(directory.session(3)),
      watch(directory.locate(authorityAt(1))),
      watch(store.loadChunks(candidateHash)),
      watch(store.loadAvailableData(candidateHash)),
      watch(store.loadChunkBytes(candidateHash)),
      watch(store.dropCorrupt(candidateHash, entry)),
    ];
    await settle();
    expect(seen.map(({ log }) => log)).toEqual([
      [reply, 'complete'],
      [noData, 'complete'],
      [session, 'complete'],
      [location, 'complete'],
      [stored, stored, 'complete'],
      [Uint8Array.of(1), 'complete'],
      [5, 'complete'],
      ['complete'],
    ]);
    expect(calls).toEqual([
      [question],
      [data],
      [3],
      [authorityAt(1)],
      [candidateHash],
      [candidateHash],
      [candidateHash],
      [candidateHash, entry],
    ]);
  });

  it('complete without a value where there is none', async () => {
    const none = async (): Promise<undefined> => undefined;
    const directory = sessionDirectoryFrom({ session: none, locate: none });
    const store = chunkStoreFrom({
      loadChunks: async () => [],
      loadAvailableData: none,
      loadChunkBytes: none,
      dropCorrupt: none,
    });
    const seen = [
      directory.session(1),
      directory.locate(authorityAt(1)),
      store.loadChunks(candidateHash),
      store.loadAvailableData(candidateHash),
      store.loadChunkBytes(candidateHash),
    ].map((stream) => watch(stream));
    await settle();
    expect(seen.map(({ log }) => log)).toEqual(seen.map(() => ['complete']));
  });

  it('lose against a synchronous stream', async () => {
    const { start } = gate<number>();
    expect(watch(of(1)).log).toEqual([1, 'complete']);
    expect(watch(fromAbortable(start)).log).toEqual([]);
    expect(watch(NEVER).log).toEqual([]);
  });
});
