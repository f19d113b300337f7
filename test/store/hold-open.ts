/**
 * @module
 * A process that holds a store open until its input ends. Argument: the path.
 */

import { once } from 'node:events';
import { lastValueFrom } from 'rxjs';
import { openLevelStore } from '../../src/store/open.ts';

const store = await lastValueFrom(openLevelStore(process.argv[2] ?? ''));
process.stdout.write('open\n');
process.stdin.resume();
await once(process.stdin, 'end');
await lastValueFrom(store.close());
