import { getEventListeners } from 'node:events';
import { config, Observable } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { codeOf, RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

/** Everybody answers well after a while. */
function answering(delayMs: number): WorldOptions {
  return { validatorCount: 7, behaviour: () => ({ behaviour: 'good', delayMs }) };
}

const hanging: WorldOptions = { validatorCount: 7, behaviour: () => 'hang' };

function typesOf(events: readonly RecoveryEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

/** Expects that nothing is on the way and no timer is left. */
function expectNothingAlive(world: RecoveryWorld): void {
  expect(world.network.open).toBe(0);
  expect(world.timers).toBe(0);
}

describe('Recovery.recover', () => {
  it('is cold: a call alone does nothing, not even check the request', async () => {
    const world = await RecoveryWorld.open(answering(1));
    world.recovery.recover(world.request());
    world.recovery.recover({} as RecoveryRequest);
    world.scheduler.flush();
    expect(world.sessionsAsked).toEqual([]);
    expect(world.network.asked).toEqual([]);
  });

  it('runs afresh for each subscription once the one before is over', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, behaviour: () => 'no_such' });
    const events$ = world.recovery.recover(world.request());
    const first = record(events$);
    const asked = world.network.asked.length;
    const second = record(events$);
    expect(typesOf(second.events)).toEqual(typesOf(first.events));
    expect(world.network.asked).toHaveLength(2 * asked);
    expect(world.sessionsAsked).toEqual([10, 10]);
  });

  it("gives each caller bytes of its own: writing or transferring spoils nobody else's result", async () => {
    const world = await RecoveryWorld.open(answering(10));
    const [writer, reader] = [world, world].map(() =>
      record(world.recovery.recover(world.request())),
    );
    world.scheduler.flush();
    writer?.recovered?.data.pov.blockData.fill(0);
    expect(reader?.recovered?.data).toEqual(world.candidate.data);

    const again = world.run().recovered;
    expect(again).toMatchObject({ from: 'cache', data: world.candidate.data });
    structuredClone(again, { transfer: [again?.data.pov.blockData.buffer as ArrayBuffer] });
    expect(again?.data.pov.blockData).toHaveLength(0);
    expect(again?.data.validationData).toEqual(world.candidate.data.validationData);
    expect(world.run().recovered).toMatchObject({ from: 'cache', data: world.candidate.data });
  });

  it('shares one run among equal requests: joined with a snapshot, then the live events', async () => {
    const world = await RecoveryWorld.open(answering(10));
    const first = record(world.recovery.recover(world.request()));
    world.passUntil(5);
    const second = record(world.recovery.recover(world.request()));
    const [joined] = second.events;
    expect(joined).toEqual({
      type: 'joined',
      atMs: 5,
      account: {
        candidateHash: world.candidate.candidateHash,
        sessionIndex: 10,
        startedAtMs: 0,
        strategies: [{ strategy: 'systematic_chunks', startedAtMs: 0, chunksNeeded: 2 }],
        attempts: [4, 3].map((validatorIndex, attemptId) => ({
          attemptId,
          kind: 'chunk',
          strategy: 'systematic_chunks',
          source: `v${validatorIndex}`,
          validatorIndex,
          startedAtMs: 0,
          isLate: false,
          isUseful: false,
          bytes: 0,
        })),
        chunksHeld: [],
        totals: { issued: 2, succeeded: 0, failed: 0, canceled: 0, running: 2, bytes: 0 },
        work: {
          engine: expect.any(String),
          reason: expect.any(String),
          threads: 0,
          hashedChunks: 0,
          reusedHashes: 0,
          copiedBytes: { load: 0, result: 0, check: 0, caller: 0 },
        },
      },
    });
    const before = first.events.length;
    world.scheduler.flush();
    expect(second.events.slice(1)).toEqual(first.events.slice(before));
    expect(second.recovered).toEqual(first.recovered);
    expect(world.network.asked).toHaveLength(2);
    expect(world.sessionsAsked).toEqual([10]);
  });

  it('ends an error for every caller, with the same account', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      behaviour: () => ({ behaviour: 'no_such', delayMs: 10 }),
    });
    const all = [1, 2, 3].map(() => record(world.recovery.recover(world.request())));
    world.scheduler.flush();
    expect(all.map(({ error }) => codeOf(error))).toEqual(Array(3).fill('unavailable'));
    expect(new Set(all.map(({ error }) => error)).size).toBe(1);
    expectNothingAlive(world);
  });

  it.each<[string, Partial<RecoveryRequest>, boolean]>([
    ['backingGroup', { backingGroup: 0 }, true],
    ['coreIndex', { coreIndex: 3 }, true],
    ['strategies', { strategies: ['regular_chunks'] }, true],
    ['sizeLimitBytes', { sizeLimitBytes: 1 }, true],
    ['mapping', { mapping: { scheme: 'identity' } }, true],
    ['timeoutMs', { timeoutMs: 10_000 }, true],
    ['sessionIndex', { sessionIndex: 11 }, false],
    ['checkMode', { checkMode: 'pov_hash' }, false],
    ['useStore', { useStore: false }, false],
  ])('takes requests with another %s as equal: %s', async (_name, fields, isShared) => {
    const settings = { receiptSession: 'ignored' } as const;
    const world = await RecoveryWorld.open({ ...hanging, settings });
    const first = record(world.recovery.recover(world.request()));
    const second = record(world.recovery.recover(world.request(fields)));
    expect(second.events[0]?.type).toBe(isShared ? 'joined' : 'started');
    first.subscription.unsubscribe();
    second.subscription.unsubscribe();
    expectNothingAlive(world);
  });

  it('goes on when the first of two callers leaves, and stops in the turn the last one does', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      behaviour: ({ index }) => (index === 4 ? { behaviour: 'good', delayMs: 2_000 } : 'hang'),
    });
    const first = record(world.recovery.recover(world.request()));
    const second = record(world.recovery.recover(world.request()));
    world.passUntil(1_500);
    first.subscription.unsubscribe();
    const before = second.events.length;
    world.passUntil(2_500);
    expect(second.events.length).toBeGreaterThan(before);
    expect(world.network.open).toBeGreaterThan(0);
    second.subscription.unsubscribe();
    expectNothingAlive(world);
    expect(first.error ?? second.error).toBeUndefined();
  });

  it('keeps nothing of a run that everybody left', async () => {
    const world = await RecoveryWorld.open(answering(10));
    record(world.recovery.recover(world.request())).subscription.unsubscribe();
    const { events, recovered } = world.run();
    expect(events[0]?.type).toBe('started');
    expect(recovered?.account.totals.issued).toBe(2);
  });

  it.each<[string, Partial<RecoveryRequest>, string]>([
    ['receipt', { receipt: new Uint8Array(3) }, 'CodecError'],
    ['sessionIndex', { sessionIndex: -1 }, 'RangeError'],
    ['strategies', { strategies: ['by_magic' as never] }, 'TypeError'],
  ])('errors with a misuse of %s before anything is asked', async (_name, fields, name) => {
    const world = await RecoveryWorld.open(answering(1));
    const { events, error } = world.run(fields);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ name });
    expect(world.sessionsAsked).toEqual([]);
  });
});

