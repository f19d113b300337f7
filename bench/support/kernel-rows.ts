/**
 * @module
 * All chunks of a payload in a kernel's own memory, to be hashed there.
 */

import {
  createContext,
  type HashRowsJob,
  type KernelContext,
  KernelMemory,
  rowStride,
  type SimdEngineId,
} from '../../src/erasure/kernel/index.ts';

const DIGEST_BYTES = 32;

/** More than any bench holds. */
const MAX_BYTES = 2 ** 29;

/** Rows with the chunks in them. */
export type KernelRows = {
  readonly context: KernelContext;
  readonly job: HashRowsJob;
  /** Copies of the digests, by chunk index. */
  digests(): readonly Uint8Array[];
};

/** Copies chunks of one length into rows of a memory of its own. */
export function kernelRows(engine: SimdEngineId, chunkBytes: readonly Uint8Array[]): KernelRows {
  const bytes = chunkBytes[0]?.length ?? 0;
  const stride = rowStride(bytes);
  const memory = new KernelMemory({ isShared: false, maxBytes: MAX_BYTES });
  const context = createContext(memory, engine);
  const start = memory.take(chunkBytes.length * stride);
  const out = memory.take(chunkBytes.length * DIGEST_BYTES);
  if (context === undefined || start === undefined || out === undefined) {
    throw new Error('no memory for all chunks');
  }
  chunkBytes.forEach((chunk, i) => {
    context.bytes().set(chunk, start + i * stride);
  });
  const rows = Uint32Array.from(chunkBytes, (_, i) => start + i * stride);
  const digests = Uint32Array.from(chunkBytes, (_, i) => out + i * DIGEST_BYTES);
  return {
    context,
    job: { rows, bytes, digests },
    digests: () => [...digests].map((at) => context.bytes().slice(at, at + DIGEST_BYTES)),
  };
}
