/**
 * @module
 * Parsers of option values. Each throws what makes commander print one line and end with code 1.
 */

import { InvalidArgumentError, Option } from 'commander';
import { ENGINE_VARIABLE } from '../coding/engine.ts';
import { ENGINE_IDS, type EngineId } from '../erasure/kernel/index.ts';
import type { MappingScheme } from '../mapping/assignment.ts';
import { MAX_VALIDATORS, MIN_VALIDATORS } from '../primitives/limits.ts';
import { tryBytesOfHex } from './hex.ts';

/** Largest value of the u32 fields of the protocol. */
export const MAX_U32 = 0xffff_ffff;

/** Genesis hash of Polkadot: the default of `--genesis` and of the demo. */
export const POLKADOT_GENESIS = '91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3';

/** The chunk mappings by name (recovery spec §3). */
export const MAPPING_SCHEMES: readonly MappingScheme[] = ['identity', 'rfc47', 'chacha8'];

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1_000,
  mb: 1_000_000,
  kib: 1_024,
  mib: 1_048_576,
  gib: 1_073_741_824,
};

/** A parser of decimal integers within bounds. */
export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`Expected an integer in ${min}..${max}.`);
    }
    return value;
  };
}

/** Reads a u32. */
export const u32: (text: string) => number = integerBetween(0, MAX_U32);

/** The numbers of validators that the code supports, as a help says it (erasure spec §2). */
export const VALIDATORS_HELP: string = `number of validators, ${MIN_VALIDATORS}..${MAX_VALIDATORS}`;

/** Reads a number of validators; a number that is none for the code keeps the code's own error code. */
export function validatorCount(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= MIN_VALIDATORS && value <= MAX_VALIDATORS) {
    return value;
  }
  const expected = `Expected an integer in ${MIN_VALIDATORS}..${MAX_VALIDATORS}`;
  throw new InvalidArgumentError(
    Number.isNaN(value)
      ? `${expected}.`
      : `${expected} (${value > MAX_VALIDATORS ? 'too_many_validators' : 'not_enough_validators'})`,
  );
}

/** The option `--engine`. */
export function engineOption(): Option {
  const help = `what does the arithmetic: ${ENGINE_IDS.join(', ')}`;
  return new Option(
    '--engine <name>',
    `${help} (default: ${ENGINE_VARIABLE}, else the best here)`,
  ).argParser(oneOf<EngineId>(ENGINE_IDS));
}

/** Help of `--json` where it changes nothing. */
export const JSON_ALWAYS_HELP = 'accepted as everywhere; the output is JSON without it';

/** Reads a size in bytes: `4096`, `128KiB`, `2.5MiB`. */
export function byteSize(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = UNIT_BYTES[(match?.[2] ?? '?').toLowerCase()];
  const value = Number(match?.[1]) * (unit ?? Number.NaN);
  if (!Number.isFinite(value)) {
    throw new InvalidArgumentError('Expected a size such as 4096, 128KiB or 2MiB.');
  }
  return Math.floor(value);
}

/** A parser of hex, with or without `0x`, of a fixed size when one is given. */
export function hexBytes(expectedBytes?: number): (text: string) => Uint8Array {
  return (text) => {
    const bytes = tryBytesOfHex(text);
    if (bytes === undefined || (expectedBytes !== undefined && bytes.length !== expectedBytes)) {
      const size = expectedBytes === undefined ? '' : ` of ${expectedBytes} bytes`;
      throw new InvalidArgumentError(`Expected hex${size}.`);
    }
    return bytes;
  };
}

/** A parser of one word out of a list. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) {
      throw new InvalidArgumentError(`Expected one of ${words.join(', ')}.`);
    }
    return word;
  };
}

/** A parser of a comma-separated list; an empty item is refused by `parseItem`. */
export function listOf<Item>(parseItem: (text: string) => Item): (text: string) => readonly Item[] {
  return (text) => text.split(',').map((item) => parseItem(item.trim()));
}