describe('timeoutMs', () => {
  it('ends one call in unavailable with reason deadline; other callers go on', async () => {
    const world = await RecoveryWorld.open(answering(50));
    const patient = record(world.recovery.recover(world.request()));
    const hasty = record(world.recovery.recover(world.request({ timeoutMs: 20 })));
    world.passUntil(20);
    expect(hasty.error).toMatchObject({
      name: 'RecoveryError',
      code: 'unavailable',
      details: { reason: 'deadline', timeoutMs: 20 },
      account: { totals: { issued: 2, canceled: 2, running: 0 } },
      evidence: undefined,
    });
    world.scheduler.flush();
    expect(patient.recovered?.from).toBe('systematic_chunks');
  });

  it('stops everything when its caller was the only one, and is neither counted nor kept', async () => {
    const world = await RecoveryWorld.open(hanging);
    const { error } = record(world.recovery.recover(world.request({ timeoutMs: 1 })));
    expect(error).toBeUndefined();
    const outcome = world.run({ timeoutMs: 2_500 });
    expect(outcome.error).toMatchObject({ code: 'unavailable', details: { reason: 'deadline' } });
    expectNothingAlive(world);
    expect([...world.metrics.counts.keys()].filter((key) => key.includes('finished'))).toEqual([]);
    expect(outcome.events[0]?.type).toBe('joined');
  });

  it('leaves no timer when the data comes first', async () => {
    const world = await RecoveryWorld.open(answering(1));
    const outcome = record(world.recovery.recover(world.request({ timeoutMs: 1_000 })));
    world.passUntil(1);
    expect(outcome.recovered).toBeDefined();
    expectNothingAlive(world);
  });
});

