/**
 * @module
 * The part of `scale.json` about messages: bodies encoded and decoded, frame prefixes, and what the
 * reference's decoder refuses or leaves unread.
 */

import { encodePrefix } from '../../../protocol/framing.ts';
import {
  decodeChunkRequest,
  decodeChunkResponseV1,
  decodeChunkResponseV2,
  decodeDataRequest,
  decodeDataResponse,
  decodePovRequest,
  decodePovResponse,
  encodeChunkRequest,
  encodeChunkResponseV1,
  encodeChunkResponseV2,
  encodeDataRequest,
  encodeDataResponse,
  encodePovRequest,
  encodePovResponse,
} from '../../../protocol/messages.ts';
import {
  type AvailableData,
  encodeAvailableData,
  encodePov,
} from '../../../src/codec/available-data.ts';
import { decodeErasureChunk } from '../../../src/codec/erasure-chunk.ts';
import { concatBytes, fromHex, toHex } from '../../../src/primitives/bytes.ts';
import type { Chunk } from '../../../src/primitives/chunk.ts';
import { candidateHash, chunkIndex, validatorIndex } from '../../../src/primitives/ids.ts';
import { type Expected, inFormOf, type Source, sourceBytes } from '../payload.ts';
import type { Checks } from '../runner.ts';

/** Fields of validation data as the file spells them. */
export type DataFields = {
  readonly relay_parent_number: number;
  readonly relay_parent_storage_root: string;
  readonly max_pov_size: number;
};

/** A message with its fields and its body. */
export type Message = {
  readonly protocol: string;
  readonly direction: 'request' | 'response';
  readonly what: string;
  readonly fields: Partial<DataFields> & {
    readonly candidate_hash?: string;
    readonly validator_index?: number;
    readonly chunk?: string;
    readonly index?: number;
    readonly proof?: readonly string[];
    readonly pov?: Source | string;
    readonly parent_head?: string;
  };
  readonly payload: Expected;
  readonly frame_prefix: string;
};

/** A body that the reference's decoder was given. */
export type MessageDecode = {
  readonly protocol: string;
  readonly direction: 'request' | 'response';
  readonly what: string;
  readonly payload: string;
  readonly result: 'ok' | 'error';
  readonly unread?: number;
};

/** The validator index that the runner says it asked for when it reads a version-1 answer. */
const ASKED = validatorIndex(5);

/** Encodes the fields, compares, and decodes the body again. */
export function checkMessage(message: Message, checks: Checks): void {
  const what = `${message.protocol} ${message.direction} ${message.what}`.trim();
  const bytes = encodeMessage(message);
  checks.equal(inFormOf(message.payload, bytes), message.payload, what);
  checks.equal(toHex(encodePrefix(bytes.length)), message.frame_prefix, `${what}: frame prefix`);
  const value = decodeMessage(message, bytes);
  checks.equal(value, fieldsOf(message), `${what}: decoded`);
}

/**
 * Decodes a body. How far a message decoder reads is seen from outside: one byte less must not be enough.
 */
export function checkMessageDecode(expected: MessageDecode, checks: Checks): void {
  const what = `${expected.protocol} ${expected.direction}, ${expected.what}`;
  const bytes = fromHex(expected.payload);
  if (expected.result === 'error') {
    refuses(checks, () => decodeMessage(expected, bytes), what);
    return;
  }
  const read = bytes.length - (expected.unread ?? 0);
  const value = decodeMessage(expected, bytes);
  checks.equal(decodeMessage(expected, bytes.subarray(0, read)), value, `${what}: unread bytes`);
  refuses(checks, () => decodeMessage(expected, bytes.subarray(0, read - 1)), `${what}: cut`);
  if (`${expected.protocol} ${expected.direction}` === 'req_chunk/2 response' && bytes[0] === 0) {
    checks.equal(decodeErasureChunk(bytes.subarray(1)).bytesRead, read - 1, `${what}: as a chunk`);
  }
}

