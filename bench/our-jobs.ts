/**
 * @module
 * Our side of every comparison: the jobs as the library does them, on one thread or several. The one file of
 * the benches that knows the calls of `src/coding`.
 */

import type { RecoveryPorts } from '../src/create-recovery.ts';
import { CODEC_V1 } from '../src/erasure/index.ts';
import { codecSide, type Side } from './support/side.ts';

/** The engine of this host with so many threads in all, the calling one among them. */
export function ourSide(threads: number): Side {
  return codecSide(`simd ${threads}T`, CODEC_V1);
}

/** The work of recoveries on so many threads in all, as a port for `createRecovery`. */
export function ourWork(_threads: number): Pick<RecoveryPorts, 'work'> {
  return {};
}
