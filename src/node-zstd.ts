/**
 * @module
 * Node's own zstd as a decompressor of PoVs: part of the entry `./node`.
 */

import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { PovError } from './callers/pov.ts';

/**
 * Largest window that a frame may ask for, as a power of two: 128 MiB, the default of zstd itself
 * (`ZSTD_WINDOWLOG_LIMIT_DEFAULT`) and so what other nodes accept. Named here so that another
 * default of Node's does not change it. The memory is touched only as far as output fills it.
 */
const MAX_WINDOW_LOG = 27;

/**
 * Frames in one blob. Collators write one; zstd allows any number, also empty ones of nine bytes, each of
 * which costs a decoder (measured: 0.2 ms). Ours: 256 of them take less than the data of one block.
 */
const MAX_FRAMES = 256;

/**
 * Undoes zstd with `node:zlib`, one piece of at most 16 KiB ahead of who asks. For `decompressPov`.
 *
 * Node ends its stream without an error at a frame that leaves room in a piece, whatever follows; the
 * rest is given to another decoder, so that later frames are read and something else is refused.
 *
 * @throws {@link PovError} `bad_compression`; Node's own error for anything but the bytes.
 */
export async function* decompressZstd(
  compressed: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest = compressed;
  for (let decoders = 1; ; decoders += 1) {
    const decoder = createZstdDecompress({
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
    yield* piecesOf(decoder, rest);
    rest = rest.subarray(decoder.bytesWritten);
    if (rest.length === 0) {
      return;
    }
    if (decoder.bytesWritten === 0 || decoders === MAX_FRAMES) {
      throw new PovError('bad_compression', 'too many frames', { maxFrames: MAX_FRAMES });
    }
  }
}

async function* piecesOf(
  decoder: ZstdDecompress,
  compressed: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    decoder.end(compressed);
    // Leaving the loop, by whatever way, destroys the decoder.
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      yield piece;
    }
  } catch (cause: unknown) {
    throw isFaultOfBytes(cause)
      ? new PovError('bad_compression', 'the bytes are no complete zstd', {}, cause)
      : cause;
  }
}

/** `Z_BUF_ERROR` is an early end; of zstd's own codes only the lack of memory is no fault of the bytes. */
function isFaultOfBytes(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return (
    code === 'Z_BUF_ERROR' ||
    (code.startsWith('ZSTD_error_') && code !== 'ZSTD_error_memory_allocation')
  );
}