describe('Recovery.start and stop', () => {
  it('refuses with stopped before start, after stop, and not after a restart', async () => {
    const world = await RecoveryWorld.open(answering(1));
    await world.recovery.stop();
    const outcome = world.run();
    expect(outcome.error).toMatchObject({ name: 'RecoveryError', code: 'stopped' });
    expect(outcome.events).toEqual([]);
    await world.recovery.start();
    expect(world.run().recovered?.from).toBe('systematic_chunks');
  });

  it('stays stopped when it was stopped while it was getting ready', async () => {
    const world = await RecoveryWorld.open(answering(1));
    await world.recovery.stop();
    const starting = world.recovery.start();
    await world.recovery.stop();
    await starting;
    expect(codeOf(world.run().error)).toBe('stopped');
  });

  it('is started by either of two starts at once', async () => {
    const world = await RecoveryWorld.open(answering(1));
    await world.recovery.stop();
    await Promise.all([world.recovery.start(), world.recovery.start()]);
    expect(world.run().error).toBeUndefined();
  });

  it('ends every running recovery with stopped and an account, and leaves the ports open', async () => {
    let closed = 0;
    const close = (): void => {
      closed += 1;
    };
    const world = await RecoveryWorld.open({
      ...hanging,
      ports: ({ network }) => ({
        chunkSource: Object.assign(network, { close, stop: close, [Symbol.dispose]: close }),
      }),
    });
    const one = record(world.recovery.recover(world.request()));
    const two = record(world.recovery.recover(world.request({ checkMode: 'pov_hash' })));
    const three = record(world.recovery.recover(world.request()));
    await world.recovery.stop();
    for (const { error } of [one, two, three]) {
      expect(error).toMatchObject({
        code: 'stopped',
        account: { totals: { issued: 2, canceled: 2, running: 0 } },
      });
    }
    expect(closed).toBe(0);
    expectNothingAlive(world);
    expect([...world.metrics.counts.keys()].filter((key) => key.includes('finished'))).toEqual([]);
  });

  it('can be stopped twice, and by leaving a scope', async () => {
    const world = await RecoveryWorld.open(hanging);
    const outcome = record(world.recovery.recover(world.request()));
    {
      await using recovery = world.recovery;
      expect(recovery).toBe(world.recovery);
    }
    expect(codeOf(outcome.error)).toBe('stopped');
    await world.recovery.stop();
  });

  it('does not serve its cache while it is stopped, and does again afterwards', async () => {
    const world = await RecoveryWorld.open(answering(1));
    world.run();
    await world.recovery.stop();
    expect(codeOf(world.run().error)).toBe('stopped');
    await world.recovery.start();
    expect(world.run().recovered?.from).toBe('cache');
  });
});

