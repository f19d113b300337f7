import { type Observable, of, throwError, VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { type ChunkReply, RequestError } from '../../src/recovery/ports.ts';
import { RequestQueue } from '../../strategies/request-queue.ts';
import { RequestWindow } from '../../strategies/request-window.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { NO_SUCH_CHUNK, sourceAt, testContext } from './support.ts';

beforeAll(hashReady);

/** Processor time in µs, which other programs don't lengthen, that a window takes to ask `count` sources in vain, as often as it may. */
function windowCost(count: number, answer: (index: number) => Observable<ChunkReply>): number {
  const scheduler = new VirtualTimeScheduler();
  const { context } = testContext({
    validatorCount: 7,
    scheduler,
    chunkSource: () => ({ askChunk: ({ authority }) => answer(Number(authority.slice(1))) }),
  });
  const window = new RequestWindow(context);
  const queue = new RequestQueue(Array.from({ length: count }, (_, i) => sourceAt(i)));
  const startedAt = process.cpuUsage();
  let hasEnded = false;
  window
    .collect({
      strategy: 'regular_chunks',
      queue,
      attempts: 2,
      backups: [],
      threshold: 1,
      wants: () => true,
      held: () => context.known.countBelow(1),
      desired: () => 50,
    })
    .subscribe({
      complete: () => {
        hasEnded = true;
      },
    });
  scheduler.flush();
  expect(hasEnded).toBe(true);
  const { user, system } = process.cpuUsage(startedAt);
  return user + system;
}

const refusal = throwError(() => REFUSED);
const REFUSED = new RequestError('refused', 'refused');
const RESET = new RequestError('reset', 'reset');

describe('the request window', () => {
  it.each([
    ['NoSuchChunk', () => of(NO_SUCH_CHUNK)],
    ['refusals and resets', (index: number) => (index % 2 ? refusal : throwError(() => RESET))],
  ])('does work in proportion to the answers: %s', (_what, answer) => {
    const [few, many] = [1_000, 32_000];
    windowCost(few, answer);
    const best = (count: number): number =>
      Math.min(...[1, 2].map(() => windowCost(count, answer)));
    const exponent = Math.log(best(many) / best(few)) / Math.log(many / few);
    // 1 is linear, 2 quadratic; the rest is for a busy machine.
    expect(exponent).toBeLessThan(1.5);
  });
});

describe('a recovery among 10,000 validators', () => {
  it('needs the 2,048 systematic chunks and nothing else', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 10_000,
      behaviour: ({ index }) => ({ behaviour: 'good', delayMs: 5 + (index % 9) }),
    });
    const { recovered } = world.run();
    expect(recovered?.from).toBe('systematic_chunks');
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(world.network.asked).toHaveLength(2_048);
    expect(recovered?.account.totals).toMatchObject({ issued: 2_048, succeeded: 2_048 });
  });

  it('asks everybody once when nobody has a chunk', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 10_000,
      behaviour: ({ index }) => ({ behaviour: 'no_such', delayMs: 5 + (index % 9) }),
    });
    const { error } = world.run();
    expect(error).toMatchObject({ code: 'unavailable' });
    // Fewer than 2,048 are left when the search is given up.
    expect(world.network.asked.length).toBeGreaterThan(10_000 - 2_048);
    expect(new Set(world.network.chunksAsked()).size).toBe(world.network.asked.length);
  });
});
