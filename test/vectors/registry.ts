/**
 * @module
 * Which runner reads which file. A file of another name is skipped; one of these names, brought by
 * anybody, is checked in full.
 */

import type { VectorRunner } from './runner.ts';
import { availableDataRunner } from './runners/available-data.ts';
import { decodeRunner } from './runners/decode.ts';
import { erasureV1Runner } from './runners/erasure-v1.ts';
import { mappingRunner } from './runners/mapping.ts';
import { mappingChacha8Runner } from './runners/mapping-chacha8.ts';
import { proofsRunner } from './runners/proofs.ts';
import { protocolNamesRunner } from './runners/protocol-names.ts';
import { scaleRunner } from './runners/scale.ts';

/** Runner by file name. */
export const RUNNERS: ReadonlyMap<string, VectorRunner> = new Map<string, VectorRunner>([
  ['available-data.json', availableDataRunner],
  ['decode.json', decodeRunner],
  ['erasure-v1.json', erasureV1Runner],
  ['mapping-chacha8.json', mappingChacha8Runner],
  ['mapping.json', mappingRunner],
  ['proofs.json', proofsRunner],
  ['protocol-names.json', protocolNamesRunner],
  ['scale.json', scaleRunner],
]);
