/**
 * @module
 * What a consumer does with a recovered PoV before it decodes the block: undo the compression within a
 * limit, and compare its size with what the relay parent allowed. No decompressor of its own.
 */

import { type AvailableData, encodePov } from '../codec/available-data.ts';
import { concatBytes } from '../primitives/bytes.ts';
import { AvailabilityError, isErrorOf } from '../primitives/errors.ts';
import { MAX_POV_BYTES } from '../primitives/limits.ts';

/**
 * - `too_large`: more than the limit came out; `details.limitBytes` is the limit.
 * - `bad_compression`: what follows the marker is no complete zstd.
 * - `local_fault`: the decompressor failed for another reason; says nothing about the PoV.
 * - `cancelled`: the signal was aborted.
 */
export type PovErrorCode = 'too_large' | 'bad_compression' | 'local_fault' | 'cancelled';

/** A PoV could not be decompressed. */
export class PovError extends AvailabilityError<PovErrorCode> {
  override readonly name = 'PovError';
}

/** First bytes of a compressed blob; the rest is zstd (recovery spec §2.2). */
const COMPRESSION_MARKER: readonly number[] = [0x52, 0xbc, 0x53, 0x76, 0x46, 0xdb, 0x8e, 0x05];

/** What a PoV may expand to: 4 times the largest PoV, 40 MiB (recovery spec §0). */
export const POV_BOMB_LIMIT_BYTES: number = 4 * MAX_POV_BYTES;

/**
 * Undoes zstd, piece by piece. `decompressZstd` of the entry `./node` is one; a browser brings its own.
 *
 * **Guarantees** asked of it: produces a piece when it is asked for one and not far ahead, so that
 * whoever stops asking stops it; stays true to a piece that it gave away; ends in a `PovError`
 * `bad_compression` when the bytes are at fault, also when they are incomplete or something that is no
 * zstd follows. Any other error counts as `local_fault`.
 */
export type PovDecompressor = (compressed: Uint8Array) => AsyncIterable<Uint8Array>;

/** How to decompress. */
export type DecompressOptions = {
  readonly decompress: PovDecompressor;
  /** What may come out at most, in bytes. Default {@link POV_BOMB_LIMIT_BYTES}. */
  readonly limitBytes?: number;
  /** Stops between two pieces. */
  readonly signal?: AbortSignal;
};

/**
 * The block bytes of a recovered PoV.
 *
 * Spec: without the marker the bytes are the block, whatever their size; a block above the limit is
 * left uncompressed by its collator (recovery spec §2.2).
 * Impl: nothing tells a raw block that happens to begin with the marker from a compressed one: it is
 * taken for compressed, as every other node does, and ends in `bad_compression` in all likelihood. Its
 * collator has to compress it.
 *
 * Pass what a recovery gave out and nothing else: its hash or its erasure root was checked, so that
 * only the candidate's own backers can have made it. What comes out is as foreign as what went in.
 *
 * Buffers: without the marker the result is `blockData` itself; else it is new.
 * Cost: at most twice the limit, while the pieces are joined.
 *
 * @throws {@link PovError} all codes.
 * @throws RangeError for a limit that is no size.
 */
export async function decompressPov(
  blockData: Uint8Array,
  options: DecompressOptions,
): Promise<Uint8Array> {
  const { decompress, limitBytes = POV_BOMB_LIMIT_BYTES, signal } = options;
  if (!(Number.isSafeInteger(limitBytes) && limitBytes >= 0)) {
    throw new RangeError(`limitBytes: expected an integer of at least 0, got ${limitBytes}`);
  }
  assertNotAborted(signal);
  if (COMPRESSION_MARKER.some((byte, i) => blockData[i] !== byte)) {
    return blockData;
  }
  try {
    const compressed = blockData.subarray(COMPRESSION_MARKER.length);
    return concatBytes(await collect(decompress(compressed), limitBytes, signal));
  } catch (cause: unknown) {
    if (isErrorOf(cause, 'PovError')) {
      throw cause;
    }
    throw new PovError('local_fault', 'the decompressor failed', {}, cause);
  }
}

/** Takes pieces until the end or the limit; leaving the loop tells the decompressor to stop. */
async function collect(
  pieces: AsyncIterable<Uint8Array>,
  limitBytes: number,
  signal: AbortSignal | undefined,
): Promise<readonly Uint8Array[]> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    assertNotAborted(signal);
    bytes += piece.length;
    if (bytes > limitBytes) {
      throw new PovError('too_large', `more than ${limitBytes} bytes came out`, { limitBytes });
    }
    taken.push(piece);
  }
  return taken;
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new PovError('cancelled', 'the caller gave up', {}, signal.reason);
  }
}

/** A PoV above the size that its relay parent allowed. */
export type OversizePov = {
  /** SCALE size of the PoV as it travelled, compressed. */
  readonly povBytes: number;
  /** What the validation data allows. */
  readonly maxPovBytes: number;
};

/**
 * Tells a PoV that is larger than its relay parent allows. Recovery does not hold it against the
 * candidate: whether it makes one invalid is for candidate validation to say. In PoV-hash mode the
 * limit itself was not checked.
 */
export function oversizePov({ pov, validationData }: AvailableData): OversizePov | undefined {
  const povBytes = encodePov(pov).length;
  const { maxPovSize } = validationData;
  return povBytes > maxPovSize ? { povBytes, maxPovBytes: maxPovSize } : undefined;
}
