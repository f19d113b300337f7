/**
 * @module
 * The work on the kernel keeps what its port promises: answers, memory, counts, fallbacks.
 */

import { lastValueFrom, map, take, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecoveryWork } from '../../src/coding/erasure-work.ts';
import { type CodingWorkOptions, codingWork } from '../../src/coding/kernel-work.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import type { VerifyChunkAnswer } from '../../src/commitment/verify-chunk.ts';
import { equalBytes, toHex } from '../../src/primitives/bytes.ts';
import type { Chunk, VerifiedChunk } from '../../src/primitives/chunk.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import {
  CODING,
  chunksAt,
  damaged,
  type Fixture,
  fixture,
  inconsistent,
  plainRoot,
  verified,
  verifyAll,
} from './fixture.ts';

beforeAll(hashReady);

/** Runs with one recovery open, and closes it and the work. Everything must be given back. */
async function withWork<T>(
  options: CodingWorkOptions,
  { subject }: Fixture,
  run: (recovery: RecoveryWork, warnings: readonly string[]) => Promise<T>,
): Promise<T> {
  const warnings: string[] = [];
  const work = codingWork({ workers: 0, ...options, warn: (warning) => warnings.push(warning) });
  const recovery = work.open(subject);
  try {
    return await run(recovery, warnings);
  } finally {
    recovery.close();
    expect(work.usedBytes, 'given back').toBe(0);
    work.close();
  }
}

/** An answer with what its chunk has in plain sight: held chunks read their bytes when they are asked. */
function inPlainSight(answer: VerifyChunkAnswer): unknown {
  if (answer.type === 'invalid') {
    return answer;
  }
  const { bytes, chunkIndex, proof } = answer.chunk;
  return { type: 'verified', chunk: { bytes, chunkIndex, proof } };
}

const indices = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

describe('codingWork', () => {
  it('takes no memory before a chunk comes', () => {
    const work = codingWork({ workers: 0 });
    work.open(fixture(10, 100).subject);
    expect(work.usedBytes).toBe(0);
    work.close();
  });

  it('says which engine does the work, and why', () => {
    expect(codingWork({ workers: 0, engine: 'scalar' }).description).toEqual({
      engine: 'scalar',
      reason: 'option',
      threads: 0,
    });
    expect(codingWork({ workers: 0, engine: 'simd' }).description.engine).toBe('simd');
    expect(codingWork({ workers: 2 }).description.threads).toBe(2);
  });

  it.each([{ workers: -1 }, { workers: 1.5 }, { arenaBytes: 0 }, { groupBytes: -1 }])(
    'refuses %o',
    (options) => {
      expect(() => codingWork(options)).toThrow(RangeError);
    },
  );

  it('is done by the plain engine where the arena has no room for a kernel, with one warning', async () => {
    const one = fixture(10, 1000);
    await withWork({ arenaBytes: 65_536 }, one, async (recovery, warnings) => {
      const chunks = await verified(recovery, chunksAt(one, indices(4)));
      const question = { method: 'reassemble', chunks, wantsRoot: false } as const;
      const decoded = await lastValueFrom(recovery.decode(question));
      expect(decoded.path).toBe('plain');
      expect(warnings).toEqual(['no_kernel']);
    });
  });

  it('does the plain form of a coding that it does not know, with one warning', async () => {
    const one = fixture(10, 1000);
    const coding = { ...CODING, commitment: { ...CODING.commitment, id: 'other' } };
    const other = { ...one, subject: { ...one.subject, coding } };
    await withWork({}, other, async (recovery, warnings) => {
      expect(await verifyAll(recovery, chunksAt(one, [3]))).toMatchObject([{ type: 'verified' }]);
      expect(warnings).toEqual(['unknown_coding']);
    });
  });

  it('ends what is open in errors when it is closed', async () => {
    const one = fixture(10, 1000);
    const work = codingWork({ workers: 0 });
    const recovery = work.open(one.subject);
    work.close();
    await expect(lastValueFrom(recovery.erasureRoot(one.payload))).rejects.toThrow(Error);
    const late = work.open(one.subject);
    await expect(lastValueFrom(late.erasureRoot(one.payload))).rejects.toThrow(Error);
  });
});

