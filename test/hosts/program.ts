/**
 * @module
 * A program for whatever host: does the whole job and prints as JSON what came of it. It ends by itself.
 * Arguments: the number of workers, how many recoveries, and `not_stopped` to leave it running.
 */

import { doWholeJob } from '../support/whole-job.ts';

const [workers = '0', times = '1', end = 'stopped'] = process.argv.slice(2);

// No `await` at the top level, so that it runs as CommonJS too.
void doWholeJob({
  validatorCount: 100,
  povBytes: 2_000_000,
  has: (v) => v % 3 !== 0,
  workers: Number(workers),
  times: Number(times),
  stops: end === 'stopped',
}).then((report) => console.log(JSON.stringify(report)));
