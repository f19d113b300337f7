import { forkJoin, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CODEC_V1, type ErasureCodec } from '../../src/erasure/index.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { chunkKey } from '../../src/store/layout.ts';
import { CHUNKS_STORED, DATA_STORED } from '../../src/store/metrics.ts';
import { allValidators, storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { allKeys, openStore } from './support.ts';

const candidate = storeCandidate({ seed: 10 });
const hash = candidate.candidateHash;
const v = validatorIndex;

/** Counts encodes on their way to the real codec. */
function countingCodec(): { codec: ErasureCodec; encodes: () => number } {
  let encodes = 0;
  const codec: ErasureCodec = {
    ...CODEC_V1,
    encodeChunks: (payload, n) => {
      encodes += 1;
      return CODEC_V1.encodeChunks(payload, n);
    },
  };
  return { codec, encodes: () => encodes };
}

describe('storeAvailableData', () => {
  it('keeps all chunks and the data of a backer, with one encode', async () => {
    const { codec, encodes } = countingCodec();
    await using opened = await openStore('memory', { codec });
    const report = await lastValueFrom(opened.store.storeAvailableData(candidate));
    expect(report).toEqual({ storedChunks: 7, hasStoredData: true });
    expect(encodes()).toBe(1);
    expect(await lastValueFrom(opened.store.loadCandidate(hash))).toMatchObject({
      hasAvailableData: true,
      heldChunks: [0, 1, 2, 3, 4, 5, 6],
      erasureRoot: candidate.erasureRoot,
      validatorCount: 7,
    });
    for (const validator of allValidators(candidate)) {
      expect(await all(opened.store.serveChunk(hash, validator))).toEqual([
        candidate.chunkOf(validator),
      ]);
    }
    expect(opened.counters.total(CHUNKS_STORED)).toBe(7);
    expect(opened.counters.total(DATA_STORED)).toBe(1);
  });

  it('keeps only the chunks named, and no data, for a validator', async () => {
    await using opened = await openStore('memory');
    const report = await lastValueFrom(
      opened.store.storeAvailableData({ ...candidate, keep: [v(3), v(3)] }),
    );
    expect(report).toEqual({ storedChunks: 1, hasStoredData: false });
    expect(await all(opened.store.loadAvailableData(hash))).toEqual([]);
    expect(await all(opened.store.loadChunks(hash))).toEqual([
      { validatorIndex: 3, chunk: candidate.chunkOf(3) },
    ]);
  });

  it('is a success without effect, and without an encode, the second time', async () => {
    const { codec, encodes } = countingCodec();
    await using opened = await openStore('memory', { codec });
    await lastValueFrom(opened.store.storeAvailableData(candidate));
    const again = await lastValueFrom(opened.store.storeAvailableData(candidate));
    expect(again).toEqual({ storedChunks: 0, hasStoredData: false });
    expect(encodes()).toBe(1);
  });

  it('adds what is missing to what is held', async () => {
    await using opened = await openStore('memory');
    await lastValueFrom(opened.store.storeAvailableData({ ...candidate, keep: [v(3)] }));
    const report = await lastValueFrom(opened.store.storeAvailableData(candidate));
    expect(report).toEqual({ storedChunks: 6, hasStoredData: true });
  });

  it('refuses data that encodes to another root and stores nothing', async () => {
    await using opened = await openStore('memory');
    const { erasureRoot } = storeCandidate({ seed: 11 });
    const storing = opened.store.storeAvailableData({ ...candidate, erasureRoot });
    await expect(lastValueFrom(storing)).rejects.toMatchObject({ code: 'invalid_erasure_root' });
    expect(await allKeys(opened.datastore)).toEqual([]);
  });

  it('refuses other data for a candidate that is held, although its root is named', async () => {
    await using opened = await openStore('memory');
    await lastValueFrom(opened.store.storeAvailableData(candidate));
    const { data } = storeCandidate({ seed: 11 });
    const storing = opened.store.storeAvailableData({ ...candidate, data });
    await expect(lastValueFrom(storing)).rejects.toMatchObject({ code: 'invalid_erasure_root' });
    expect(await all(opened.store.serveAvailableData(hash))).toEqual([candidate.dataBytes]);
  });

  it('refuses a validator outside the session and a mapping of another size', async () => {
    await using opened = await openStore('memory');
    const { mapping } = storeCandidate({ seed: 10, validatorCount: 8 });
    await expect(
      lastValueFrom(opened.store.storeAvailableData({ ...candidate, keep: [v(7)] })),
    ).rejects.toMatchObject({ code: 'validator_index_out_of_range' });
    await expect(
      lastValueFrom(opened.store.storeAvailableData({ ...candidate, mapping })),
    ).rejects.toBeInstanceOf(RangeError);
    expect(await allKeys(opened.datastore)).toEqual([]);
  });
});

describe('storeChunk', () => {
  it('stores a chunk whose proof holds, once', async () => {
    await using opened = await openStore('memory');
    const entry = { ...candidate, validatorIndex: v(5), chunk: candidate.chunkOf(5) };
    expect(await lastValueFrom(opened.store.storeChunk(entry))).toEqual({
      storedChunks: 1,
      hasStoredData: false,
    });
    expect(await lastValueFrom(opened.store.storeChunk(entry))).toEqual({
      storedChunks: 0,
      hasStoredData: false,
    });
    expect(await all(opened.store.serveChunk(hash, v(5)))).toEqual([candidate.chunkOf(5)]);
    expect(opened.counters.total(CHUNKS_STORED)).toBe(1);
  });

  const good = candidate.chunkOf(5);
  const foreign = storeCandidate({ seed: 11 }).chunkOf(5);
  it.each([
    [
      'flipped bytes',
      { ...good, bytes: good.bytes.map((byte) => byte ^ 1) },
      'chunk_hash_mismatch',
    ],
    ['another index', { ...good, chunkIndex: candidate.chunkOf(4).chunkIndex }, undefined],
    ['a chunk of another candidate', foreign, undefined],
    ['an empty proof', { ...good, proof: [] }, undefined],
    [
      'a proof that holds but could not travel',
      { ...good, proof: [...good.proof, ...Array(8).fill(Uint8Array.of(1))] },
      'bad_proof_bounds',
    ],
  ])('refuses %s and stores nothing', async (_name, chunk, reason) => {
    await using opened = await openStore('memory');
    const storing = opened.store.storeChunk({ ...candidate, validatorIndex: v(5), chunk });
    const error: unknown = await lastValueFrom(storing).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'invalid_chunk' });
    if (reason !== undefined) {
      expect(error).toMatchObject({ details: { reason } });
    }
    expect(await allKeys(opened.datastore)).toEqual([]);
  });

  it('refuses a validator outside the session', async () => {
    await using opened = await openStore('memory');
    for (const index of [7, -1, 1.5, Number.NaN]) {
      const storing = opened.store.storeChunk({
        ...candidate,
        validatorIndex: v(index),
        chunk: good,
      });
      await expect(lastValueFrom(storing), `V ${index}`).rejects.toMatchObject({
        code: 'validator_index_out_of_range',
      });
    }
  });

  it('refuses a candidate that is held under another root', async () => {
    await using opened = await openStore('memory');
    const other = storeCandidate({ seed: 11 });
    await lastValueFrom(opened.store.markBacked(other));
    const entry = { ...candidate, candidateHash: other.candidateHash };
    await expect(
      lastValueFrom(opened.store.storeChunk({ ...entry, validatorIndex: v(5), chunk: good })),
    ).rejects.toMatchObject({ code: 'conflicting_candidate' });
  });
});

