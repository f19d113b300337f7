import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { CODING_V1 } from '../../src/coding/coding.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import type { Chunk, VerifiedChunk } from '../../src/primitives/chunk.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { chunkAndProofBytes, provenChunks } from '../support/proven-chunks.ts';

beforeAll(hashReady);

const candidate = testCandidate({ validatorCount: 7 });
const payload = encodeAvailableData(candidate.data);
const open = () =>
  plainWork().open({
    coding: CODING_V1([]),
    erasureRoot: candidate.erasureRoot,
    validatorCount: 7,
  });
const decode = (method: 'reassemble' | 'reconstruct', chunks: readonly VerifiedChunk[]) =>
  lastValueFrom(open().decode({ method, chunks, wantsRoot: true }));

describe('plainWork', () => {
  it('gives the payload of any chunks, and the root of a payload', async () => {
    const verified = provenChunks(candidate);
    const decoded = await decode('reconstruct', verified.slice(-3));
    expect(decoded.payload.subarray(0, payload.length)).toEqual(payload);
    expect(await decode('reassemble', verified.slice(0, 2))).toEqual(decoded);
    expect(await lastValueFrom(open().erasureRoot(payload))).toEqual(candidate.erasureRoot);
  });

  it('leaves the root to be asked for: nothing is taken for known', async () => {
    expect(await decode('reassemble', provenChunks(candidate))).toEqual({
      payload: expect.any(Uint8Array),
      path: 'plain',
    });
  });

  it('is cold: a question that would fail does so when it is subscribed to', async () => {
    const failing = open().decode({ method: 'reconstruct', chunks: [], wantsRoot: false });
    await expect(lastValueFrom(failing)).rejects.toMatchObject({ code: 'not_enough_chunks' });
  });

  it('verifies at once, and hands out memory that the asker can not reach', () => {
    const chunk = candidate.chunks[3]!;
    const bytes = Buffer.from(chunk.bytes);
    const proof = chunk.proof.map((node) => Buffer.from(node));
    const verified: Chunk[] = [];
    open()
      .verify({ ...chunk, bytes, proof })
      .subscribe((answer) => {
        if (answer.type === 'verified') {
          verified.push(answer.chunk);
        }
      });
    for (const part of [bytes, ...proof]) {
      part.fill(0);
    }
    expect(verified).toEqual([chunk]);
  });

  it('says why a chunk is not proven', async () => {
    const chunk = { ...candidate.chunks[3]!, bytes: Uint8Array.of(1, 2) };
    expect(await lastValueFrom(open().verify(chunk))).toEqual({
      type: 'invalid',
      reason: 'chunk_hash_mismatch',
    });
  });

  it('counts what it hashed and copied', async () => {
    const work = open();
    expect(work.tally).toEqual({
      copiedBytes: { load: 0, result: 0 },
      hashedChunks: 0,
      reusedHashes: 0,
    });
    const chunk = candidate.chunks[3]!;
    await lastValueFrom(work.verify(chunk));
    await lastValueFrom(work.erasureRoot(payload));
    const chunks = provenChunks(candidate);
    await lastValueFrom(work.decode({ method: 'reconstruct', chunks, wantsRoot: true }));
    work.close();
    expect(work.tally).toEqual({
      copiedBytes: { load: chunkAndProofBytes(chunk), result: 0 },
      hashedChunks: 1 + 7,
      reusedHashes: 0,
      path: 'plain',
    });
  });

  it('does nothing once it is closed, however often', async () => {
    const work = open();
    work.close();
    work.close();
    for (const asked$ of [
      work.verify(candidate.chunks[0]!),
      work.decode({ method: 'reassemble', chunks: provenChunks(candidate), wantsRoot: false }),
      work.erasureRoot(payload),
    ]) {
      await expect(lastValueFrom<unknown>(asked$)).rejects.toThrow('closed');
    }
  });
});