describe('verify', () => {
  it('answers at once where no worker is', () => {
    const one = fixture(10, 1000);
    const work = codingWork({ workers: 0 });
    const recovery = work.open(one.subject);
    const answers: string[] = [];
    for (const chunk of one.chunks) {
      recovery.verify(chunk).subscribe(({ type }) => answers.push(type));
    }
    expect(answers).toEqual(one.chunks.map(() => 'verified'));
    work.close();
  });

  it('answers whoever asks from within an answer at once too', () => {
    const one = fixture(10, 1000);
    const work = codingWork({ workers: 0 });
    const recovery = work.open(one.subject);
    const answers: number[] = [];
    const ask = (index: number): void => {
      const chunk = one.chunks[index];
      if (chunk !== undefined) {
        recovery.verify(chunk).subscribe(() => {
          answers.push(index);
          ask(index + 1);
        });
      }
    };
    ask(0);
    expect(answers).toEqual(indices(10));
    work.close();
  });

  it.each(['at_once', 'end_of_turn'] as const)(
    'gives the answers of the plain work to any chunks, in order (%s)',
    async (drainTime) => {
      const one = fixture(20, 3000);
      const [first, second] = one.chunks;
      const odd: readonly Chunk[] = [
        ...one.chunks,
        ...one.chunks.map(damaged),
        ...one.chunks.map((chunk, i) => ({ ...chunk, chunkIndex: chunkIndex((i + 1) % 20) })),
        { ...first!, bytes: new Uint8Array(0) },
        { ...first!, bytes: new Uint8Array(7) },
        { ...first!, chunkIndex: chunkIndex(20) },
        { ...first!, proof: [] },
        { ...first!, proof: second!.proof },
        first!,
      ];
      const plain = await verifyAll(plainWork().open(one.subject), odd);
      await withWork({ drainTime }, one, async (recovery) => {
        const answers = await verifyAll(recovery, odd);
        expect(answers.map(inPlainSight)).toEqual(plain.map(inPlainSight));
        expect(recovery.tally.hashedChunks).toBe(odd.length);
      });
    },
  );

  it('reads the chunk in the turn of the subscription alone, and hands out bytes of its own', async () => {
    const one = fixture(10, 1000);
    const bytes = new Uint8Array(one.chunks[1]!.bytes);
    const proof = one.chunks[1]!.proof.map((node) => new Uint8Array(node));
    await withWork({ drainTime: 'end_of_turn' }, one, async (recovery) => {
      const asking = verifyAll(recovery, [{ ...one.chunks[1]!, bytes, proof }]);
      bytes.fill(7);
      for (const node of proof) {
        node.fill(7);
      }
      const [answer] = await asking;
      expect(inPlainSight(answer!)).toEqual({ type: 'verified', chunk: one.chunks[1] });
    });
  });

  it("does not let a liar's length become the length of the recovery", async () => {
    const one = fixture(10, 1000);
    await withWork({}, one, async (recovery) => {
      const liar = { ...one.chunks[0]!, bytes: new Uint8Array(2) };
      await verifyAll(recovery, [liar, liar, liar]);
      const chunks = await verified(recovery, chunksAt(one, indices(4)));
      const loaded = recovery.tally.copiedBytes.load;
      await lastValueFrom(recovery.decode({ method: 'reassemble', chunks, wantsRoot: false }));
      expect(recovery.tally.copiedBytes.load, 'all rows were there').toBe(loaded);
    });
  });
});

