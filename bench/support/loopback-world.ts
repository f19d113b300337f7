/**
 * @module
 * A session on loopback, as a file that servers and client read: candidates, who backed them, and where everybody
 * is.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import * as ar from '../../src/index.ts';
import type { CandidateFile } from './candidate.ts';

/** What both processes know. */
export type LoopbackWorld = {
  readonly genesisHash: Uint8Array;
  /** Members of the backing group, which hold everything. */
  readonly backers: readonly number[];
  readonly candidates: CandidateFile;
};

/** Core of the candidates; any would do. */
const CORE_INDEX = 0;
const SESSION_INDEX = 1;

/** Writes a world where the processes read it. */
export function writeLoopbackWorld(path: string, world: LoopbackWorld): void {
  writeFileSync(path, serialize(world));
}

/** Reads it. */
export function readLoopbackWorld(path: string): LoopbackWorld {
  return deserialize(readFileSync(path)) as LoopbackWorld;
}

/** The mapping that is on in live networks. */
export function loopbackMapping(validatorCount: number): ar.ChunkMapping {
  return ar.chunkMapping({ scheme: 'rfc47', validatorCount, coreIndex: CORE_INDEX });
}

/** The session; nobody can be reached without a location. */
export function loopbackSession(
  { candidates, backers }: LoopbackWorld,
  locations: readonly ar.PeerLocation[],
): ar.SessionDirectory {
  const validators = Array.from({ length: candidates.validatorCount }, (_, v) =>
    ar.authorityId(`v${v}`),
  );
  return ar.sessionDirectoryFrom({
    // Bit 2 switches the chunk mapping on (recovery spec §3.1).
    session: async (index) => ({
      index,
      validators,
      groups: [[...backers]],
      nodeFeatures: [false, false, true],
    }),
    locate: async (authority) => locations[validators.indexOf(authority)],
  });
}

/** Asks for a candidate by one strategy. */
export function loopbackRequest(
  { candidates: { receipts } }: LoopbackWorld,
  which: number,
  strategy: ar.StrategyType,
): ar.RecoveryRequest {
  return {
    receipt: receipts[which % receipts.length]!,
    sessionIndex: SESSION_INDEX,
    coreIndex: CORE_INDEX,
    backingGroup: 0,
    strategies: [strategy],
  };
}
