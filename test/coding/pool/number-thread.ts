/**
 * @module
 * The script of workers that do number tasks, on the words that they are sent or on words of their own.
 */

import { serveTasks } from '../../../src/coding/pool/thread-loop.ts';
import { workerPort } from '../../../src/coding/pool/worker-host.ts';
import { doNumberTask, type NumberTask } from './number-tasks.ts';

/** What a worker is sent first; `refuses` lets it fail to start. */
export type NumberSetup = {
  readonly words?: Int32Array<SharedArrayBuffer>;
  readonly refuses?: boolean;
};

const port = workerPort<NumberTask>();
if (port !== undefined) {
  serveTasks(port, (setup) => {
    const { words = new Int32Array(65_536), refuses = false } = setup as NumberSetup;
    if (refuses) {
      throw new RangeError('no kernel');
    }
    return {
      runTask: (task) => doNumberTask(words, task),
      ownBytes: () => new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
    };
  });
}
