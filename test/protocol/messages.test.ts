/**
 * @module
 * Bodies of requests and responses: the examples of the specification, the order of fields, what is
 * tolerated and what is refused.
 */

import { describe, expect, it } from 'vitest';
import {
  decodeChunkRequest,
  decodeChunkResponseV1,
  decodeChunkResponseV2,
  decodeDataResponse,
  decodePovResponse,
  encodeChunkRequest,
  encodeChunkResponseV1,
  encodeChunkResponseV2,
  encodeDataRequest,
  encodeDataResponse,
  encodePovResponse,
} from '../../protocol/messages.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { candidateHash, chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { faultOf } from '../codec/faults.ts';

const CANDIDATE = candidateHash('11'.repeat(32));
const CHUNK = {
  bytes: fromHex('deadbeef'),
  chunkIndex: chunkIndex(5),
  proof: [fromHex('aabb')],
};

describe('encodeChunkRequest', () => {
  it('is the candidate hash and the validator index', () => {
    const request = { candidateHash: CANDIDATE, validatorIndex: validatorIndex(5) };
    expect(toHex(encodeChunkRequest(request))).toBe(`${'11'.repeat(32)}05000000`);
  });

  it('refuses an index that is no 32-bit integer', () => {
    const request = { candidateHash: CANDIDATE, validatorIndex: validatorIndex(2 ** 32) };
    expect(() => encodeChunkRequest(request)).toThrow(/^validatorIndex: /);
  });
});

describe('decodeChunkRequest', () => {
  it('gives the hash in lower case and any index', () => {
    const bytes = fromHex(`${'AB'.repeat(32)}ffffffff00`);
    expect(decodeChunkRequest(bytes)).toEqual({
      candidateHash: 'ab'.repeat(32),
      validatorIndex: 2 ** 32 - 1,
    });
  });
});

describe('encodeDataRequest', () => {
  it('is the candidate hash', () => {
    expect(toHex(encodeDataRequest(CANDIDATE))).toBe('11'.repeat(32));
  });
});

describe('encodeChunkResponseV2', () => {
  it('has the index before the proof, unlike the text of RFC-47', () => {
    expect(toHex(encodeChunkResponseV2(CHUNK))).toBe('0010deadbeef050000000408aabb');
  });

  it('is one byte for NoSuchChunk', () => {
    expect(toHex(encodeChunkResponseV2(undefined))).toBe('01');
  });
});

describe('encodeChunkResponseV1', () => {
  it('has no index', () => {
    expect(toHex(encodeChunkResponseV1(CHUNK))).toBe('0010deadbeef0408aabb');
    expect(toHex(encodeChunkResponseV1(undefined))).toBe('01');
  });
});

describe('decodeChunkResponseV1', () => {
  it('takes the validator that was asked as the chunk index', () => {
    const bytes = fromHex('0010deadbeef0408aabb');
    expect(decodeChunkResponseV1(bytes, validatorIndex(9))).toEqual({
      ...CHUNK,
      chunkIndex: 9,
    });
  });
});

describe.each([
  ['decodeChunkResponseV1', (bytes: Uint8Array) => decodeChunkResponseV1(bytes, validatorIndex(0))],
  ['decodeChunkResponseV2', decodeChunkResponseV2],
  ['decodeDataResponse', decodeDataResponse],
  ['decodePovResponse', decodePovResponse],
])('%s', (_, decode) => {
  it('gives undefined for "no such", whatever follows', () => {
    expect(decode(fromHex('01'))).toBeUndefined();
    expect(decode(fromHex('0100ff'))).toBeUndefined();
  });

  it('refuses an unknown variant and an answer without a byte', () => {
    expect(faultOf(() => decode(fromHex('02')))).toEqual(['unknown_variant', 0]);
    expect(faultOf(() => decode(fromHex('ff00')))).toEqual(['unknown_variant', 0]);
    expect(faultOf(() => decode(new Uint8Array(0)))).toEqual(['unexpected_end', 0]);
  });

  it('refuses contents of 2^30 bytes that are not there', () => {
    expect(faultOf(() => decode(fromHex('000300000040ff')))).toEqual(['unexpected_end', 6]);
  });
});

describe('encodeDataResponse', () => {
  it('sends stored bytes as they are, without a copy', () => {
    const stored = fromHex('0c0102030404');
    const parts = encodeDataResponse(stored);
    expect(parts.map(toHex)).toEqual(['00', '0c0102030404']);
    expect(parts[1]).toBe(stored);
    expect(encodeDataResponse(undefined).map(toHex)).toEqual(['01']);
  });
});

describe('encodePovResponse', () => {
  it('is the variant and the stored SCALE', () => {
    expect(encodePovResponse(fromHex('0c010203')).map(toHex)).toEqual(['00', '0c010203']);
  });
});
