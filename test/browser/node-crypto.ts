/**
 * @module
 * What the vector runners need of `node:crypto`, for the page: a bundle of tests has this in its
 * place. The library itself needs no stand-in.
 */

import { sha256AsU8a } from '@polkadot/util-crypto';
import { concatBytes, toHex } from '../../src/primitives/bytes.ts';

class Sha256 {
  private readonly parts: Uint8Array[] = [];

  update(part: string | Uint8Array): this {
    this.parts.push(typeof part === 'string' ? new TextEncoder().encode(part) : part);
    return this;
  }

  digest(encoding?: 'hex'): Uint8Array | string {
    const digest = sha256AsU8a(concatBytes(this.parts));
    return encoding === 'hex' ? toHex(digest) : digest;
  }
}

/** SHA-256, the one hash that vector files name. @throws RangeError for another. */
export function createHash(name: string): Sha256 {
  if (name !== 'sha256') {
    throw new RangeError(`hash: expected sha256, got ${name}`);
  }
  return new Sha256();
}
