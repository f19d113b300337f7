/**
 * @module
 * Which validator holds which chunk of a candidate. The only place where a validator index becomes a
 * chunk index, or the other way round.
 */

import { SEED_BYTES } from '../primitives/chacha8.ts';
import {
  type ChunkIndex,
  chunkIndex,
  type ValidatorIndex,
  validatorIndex,
} from '../primitives/ids.ts';
import { AVAILABILITY_CHUNK_MAPPING_BIT, type NodeFeatures } from '../primitives/node-features.ts';
import { systematicThreshold } from '../primitives/thresholds.ts';
import { shuffledOrder } from './chacha-shuffle.ts';
import { assertCoreIndex, type Rotation, rotate, rotateBack } from './rotation.ts';

/**
 * How validators map to chunks.
 *
 * - `identity`: validator i holds chunk i.
 * - `rfc47`: rotated by the core index; what live networks use once the feature bit is set.
 * - `chacha8`: shuffled by a seed, then rotated; for simulation and private networks.
 */
export type MappingScheme = 'identity' | 'rfc47' | 'chacha8';

/**
 * The places of one candidate's chunks.
 *
 * **Guarantees.** A permutation of 0 .. n-1: `validatorOf` undoes `chunkOf`. Pure; computed once.
 */
export interface ChunkMapping {
  /** The scheme in use. */
  readonly scheme: MappingScheme;
  /** n. */
  readonly validatorCount: number;
  /**
   * How many chunks carry the payload itself.
   *
   * @throws {@link ErasureError} under `identity`, when n is not supported by the code.
   */
  readonly systematicThreshold: number;
  /**
   * The chunk that a validator holds.
   *
   * @throws RangeError when there is no such validator; never under `identity`.
   */
  chunkOf(validator: ValidatorIndex): ChunkIndex;
  /**
   * The validator that holds a chunk.
   *
   * @throws RangeError when there is no such chunk; never under `identity`.
   */
  validatorOf(chunk: ChunkIndex): ValidatorIndex;
  /** The whole table: chunk index by validator index. */
  chunkByValidator(): readonly ChunkIndex[];
  /** The holders of the systematic chunks, by chunk index. */
  systematicHolders(): readonly ValidatorIndex[];
}

/** The candidate whose chunks are placed, and how. */
export type MappingQuestion = {
  readonly scheme: MappingScheme;
  readonly validatorCount: number;
  /** The core that the candidate occupied when it was backed, a `u32`. Not read under `identity`. */
  readonly coreIndex: number;
  /** 32 bytes, for `chacha8` only; {@link shuffleSeed} makes one. Not read under other schemes. */
  readonly seed?: Uint8Array | undefined;
};

/** The scheme that a session's node features select; a missing bit is off (recovery spec §3.1). */
export function schemeOf(features: NodeFeatures): 'identity' | 'rfc47' {
  return features[AVAILABILITY_CHUNK_MAPPING_BIT] === true ? 'rfc47' : 'identity';
}

type Places = Pick<ChunkMapping, 'chunkOf' | 'validatorOf'>;

const IDENTITY: Places = {
  chunkOf: (validator) => chunkIndex(validator),
  validatorOf: (chunk) => validatorIndex(chunk),
};

function assertBelow(name: string, value: number, end: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= end) {
    throw new RangeError(`${name}: expected an integer in 0..${end - 1}, got ${value}`);
  }
}

/** Rotation over an order of validators; without one, the order of the session. */
function rotatedPlaces(rotation: Rotation, order?: readonly number[]): Places {
  const { validatorCount } = rotation;
  const placeOf = order && new Uint32Array(validatorCount);
  order?.forEach((validator, place) => {
    placeOf![validator] = place;
  });
  return {
    chunkOf(validator) {
      assertBelow('validator', validator, validatorCount);
      return chunkIndex(rotate(placeOf ? placeOf[validator]! : validator, rotation));
    },
    validatorOf(chunk) {
      assertBelow('chunk', chunk, validatorCount);
      const place = rotateBack(chunk, rotation);
      return validatorIndex(order ? order[place]! : place);
    },
  };
}

function assertSeed(seed: Uint8Array | undefined): Uint8Array {
  if (seed === undefined) {
    throw new TypeError(`seed: expected ${SEED_BYTES} bytes for scheme chacha8, got none`);
  }
  return seed;
}

function placesOf(question: MappingQuestion): Places {
  const { scheme, validatorCount, coreIndex, seed } = question;
  if (scheme === 'identity') {
    return IDENTITY;
  }
  const threshold = systematicThreshold(validatorCount);
  assertCoreIndex(coreIndex);
  const rotation = { validatorCount, systematicThreshold: threshold, coreIndex };
  const order = scheme === 'chacha8' ? shuffledOrder(validatorCount, assertSeed(seed)) : undefined;
  return rotatedPlaces(rotation, order);
}

/**
 * Where the chunks of a candidate are.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`, never under `identity`.
 * @throws RangeError when `coreIndex` is no `u32`, or a seed has not 32 bytes.
 * @throws TypeError when `chacha8` comes without a seed.
 */
export function chunkMapping(question: MappingQuestion): ChunkMapping {
  const { scheme, validatorCount } = question;
  const places = placesOf(question);
  return {
    scheme,
    validatorCount,
    get systematicThreshold() {
      return systematicThreshold(validatorCount);
    },
    ...places,
    chunkByValidator: () =>
      Array.from({ length: validatorCount }, (_, v) => places.chunkOf(validatorIndex(v))),
    systematicHolders: () =>
      Array.from({ length: systematicThreshold(validatorCount) }, (_, c) =>
        places.validatorOf(chunkIndex(c)),
      ),
  };
}
