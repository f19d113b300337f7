/**
 * @module
 * Our side of every comparison: the jobs as the library does them, on one thread or several. The one file of
 * the benches that knows the calls of `src/coding`.
 */

import { concatMap, lastValueFrom, map, type Observable, of } from 'rxjs';
import type { Production } from '../src/coding/chunk-production.ts';
import { CODING_V1 } from '../src/coding/coding.ts';
import type { DecodePath, RecoveryWork, WorkSubject } from '../src/coding/erasure-work.ts';
import { FAST_HEX_TRIE } from '../src/coding/fast-commitment.ts';
import { type CodingWork, codingWork } from '../src/coding/kernel-work.ts';
import type { RecoveryPorts } from '../src/create-recovery.ts';
import { CODEC_V1 } from '../src/erasure/index.ts';
import { chooseHashKernel, type HashKernel, hashRows } from '../src/erasure/kernel/index.ts';
import { equalBytes } from '../src/primitives/bytes.ts';
import type { VerifiedChunk } from '../src/primitives/chunk.ts';
import { chunksAt, digestOf, type Fixture } from './support/fixture.ts';
import { kernelRows } from './support/kernel-rows.ts';
import {
  codecSide,
  fits,
  indicesFor,
  isChecked,
  JOB_NAMES,
  type JobName,
  type PreparedJob,
  prepared,
  type Side,
} from './support/side.ts';

/** Workers for so many threads that do the work: one is the calling one; if more, the calling one only waits. */
export function workersFor(threads: number): number {
  return threads === 1 ? 0 : threads;
}

function workOn(threads: number, forcePath?: DecodePath): CodingWork {
  return codingWork({
    workers: workersFor(threads),
    drainTime: 'end_of_turn',
    ...(forcePath === undefined ? {} : { forcePath }),
  });
}

function subjectOf({ erasureRoot, validatorCount }: Fixture): WorkSubject {
  return { coding: CODING_V1([]), erasureRoot, validatorCount };
}

/**
 * The engine of this host on so many threads. Codec, commitment and hash alone have calls for one thread only, so
 * that `encode`, `commit` and `hash` are absent on more.
 */
export function ourSide(threads: number): Side {
  const work = workOn(threads);
  const codecJobs = codecSide('codec', CODEC_V1, FAST_HEX_TRIE);
  return {
    name: `${work.description.engine} ${threads}T`,
    prepare: (fixture) => {
      const { encode, commit } = threads === 1 ? codecJobs.prepare(fixture) : {};
      const onCodec: Partial<Record<JobName, PreparedJob | undefined>> = { encode, commit };
      const jobs = JOB_NAMES.filter((job) => fits(job, fixture)).flatMap((job) => {
        const own = onCodec[job] ?? ourJob(work, job, fixture);
        return own === undefined ? [] : [[job, own] as const];
      });
      return Object.fromEntries(jobs);
    },
    [Symbol.asyncDispose]: async () => {
      work.close();
    },
  };
}

function ourJob(work: CodingWork, job: JobName, fixture: Fixture): PreparedJob | undefined {
  const { erasureRoot } = fixture;
  const subject = subjectOf(fixture);
  const chunks = chunksAt(fixture, indicesFor(job, fixture));
  /** Runs a recovery's work from opening to closing. What is digested is copied in the turn in which it is there. */
  const opened = (
    run: (recovery: RecoveryWork) => Observable<readonly Uint8Array[]>,
  ): PreparedJob => {
    const runAll = async <T>(read: (parts: readonly Uint8Array[]) => T): Promise<T> => {
      const recovery = work.open(subject);
      try {
        return await lastValueFrom(run(recovery).pipe(map(read)));
      } finally {
        recovery.close();
      }
    };
    return {
      run: () => runAll(() => undefined),
      digest: () => runAll(digestOf),
    };
  };
  switch (job) {
    case 'producer':
      return producerJob(work, fixture);
    case 'hash':
      return hashJob(work, fixture);
    case 'encode':
    case 'commit':
      return undefined;
    case 'verify':
      return opened((recovery) => verifyAll(recovery, chunks).pipe(map(() => [erasureRoot])));
    case 'reassemble':
    case 'decode_one_missing':
    case 'decode_sixteen_missing':
    case 'decode_k':
    case 'decode_f1':
      return opened((recovery) => decode(recovery, job, fixture, chunks));
    default:
      return opened((recovery) =>
        verifyAll(recovery, chunks).pipe(
          concatMap((verified) => decode(recovery, job, fixture, verified)),
        ),
      );
  }
}

/** Rows in the memory of a kernel, as jobs have them, by the kernel that this host is found to run fastest. */
function hashJob(work: CodingWork, { chunkBytes }: Fixture): PreparedJob | undefined {
  const { engine, threads } = work.description;
  if (engine === 'scalar' || threads > 0) {
    return undefined;
  }
  const { context, job, digests } = kernelRows(engine, chunkBytes);
  let kernel: HashKernel | undefined;
  return prepared(
    () => {
      if (kernel === undefined) {
        kernel = chooseHashKernel(context, job, () => performance.now());
      } else {
        hashRows(context, { ...job, kernel });
      }
      return digests;
    },
    (read) => read(),
  );
}

