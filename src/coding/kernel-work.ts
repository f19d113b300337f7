/**
 * @module
 * Erasure work on the kernel, or on the plain engine where the host has none: what embedders, the library
 * and the command line make their work with. Memory, threads and the kernel come at first use.
 */

import { catchError, defer, type Observable, of, throwError } from 'rxjs';
import type { EngineChoice, EngineId, SimdEngineId } from '../erasure/kernel/index.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import { type Production, produceOnArena } from './chunk-production.ts';
import { engine } from './engine.ts';
import type { DecodePath, ErasureWork, WorkDescription, WorkSubject } from './erasure-work.ts';
import type { HostCosts } from './host-costs.ts';
import { runnerClosed } from './job-runner.ts';
import type { DrainTime, KernelHost, WorkWarning } from './kernel-host.ts';
import { openOnKernel } from './kernel-recovery.ts';
import { producePlainly } from './plain-production.ts';
import { plainWork } from './plain-work.ts';
import type { PoolWarning } from './pool/pool-options.ts';
import { defaultThreadCount } from './pool/thread.ts';
import { type StartedKernel, startKernel } from './start-kernel.ts';

/**
 * Default of `arenaBytes`: 128 MiB. One verified recovery of 10 MiB takes 25 to 30 of them; of many at once
 * those that find no room wait their turn or do without rows of their own.
 */
export const ARENA_BYTES: number = 128 * 1024 * 1024;

/** Options of the work. None is needed. */
export type CodingWorkOptions = {
  /** Worker threads; 0 does everything on the calling thread. By default cores - 1, from 1 to 4. */
  readonly workers?: number;
  /** Forces an engine; by default the environment's, else the best of the host. */
  readonly engine?: EngineId;
  /** Cap of the memory in which jobs work, in bytes; {@link ARENA_BYTES} by default. */
  readonly arenaBytes?: number;
  /** Bytes for rows that are made only to be hashed. */
  readonly groupBytes?: number;
  /** Makes every decode take this path if it can. */
  readonly forcePath?: DecodePath;
  /**
   * When chunks are verified: each at once, or all that came in a turn of the event loop at its end, which
   * is faster. By default at once without workers, else at the end.
   */
  readonly drainTime?: DrainTime;
  /** Costs to plan by, instead of measured ones: the same plans on every host. */
  readonly costs?: HostCosts;
  /** Told when something slower does the work, once for each reason. What it throws is dropped. */
  readonly warn?: (warning: WorkWarning | PoolWarning, cause?: unknown) => void;
};

/** Erasure work that can do a backer's job too. */
export interface CodingWork extends ErasureWork {
  /** Bytes of the arena that jobs, recoveries and productions hold; the areas of threads are not counted. */
  readonly usedBytes: number;
  /**
   * All chunks of a payload, their hashes, root and proofs. Cold; one value, which holds memory of the
   * arena until it is released.
   *
   * Errors with an {@link ErasureError} about the payload or the number of validators, or with `runner_closed`
   * once the work is closed.
   *
   * @param payload - Stays unchanged until the value comes.
   */
  produce(payload: Uint8Array, validatorCount: number): Observable<Production>;
  close(): void;
}

/**
 * Erasure work on the best engine of this host.
 *
 * Whoever makes it closes it. Nothing is allocated, started or measured before a recovery asks something;
 * a recovery in which the host refuses memory is done by the plain engine.
 *
 * @throws RangeError for options out of range.
 */
export function codingWork(options: CodingWorkOptions = {}): CodingWork {
  return new KernelWork(options);
}

class KernelWork implements CodingWork {
  readonly #options: CodingWorkOptions;
  readonly #choice: EngineChoice;
  readonly #plain = plainWork();
  readonly #warned = new Set<string>();
  #kernel: StartedKernel | undefined;
  #hasKernel: boolean;
  #isClosed = false;

