/**
 * @module
 * The work of a job cut into tasks: plain data of addresses in one memory, so that any thread with a
 * kernel on that memory can do a task. What a task does is in `run-task.ts`; which tasks a job needs is
 * said by the files that plan whole jobs.
 */

import type {
  DecodeColumnsJob,
  EncodeColumnsJob,
  HashRowGroupJob,
  HashRowsJob,
  ReassembleColumnsJob,
  RecoverRowsColumnsJob,
  RevealColumnsJob,
} from '../erasure/kernel/index.ts';
import type { JobOf, JobRunner } from './job-runner.ts';

/**
 * One piece of work of about a millisecond: a range of columns of a transform, or some rows of a hash.
 *
 * **Guarantees.** Plain data that survives a structured clone. Doing a task again, also after it was
 * broken off in the middle, gives the same bytes: no task reads what another task of its stage writes,
 * or what it writes itself before it has written it.
 */
export type Task =
  | { readonly type: 'encode'; readonly job: EncodeColumnsJob }
  | { readonly type: 'reassemble'; readonly job: ReassembleColumnsJob }
  | { readonly type: 'recover_rows'; readonly job: RecoverRowsColumnsJob }
  | { readonly type: 'decode'; readonly job: DecodeColumnsJob }
  | { readonly type: 'reveal'; readonly job: RevealColumnsJob }
  | { readonly type: 'hash_rows'; readonly job: HashRowsJob }
  | HashGroupTask;

/**
 * Hashes on through one group of columns. The states of the rows are first copied from `statesBefore`
 * (not for the first group) to `job.states`, so that a task that is done again begins where it began.
 */
export type HashGroupTask = {
  readonly type: 'hash_group';
  readonly job: HashRowGroupJob;
  /** Address of the states as the group before left them. */
  readonly statesBefore: number;
  /** Bytes of these states. */
  readonly stateBytes: number;
};

/** Tasks that may be done in any order and at the same time. */
export type Stage = readonly Task[];

/**
 * A job on one memory.
 *
 * **Guarantees.** No two tasks of a stage write the same bytes, and none reads what another writes.
 */
export type Job = JobOf<Task>;

/** Who runs such jobs. */
export type CodingRunner = JobRunner<Task>;
