/**
 * @module
 * A candidate around a payload as a file, so that a child process can recover it without having coded anything
 * before: receipts, chunks and proofs, and the ports that give them from memory.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { RecoveryRequest, SessionDirectory } from '../../src/index.ts';
import * as ar from '../../src/index.ts';
import type { Fixture } from './fixture.ts';

/** Candidates that share all their data and differ in their para, so that no cache takes one for another. */
export type CandidateFile = {
  readonly validatorCount: number;
  readonly receipts: readonly Uint8Array[];
  /** By chunk index. */
  readonly chunkBytes: readonly Uint8Array[];
  readonly proofs: readonly (readonly Uint8Array[])[];
  readonly payload: Uint8Array;
  readonly erasureRoot: Uint8Array;
};

/** Session of the candidates; any would do. */
const SESSION_INDEX = 1;

/** Makes receipts for a fixture. */
export function candidateOf(fixture: Fixture, count: number): CandidateFile {
  const { validatorCount, chunkBytes, proofs, erasureRoot, payload } = fixture;
  const zero = new Uint8Array(32);
  const { pov, validationData } = ar.decodeAvailableData(payload).value;
  const common = {
    version: 'v2',
    coreIndex: 0,
    sessionIndex: SESSION_INDEX,
    relayParent: zero,
    paraHeadHash: zero,
    validationDataHash: ar.hashValidationData(validationData),
    povHash: ar.hashPov(pov),
    erasureRoot,
    validationCodeHash: zero,
    commitmentsHash: zero,
  } as const;
  const receipts = Array.from(
    { length: count },
    (_, i) => new Uint8Array(ar.encodeReceipt({ ...common, paraId: 2000 + i }).bytes),
  );
  return { validatorCount, receipts, chunkBytes, proofs, payload, erasureRoot };
}

/** Writes candidates where a child reads them. */
export function writeCandidates(path: string, candidates: CandidateFile): void {
  writeFileSync(path, serialize(candidates));
}

/** Reads them; the chunks share one buffer. */
export function readCandidates(path: string): CandidateFile {
  return deserialize(readFileSync(path)) as CandidateFile;
}

/** Validators by number, who are nowhere to be found. */
export function sessionOf(validatorCount: number): SessionDirectory {
  const validators = Array.from({ length: validatorCount }, (_, v) => ar.authorityId(`v${v}`));
  return ar.sessionDirectoryFrom({
    session: async (index) => ({ index, validators, groups: [], nodeFeatures: [] }),
    locate: async () => undefined,
  });
}

/**
 * A source that has every chunk. Chunk and validator have one number: no mapping is on.
 *
 * @param delay - What each answer waits for: nothing, or a turn of the event loop, as with a network.
 */
export function chunkSourceOf(
  { chunkBytes, proofs }: CandidateFile,
  delay: () => Promise<void> = async () => undefined,
): ar.ChunkSource {
  return ar.chunkSourceFrom({
    askChunk: async ({ validatorIndex: v }) => {
      await delay();
      const [bytes, proof] = [chunkBytes[v], proofs[v]];
      if (bytes === undefined || proof === undefined) {
        return { type: 'no_such_chunk', protocol: 'memory', bytes: 1 };
      }
      const chunk = { bytes, chunkIndex: ar.chunkIndex(v), proof };
      return { type: 'chunk', protocol: 'memory', bytes: bytes.length, chunk };
    },
  });
}

/** Asks for one of the candidates by chunks from everybody. */
export function requestFor({ receipts }: CandidateFile, which: number): RecoveryRequest {
  const receipt = receipts[which % receipts.length]!;
  return { receipt, sessionIndex: SESSION_INDEX, strategies: ['regular_chunks'] };
}

/** A source of full data that has none. */
export function noDataSource(): ar.DataSource {
  return ar.dataSourceFrom({
    askData: async () => ({ type: 'no_such_data', protocol: 'memory', bytes: 1 }),
  });
}
