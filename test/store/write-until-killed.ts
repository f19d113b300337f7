/**
 * @module
 * A process that stores the 1,000 chunks of one candidate, to be killed while it does. Arguments: the
 * path, the candidate's seed, and how: `each` writes chunk by chunk, several at a time, and prints each V
 * once its write is acknowledged; `batch` writes all of them and the data at
 * once, and prints `begin` as it hands the batch to the database and `end` when it is acknowledged.
 */

import { writeSync } from 'node:fs';
import { from, lastValueFrom, mergeMap, tap } from 'rxjs';
import { AvailabilityStore } from '../../src/store/availability-store.ts';
import { openLevelDatastore } from '../../src/store/open.ts';
import { allValidators } from '../support/store-candidate.ts';
import { killCandidate } from './kill-candidate.ts';

const [path = '', seed = '0', how = 'each'] = process.argv.slice(2);
const datastore = await lastValueFrom(openLevelDatastore(path));
const store = new AvailabilityStore(datastore);
const candidate = killCandidate(Number(seed));

// Written in the same turn: a line that the parent can read is never lost with the process.
const print = (line: string | number): void => void writeSync(1, `${line}\n`);

if (how === 'batch') {
  const batch = datastore.batch.bind(datastore);
  datastore.batch = () => {
    const real = batch();
    return {
      ...real,
      commit: () => {
        const writing = real.commit();
        print('begin');
        return writing;
      },
    };
  };
  await lastValueFrom(store.storeAvailableData(candidate));
  print('end');
} else {
  const writes = from(allValidators(candidate)).pipe(
    mergeMap(
      (validatorIndex) =>
        store
          .storeChunk({ ...candidate, validatorIndex, chunk: candidate.chunkOf(validatorIndex) })
          .pipe(tap(() => print(validatorIndex))),
      8,
    ),
  );
  await lastValueFrom(writes);
}
// Killed at the latest here.
process.stdin.resume();
