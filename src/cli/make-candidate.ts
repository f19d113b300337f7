/**
 * @module
 * Makes a consistent candidate around a PoV: available data, chunks with proofs, and a receipt that
 * commits to them. For `candidate` and `demo`; a real candidate comes from the relay chain.
 */

import {
  type AvailableData,
  encodeAvailableData,
  hashPov,
  hashValidationData,
} from '../codec/available-data.ts';
import { type CandidateReceipt, encodeReceipt } from '../codec/candidate.ts';
import { codingOn, engine } from '../coding/engine.ts';
import { type ChunkMapping, chunkMapping, type MappingScheme } from '../mapping/assignment.ts';
import { unreachable } from '../primitives/errors.ts';
import { chunkIndex, validatorIndex } from '../primitives/ids.ts';
import { MAX_POV_BYTES } from '../primitives/limits.ts';
import type { CandidateChunk } from './candidate-file.ts';
import { misuse } from './failure.ts';

/** Versions of the candidate descriptor (recovery spec §2.3). */
export const RECEIPT_VERSIONS = ['v1', 'v2', 'v3'] as const;

/** Version of a candidate descriptor. */
export type ReceiptVersion = (typeof RECEIPT_VERSIONS)[number];

/** What a candidate is made of. */
export type CandidateIngredients = {
  readonly pov: Uint8Array;
  readonly parentHead: Uint8Array;
  readonly validatorCount: number;
  readonly paraId: number;
  readonly sessionIndex: number;
  readonly coreIndex: number;
  readonly scheme: MappingScheme;
  /** 32 bytes, for `chacha8`. */
  readonly seed?: Uint8Array | undefined;
  readonly version: ReceiptVersion;
};

/** A candidate with everything that its backers hold. */
export type MadeCandidate = {
  readonly receipt: CandidateReceipt;
  readonly data: AvailableData;
  /** SCALE of `data`: the bytes that were coded. */
  readonly payload: Uint8Array;
  readonly povHash: Uint8Array;
  readonly erasureRoot: Uint8Array;
  readonly mapping: ChunkMapping;
  /** By validator index. */
  readonly chunks: readonly CandidateChunk[];
};

/** Fills the fields of a receipt that say nothing about availability. Recovery does not read them. */
const FILLER = {
  relayParent: new Uint8Array(32).fill(0x0a),
  paraHeadHash: new Uint8Array(32).fill(0x05),
  validationCodeHash: new Uint8Array(32).fill(0x06),
  commitmentsHash: new Uint8Array(32).fill(0x07),
  // Not zero where a v2 descriptor is: else a v1 receipt would read as v2 (recovery spec §2.3).
  collator: new Uint8Array(32).fill(0x08),
  signature: new Uint8Array(64).fill(0x09),
  schedulingParent: new Uint8Array(32).fill(0x0b),
};

/**
 * Makes a candidate. Equal ingredients give equal bytes.
 *
 * @throws `ErasureError` for a number of validators that the code does not support.
 */
export function makeCandidate(ingredients: CandidateIngredients): MadeCandidate {
  const { validatorCount, coreIndex, scheme, seed } = ingredients;
  if ((scheme === 'chacha8') !== (seed !== undefined)) {
    throw misuse(`--seed: ${seed === undefined ? 'needed with' : 'only with'} --scheme chacha8`);
  }
  const data: AvailableData = {
    pov: { blockData: ingredients.pov },
    validationData: {
      parentHead: ingredients.parentHead,
      relayParentNumber: 0,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize: MAX_POV_BYTES,
    },
  };
  const payload = encodeAvailableData(data);
  const { codec, commitment } = codingOn(engine().id);
  const chunks = codec.encodeChunks(payload, validatorCount);
  const { root, proofs } = commitment.commit(chunks);
  const mapping = chunkMapping({
    scheme,
    validatorCount,
    coreIndex,
    ...(seed === undefined ? {} : { seed }),
  });
  const povHash = hashPov(data.pov);
  return {
    receipt: makeReceipt(ingredients, { data, povHash, erasureRoot: root }),
    data,
    payload,
    povHash,
    erasureRoot: root,
    mapping,
    chunks: mapping.chunkByValidator().map((c, v) => ({
      validatorIndex: validatorIndex(v),
      chunk: { chunkIndex: chunkIndex(c), bytes: chunks[c] ?? EMPTY, proof: proofs[c] ?? [] },
    })),
  };
}

const EMPTY = new Uint8Array();

type Commitments = {
  readonly data: AvailableData;
  readonly povHash: Uint8Array;
  readonly erasureRoot: Uint8Array;
};

function makeReceipt(
  { paraId, version, coreIndex, sessionIndex }: CandidateIngredients,
  { data, povHash, erasureRoot }: Commitments,
): CandidateReceipt {
  const common = {
    paraId,
    relayParent: FILLER.relayParent,
    validationDataHash: hashValidationData(data.validationData),
    povHash,
    erasureRoot,
    paraHeadHash: FILLER.paraHeadHash,
    validationCodeHash: FILLER.validationCodeHash,
    commitmentsHash: FILLER.commitmentsHash,
  };
  switch (version) {
    case 'v1':
      return encodeReceipt({
        ...common,
        version,
        collator: FILLER.collator,
        signature: FILLER.signature,
      });
    case 'v2':
      return encodeReceipt({ ...common, version, coreIndex, sessionIndex });
    case 'v3':
      return encodeReceipt({
        ...common,
        version,
        coreIndex,
        sessionIndex,
        schedulingParent: FILLER.schedulingParent,
      });
    default:
      return unreachable(version);
  }
}
