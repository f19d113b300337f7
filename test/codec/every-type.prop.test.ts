/**
 * @module
 * Properties of every encoder and decoder: round trips, cuts, trailing bytes, hostile bytes, and
 * pinned digests of thousands of encodings.
 */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, equalBytes, toHex } from '../../src/primitives/bytes.ts';
import { CodecError } from '../../src/primitives/errors.ts';
import { SEED, seeded } from '../support/seed.ts';
import { EVERY_TYPE, type TypeRow } from './every-type.ts';
import { Draws } from './generators.ts';

const ROUND_TRIPS = 300;
const CUT_VALUES = 20;
const ARBITRARY_RUNS = 400;
const HOSTILE_RUNS = 6_000;
const DIGEST_VALUES = 4_000;

/**
 * SHA-256 over the encodings in order, each with its length as u32le in front. An encoder written
 * apart from ours, from the recovery spec in another language, gave the same. A change here is a new wire format.
 */
const DIGESTS: Readonly<Record<string, string>> = {
  compact_u32: '4bcd5ad45727752b9e949ae31011752f9eed294ca49d17eab179e1b8893bbac7',
  compact_u64: 'd120c756859fa85d47e97802c1ab30238c531c87a3686636221c822f06cdda16',
  available_data: 'dd0bc0c646b9c773ac0beac06f958e8933f7555cbeaa53f474efb3a1acb8eee3',
  pov: '36ba9804745a9cabd67717a59be3b1f6ca6dee1e7976f187e09c694a902d6695',
  validation_data: '8abfa86d6f7dbba0f9aca14b780a1931c41b1942a109733bc3ff72ab4a6377a2',
  receipt: '4a8f8b0f8a6579a8cb9ce1c25154e75ead70a107aea321130615955f80e00401',
  proof: 'c3ca8e8b6b65a39aa80fcd5a8bebd041d66f603d89698e6b32ae9849b2334698',
  erasure_chunk: '890509c388b1794a3279d906d34d5a3e3fd18a0105e197ceabdd6ada9551d5c2',
  node_features: '8705eabc94338584755e07c67ad4d7582bba0bd1c7141d376b9775f0b8177c00',
  chunk_request: 'adeb3a951cdbb76c43b3b515c2618ff5d52bf3749f3190d129f4f127cb9cc497',
  data_request: '07aaafda619e27e3eaafd797c7e01a53d7d72da823c17f7fd035e4c1bdc29481',
  pov_request: '07aaafda619e27e3eaafd797c7e01a53d7d72da823c17f7fd035e4c1bdc29481',
  chunk_response_v1: '3165d453f141d203eada1fc6ee6d42575f72c8b8c530db80d93a7127b41a83ec',
  chunk_response_v2: '1288b9730db33d7b8dbc575ace49a085ce6d3da1c1a7ffeb8099e62c30800beb',
  data_response: '5b7eebc7fb9ea5c60d6c57802aedcd58c07de6009cde58cf103ba3a811dec944',
  pov_response: '63fbe95d4760d701910340e54b2dc4db8bed05c4276c2f8252b98be8c7fb88b1',
};

/** Decodes hostile bytes. Anything but a value or a well-formed {@link CodecError} fails. */
function valueOrFault(type: TypeRow, bytes: Uint8Array): unknown {
  try {
    const { value, bytesRead } = type.decode(bytes);
    expectCanonical(type, bytes, value, bytesRead);
    return value;
  } catch (error: unknown) {
    if (!(error instanceof CodecError)) {
      throw new Error(`${type.name}: untyped error for ${toHex(bytes)}`, { cause: error });
    }
    const { offset } = error.details;
    if (typeof offset !== 'number' || !(offset >= 0 && offset <= bytes.length)) {
      throw new Error(`${type.name}: offset ${offset} for ${toHex(bytes)}`, { cause: error });
    }
    return undefined;
  }
}

/** Whatever decodes is the encoding of its value, byte for byte: no second form is let in. */
function expectCanonical(
  type: TypeRow,
  bytes: Uint8Array,
  value: unknown,
  bytesRead: number | undefined,
): void {
  const again = type.encode(value);
  const read = bytes.subarray(0, bytesRead ?? again.length);
  const isSame = type.isCanonical ? equalBytes(again, read) : again.length === read.length;
  if (!isSame) {
    throw new Error(`${type.name}: second form ${toHex(read)} of ${toHex(again)}`);
  }
}

