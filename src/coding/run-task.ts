/**
 * @module
 * Does one task on the thread that calls it, with that thread's kernel.
 */

import {
  decodeColumns,
  encodeColumns,
  encodeParityColumns,
  hashRowGroup,
  hashRows,
  type KernelContext,
  reassembleColumns,
  recoverRowsColumns,
  revealColumns,
} from '../erasure/kernel/index.ts';
import { unreachable } from '../primitives/errors.ts';
import type { HashGroupTask, Task } from './tasks.ts';

/**
 * Does a task from begin to end: synchronous, in the memory of the context.
 *
 * Buffers: `context.work`, `lists` and `scratch` hold garbage afterwards.
 */
export function runTask(context: KernelContext, task: Task): void {
  switch (task.type) {
    case 'encode':
      return encodeColumns(context, task.job);
    case 'encode_parity':
      return encodeParityColumns(context, task.job);
    case 'reassemble':
      return reassembleColumns(context, task.job);
    case 'recover_rows':
      return recoverRowsColumns(context, task.job);
    case 'decode':
      return decodeColumns(context, task.job);
    case 'reveal':
      return revealColumns(context, task.job);
    case 'hash_rows':
      return hashRows(context, task.job);
    case 'hash_group':
      return hashGroup(context, task);
    default:
      return unreachable(task);
  }
}

function hashGroup(context: KernelContext, task: HashGroupTask): void {
  const { job, statesBefore, stateBytes } = task;
  if (!job.isFirst) {
    context.kernel.copy(job.states, statesBefore, stateBytes);
  }
  hashRowGroup(context, job);
}
