/**
 * @module
 * What all recoveries on one kernel share: its memory, threads, and what is known about the host.
 */

import type { KernelContext } from '../erasure/kernel/index.ts';
import type { JobPlace } from './arena-job.ts';
import type { DecodePath } from './erasure-work.ts';
import type { EndOfTurn } from './pool/end-of-turn.ts';
import type { JobSettings } from './row-groups.ts';

/**
 * Why the work is done by something slower than it was made for. Each is told at most once; no result
 * depends on it.
 *
 * - `no_kernel`: the host has no WebAssembly or no memory for it; all is done by the plain engine.
 * - `engine_unavailable`: the host lacks the engine that was asked for; the next one down is used.
 * - `arena_too_small`: a job needs more memory than the arena may have; it is done by the plain engine.
 * - `unknown_coding`: the session's codec or commitment is not the kernel's; its plain form is used.
 */
export type WorkWarning = 'no_kernel' | 'engine_unavailable' | 'arena_too_small' | 'unknown_coding';

/** When waiting chunks are verified: in the turn of the asking, or all together at its end. */
export type DrainTime = 'at_once' | 'end_of_turn';

/** Shared by all recoveries. */
export type KernelHost = JobPlace & {
  /** The calling thread's kernel. */
  readonly context: KernelContext;
  /** How to cut a job of about so many ms; the first large one has the host's costs measured. */
  settings(costMs: number): JobSettings;
  /** Whether threads have memories of their own, so that jobs must say what they read and leave. */
  readonly needsRegions: boolean;
  readonly drainTime: DrainTime;
  readonly endOfTurn: EndOfTurn;
  /** The path that every decode is to take if it can. */
  readonly forcePath?: DecodePath | undefined;
  /** Tells what came in the way, once each. */
  readonly warn: (warning: WorkWarning, cause?: unknown) => void;
};
