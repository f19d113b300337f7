/**
 * @module
 * The work on real workers gives the bytes of the plain work, whatever their number, and gives memory
 * back when it is given up half-way.
 */

import { firstValueFrom, lastValueFrom, timer } from 'rxjs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunksAt, fastFixture, verified, verifyAll } from './fixture.ts';

beforeAll(hashReady);

const range = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

/** Large enough for jobs to be cut and given out: 5 to 20 ms of one thread. */
const VALIDATORS = 60;

const one = fastFixture(VALIDATORS, 1_500_000);
const k = one.systematicThreshold;

describe('codingWork', () => {
  it.each([1, 2, 3])('gives the same bytes on %i workers', async (workers) => {
    const warnings: unknown[] = [];
    const work = codingWork({ workers, warn: (...warning) => warnings.push(warning) });
    // Starting workers is what takes time here: all paths for one number of them.
    const forced = workers === 2 ? (['transposition', 'rows', 'blocks', 'reveal'] as const) : [];
    for (const forcePath of [...forced, undefined]) {
      const own =
        forcePath === undefined ? work : codingWork({ workers, forcePath, groupBytes: 100_000 });
      const recovery = own.open(one.subject);
      const from = forcePath === 'transposition' ? 0 : 3;
      const chunks = await verified(recovery, chunksAt(one, range(k, from)));
      const decoded = await lastValueFrom(
        recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }),
      );
      expect(decoded.path).toBe(forcePath ?? decoded.path);
      expect(equalBytes(decoded.payload.subarray(0, one.payload.length), one.payload)).toBe(true);
      expect(decoded.codewordRoot).toEqual(one.subject.erasureRoot);
      expect(await lastValueFrom(recovery.erasureRoot(one.payload))).toEqual(
        one.subject.erasureRoot,
      );
      recovery.close();
      expect(own.usedBytes).toBe(0);
      if (own !== work) {
        own.close();
      }
    }
    const made = await lastValueFrom(work.produce(one.payload, VALIDATORS));
    expect(made.erasureRoot).toEqual(one.subject.erasureRoot);
    expect(equalBytes(made.chunk(59), one.chunks[59]!.bytes)).toBe(true);
    made.release();
    expect(work.usedBytes).toBe(0);
    work.close();
    expect(warnings).toEqual([]);
  });

  it('gives the same bytes where workers have memories of their own, with one warning', async () => {
    vi.stubGlobal('crossOriginIsolated', false);
    const warnings: string[] = [];
    const work = codingWork({ workers: 2, warn: (warning) => warnings.push(warning) });
    for (const from of [0, 1, 20]) {
      const recovery = work.open(one.subject);
      const chunks = await verified(recovery, chunksAt(one, range(k, from)));
      const { payload, codewordRoot } = await lastValueFrom(
        recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }),
      );
      expect(equalBytes(payload.subarray(0, one.payload.length), one.payload)).toBe(true);
      expect(codewordRoot).toEqual(one.subject.erasureRoot);
      expect(await lastValueFrom(recovery.erasureRoot(one.payload))).toEqual(
        one.subject.erasureRoot,
      );
      recovery.close();
    }
    const made = await lastValueFrom(work.produce(one.payload, VALIDATORS));
    expect(made.erasureRoot).toEqual(one.subject.erasureRoot);
    expect(equalBytes(made.chunk(59), one.chunks[59]!.bytes)).toBe(true);
    made.release();
    expect(work.usedBytes).toBe(0);
    work.close();
    vi.unstubAllGlobals();
    expect(warnings).toEqual(['no_shared_memory']);
  });

  it('gives memory back when it is given up while workers are at work', async () => {
    const work = codingWork({ workers: 2 });
    for (let i = 0; i < 12; i += 1) {
      const recovery = work.open(one.subject);
      const chunks = await verified(recovery, chunksAt(one, range(k, 2)));
      const asking = recovery
        .decode({ method: 'reconstruct', chunks, wantsRoot: true })
        .subscribe({ error: () => undefined });
      const late = verifyAll(recovery, one.chunks).catch(() => undefined);
      await firstValueFrom(timer(i % 4));
      if (i % 2 === 0) {
        asking.unsubscribe();
      }
      recovery.close();
      await late;
    }
    // The last tasks end within milliseconds of their own accord; a lease waits for them.
    await lastValueFrom(work.open(one.subject).erasureRoot(one.payload));
    expect(work.usedBytes).toBe(0);
    work.close();
  });
});