  constructor(options: CodingWorkOptions) {
    const { costs } = options;
    // A copy: what is asserted is what is planned by.
    this.#options = costs === undefined ? options : { ...options, costs: { ...costs } };
    assertRanges(this.#options);
    this.#choice = engine(options.engine);
    this.#hasKernel = this.#choice.id !== 'scalar';
  }

  get description(): WorkDescription {
    const hash = this.#kernel?.hashKernel();
    const { id, reason } = this.#choice;
    return {
      engine: this.#hasKernel ? id : 'scalar',
      reason: this.#hasKernel === (id !== 'scalar') ? reason : 'fallback',
      threads: this.#kernel?.host.runner.threads ?? (this.#hasKernel ? this.#threads : 0),
      ...(hash === undefined ? {} : { hash }),
    };
  }

  open(subject: WorkSubject): ReturnType<ErasureWork['open']> {
    const { codec, commitment } = subject.coding;
    if (codec.id !== 'v1' || commitment.id !== 'hex_trie') {
      this.#warn('unknown_coding');
      return this.#plain.open(subject);
    }
    if (this.#isClosed) {
      const closed = this.#plain.open(subject);
      closed.close();
      return closed;
    }
    const host = this.#host();
    return host === undefined ? this.#plain.open(subject) : openOnKernel(host, subject);
  }

  get usedBytes(): number {
    return this.#kernel?.usedBytes() ?? 0;
  }

  produce(payload: Uint8Array, validatorCount: number): Observable<Production> {
    const plainly = defer(() => of(producePlainly(payload, validatorCount)));
    return defer(() => {
      if (this.#isClosed) {
        return throwError(() => runnerClosed());
      }
      const host = this.#host();
      return host === undefined
        ? plainly
        : produceOnArena(host, payload, validatorCount).pipe(
            catchError((error: unknown) => {
              if (!(error instanceof ArenaTooSmallError)) {
                throw error;
              }
              this.#warn('arena_too_small', error);
              return plainly;
            }),
          );
    });
  }

  close(): void {
    this.#isClosed = true;
    const host = this.#kernel?.host;
    host?.queue.close(runnerClosed());
    host?.runner.close();
  }

  get #threads(): number {
    return this.#options.workers ?? defaultThreadCount();
  }

  #host(): KernelHost | undefined {
    if (this.#choice.reason === 'fallback') {
      this.#warn('engine_unavailable');
    } else if (this.#choice.reason === 'detected' && this.#choice.id === 'scalar') {
      this.#warn('no_kernel');
    }
    if (this.#hasKernel && this.#kernel === undefined) {
      const { id } = this.#choice;
      this.#kernel = id === 'scalar' ? undefined : this.#start(id);
      this.#hasKernel = this.#kernel !== undefined;
    }
    return this.#kernel?.host;
  }

  #start(id: SimdEngineId): StartedKernel | undefined {
    const { arenaBytes = ARENA_BYTES } = this.#options;
    const warn = (warning: WorkWarning | PoolWarning, cause?: unknown): void =>
      this.#warn(warning, cause);
    try {
      return startKernel({
        ...this.#options,
        engine: id,
        arenaBytes,
        threads: this.#threads,
        warn,
      });
    } catch (error: unknown) {
      this.#warn('no_kernel', error);
      return undefined;
    }
  }

  #warn(warning: WorkWarning | PoolWarning, cause?: unknown): void {
    if (!this.#warned.has(warning)) {
      this.#warned.add(warning);
      try {
        this.#options.warn?.(warning, cause);
      } catch {
        // It is told in the middle of a change, such as a worker's end; jobs must not stop for a listener.
      }
    }
  }
}

function assertRanges({ workers, arenaBytes, groupBytes, costs }: CodingWorkOptions): void {
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= 64)) {
    throw new RangeError(`workers: expected an integer from 0 to 64, got ${workers}`);
  }
  for (const [name, bytes] of Object.entries({ arenaBytes, groupBytes })) {
    if (bytes !== undefined && !(bytes > 0 && bytes <= MAX_ARENA_BYTES)) {
      throw new RangeError(`${name}: expected 1 to ${MAX_ARENA_BYTES} bytes, got ${bytes}`);
    }
  }
  for (const name of COST_NAMES) {
    const cost = costs?.[name] ?? 0;
    if (costs !== undefined && !(cost > 0 && cost < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`costs.${name}: expected a finite number above 0, got ${cost}`);
    }
  }
}

const COST_NAMES = [
  'butterfly',
  'product',
  'move',
  'transpose',
  'hash',
  'coefficient',
] as const satisfies readonly (keyof HostCosts)[];

/** Addresses stay below 2 GiB, the memory of 64 threads included. */
const MAX_ARENA_BYTES = 1024 * 1024 * 1024;
