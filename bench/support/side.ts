/**
 * @module
 * The jobs that benches time, by the names that they have on every side, and the side of the plain engine.
 */

import { encodeProof } from '../../src/codec/erasure-chunk.ts';
import { type Commitment, HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { type ErasureCodec, PLAIN_CODEC_V1 } from '../../src/erasure/index.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import type { TrieProof } from '../../src/primitives/chunk.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import { chunksAt, digestOf, type Fixture, pick, withoutFirst } from './fixture.ts';
import type { Job } from './rounds.ts';

/** Jobs of one step, on what the steps before would have made. */
export const SINGLE_JOBS = [
  'encode',
  'hash',
  'commit',
  'verify',
  'reassemble',
  'decode_one_missing',
  'decode_sixteen_missing',
  'decode_k',
  'decode_f1',
] as const;

/**
 * Whole jobs. `producer`: payload → chunks, hashes, root, all proofs. The others begin with proven chunks whose
 * proofs are checked, and end with the payload; `checker` (from k random chunks) and those that say so also with
 * the root of that payload, compared.
 */
export const WHOLE_JOBS = [
  'producer',
  'checker',
  'systematic',
  'systematic_checked',
  'one_missing',
  'one_missing_checked',
  'sixteen_missing',
  'sixteen_missing_checked',
] as const;

/** A job, as `native/` calls it too. */
export type JobName = (typeof SINGLE_JOBS)[number] | (typeof WHOLE_JOBS)[number];

/** All names. */
export const JOB_NAMES: readonly JobName[] = [...WHOLE_JOBS, ...SINGLE_JOBS];

/** Whether this is one. */
export function isJobName(name: string): name is JobName {
  return (JOB_NAMES as readonly string[]).includes(name);
}

/** A job that is ready to be timed, and the digest of what it gives. */
export type PreparedJob = {
  readonly run: Job;
  /** Runs the job and digests its result. */
  digest(): Promise<string>;
};

/** Who does the jobs. */
export interface Side extends AsyncDisposable {
  /** For tables, such as `plain` or `simd_relaxed 2T`. */
  readonly name: string;
  /**
   * Prepares jobs on a fixture. What a job needs besides its input is taken now; preparing anew ends what was
   * prepared before. A job that this side has no call for, or that the fixture is too small for, is absent.
   */
  prepare(fixture: Fixture): Partial<Record<JobName, PreparedJob>>;
}

/** Chunk indices that a recovery starts from. */
export function indicesFor(job: JobName, fixture: Fixture): readonly number[] {
  const { validatorCount, systematicThreshold: k } = fixture;
  if (job === 'decode_f1') {
    return pick(validatorCount, fixture.recoveryThreshold);
  }
  if (job.includes('one_missing')) {
    return withoutFirst(fixture, 1);
  }
  if (job.includes('sixteen_missing')) {
    return withoutFirst(fixture, 16);
  }
  return job.startsWith('systematic') || job === 'reassemble'
    ? withoutFirst(fixture, 0)
    : pick(validatorCount, k);
}

/** Whether a recovery by this name ends with the root compared. */
export function isChecked(job: JobName): boolean {
  return job === 'checker' || job.endsWith('_checked');
}

/** Makes a job from a function and a function that tells what of its result counts. */
export function prepared<T>(
  run: () => T | Promise<T>,
  parts: (result: T) => readonly Uint8Array[],
): PreparedJob {
  return { run, digest: async () => digestOf(parts(await run())) };
}

/** The parts of a commitment that the digests take in: root, then the proofs in SCALE. */
function committedParts({
  root,
  proofs,
}: {
  readonly root: Uint8Array;
  readonly proofs: readonly TrieProof[];
}): readonly Uint8Array[] {
  return [root, ...proofs.map(encodeProof)];
}

/** The plain engine, one call after the other on the calling thread. */
export function plainSide(): Side {
  return codecSide('plain', PLAIN_CODEC_V1);
}

/** Jobs through a codec and the commitment, as a caller without the port of the erasure work has them. */
export function codecSide(
  name: string,
  codec: ErasureCodec,
  commitment: Commitment<TrieProof> = HEX_TRIE_COMMITMENT,
): Side {
  return {
    name,
    prepare: (fixture) => {
      const jobs = JOB_NAMES.filter((job) => fits(job, fixture)).map(
        (job) => [job, codecJob(job, { codec, commitment }, fixture)] as const,
      );
      return Object.fromEntries(jobs);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type Parts = { readonly codec: ErasureCodec; readonly commitment: Commitment<TrieProof> };

function codecJob(job: JobName, parts: Parts, fixture: Fixture): PreparedJob {
  const { codec, commitment } = parts;
  const { validatorCount: n, payload, chunkBytes, erasureRoot } = fixture;
  const indices = indicesFor(job, fixture);
  switch (job) {
    case 'producer':
      return producerJob(parts, fixture);
    case 'encode':
      return prepared(() => codec.encodeChunks(payload, n), itself);
    case 'hash':
      return prepared(() => chunkBytes.map((bytes) => blake2b256(bytes)), itself);
    case 'commit':
      return prepared(() => commitment.commit(chunkBytes), committedParts);
    case 'verify':
      return prepared(() => {
        verifyAll(fixture, indices);
        return [erasureRoot];
      }, itself);
    case 'reassemble':
    case 'decode_one_missing':
    case 'decode_sixteen_missing':
    case 'decode_k':
    case 'decode_f1': {
      const chunks = chunksAt(fixture, indices);
      const method = job === 'reassemble' ? 'reassemble' : 'reconstruct';
      return prepared(() => [codec[method](chunks, n).subarray(0, payload.length)], itself);
    }
    default:
      return recoveryJob(job, parts, fixture);
  }
}

function itself(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  return parts;
}

/** Whether there are enough chunks after the missing ones. */
export function fits(job: JobName, fixture: Fixture): boolean {
  return indicesFor(job, fixture).every((i) => i < fixture.validatorCount);
}

function verifyAll(fixture: Fixture, indices: readonly number[]): void {
  const { erasureRoot, validatorCount } = fixture;
  for (const chunk of chunksAt(fixture, indices)) {
    const answer = HEX_TRIE_COMMITMENT.verifyChunk({ erasureRoot, chunk, validatorCount });
    if (answer.type !== 'verified') {
      throw new Error(`chunk ${chunk.chunkIndex}: ${answer.reason}`);
    }
  }
}

function producerJob(
  { codec, commitment }: Parts,
  { payload, validatorCount }: Fixture,
): PreparedJob {
  return prepared(
    () => {
      const chunks = codec.encodeChunks(payload, validatorCount);
      return { chunks, committed: commitment.commit(chunks) };
    },
    ({ chunks, committed }) => [...committedParts(committed), ...chunks],
  );
}

function recoveryJob(job: JobName, { codec, commitment }: Parts, fixture: Fixture): PreparedJob {
  const { validatorCount: n, payload, erasureRoot } = fixture;
  const indices = indicesFor(job, fixture);
  const chunks = chunksAt(fixture, indices);
  const method = job.startsWith('systematic') ? 'reassemble' : 'reconstruct';
  return prepared(() => {
    verifyAll(fixture, indices);
    const data = codec[method](chunks, n).subarray(0, payload.length);
    if (!isChecked(job)) {
      return [data];
    }
    const root = commitment.root(codec.encodeChunks(data, n));
    if (!equalBytes(root, erasureRoot)) {
      throw new Error(`${job}: the root is another`);
    }
    return [data, root];
  }, itself);
}
