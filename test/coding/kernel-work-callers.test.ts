/**
 * @module
 * The work on the kernel holds against what its callers and the makers of chunks do: costs that are no numbers,
 * listeners that throw, productions that are never released, chunks that change while they are read.
 */

import { firstValueFrom, lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { TYPICAL_COSTS } from '../../src/coding/host-costs.ts';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { chunksAt, damaged, type Fixture, fixture, verified, verifyAll } from './fixture.ts';

beforeAll(hashReady);

/** The same chunks, but one is longer and the root commits to it: proven, and on no codeword. */
function withLongerChunk(one: Fixture, index: number): Fixture {
  const rows = one.chunks.map(({ bytes }, i) =>
    i === index ? Uint8Array.of(...bytes, 1, 2) : bytes,
  );
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(rows);
  return {
    ...one,
    subject: { ...one.subject, erasureRoot: root },
    chunks: rows.map((bytes, i) => ({ bytes, chunkIndex: chunkIndex(i), proof: proofs[i] ?? [] })),
  };
}

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

  it.each([0, 1])(
    'decodes chunks of another length than the first that was proven, %i away',
    async (from) => {
      const one = withLongerChunk(fixture(10, 400), 9);
      const work = codingWork({ workers: 0 });
      const recovery = work.open(one.subject);
      const all = await verified(recovery, chunksAt(one, [9, 0, 1, 2, 3, 4]));
      const k = one.systematicThreshold;
      const chunks = all.slice(1 + from, 1 + from + k);
      const question = { method: 'reconstruct', chunks, wantsRoot: true } as const;
      const { payload, codewordRoot } = await lastValueFrom(recovery.decode(question));
      expect(payload.subarray(0, 400)).toEqual(one.payload);
      expect(codewordRoot).toEqual(fixture(10, 400).subject.erasureRoot);
      work.close();
    },
  );

  it('hands out what it judged, though a chunk answers differently when it is read again', async () => {
    const one = fixture(40, 4000);
    const work = codingWork({ workers: 0 });
    const recovery = work.open(one.subject);
    await verified(recovery, chunksAt(one, [0]));
    const [chunk] = chunksAt(one, [5]);
    let reads = 0;
    const sly = {
      bytes: chunk?.bytes ?? new Uint8Array(),
      proof: chunk?.proof ?? [],
      get chunkIndex() {
        reads += 1;
        return chunkIndex(reads === 1 ? 3 : 5);
      },
    };
    expect(await verifyAll(recovery, [sly])).toMatchObject([{ type: 'invalid' }]);
    work.close();
  });

  it('refuses a chunk whose buffer grows while its proof is read', async () => {
    const one = fixture(40, 4000);
    const work = codingWork({ workers: 0 });
    const recovery = work.open(one.subject);
    await verified(recovery, chunksAt(one, [0]));
    const [chunk] = chunksAt(one, [5]);
    const buffer = new ArrayBuffer(chunk?.bytes.length ?? 0, { maxByteLength: 1 << 20 });
    const bytes = new Uint8Array(buffer);
    bytes.set(chunk?.bytes ?? []);
    const growing = {
      bytes,
      chunkIndex: chunkIndex(5),
      get proof() {
        buffer.resize(1 << 20);
        bytes.fill(1);
        return chunk?.proof ?? [];
      },
    };
    expect(await verifyAll(recovery, [growing])).toMatchObject([{ type: 'invalid' }]);
    work.close();
  });
});
