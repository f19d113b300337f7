/**
 * @module
 * A program for whatever host: does the whole job and prints as JSON what came of it. Argument: the
 * number of workers.
 */

import { doWholeJob } from '../support/whole-job.ts';

const job = { validatorCount: 60, povBytes: 300_000, has: (v: number) => v % 3 !== 0 };
console.log(JSON.stringify(await doWholeJob(job)));
