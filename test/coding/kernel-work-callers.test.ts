/**
 * @module
 * The work on the kernel holds against what its callers do: costs that are no numbers, listeners that throw,
 * productions that are never released.
 */

import { firstValueFrom, lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { TYPICAL_COSTS } from '../../src/coding/host-costs.ts';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunksAt, damaged, fixture, verified, verifyAll } from './fixture.ts';

beforeAll(hashReady);

describe('codingWork', () => {
  it.each([Number.NaN, 0, -1, Number.POSITIVE_INFINITY])('refuses costs of %s', (cost) => {
    const costs = { ...TYPICAL_COSTS.simd, hash: cost };
    expect(() => codingWork({ costs })).toThrow(RangeError);
    expect(() => codingWork({ costs })).toThrow('costs.hash');
  });

  it('plans by the costs that it was given, whatever becomes of the object', async () => {
    const one = fixture(40, 50_000);
    const costs = { ...TYPICAL_COSTS.simd };
    const work = codingWork({ workers: 2, costs, drainTime: 'at_once' });
    const [chunk] = chunksAt(one, [3]);
    const first = work.open(one.subject);
    await verified(first, chunk === undefined ? [] : [chunk]);
    first.close();
    costs.hash = Number.NaN;
    const second = work.open(one.subject);
    const answers = await verifyAll(second, chunk === undefined ? [] : [damaged(chunk)]);
    expect(answers).toEqual([{ type: 'invalid', reason: 'chunk_hash_mismatch' }]);
    work.close();
  });

  it('does its work though the listener to its warnings throws', async () => {
    const one = fixture(40, 50_000);
    const warn = (): never => {
      throw new Error('a listener threw');
    };
    const work = codingWork({ workers: 0, arenaBytes: 65_536, warn });
    const recovery = work.open(one.subject);
    await verified(recovery, chunksAt(one, [3]));
    work.close();
  });

  it('ends what waits for memory that nobody gives back when it is closed', async () => {
    const work = codingWork({ workers: 0, arenaBytes: 12_000_000 });
    const held = await firstValueFrom(work.produce(new Uint8Array(500_000), 40));
    const waiting = lastValueFrom(work.produce(new Uint8Array(700_000), 40));
    const one = fixture(40, 600_000);
    const recovery = work.open(one.subject);
    const rooting = lastValueFrom(recovery.erasureRoot(one.payload));
    work.close();
    await expect(waiting).rejects.toMatchObject({ code: 'runner_closed' });
    await expect(rooting).rejects.toMatchObject({ code: 'runner_closed' });
    await expect(lastValueFrom(recovery.erasureRoot(one.payload))).rejects.toMatchObject({
      code: 'runner_closed',
    });
    held.release();
    expect(work.usedBytes).toBe(0);
  });
});