function encodeMessage({ protocol, direction, fields }: Message): Uint8Array {
  const hash = candidateHash(fields.candidate_hash ?? '0'.repeat(64));
  if (direction === 'request') {
    return protocol.startsWith('req_chunk')
      ? encodeChunkRequest({
          candidateHash: hash,
          validatorIndex: validatorIndex(fields.validator_index ?? -1),
        })
      : (protocol === 'req_pov/1' ? encodePovRequest : encodeDataRequest)(hash);
  }
  switch (protocol) {
    case 'req_chunk/1':
      return encodeChunkResponseV1(chunkOf(fields));
    case 'req_chunk/2':
      return encodeChunkResponseV2(chunkOf(fields));
    case 'req_pov/1':
      return concatBytes(encodePovResponse(map(povOf(fields), encodePov)));
    default:
      return concatBytes(encodeDataResponse(map(dataOf(fields), encodeAvailableData)));
  }
}

function decodeMessage(
  message: Pick<Message, 'protocol' | 'direction'> & { readonly fields?: Message['fields'] },
  bytes: Uint8Array,
): unknown {
  const { protocol, direction } = message;
  if (direction === 'request') {
    return protocol.startsWith('req_chunk')
      ? decodeChunkRequest(bytes)
      : (protocol === 'req_pov/1' ? decodePovRequest : decodeDataRequest)(bytes);
  }
  switch (protocol) {
    case 'req_chunk/1':
      return decodeChunkResponseV1(bytes, validatorIndex(message.fields?.index ?? ASKED));
    case 'req_chunk/2':
      return decodeChunkResponseV2(bytes);
    case 'req_pov/1':
      return decodePovResponse(bytes);
    default:
      return decodeDataResponse(bytes);
  }
}

/** What decoding a message must give, from its fields. */
function fieldsOf({ protocol, direction, fields }: Message): unknown {
  if (direction === 'request') {
    return protocol.startsWith('req_chunk')
      ? { candidateHash: fields.candidate_hash, validatorIndex: fields.validator_index }
      : fields.candidate_hash;
  }
  if (protocol.startsWith('req_chunk')) {
    return chunkOf(fields);
  }
  return protocol === 'req_pov/1' ? povOf(fields) : dataOf(fields);
}

function chunkOf(fields: Message['fields']): Chunk | undefined {
  return map(fields.chunk, (chunk) => ({
    bytes: fromHex(chunk),
    chunkIndex: chunkIndex(fields.index ?? -1),
    proof: (fields.proof ?? []).map((node) => fromHex(node)),
  }));
}

function povOf(fields: Message['fields']): AvailableData['pov'] | undefined {
  return map(fields.pov, (pov) => ({ blockData: sourceBytes(pov) }));
}

function dataOf(fields: Message['fields']): AvailableData | undefined {
  return map(fields.pov, (pov) =>
    availableData(sourceBytes(pov), fromHex(fields.parent_head ?? ''), {
      relay_parent_number: fields.relay_parent_number ?? -1,
      relay_parent_storage_root: fields.relay_parent_storage_root ?? '',
      max_pov_size: fields.max_pov_size ?? -1,
    }),
  );
}

/** Available data from its bytes and the fields of a vector. */
export function availableData(
  blockData: Uint8Array,
  parentHead: Uint8Array,
  fields: DataFields,
): AvailableData {
  return {
    pov: { blockData },
    validationData: {
      parentHead,
      relayParentNumber: fields.relay_parent_number,
      relayParentStorageRoot: fromHex(fields.relay_parent_storage_root),
      maxPovSize: fields.max_pov_size,
    },
  };
}

function map<A, B>(value: A | undefined, change: (value: A) => B): B | undefined {
  return value === undefined ? undefined : change(value);
}

/** Records that a decoder must refuse with its own kind of error. */
export function refuses(checks: Checks, run: () => unknown, what: string): void {
  try {
    run();
    checks.ok(false, `${what}: no error`);
  } catch (error: unknown) {
    checks.equal((error as { name?: unknown }).name, 'CodecError', what);
  }
}
