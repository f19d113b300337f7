/**
 * @module
 * What every {@link ChunkSource} and {@link DataSource} guarantees, tested by name. A test calls the suite
 * with a factory of small worlds in which the one who is asked behaves as told.
 */

import { lastValueFrom, type Observable, Subscription, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { isErrorOf } from '../../src/primitives/errors.ts';

/** How the one who is asked behaves. */
export type SourceScenario =
  | 'answers'
  | 'has_nothing'
  /** Says no in the way of the transport: refused, not connected. */
  | 'fails'
  /** Sends bytes that do not decode. */
  | 'garbage'
  /** Never answers. */
  | 'is_silent';

/** A source with the levers that the suite pulls. Disposing closes it. */
export type SourceUnderTest<Reply> = AsyncDisposable & {
  /** Asks the one question of the scenario. */
  ask(): Observable<Reply>;
  /** Requests that reached whoever is asked. */
  begun(): number;
  /** What the source still holds: requests, streams, timers. */
  held(): number;
  /** Waits until everything that can have happened has; `promise` has settled by then. */
  settle(promise: Promise<unknown>): Promise<void>;
  /** Waits until so many silent requests are on their way. */
  onItsWay(count: number): Promise<void>;
  /** How many requests the one who is asked takes at once. */
  readonly atOnce: number;
};

/** Opens a world of one scenario. */
export type OpenSource<Reply> = (scenario: SourceScenario) => Promise<SourceUnderTest<Reply>>;

/** Requests that are left together; as many full-data answers as a responder is slow at together. */
const SILENT = 2;

/** The suite; `none` is the reply type for "has nothing". */
export function sourceContract<Reply extends { readonly type: string }>(
  name: string,
  types: { readonly some: string; readonly none: string },
  open: OpenSource<Reply>,
): void {
  const run = async (source: SourceUnderTest<Reply>): Promise<readonly Reply[]> => {
    const replies = lastValueFrom(source.ask().pipe(toArray()));
    await source.settle(replies.catch(() => {}));
    return replies;
  };

  describe(name, () => {
    it('is cold: a call asks nobody, each subscription asks once', async () => {
      await using source = await open('answers');
      const reply$ = source.ask();
      await source.settle(Promise.resolve());
      expect(source.begun()).toBe(0);
      expect(source.held()).toBe(0);
      for (const times of [1, 2]) {
        await source.settle(lastValueFrom(reply$));
        expect(source.begun()).toBe(times);
      }
    });

    it('emits at most one reply and completes', async () => {
      await using source = await open('answers');
      expect((await run(source)).map(({ type }) => type)).toEqual([types.some]);
      await using empty = await open('has_nothing');
      expect((await run(empty)).map(({ type }) => type)).toEqual([types.none]);
    });

    it('tells the protocol that answered and the bytes of the answer', async () => {
      for (const scenario of ['answers', 'has_nothing'] as const) {
        await using source = await open(scenario);
        const [reply] = await run(source);
        expect(reply).toMatchObject({ protocol: expect.any(String), bytes: expect.any(Number) });
      }
    });

    it('errors with a RequestError or a CodecError, and with nothing else', async () => {
      for (const [scenario, kind] of [
        ['fails', 'RequestError'],
        ['garbage', 'CodecError'],
        ['is_silent', 'RequestError'],
      ] as const) {
        await using source = await open(scenario);
        const error: unknown = await run(source).catch((cause: unknown) => cause);
        expect(isErrorOf(error, kind), `${scenario}: ${String(error)}`).toBe(true);
      }
    });

    it('ends by a hard deadline of its own, with timeout', async () => {
      await using source = await open('is_silent');
      await expect(run(source)).rejects.toMatchObject({ code: 'timeout' });
    });

    it('holds nothing once it has ended, however', async () => {
      for (const scenario of ['answers', 'has_nothing', 'fails', 'garbage', 'is_silent'] as const) {
        await using source = await open(scenario);
        await run(source).catch(() => {});
        expect(source.held(), scenario).toBe(0);
      }
    });

    it('stops and frees what it held in the turn of the unsubscribe, and says nothing after', async () => {
      await using source = await open('is_silent');
      const said: unknown[] = [];
      const say = (what: unknown): void => {
        said.push(what);
      };
      const subscription = new Subscription();
      for (let i = 0; i < SILENT; i += 1) {
        subscription.add(
          source.ask().subscribe({ next: say, error: say, complete: () => say('end') }),
        );
      }
      await source.onItsWay(SILENT);
      expect(source.held()).toBeGreaterThan(0);
      subscription.unsubscribe();
      expect(source.held()).toBe(0);
      await source.settle(Promise.resolve());
      expect(said).toEqual([]);
    });

    it('frees everything when it is left in the turn of the subscription', async () => {
      await using source = await open('is_silent');
      source.ask().subscribe({ error: expect.unreachable }).unsubscribe();
      expect(source.held()).toBe(0);
      await source.settle(Promise.resolve());
      expect(source.held()).toBe(0);
    });

    it('answers many at once, each for itself', async () => {
      await using source = await open('answers');
      const replies = Promise.all(
        Array.from({ length: source.atOnce }, () => lastValueFrom(source.ask().pipe(toArray()))),
      );
      await source.settle(replies);
      expect((await replies).flat().map(({ type }) => type)).toEqual(
        Array(source.atOnce).fill(types.some),
      );
      expect(source.held()).toBe(0);
    });
  });
}