describe.each(['memory', 'level'] as const)('writes at the same time on %s', (kind) => {
  it('lose no chunk of one candidate from its metadata', async () => {
    await using opened = await openStore(kind);
    await lastValueFrom(
      forkJoin(
        allValidators(candidate).map((validator) =>
          opened.store.storeChunk({
            ...candidate,
            validatorIndex: validator,
            chunk: candidate.chunkOf(validator),
          }),
        ),
      ),
    );
    const record = await lastValueFrom(opened.store.loadCandidate(hash));
    expect(record.heldChunks).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await all(opened.store.loadChunks(hash))).toHaveLength(7);
  });

  it('show a reader all chunks of a batch or none', async () => {
    await using opened = await openStore(kind);
    const big = storeCandidate({ seed: 12, validatorCount: 100, povBytes: 2_000 });
    const writing = lastValueFrom(opened.store.storeAvailableData(big));
    const seen = new Set<number>();
    let isWritten = false;
    void writing.then(() => {
      isWritten = true;
    });
    while (!isWritten) {
      seen.add((await all(opened.store.loadChunks(big.candidateHash))).length);
    }
    await writing;
    seen.add((await all(opened.store.loadChunks(big.candidateHash))).length);
    expect([...seen].filter((count) => count !== 0)).toEqual([100]);
  });

  it('do nothing when they are unsubscribed before they begin', async () => {
    await using opened = await openStore(kind);
    const entry = { ...candidate, validatorIndex: v(5), chunk: good(5) };
    opened.store.storeChunk(entry).subscribe({ error: expect.unreachable }).unsubscribe();
    opened.store.markBacked(candidate).subscribe({ error: expect.unreachable }).unsubscribe();
    expect(await all(opened.store.loadCandidate(hash))).toEqual([]);
    expect(await all(opened.store.loadChunks(hash))).toEqual([]);
  });
});

