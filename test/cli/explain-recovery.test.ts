import { describe, expect, it } from 'vitest';
import { explainRecovery } from '../../src/cli/explain-recovery.ts';
import { outcomeJson, type ReportedOutcome } from '../../src/cli/follow-recovery.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { slowWork } from '../support/fake-work.ts';
import { RecoveryWorld, type WorldOptions } from '../support/recovery-world.ts';

type Recorded = WorldOptions & { readonly request?: Partial<RecoveryRequest> };

/** How a recovery in virtual time ended. */
async function recorded({ request, ...options }: Recorded): Promise<ReportedOutcome> {
  const world = await RecoveryWorld.open(options);
  const { recovered, error } = world.run(request);
  return outcomeJson(
    recovered === undefined
      ? { type: 'failed', error: error as RecoveryError }
      : { type: 'recovered', result: recovered },
  );
}

const GOLDEN: readonly (readonly [string, Recorded, readonly string[]])[] = [
  [
    'a fast one: nobody is to blame',
    {
      validatorCount: 10,
      behaviour: ({ index }) => ({ behaviour: 'good', delayMs: 10 + index }),
    },
    [
      'recovered after 15 ms, from systematic_chunks',
      'most time: 15 ms of 15 ms in systematic_chunks, which ended recovered',
      'slowest: v5 15 ms (delivered), v4 14 ms (delivered), v3 13 ms (delivered), v2 12 ms (delivered)',
      'failed: nobody',
      'missing: nothing (4 chunks held of 4 needed)',
      'systematic_chunks: 15 ms, ended recovered',
      'requests: 4: 4 succeeded, 0 failed, 0 canceled',
      'received: 112 B useful, 0 B wasted',
    ],
  ],
  [
    'a fast one from a backer: no chunks were needed',
    { validatorCount: 10, groups: [[1]], request: { backingGroup: 0 } },
    [
      'recovered after 0 ms, from full_from_backers',
      'most time: 0 ms of 0 ms in full_from_backers, which ended recovered',
      'slowest: v1 0 ms (delivered)',
      'failed: nobody',
      'missing: nothing (no chunks were needed)',
      'full_from_backers: 0 ms, ended recovered',
      'requests: 1: 1 succeeded, 0 failed, 0 canceled',
      'received: 64 B useful, 0 B wasted',
    ],
  ],
  [
    'a slow one: silent backers, then holders who are gone, late or lie',
    {
      validatorCount: 10,
      groups: [[1, 2, 3]],
      request: { backingGroup: 0 },
      behaviour: ({ index, kind }) => {
        if (kind === 'available_data') {
          return { behaviour: 'timeout', delayMs: 2_000 };
        }
        const isGone = index % 3 === 0;
        const behaviour = isGone ? 'dial_failed' : index === 4 ? 'flipped' : 'good';
        return { behaviour, delayMs: index === 5 ? 1_800 : 30 };
      },
    },
    [
      'recovered after 4.8 s, from systematic_chunks',
      'most time: 3 s of 4.8 s in full_from_backers, which ended out_of_time',
      'slowest: v3 2.03 s (timeout, 2 requests), v5 1.8 s (delivered), v1 1.03 s (out_of_time, 2 requests), v2 60 ms (delivered, 2 requests) and 1 more',
      'failed: chunk_hash_mismatch: v4; dial_failed: v3; timeout: v3',
      'missing: nothing (4 chunks held of 4 needed)',
      'full_from_backers: 3 s, ended out_of_time',
      'systematic_chunks: 1.8 s, ended recovered',
      'requests: 8: 4 succeeded, 3 failed, 1 canceled',
      'received: 112 B useful, 28 B wasted',
    ],
  ],
  [
    'a slow one whose time went into decoding: no source is to blame',
    {
      validatorCount: 4,
      behaviour: () => ({ behaviour: 'good', delayMs: 20 }),
      ports: ({ runtime }) => ({ work: slowWork(runtime, 400) }),
    },
    [
      'recovered after 820 ms, from systematic_chunks',
      'most time: 820 ms of 820 ms in systematic_chunks, which ended recovered, 800 ms of it decoding and checking',
      'slowest: v0 20 ms (delivered), v1 20 ms (delivered)',
      'failed: nobody',
      'missing: nothing (2 chunks held of 2 needed)',
      'systematic_chunks: 820 ms, ended recovered',
      'requests: 2: 2 succeeded, 0 failed, 0 canceled',
      'received: 112 B useful, 0 B wasted',
    ],
  ],
  [
    'an unavailable one: too few have it, the others are silent',
    {
      validatorCount: 10,
      behaviour: ({ index }) =>
        index < 2
          ? { behaviour: 'good', delayMs: 20 }
          : index < 5
            ? { behaviour: 'no_such', delayMs: 5 }
            : { behaviour: 'timeout', delayMs: 1_200 },
    },
    [
      'unavailable after 8.04 s: sources_exhausted',
      'most time: 8.04 s of 8.04 s in regular_chunks, which ended sources_exhausted',
      'slowest: v5 6 s (timeout, 5 requests), v6 6 s (timeout, 5 requests), v8 6 s (timeout, 5 requests), v9 6 s (timeout, 5 requests) and 6 more',
      'failed: timeout: v5, v6, v7, v8, v9; no_such_chunk: v2, v3, v4',
      'missing: 2 chunks (2 held of 4 needed)',
      'systematic_chunks: 5 ms, ended sources_exhausted',
      'regular_chunks: 8.04 s, ended sources_exhausted',
      'requests: 30: 2 succeeded, 27 failed, 1 canceled',
      'received: 56 B useful, 3 B wasted',
    ],
  ],
  [
    'an unavailable one: out of time before anybody answered',
    { validatorCount: 10, behaviour: () => 'hang', request: { timeoutMs: 500 } },
    [
      'unavailable after 500 ms: deadline',
      'most time: 500 ms of 500 ms in systematic_chunks, which ended cut_short',
      'slowest: v2 500 ms (given up), v3 500 ms (given up), v4 500 ms (given up), v5 500 ms (given up)',
      'failed: given up: v2, v3, v4, v5',
      'missing: 4 chunks (0 held of 4 needed)',
      'systematic_chunks: 500 ms, ended cut_short',
      'requests: 4: 0 succeeded, 0 failed, 4 canceled',
      'received: 0 B useful, 0 B wasted',
    ],
  ],
  [
    'an unavailable one that asked backers only',
    {
      validatorCount: 7,
      groups: [[4, 5]],
      request: { backingGroup: 0, strategies: ['full_from_backers'] },
      behaviour: () => ({ behaviour: 'no_such', delayMs: 3 }),
    },
    [
      'unavailable after 6 ms: sources_exhausted',
      'most time: 6 ms of 6 ms in full_from_backers, which ended sources_exhausted',
      'slowest: v4 3 ms (no_such_data), v5 3 ms (no_such_data)',
      'failed: no_such_data: v4, v5',
      'missing: the data (no chunks were asked for)',
      'full_from_backers: 6 ms, ended sources_exhausted',
      'requests: 2: 0 succeeded, 2 failed, 0 canceled',
      'received: 0 B useful, 2 B wasted',
    ],
  ],
  [
    'an invalid one: the candidate is to blame',
    {
      validatorCount: 7,
      kind: 'trailing_garbage',
      behaviour: ({ index, times }) => ({
        behaviour: index === 4 && times === 0 ? 'reset' : 'good',
        delayMs: 12,
      }),
    },
    [
      'invalid after 24 ms: root_mismatch; the candidate is to blame, whoever sent it (proven by chunks 0, 1)',
      'most time: 24 ms of 24 ms in systematic_chunks, which ended check_failed',
      'slowest: v4 24 ms (reset, 2 requests), v3 12 ms (delivered)',
      'failed: reset: v4',
      'missing: nothing (2 chunks held of 2 needed)',
      'systematic_chunks: 24 ms, ended check_failed',
      'requests: 3: 2 succeeded, 1 failed, 0 canceled',
      'received: 112 B useful, 0 B wasted',
    ],
  ],
  [
    'a fault of ours',
    { validatorCount: 7, request: { sessionIndex: 9 }, settings: { receiptSession: 'ignored' } },
    [
      'local_fault after 0 ms: session_missing; we are to blame, it says nothing about the candidate',
      'most time: 0 ms of 0 ms before any strategy (waiting for a turn, the session, our own store)',
      'slowest: nobody was waited for',
      'failed: nobody',
      'missing: the data (no chunks were asked for)',
      'requests: 0: 0 succeeded, 0 failed, 0 canceled',
      'received: 0 B useful, 0 B wasted',
    ],
  ],
];

