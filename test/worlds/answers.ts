/**
 * @module
 * What the actions of recorded worlds bring. Bodies are bytes and go through the shipped decoders, so
 * that a proof of nine nodes fails where it would on a real connection.
 */

import { type Observable, of, throwError } from 'rxjs';
import {
  decodeChunkResponseV1,
  decodeChunkResponseV2,
  decodeDataResponse,
} from '../../protocol/messages.ts';
import { type AvailableData, encodeAvailableData } from '../../src/codec/available-data.ts';
import { ScaleWriter } from '../../src/codec/scale.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { chunkIndex, type ValidatorIndex } from '../../src/primitives/ids.ts';
import {
  type ChunkReply,
  type DataReply,
  RequestError,
  type RequestErrorCode,
} from '../../src/recovery/ports.ts';
import { type WorldCandidate, withBadPov, withOtherValidationData } from './candidate.ts';

/** The file's network failures in our words; codes that we do not have are named by their nearest. */
const FAILURES: Readonly<Record<string, RequestErrorCode>> = {
  to: 'timeout',
  dial: 'dial_failed',
  closed: 'connection_closed',
  uns: 'unsupported_protocol',
  io: 'reset',
  ref: 'refused',
  nc: 'not_connected',
  // Another request took its place; ours has no such thing.
  obs: 'connection_closed',
  unk: 'unsupported_protocol',
  inv: 'bad_prefix',
  can: 'cancelled',
  // An answer under a protocol name that nobody asked for: our requester never gets there.
  odd: 'unsupported_protocol',
};

/** Actions that leave a request without an answer for a while. */
export const HELD_ACTIONS: ReadonlySet<string> = new Set([
  'hang',
  'late',
  'lateno',
  'hcan',
  'hangc',
]);

/** A network failure by the file's word; `undefined` for another word. */
function failureOf(action: string): Observable<never> | undefined {
  const code = FAILURES[action];
  return code === undefined
    ? undefined
    : throwError(() => new RequestError(code, `the world says ${action}`, { stage: 'body' }));
}

/** What a chunk request is about. */
export type ChunkCase = {
  readonly candidate: WorldCandidate;
  /** The chunk that belongs to the validator. */
  readonly own: Chunk;
  readonly validatorIndex: ValidatorIndex;
  readonly n: number;
};

/** The answer of one chunk action. */
export function chunkAnswer(action: string, asked: ChunkCase): Observable<ChunkReply> {
  const failed = failureOf(action);
  if (failed !== undefined) {
    return failed;
  }
  const isV1 = action === 'v1' || action === 'no1';
  const body = chunkBody(action, asked, isV1);
  const protocol = `world/req_chunk/${isV1 ? 1 : 2}`;
  const bytes = body.length;
  try {
    const chunk = isV1
      ? decodeChunkResponseV1(body, asked.validatorIndex)
      : decodeChunkResponseV2(body);
    return of(
      chunk === undefined
        ? { type: 'no_such_chunk', protocol, bytes }
        : { type: 'chunk', chunk, protocol, bytes },
    );
  } catch (error: unknown) {
    return throwError(() => error);
  }
}

function chunkBody(action: string, asked: ChunkCase, isV1: boolean): Uint8Array {
  const { own } = asked;
  switch (action) {
    case 'no':
    case 'no1':
      return Uint8Array.of(1);
    case 'und':
      return Uint8Array.of(7, 7, 7);
    case 'emp':
      return new Uint8Array();
    case 'trail':
      return concatBytes([encodeFound(own, isV1), Uint8Array.of(1, 2)]);
    default:
      return encodeFound(chunkFor(action, asked), isV1);
  }
}

function chunkFor(action: string, { candidate, own, n }: ChunkCase): Chunk {
  const more = (...nodes: readonly Uint8Array[]): Chunk => ({
    ...own,
    proof: [...own.proof, ...nodes],
  });
  switch (action) {
    case 'ok':
    case 'v1':
      return own;
    case 'bad':
      return { ...own, bytes: own.bytes.map((byte, i) => (i === 0 ? byte ^ 0xff : byte)) };
    case 'zero':
      return { ...own, bytes: new Uint8Array(32) };
    case 'lab':
      return { ...own, chunkIndex: chunkIndex((own.chunkIndex + 1) % n) };
    case 'px':
      return { ...own, proof: [...own.proof.toReversed(), Uint8Array.of(1, 2, 3)] };
    case 'pm':
      return more(new Uint8Array(612).fill(1));
    case 'pb':
      return more(new Uint8Array(613).fill(1));
    case 'pe':
      return more(new Uint8Array());
    case 'p0':
      return { ...own, proof: [] };
    case 'p9':
      return { ...own, proof: Array.from({ length: 9 }, () => own.proof[0] ?? new Uint8Array(1)) };
    default: {
      const other = candidate.chunks[Number(/^oth:(\d+)$/.exec(action)?.[1])];
      if (other === undefined) {
        throw new RangeError(`action: no chunk for ${action}`);
      }
      return other;
    }
  }
}

/** A found chunk on the wire; unlike the shipped encoder it writes proofs that are out of bounds. */
function encodeFound({ bytes, chunkIndex: index, proof }: Chunk, isV1: boolean): Uint8Array {
  const writer = new ScaleWriter().u8('found', 0).byteString('bytes', bytes);
  if (!isV1) {
    writer.u32('index', index);
  }
  writer.compact('nodes', proof.length);
  for (const node of proof) {
    writer.byteString('node', node);
  }
  return writer.finish();
}

/** The answer of one full-data action. */
export function dataAnswer(action: string, { data }: WorldCandidate): Observable<DataReply> {
  const failed = failureOf(action);
  if (failed !== undefined) {
    return failed;
  }
  const body = dataBody(action, data);
  const protocol = 'world/req_available_data/1';
  const bytes = body.length;
  try {
    const found = decodeDataResponse(body);
    return of(
      found === undefined
        ? { type: 'no_such_data', protocol, bytes }
        : { type: 'available_data', data: found, protocol, bytes },
    );
  } catch (error: unknown) {
    return throwError(() => error);
  }
}

function dataBody(action: string, data: AvailableData): Uint8Array {
  const found = (value: AvailableData): Uint8Array =>
    concatBytes([Uint8Array.of(0), encodeAvailableData(value)]);
  switch (action) {
    case 'ok':
      return found(data);
    case 'no':
      return Uint8Array.of(1);
    case 'bad':
      return found(withBadPov(data));
    case 'pvd':
      return found(withOtherValidationData(data));
    case 'und':
      return Uint8Array.of(7, 7, 7);
    case 'trail':
      return concatBytes([found(data), Uint8Array.of(1)]);
    default:
      throw new RangeError(`action: no full data for ${action}`);
  }
}