describe('a failing database', () => {
  it('is write_failed with the cause, and nothing is listed', async () => {
    await using opened = await openStore('memory');
    const cause = new Error('disk full');
    const batch = opened.datastore.batch.bind(opened.datastore);
    opened.datastore.batch = () => ({ ...batch(), commit: () => Promise.reject(cause) });
    const entry = { ...candidate, validatorIndex: v(5), chunk: good(5) };
    await expect(lastValueFrom(opened.store.storeChunk(entry))).rejects.toMatchObject({
      code: 'write_failed',
      cause,
    });
    opened.datastore.batch = batch;
    expect(await all(opened.store.loadCandidate(hash))).toEqual([]);
    expect(await lastValueFrom(opened.store.storeChunk(entry))).toMatchObject({ storedChunks: 1 });
  });

  it('is read_failed with the cause', async () => {
    await using opened = await openStore('memory');
    const cause = new Error('bad sector');
    opened.datastore.get = () => Promise.reject(cause);
    for (const reading of [
      opened.store.serveChunk(hash, v(1)),
      opened.store.loadAvailableData(hash),
      opened.store.loadCandidate(hash),
    ]) {
      await expect(lastValueFrom<unknown>(reading)).rejects.toMatchObject({
        code: 'read_failed',
        cause,
      });
    }
  });
});

describe('the layout', () => {
  it('holds what its documentation says', async () => {
    await using opened = await openStore('memory');
    await lastValueFrom(opened.store.storeAvailableData({ ...candidate, keep: [v(3)] }));
    const keys = await allKeys(opened.datastore);
    expect(
      keys.map((key) => key.replace(/[0-9a-f]{64}/, '<hash>').replace(/[0-9a-f]{12}/, '<ms>')),
    ).toEqual(['/candidate/<hash>', '/chunk/<hash>/0003', '/unavailable/<ms>/<hash>']);
    expect(chunkKey(hash, v(65_535)).toString()).toBe(`/chunk/${hash}/ffff`);
  });
});

function good(validator: number): ReturnType<typeof candidate.chunkOf> {
  return candidate.chunkOf(validator);
}