/** A valid encoding with one to three of its bytes changed, cut, doubled, or a length forged. */
function damaged(draws: Draws, valid: Uint8Array): Uint8Array {
  let bytes: Uint8Array = valid.slice();
  for (let step = draws.below(3); step >= 0; step -= 1) {
    const at = draws.below(bytes.length + 1);
    const special = [0x00, 0x01, 0x02, 0x03, 0xfc, 0xfd, 0xfe, 0xff, 0x07, 0x13];
    const forged = Uint8Array.of(special[draws.below(special.length)] ?? 0, ...draws.bytes(4));
    switch (draws.below(5)) {
      case 0:
        bytes.set([draws.below(256)], Math.min(at, Math.max(0, bytes.length - 1)));
        break;
      case 1:
        bytes = bytes.subarray(0, at);
        break;
      case 2:
        bytes = concatBytes([bytes.subarray(0, at), bytes]);
        break;
      case 3:
        bytes = concatBytes([bytes.subarray(0, at), forged, bytes.subarray(at)]);
        break;
      default:
        bytes = concatBytes([bytes.subarray(0, at), forged, bytes.subarray(at + 5)]);
    }
    if (bytes.length === 0) {
      break;
    }
  }
  return bytes;
}

/** Bytes that are mostly those which steer a decoder: forms of lengths, variants, zeros. */
function steering(draws: Draws): Uint8Array {
  const steer = [0x00, 0x01, 0x02, 0x03, 0x04, 0x08, 0x20, 0xfc, 0xfd, 0xfe, 0xff];
  return Uint8Array.from({ length: draws.below(90) }, () =>
    draws.below(4) === 0 ? draws.below(256) : (steer[draws.below(steer.length)] ?? 0),
  );
}

describe.each(EVERY_TYPE)('SCALE of $name', (type) => {
  it(seeded('gives back what was encoded, and reads no further'), () => {
    fc.assert(
      fc.property(fc.nat(), fc.uint8Array({ maxLength: 5 }), (seed, trailing) => {
        const value = type.make(new Draws(seed));
        const bytes = type.encode(value);
        const exact = type.decode(bytes);
        expect(exact.value).toEqual(value);
        expect(exact.bytesRead ?? bytes.length).toBe(bytes.length);
        if (type.cutCode !== 'bad_length') {
          const longer = type.decode(concatBytes([bytes, trailing]));
          expect(longer).toEqual(exact);
        }
      }),
      { seed: SEED, numRuns: ROUND_TRIPS },
    );
  });

  it(seeded('refuses an encoding cut at any length'), () => {
    const draws = new Draws(SEED);
    for (let i = 0; i < CUT_VALUES; i += 1) {
      const bytes = type.encode(type.make(draws));
      for (let length = 0; length < bytes.length; length += 1) {
        const cut = bytes.slice(0, length);
        const code = faultCode(() => type.decode(cut));
        if (code !== type.cutCode) {
          throw new Error(`${toHex(bytes)} cut to ${length}: ${code}`);
        }
      }
    }
  });

  it(seeded('gives a value or a CodecError for arbitrary bytes'), () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        valueOrFault(type, bytes);
      }),
      { seed: SEED, numRuns: ARBITRARY_RUNS },
    );
  });

  it(seeded('gives a value or a CodecError for forged lengths and damaged encodings'), () => {
    const draws = new Draws(SEED);
    for (let i = 0; i < HOSTILE_RUNS; i += 4) {
      const valid = type.encode(type.make(draws));
      valueOrFault(type, damaged(draws, valid));
      valueOrFault(type, damaged(draws, valid));
      valueOrFault(type, damaged(draws, valid));
      valueOrFault(type, steering(draws));
    }
  });

  it('keeps its wire format', () => {
    const draws = new Draws(1);
    const hash = createHash('sha256');
    for (let i = 0; i < DIGEST_VALUES; i += 1) {
      const bytes = type.encode(type.make(draws));
      hash.update(new Uint8Array(Uint32Array.of(bytes.length).buffer)).update(bytes);
    }
    expect(hash.digest('hex')).toBe(DIGESTS[type.name]);
  });
});

function faultCode(run: () => unknown): string {
  try {
    run();
    return 'no error';
  } catch (error: unknown) {
    return error instanceof CodecError ? error.code : String(error);
  }
}