describe('explainRecovery', () => {
  it.each(GOLDEN)('says of %s', async (_name, world, expected) => {
    const lines = explainRecovery(await recorded(world));
    // Which engine it was depends on the host.
    expect(lines.filter((line) => !line.startsWith('engine: '))).toEqual(expected);
  });

  it('says at last what the work was done with, and what it cost', async () => {
    const options = { validatorCount: 10, ports: () => ({ work: plainWork() }) };
    const outcome = await recorded(options);
    expect(explainRecovery(outcome).at(-1)).toMatch(
      /^engine: scalar, here, decoded by plain; 14 chunks hashed, 0 hashes reused, [\d.]+ KiB copied$/,
    );
    const { account } = outcome;
    const work = {
      ...account!.work!,
      engine: 'simd' as const,
      threads: 2,
      copiedBytes: { load: 1_024, result: 1_024, check: 0, caller: 1_024 },
    };
    expect(explainRecovery({ ...outcome, account: { ...account!, work } }).at(-1)).toBe(
      'engine: simd, here and on 2 workers, decoded by plain; 14 chunks hashed, 0 hashes reused, 3.00 KiB copied',
    );
  });

  it('says so when nothing had begun', () => {
    expect(explainRecovery({ outcome: 'stopped' })).toEqual(['stopped; nothing had begun']);
  });
});
