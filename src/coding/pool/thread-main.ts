/**
 * @module
 * What a worker of the pool runs: a kernel on the memory of the calling thread, or on one of its own
 * where memory cannot be shared, and the tasks of coding. Loaded as a script of its own.
 */

import { attachContext, KernelMemory, MemoryViews } from '../../erasure/kernel/index.ts';
import { runTask } from '../run-task.ts';
import type { Task } from '../tasks.ts';
import type { ThreadSetup } from './kernel-pool.ts';
import { type LoopHost, serveTasks } from './thread-loop.ts';
import { workerPort } from './worker-host.ts';

/** Bytes of a WebAssembly page, by its specification. */
const PAGE_BYTES = 65_536;

/** A kernel as the pool's {@link ThreadSetup} says. */
function attach(setup: unknown): LoopHost<Task> {
  const { engine, areas, module, memory: shared, maxBytes } = setup as ThreadSetup;
  const isShared = shared !== undefined;
  const memory = shared ?? new KernelMemory({ isShared, maxBytes }).memory;
  const views = new MemoryViews(memory);
  const context = attachContext({ memory, isShared, engine, areas, module });
  return {
    runTask: (task) => runTask(context, task),
    ownBytes: (memoryBytes) => {
      const missing = Math.ceil((memoryBytes - memory.buffer.byteLength) / PAGE_BYTES);
      if (missing > 0) {
        memory.grow(missing);
      }
      return views.bytes();
    },
  };
}

const port = workerPort<Task>();
if (port !== undefined) {
  serveTasks(port, attach);
}
