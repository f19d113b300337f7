/**
 * @module
 * The work of a recovery while its tasks are on their way on other threads: given up at any task it gives
 * all memory back, and not before a task that is at work has ended.
 */

import type { Subscription } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Decoded, DecodePath, RecoveryWork } from '../../src/coding/erasure-work.ts';
import { openOnKernel } from '../../src/coding/kernel-recovery.ts';
import type { StartedKernel } from '../../src/coding/start-kernel.ts';
import type { Task } from '../../src/coding/tasks.ts';
import type { VerifyChunkAnswer } from '../../src/commitment/verify-chunk.ts';
import {
  LIST_BYTES,
  type OutputRows,
  SCRATCH_BYTES,
  WORK_BYTES,
} from '../../src/erasure/kernel/index.ts';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunksAt, damaged, fixture } from './fixture.ts';
import { type StepRunner, stepKernel } from './step-runner.ts';

beforeAll(hashReady);

const ONE = fixture(50, 6000);
const K = ONE.systematicThreshold;

/** What the default of the step kernel has for jobs; the tables take 16 KiB. */
const FREE_BYTES = 64 * 1024 * 1024 - WORK_BYTES - LIST_BYTES - SCRATCH_BYTES - 16_384;

const range = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

type Kernel = StartedKernel & { readonly runner: StepRunner };

function runAll({ runner }: Kernel): number {
  let steps = 0;
  while (runner.step()) {
    steps += 1;
  }
  return steps;
}

/** The chunk rows that a task wrote. */
function outputOf(task: Task): OutputRows | undefined {
  switch (task.type) {
    case 'encode':
      return task.job.chunks;
    case 'decode':
      return task.job.reencode;
    case 'reveal':
      return task.job.chunks;
    default:
      return undefined;
  }
}

/** Makes the kernel flip one byte of every stripe of a payload that it writes. */
function spoilPayloads({ host }: Kernel): void {
  const { kernel, bytes } = host.context;
  const spoil =
    (write: (payload: number, ...rest: number[]) => void) =>
    (payload: number, ...rest: number[]): void => {
      write(payload, ...rest);
      const memory = bytes();
      memory[payload + 5] = (memory[payload + 5] ?? 0) ^ 1;
    };
  const { payloadFromPlanes, payloadFromRows } = kernel;
  Object.assign(host.context, {
    kernel: {
      ...kernel,
      payloadFromPlanes: spoil(payloadFromPlanes as (payload: number) => void),
      payloadFromRows: spoil(payloadFromRows as (payload: number) => void),
    },
  });
}

/** Verifies some chunks, in steps. */
function verifiedIn(
  kernel: Kernel,
  recovery: RecoveryWork,
  indices: readonly number[],
): VerifiedChunk[] {
  const chunks: VerifiedChunk[] = [];
  for (const chunk of chunksAt(ONE, indices)) {
    recovery.verify(chunk).subscribe((answer) => {
      if (answer.type === 'verified') {
        chunks.push(answer.chunk);
      }
    });
  }
  runAll(kernel);
  return chunks;
}

/** Subscribes to one kind of work, and says by what name it goes. */
type Ask = (recovery: RecoveryWork, chunks: readonly VerifiedChunk[]) => Subscription;

const ASKS: Readonly<Record<string, Ask>> = {
  verify: (recovery) => recovery.verify(ONE.chunks[40]!).subscribe({ error: () => undefined }),
  decode: (recovery, chunks) =>
    recovery
      .decode({ method: 'reconstruct', chunks, wantsRoot: true })
      .subscribe({ error: () => undefined }),
  'root of a payload': (recovery) =>
    recovery.erasureRoot(ONE.payload).subscribe({ error: () => undefined }),
};

