/**
 * @module
 * A program for whatever host: does the whole job and prints as JSON what came of it. It ends by itself.
 * Arguments: the number of workers, how many recoveries, and `left_open` to leave the work open.
 */

import { doWholeJob } from '../support/whole-job.ts';

const [workers = '0', times = '1', end = 'closed'] = process.argv.slice(2);
const report = await doWholeJob(
  {
    validatorCount: 100,
    povBytes: 2_000_000,
    has: (v) => v % 3 !== 0,
    times: Number(times),
    closes: end === 'closed',
  },
  Number(workers),
);
console.log(JSON.stringify(report));