describe('Recovery.recoverData', () => {
  it('gives the data, whence, and the account', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const recovered = await world.recovery.recoverData(world.request());
    expect(Object.keys(recovered).toSorted()).toEqual(['account', 'data', 'from']);
    expect(recovered.data).toEqual(world.candidate.data);
    expect(recovered.account.totals.issued).toBe(2);
  });

  it('rejects with what the stream errors with', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, behaviour: () => 'no_such' });
    await expect(world.recovery.recoverData(world.request())).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(world.recovery.recoverData({} as RecoveryRequest)).rejects.toThrow(TypeError);
  });

  it('rejects with cancelled when the signal was aborted before, and asks nobody', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const reason = new Error('no longer wanted');
    const signal = AbortSignal.abort(reason);
    await expect(world.recovery.recoverData(world.request(), { signal })).rejects.toMatchObject({
      code: 'cancelled',
      cause: reason,
      account: { candidateHash: world.candidate.candidateHash, totals: { issued: 0 } },
    });
    expect(world.sessionsAsked).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('rejects with cancelled when the signal aborts midway: account, nothing open, no listener', async () => {
    const world = await RecoveryWorld.open(hanging);
    const controller = new AbortController();
    const { signal } = controller;
    const recovering = world.recovery.recoverData(world.request(), { signal });
    world.passUntil(1_200);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    expectNothingAlive(world);
    const error: unknown = await recovering.catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: 'cancelled',
      cause: 'enough',
      evidence: undefined,
      account: { totals: { running: 0 }, strategies: [{ strategy: 'systematic_chunks' }] },
    });
    const { totals } = (error as RecoveryError).account!;
    expect(totals.canceled).toBe(totals.issued);
    expect(totals.issued).toBeGreaterThan(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('cancels one caller only: the others go on', async () => {
    const world = await RecoveryWorld.open(answering(10));
    const other = record(world.recovery.recover(world.request()));
    const controller = new AbortController();
    const { signal } = controller;
    const recovering = world.recovery.recoverData(world.request(), { signal });
    world.passUntil(5);
    controller.abort();
    await expect(recovering).rejects.toMatchObject({ code: 'cancelled' });
    world.scheduler.flush();
    expect(other.recovered).toBeDefined();
  });

  it('rejects with cancelled though the bytes of the request were given away meanwhile', async () => {
    const world = await RecoveryWorld.open(hanging);
    const controller = new AbortController();
    const request = world.request();
    const receipt = new Uint8Array(request.receipt);
    const recovering = world.recovery.recoverData(
      { ...request, receipt },
      { signal: controller.signal },
    );
    structuredClone(receipt, { transfer: [receipt.buffer] });
    controller.abort();
    await expect(recovering).rejects.toMatchObject({
      code: 'cancelled',
      account: { candidateHash: world.candidate.candidateHash },
    });
    expectNothingAlive(world);
  });

  it('leaves no listener on the signal, however it ends', async () => {
    const { signal } = new AbortController();
    const good = await RecoveryWorld.open({ validatorCount: 7 });
    await good.recovery.recoverData(good.request(), { signal });
    await good.recovery.recoverData(good.request(), { signal });
    const bad = await RecoveryWorld.open({ validatorCount: 7, behaviour: () => 'no_such' });
    await bad.recovery.recoverData(bad.request(), { signal }).catch(() => {});
    await bad.recovery.recoverData({} as RecoveryRequest, { signal }).catch(() => {});
    await bad.recovery.stop();
    await bad.recovery.recoverData(bad.request(), { signal }).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('changes nothing when the signal aborts after the end', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const controller = new AbortController();
    const { signal } = controller;
    const recovered = await world.recovery.recoverData(world.request(), { signal });
    controller.abort();
    expect(recovered.data).toEqual(world.candidate.data);
  });
});

describe('a subscriber', () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it('that asks again inside next joins with exactly what came before, at every event', async () => {
    const whole = (await RecoveryWorld.open({ validatorCount: 7 })).run().events;
    for (let place = 0; place < whole.length - 1; place += 1) {
      const world = await RecoveryWorld.open({ validatorCount: 7 });
      let count = 0;
      let nested: ReturnType<typeof record> | undefined;
      const outer: RecoveryEvent[] = [];
      world.recovery.recover(world.request()).subscribe((event) => {
        outer.push(event);
        if (count === place) {
          nested = record(world.recovery.recover(world.request()));
        }
        count += 1;
      });
      const message = `at ${whole[place]?.type}`;
      expect(outer, message).toEqual(whole);
      expect(nested?.events[0]?.type, message).toBe('joined');
      expect(nested?.events.slice(1), message).toEqual(whole.slice(place + 1));
    }
  });

  it('that asks again inside the last event or the completion is answered from the cache', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const froms: unknown[] = [];
    const again = (): void => {
      froms.push(record(world.recovery.recover(world.request())).recovered?.from);
    };
    world.recovery.recover(world.request()).subscribe({
      next: ({ type }) => type === 'recovered' && again(),
      complete: again,
    });
    expect(froms).toEqual(['cache', 'cache']);
  });

  it.each([undefined, 5])(
    'that asks again inside the error begins afresh (delay %s)',
    async (delayMs) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        behaviour: () => (delayMs === undefined ? 'no_such' : { behaviour: 'no_such', delayMs }),
      });
      let second: ReturnType<typeof record> | undefined;
      const first: { error?: unknown } = {};
      world.recovery.recover(world.request()).subscribe({
        error: (error: unknown) => {
          first.error = error;
          second = record(world.recovery.recover(world.request()));
        },
      });
      world.scheduler.flush();
      expect(second?.events[0]?.type).toBe('started');
      const issued = (error: unknown): number | undefined =>
        (error as RecoveryError).account?.totals.issued;
      expect(issued(second?.error)).toBe(issued(first.error));
      // The second run is not forgotten by the end of the first.
      const third = record(world.recovery.recover(world.request()));
      expect(third.events[0]?.type).toBe('started');
    },
  );

  it('that asks again while the last one is torn down begins afresh', async () => {
    const nested: ReturnType<typeof record>[] = [];
    const world = await RecoveryWorld.open({
      ...hanging,
      ports: ({ network }) => ({
        chunkSource: {
          askChunk: (question) =>
            onLeave(network.askChunk(question), () => {
              if (nested.length === 0) {
                nested.push(record(world.recovery.recover(world.request())));
              }
            }),
        },
      }),
    });
    const first = record(world.recovery.recover(world.request()));
    first.subscription.unsubscribe();
    expect(nested[0]?.events[0]?.type).toBe('started');
    expect(world.network.open).toBe(2);
    const joined = record(world.recovery.recover(world.request()));
    expect(joined.events[0]?.type).toBe('joined');
    joined.subscription.unsubscribe();
    nested[0]?.subscription.unsubscribe();
    expectNothingAlive(world);
  });

  it('that throws inside next harms nobody else', async () => {
    const thrown: unknown[] = [];
    const reported = Promise.withResolvers<void>();
    const world = await RecoveryWorld.open(answering(3));
    const fault = new Error('a broken subscriber');
    let calls = 0;
    config.onUnhandledError = (error) => {
      thrown.push(error);
      if (thrown.length === calls) {
        reported.resolve();
      }
    };
    world.recovery.recover(world.request()).subscribe(() => {
      calls += 1;
      throw fault;
    });
    const good = record(world.recovery.recover(world.request()));
    world.scheduler.flush();
    // RxJS reports each throw on the side, in a turn of its own.
    await reported.promise;
    expect(good.recovered?.data).toEqual(world.candidate.data);
    expect(thrown).toEqual(Array.from({ length: calls }, () => fault));
    expectNothingAlive(world);
  });
});

/** Runs `act` when the stream is left, before anything above it stops. */
function onLeave<T>(source: Observable<T>, act: () => void): Observable<T> {
  return new Observable((subscriber) => {
    subscriber.add(act);
    subscriber.add(source.subscribe(subscriber));
  });
}