describe('decode', () => {
  const one = fixture(100, 20_000);
  const k = one.systematicThreshold;

  async function decodeAll(
    recovery: RecoveryWork,
    chunks: readonly VerifiedChunk[],
    wantsRoot = true,
  ): Promise<void> {
    const decoded = await lastValueFrom(
      recovery.decode({ method: 'reconstruct', chunks, wantsRoot }),
    );
    const expected = CODING.plain.codec.reconstruct(chunks, one.subject.validatorCount);
    expect(decoded.payload).toEqual(expected);
    expect(decoded.codewordRoot).toEqual(
      wantsRoot ? plainRoot(expected, one.subject.validatorCount) : undefined,
    );
  }

  it('hashes each chunk once and reuses the proven hashes', async () => {
    await withWork({}, one, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(one, indices(k, 5)));
      expect(recovery.tally.hashedChunks).toBe(k);
      await decodeAll(recovery, chunks);
      expect(recovery.tally.reusedHashes).toBe(k);
      expect(recovery.tally.hashedChunks).toBe(100);
    });
  });

  it('copies each chunk once, the nodes of proofs once, and the payload once', async () => {
    await withWork({}, one, async (recovery) => {
      const asked = chunksAt(one, indices(k, 5));
      const chunks = await verified(recovery, asked);
      await decodeAll(recovery, chunks);
      const chunkBytes = one.chunks[0]!.bytes.length;
      const nodes = new Map(asked.flatMap(({ proof }) => proof.map((node) => [toHex(node), node])));
      const proofBytes = [...nodes.values()].reduce((sum, { length }) => sum + length, 0);
      expect(recovery.tally.copiedBytes).toEqual({
        // Once more for the plain codec, to which the result was held: whoever reads a chunk has it copied out.
        load: 2 * k * chunkBytes + proofBytes,
        result: k * chunkBytes,
      });
    });
  });

  it('writes the payload into a buffer of the asker that is long enough, and to nothing else', async () => {
    await withWork({}, one, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(one, indices(k)));
      const payloadBytes = k * one.chunks[0]!.bytes.length;
      for (const [spare, isUsed] of [
        [0, true],
        [10, true],
        [-1, false],
      ] as const) {
        const buffer = new Uint8Array(payloadBytes + spare + 7).fill(7);
        const into = buffer.subarray(3, buffer.length - 4);
        const question = { method: 'reassemble', chunks, wantsRoot: true, into } as const;
        const { payload, codewordRoot } = await lastValueFrom(recovery.decode(question));
        expect(payload.subarray(0, one.payload.length)).toEqual(one.payload);
        expect(codewordRoot).toEqual(one.subject.erasureRoot);
        expect(payload.buffer === buffer.buffer, `${spare} bytes to spare`).toBe(isUsed);
        const untouched = isUsed
          ? [...buffer.subarray(0, 3), ...buffer.subarray(-4 - spare)]
          : buffer;
        expect(untouched.every((byte) => byte === 7)).toBe(true);
      }
    });
  });

  it.each([0, 2])('lends the payload where it stands for a turn (%i workers)', async (workers) => {
    await withWork({ workers, forcePath: 'rows' }, one, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(one, indices(k, 2)));
      const question = { method: 'reconstruct', chunks, wantsRoot: true, into: 'arena' } as const;
      const isRight = await lastValueFrom(
        recovery
          .decode(question)
          .pipe(
            map(({ payload }) => equalBytes(payload.subarray(0, one.payload.length), one.payload)),
          ),
      );
      expect(isRight).toBe(true);
      expect(recovery.tally.copiedBytes.result).toBe(0);
    });
  });

  it('takes chunks that another recovery verified', async () => {
    await withWork({}, one, async (recovery) => {
      const other = plainWork().open(one.subject);
      const chunks = await verified(other, chunksAt(one, indices(k, 3)));
      await decodeAll(recovery, chunks);
      expect(recovery.tally.reusedHashes).toBe(0);
      expect(recovery.tally.hashedChunks).toBe(100);
    });
  });

  it('uses exactly k of more where the root is wanted, and never the proven hash of the others', async () => {
    const liars = inconsistent(one, [70]);
    await withWork({}, liars, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(liars, [...indices(k, 1), 70]));
      const { payload, codewordRoot } = await lastValueFrom(
        recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }),
      );
      expect(codewordRoot).toEqual(plainRoot(payload, 100));
      expect(codewordRoot).not.toEqual(liars.subject.erasureRoot);
      expect(recovery.tally.reusedHashes).toBe(k);
    });
  });

  it('uses all chunks where the root is not wanted, as the plain codec does', async () => {
    const liars = inconsistent(one, [70, 3]);
    await withWork({}, liars, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(liars, [...indices(k, 1), 70, 71, 90]));
      await decodeAll(recovery, chunks, false);
    });
  });

  it.each(['reassemble', 'reconstruct'] as const)(
    'throws what the plain codec throws (%s)',
    async (method) => {
      await withWork({}, one, async (recovery) => {
        const all = await verified(recovery, one.chunks);
        const bad: readonly (readonly VerifiedChunk[])[] = [
          [],
          all.slice(0, k - 1),
          all
            .slice(0, k)
            .map((chunk, i) => (i === 3 ? { ...chunk, bytes: new Uint8Array(3) } : chunk)),
          all
            .slice(0, k)
            .map((chunk, i) => (i === 3 ? { ...chunk, bytes: new Uint8Array(4) } : chunk)),
          all.slice(0, k).map((chunk) => ({ ...chunk, bytes: new Uint8Array(0) })),
        ];
        for (const chunks of bad) {
          const plain = plainWork().open(one.subject);
          const question = { method, chunks, wantsRoot: true };
          const expected = await outcome(plain, question);
          expect(await outcome(recovery, question)).toEqual(expected);
        }
      });
    },
  );

  it('reassembles from data chunks whatever else comes with them', async () => {
    await withWork({}, one, async (recovery) => {
      const all = await verified(recovery, one.chunks);
      const chunks = all.toReversed();
      const decoded = await lastValueFrom(
        recovery.decode({ method: 'reassemble', chunks, wantsRoot: true }),
      );
      expect(decoded.path).toBe('transposition');
      expect(decoded.payload.subarray(0, one.payload.length)).toEqual(one.payload);
      expect(decoded.codewordRoot).toEqual(one.subject.erasureRoot);
    });
  });

  it('gives one value to each subscription', async () => {
    await withWork({}, one, async (recovery) => {
      const chunks = await verified(recovery, chunksAt(one, indices(k)));
      const work = recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true });
      const [first] = await lastValueFrom(work.pipe(toArray()));
      const again = await lastValueFrom(work);
      expect(again).toEqual(first);
      expect(again.payload.buffer).not.toBe(first?.payload.buffer);
    });
  });
});