/** Chunks stay in the arena and are let go; root, digests and proofs come out. */
function producerJob(work: CodingWork, { payload, validatorCount }: Fixture): PreparedJob {
  const produce = (): Promise<Production> => lastValueFrom(work.produce(payload, validatorCount));
  return {
    run: async () => {
      (await produce()).release();
    },
    digest: async () => {
      const { erasureRoot, proofs, copyChunks, chunkBytes, release } = await produce();
      const all = copyChunks();
      // Proofs are a view of the arena until the release.
      const { bytes, offsets } = proofs;
      const indices = Array.from({ length: validatorCount }, (_, i) => i);
      const digest = digestOf([
        erasureRoot,
        ...indices.map((i) => bytes.subarray(offsets[i], offsets[i + 1])),
        ...indices.map((i) => all.subarray(i * chunkBytes, (i + 1) * chunkBytes)),
      ]);
      release();
      return digest;
    },
  };
}

/** Asks for all chunks together, as when they have all arrived. */
function verifyAll(
  recovery: RecoveryWork,
  chunks: readonly VerifiedChunk[],
): Observable<readonly VerifiedChunk[]> {
  return recovery.verifyAll(chunks).pipe(
    map((answers) =>
      answers.map((answer) => {
        if (answer.type !== 'verified') {
          throw new Error(`a chunk of the fixture is refused: ${answer.reason}`);
        }
        return answer.chunk;
      }),
    ),
  );
}

/**
 * The payload, and the root where the job says so. The payload is a view of the arena, as of an asker who reads it
 * at once: it is there in the turn of its emission.
 */
function decode(
  recovery: RecoveryWork,
  job: JobName,
  { payload, erasureRoot }: Fixture,
  chunks: readonly VerifiedChunk[],
): Observable<readonly Uint8Array[]> {
  const isSystematic = job === 'reassemble' || job.startsWith('systematic');
  const method = isSystematic ? 'reassemble' : 'reconstruct';
  const wantsRoot = isChecked(job);
  const question = { method, chunks, wantsRoot, into: 'arena' } as const;
  return recovery.decode(question).pipe(
    concatMap((decoded) => {
      const data = decoded.payload.subarray(0, payload.length);
      if (!wantsRoot) {
        return of([data]);
      }
      const root$ =
        decoded.codewordRoot === undefined ? recovery.erasureRoot(data) : of(decoded.codewordRoot);
      return root$.pipe(
        map((root) => {
          if (!equalBytes(root, erasureRoot)) {
            throw new Error(`${job}: the root is another`);
          }
          return [data, root];
        }),
      );
    }),
  );
}

/** A checked recovery of which the last chunk is still to come. */
export interface AwaitingRecovery {
  /** Proves the last chunk, decodes, and compares the root. */
  finish(): Promise<void>;
}

/** Recoveries whose chunks come one after the other. */
export interface ArrivalRunner extends Disposable {
  /** Takes all chunks but the last, each when the one before has been proven. */
  await(): Promise<AwaitingRecovery>;
}

/** A runner for the chunks that `checker` recovers from. */
export function arrivalRunner(fixture: Fixture, threads: number): ArrivalRunner {
  const work = workOn(threads);
  const subject = subjectOf(fixture);
  const chunks = chunksAt(fixture, indicesFor('checker', fixture));
  return {
    await: async () => {
      const recovery = work.open(subject);
      const early: VerifiedChunk[] = [];
      for (const chunk of chunks.slice(0, -1)) {
        early.push(...(await lastValueFrom(verifyAll(recovery, [chunk]))));
      }
      return {
        finish: async () => {
          const finished = verifyAll(recovery, chunks.slice(-1)).pipe(
            concatMap((last) => decode(recovery, 'checker', fixture, [...early, ...last])),
          );
          await lastValueFrom(finished);
          recovery.close();
        },
      };
    },
    [Symbol.dispose]: () => work.close(),
  };
}

/** Decodes on one thread by one path. */
export interface DecodeRunner extends Disposable {
  /** Chunks → payload, and the root of its codeword if asked for. */
  decode(chunks: readonly VerifiedChunk[], wantsRoot: boolean): Promise<void>;
  /** The path that the last decode took. */
  taken(): DecodePath | undefined;
}

/** A runner on a path, or on the one that the planner chooses. */
export function decodeRunner(fixture: Fixture, forcePath?: DecodePath): DecodeRunner {
  const work = workOn(1, forcePath);
  const subject = subjectOf(fixture);
  let taken: DecodePath | undefined;
  return {
    decode: async (chunks, wantsRoot) => {
      const recovery = work.open(subject);
      const question = { method: 'reconstruct', chunks, wantsRoot } as const;
      ({ path: taken } = await lastValueFrom(recovery.decode(question)));
      recovery.close();
    },
    taken: () => taken,
    [Symbol.dispose]: () => work.close(),
  };
}

/** The work of recoveries as a port for `createRecovery`; 0 workers: all on the calling thread. */
export function ourWork(workers: number): Pick<RecoveryPorts, 'work'> {
  return { work: codingWork({ workers }) };
}