describe('openOnKernel', () => {
  it.each(['transposition', 'rows', 'blocks', 'reveal'] as const)(
    'decodes in steps as it does at once (%s)',
    (forcePath: DecodePath) => {
      const kernel = stepKernel({ forcePath });
      const recovery = openOnKernel(kernel.host, ONE.subject);
      const indices = forcePath === 'transposition' ? range(K) : range(K, 3);
      const chunks = verifiedIn(kernel, recovery, indices);
      let decoded: Decoded | undefined;
      recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }).subscribe((value) => {
        decoded = value;
      });
      expect(runAll(kernel)).toBeGreaterThan(3);
      expect(decoded?.path).toBe(forcePath);
      expect(decoded?.payload.subarray(0, ONE.payload.length)).toEqual(ONE.payload);
      expect(decoded?.codewordRoot).toEqual(ONE.subject.erasureRoot);
      recovery.close();
      expect(kernel.usedBytes()).toBe(0);
    },
  );

  it.each(Object.entries(ASKS))(
    'gives all memory back when it is given up after any number of tasks (%s)',
    (_, ask) => {
      for (const end of ['unsubscribe', 'close'] as const) {
        for (let steps = 0, isOver = false; !isOver; steps += 1) {
          const kernel = stepKernel({ forcePath: 'rows' });
          const recovery = openOnKernel(kernel.host, ONE.subject);
          const chunks = verifiedIn(kernel, recovery, range(K, 3));
          const before = kernel.usedBytes();
          const asking = ask(recovery, chunks);
          for (let i = 0; i < steps; i += 1) {
            kernel.runner.step();
          }
          isOver = kernel.runner.left === 0;
          if (end === 'unsubscribe') {
            asking.unsubscribe();
            // A batch of proofs that is on its way ends for those who still wait.
            runAll(kernel);
            expect(kernel.usedBytes(), `after ${steps} tasks`).toBe(before);
          }
          recovery.close();
          expect(kernel.usedBytes(), `after ${steps} tasks`).toBe(0);
          expect(kernel.runner.left).toBe(0);
        }
      }
    },
  );

  it.each(Object.entries(ASKS))(
    'keeps memory in use until the task at work has ended (%s)',
    (_, ask) => {
      const kernel = stepKernel();
      const recovery = openOnKernel(kernel.host, ONE.subject);
      const chunks = verifiedIn(kernel, recovery, range(K, 3));
      ask(recovery, chunks);
      let during = 0;
      kernel.runner.step(() => {
        recovery.close();
        during = kernel.usedBytes();
      });
      expect(during).toBeGreaterThan(0);
      expect(kernel.usedBytes()).toBe(0);
    },
  );

  it('answers in the order of asking, all that wait together in one batch', () => {
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const answers: (readonly [number, VerifyChunkAnswer['type']])[] = [];
    const asked = [...ONE.chunks.slice(0, 5), damaged(ONE.chunks[5]!), ...ONE.chunks.slice(6, 10)];
    asked.forEach((chunk, i) => {
      recovery.verify(chunk).subscribe(({ type }) => answers.push([i, type]));
    });
    expect(answers).toEqual([]);
    const steps = runAll(kernel);
    expect(steps, 'the first alone, then nine together').toBe(2);
    expect(answers.map(([i]) => i)).toEqual(range(10));
    expect(answers.map(([, type]) => type).indexOf('invalid')).toBe(5);
    recovery.close();
  });

  it.each(['encode', 'decode', 'reveal'] as const)(
    'lets a wrong byte of an engine show in the root alone (%s)',
    (type) => {
      const forcePath = ({ encode: 'rows', decode: 'blocks', reveal: 'reveal' } as const)[type];
      const kernel = stepKernel({ forcePath }, ({ bytes }, task) => {
        const rows = outputOf(task);
        if (task.type === type && rows !== undefined) {
          const at = rows.start + 30 * rows.stride;
          const memory = bytes();
          memory[at] = (memory[at] ?? 0) ^ 4;
        }
      });
      const recovery = openOnKernel(kernel.host, ONE.subject);
      const chunks = verifiedIn(kernel, recovery, range(K, 3));
      let decoded: Decoded | undefined;
      recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }).subscribe((value) => {
        decoded = value;
      });
      runAll(kernel);
      expect(decoded?.payload.subarray(0, ONE.payload.length)).toEqual(ONE.payload);
      expect(decoded?.codewordRoot).toHaveLength(32);
      expect(decoded?.codewordRoot).not.toEqual(ONE.subject.erasureRoot);
      recovery.close();
    },
  );

  it.each(['transposition', 'rows', 'blocks', 'reveal'] as const)(
    'lets a byte show in the root that is wrong on the way out to the payload alone (%s)',
    (forcePath) => {
      const kernel = stepKernel({ forcePath });
      spoilPayloads(kernel);
      const recovery = openOnKernel(kernel.host, ONE.subject);
      const chunks = verifiedIn(kernel, recovery, range(K, forcePath === 'transposition' ? 0 : 3));
      let decoded: Decoded | undefined;
      recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }).subscribe((value) => {
        decoded = value;
      });
      runAll(kernel);
      expect(decoded?.payload.subarray(0, ONE.payload.length)).not.toEqual(ONE.payload);
      expect(decoded?.codewordRoot).not.toEqual(ONE.subject.erasureRoot);
      recovery.close();
    },
  );

  it('refuses no chunk for a wrong hash of an engine', () => {
    const kernel = stepKernel({}, ({ bytes }, task) => {
      const [digest = 0] = task.type === 'hash_rows' ? task.job.digests : [];
      const memory = bytes();
      memory[digest] = (memory[digest] ?? 0) ^ 4;
    });
    const recovery = openOnKernel(kernel.host, ONE.subject);
    expect(verifiedIn(kernel, recovery, range(K))).toHaveLength(K);
    recovery.close();
  });

  it('ends in the error of a task, gives all memory back and goes on', () => {
    let isBroken = true;
    const kernel = stepKernel({}, (_, task) => {
      if (isBroken && task.type === 'encode') {
        throw new Error('broken');
      }
    });
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const outcomes: unknown[] = [];
    const ask = (): void => {
      recovery.erasureRoot(ONE.payload).subscribe({
        next: (root) => outcomes.push(root),
        error: (error: unknown) => outcomes.push(String(error)),
      });
      runAll(kernel);
      expect(kernel.usedBytes()).toBe(0);
    };
    ask();
    isBroken = false;
    ask();
    expect(outcomes).toEqual(['Error: broken', ONE.subject.erasureRoot]);
    recovery.close();
  });

  it('keeps no row that was taken away for chunks of the same batch', () => {
    const many = fixture(200, 6400);
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, many.subject);
    // Leaves room for the 67 rows of a recovery, or for the 133 others of the batch.
    const filler: (() => void)[] = [];
    kernel.host.queue
      .lease({ byteCount: () => FREE_BYTES - 28_000 })
      .subscribe((lease) => filler.push(lease.release));
    const chunks: VerifiedChunk[] = [];
    for (const chunk of many.chunks) {
      recovery.verify(chunk).subscribe((answer) => {
        if (answer.type === 'verified') {
          chunks.push(answer.chunk);
        }
      });
    }
    runAll(kernel);
    expect(chunks).toHaveLength(200);
    filler[0]?.();
    for (const from of [3, 100]) {
      let decoded: Decoded | undefined;
      const some = chunks.slice(from, from + many.systematicThreshold);
      recovery
        .decode({ method: 'reconstruct', chunks: some, wantsRoot: false })
        .subscribe((value) => {
          decoded = value;
        });
      runAll(kernel);
      expect(decoded?.payload.subarray(0, many.payload.length)).toEqual(many.payload);
    }
    recovery.close();
  });

  it('hands out chunks whose bytes and proofs are right whenever they are read', () => {
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const chunks = verifiedIn(kernel, recovery, range(K, 3));
    const [early, ...others] = chunks;
    const read = early?.bytes;
    expect(read).toEqual(ONE.chunks[3]?.bytes);
    expect(early?.bytes, 'the same at each reading').toBe(read);
    kernel.host.queue.lease({ byteCount: () => FREE_BYTES }).subscribe(({ address, release }) => {
      kernel.host.context.bytes().fill(0xee, address, address + FREE_BYTES);
      release();
    });
    others.forEach((chunk, i) => {
      expect(chunk.bytes).toEqual(ONE.chunks[4 + i]?.bytes);
      expect(chunk.proof).toEqual(ONE.chunks[4 + i]?.proof);
    });
    recovery.close();
    expect(others.at(-1)?.bytes, 'what left the arena outlives the work').toHaveLength(
      ONE.chunks[0]!.bytes.length,
    );
  });

  it('says so when bytes are read that were in the arena when the work was closed', () => {
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const [first, second] = verifiedIn(kernel, recovery, range(2));
    expect(first?.bytes).toEqual(ONE.chunks[0]?.bytes);
    recovery.close();
    expect(first?.bytes).toEqual(ONE.chunks[0]?.bytes);
    expect(() => second?.bytes).toThrow('closed');
    expect(() => second?.proof).toThrow('closed');
  });

  it('gives bytes of its own to a chunk that comes twice', () => {
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const chunks = verifiedIn(kernel, recovery, [5, 5, ...range(3), 5]);
    recovery.close();
    expect(() => chunks[0]?.bytes).toThrow('closed');
    expect(chunks[1]?.bytes).toEqual(ONE.chunks[5]?.bytes);
    expect(chunks[1]?.proof).toEqual(ONE.chunks[5]?.proof);
    expect(chunks[5]?.bytes).toEqual(ONE.chunks[5]?.bytes);
  });

  it('judges chunks whose rows were taken away while they waited', () => {
    const kernel = stepKernel();
    const waiting: (() => void)[] = [];
    const host = {
      ...kernel.host,
      drainTime: 'end_of_turn' as const,
      endOfTurn: (callback: () => void) => {
        waiting.push(callback);
        return () => undefined;
      },
    };
    const recovery = openOnKernel(host, ONE.subject);
    const chunks: VerifiedChunk[] = [];
    for (const chunk of chunksAt(ONE, range(K, 3))) {
      recovery.verify(chunk).subscribe((answer) => {
        if (answer.type === 'verified') {
          chunks.push(answer.chunk);
        }
      });
    }
    kernel.host.queue.lease({ byteCount: () => FREE_BYTES }).subscribe(({ address, release }) => {
      kernel.host.context.bytes().fill(0xee, address, address + FREE_BYTES);
      release();
    });
    waiting[0]?.();
    runAll(kernel);
    expect(chunks).toHaveLength(K);
    let decoded: Decoded | undefined;
    recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }).subscribe((value) => {
      decoded = value;
    });
    runAll(kernel);
    expect(decoded?.codewordRoot).toEqual(ONE.subject.erasureRoot);
    expect(recovery.tally.reusedHashes).toBe(K);
    recovery.close();
    expect(kernel.usedBytes()).toBe(0);
  });

  it('reads rows again that were taken away for another job', () => {
    const kernel = stepKernel();
    const recovery = openOnKernel(kernel.host, ONE.subject);
    const chunks = verifiedIn(kernel, recovery, range(K, 3));
    const loaded = recovery.tally.copiedBytes.load;
    kernel.host.queue.lease({ byteCount: () => FREE_BYTES }).subscribe((lease) => lease.release());
    expect(kernel.usedBytes(), 'the rows are gone').toBe(0);
    let decoded: Decoded | undefined;
    recovery.decode({ method: 'reconstruct', chunks, wantsRoot: true }).subscribe((value) => {
      decoded = value;
    });
    runAll(kernel);
    expect(decoded?.codewordRoot).toEqual(ONE.subject.erasureRoot);
    // Out when they were taken away, and in again.
    expect(recovery.tally.copiedBytes.load).toBe(loaded + 2 * K * ONE.chunks[0]!.bytes.length);
    expect(recovery.tally.reusedHashes, 'hashes are not lost with rows').toBe(K);
    recovery.close();
  });
});