/** The payload, or the error's name and code. */
async function outcome(
  recovery: RecoveryWork,
  question: Parameters<RecoveryWork['decode']>[0],
): Promise<unknown> {
  try {
    return (await lastValueFrom(recovery.decode(question))).payload;
  } catch (error: unknown) {
    const { name, code } = error as { name: string; code?: string };
    return { name, code };
  }
}

describe('erasureRoot', () => {
  it.each([2, 3, 4, 50, 257])('is the root of the plain work for %i validators', async (n) => {
    const one = fixture(n, 5000);
    for (const groupBytes of [1, 64 * 1024]) {
      await withWork({ groupBytes }, one, async (recovery) => {
        expect(await lastValueFrom(recovery.erasureRoot(one.payload))).toEqual(
          one.subject.erasureRoot,
        );
      });
    }
  });

  it('throws what the plain work throws for an empty payload', async () => {
    await withWork({}, fixture(10, 10), async (recovery) => {
      const root = lastValueFrom(recovery.erasureRoot(new Uint8Array(0)));
      await expect(root).rejects.toMatchObject({ name: 'ErasureError', code: 'bad_payload' });
    });
  });
});

describe('close', () => {
  it('ends productions asked for afterwards in an error', async () => {
    const work = codingWork({ workers: 0 });
    work.close();
    await expect(lastValueFrom(work.produce(one.payload, 6))).rejects.toMatchObject({
      code: 'runner_closed',
    });
  });

  const one = fixture(40, 4000);

  it('errors what is on the way, gives everything back, and may come again', async () => {
    const work = codingWork({ workers: 0, drainTime: 'end_of_turn' });
    const recovery = work.open(one.subject);
    await verified(recovery, one.chunks);
    expect(work.usedBytes).toBeGreaterThan(0);
    const asking = verifyAll(recovery, one.chunks);
    recovery.close();
    recovery.close();
    await expect(asking).rejects.toThrow('closed');
    expect(work.usedBytes).toBe(0);
    await expect(lastValueFrom(recovery.erasureRoot(one.payload))).rejects.toThrow('closed');
    expect(recovery.tally.hashedChunks).toBe(40);
    work.close();
  });

  it('gives everything back when a question is given up', async () => {
    const work = codingWork({ workers: 0, drainTime: 'end_of_turn' });
    const recovery = work.open(one.subject);
    const fail = (): never => expect.fail('nobody asks any more');
    for (const chunk of one.chunks) {
      recovery.verify(chunk).subscribe(fail).unsubscribe();
    }
    await lastValueFrom(recovery.erasureRoot(one.payload).pipe(take(1)));
    recovery.close();
    expect(work.usedBytes).toBe(0);
    work.close();
  });
});

describe('a small arena', () => {
  /** One context takes about 5 MiB. */
  const arenaBytes = 7 * 1024 * 1024;

  it('lets recoveries wait for each other, and all of them end', async () => {
    const one = fixture(60, 200_000);
    const work = codingWork({ workers: 0, arenaBytes, drainTime: 'end_of_turn' });
    const k = one.systematicThreshold;
    const recoveries = Array.from({ length: 12 }, () => work.open(one.subject));
    const payloads = await Promise.all(
      recoveries.map(async (recovery, i) => {
        const chunks = await verified(recovery, chunksAt(one, indices(k, i)));
        const question = { method: 'reconstruct', chunks, wantsRoot: true } as const;
        return lastValueFrom(recovery.decode(question));
      }),
    );
    for (const { payload, codewordRoot, path } of payloads) {
      expect(path).not.toBe('plain');
      expect(equalBytes(payload.subarray(0, one.payload.length), one.payload)).toBe(true);
      expect(codewordRoot).toEqual(one.subject.erasureRoot);
    }
    for (const recovery of recoveries) {
      recovery.close();
    }
    expect(work.usedBytes).toBe(0);
    work.close();
  });

  it('leaves a job that is larger than the arena to the plain engine, with one warning', async () => {
    const one = fixture(3, 1_500_000);
    await withWork({ arenaBytes }, one, async (recovery, warnings) => {
      const chunks = await verified(recovery, chunksAt(one, [1]));
      const question = { method: 'reconstruct', chunks, wantsRoot: true } as const;
      const decoded = await lastValueFrom(recovery.decode(question));
      expect(equalBytes(decoded.payload, one.payload)).toBe(true);
      expect(await lastValueFrom(recovery.erasureRoot(one.payload))).toEqual(
        one.subject.erasureRoot,
      );
      expect(warnings).toEqual(['arena_too_small']);
    });
  });
});
