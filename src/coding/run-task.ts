/**
 * @module
 * Does one task on the thread that calls it, with that thread's kernel.
 */

import {
  decodeColumns,
  encodeColumns,
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
      encodeColumns(context, task.job);
      break;
    case 'reassemble':
      reassembleColumns(context, task.job);
      break;
    case 'recover_rows':
      recoverRowsColumns(context, task.job);
      break;
    case 'decode':
      decodeColumns(context, task.job);
      break;
    case 'reveal':
      revealColumns(context, task.job);
      break;
    case 'hash_rows':
      hashRows(context, task.job);
      break;
    case 'hash_group':
      hashGroup(context, task);
      break;
    default:
      unreachable(task);
  }
}

function hashGroup(context: KernelContext, task: HashGroupTask): void {
  const { job, statesBefore, stateBytes } = task;
  if (!job.isFirst) {
    context.kernel.copy(job.states, statesBefore, stateBytes);
  }
  hashRowGroup(context, job);
}
