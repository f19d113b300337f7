/**
 * @module
 * Codec v1 on an engine, or on the best of the host. The engine is chosen and loaded at first use, so that importing
 * costs nothing and hosts without WebAssembly get the plain one.
 */

import type { ErasureCodec } from './codec.ts';
import { PLAIN_CODEC_V1 } from './codec-v1.ts';
import { detectEngine, type EngineId } from './kernel/engine-choice.ts';
import { kernelCodec } from './kernel/kernel-codec.ts';
import { createContext } from './kernel/kernel-context.ts';
import { KernelMemory } from './kernel/kernel-memory.ts';

/** Cap of the memory: the areas of a context, and what {@link kernelCodec} takes for a group of columns. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/** One per engine that was asked for: each takes some 5 MiB. */
const codecs = new Map<EngineId, ErasureCodec>();

/**
 * Codec v1 on one engine, on the calling thread; the plain one where the host has no memory for the
 * kernel. The first call for an engine takes its memory, and keeps it.
 */
export function codecOn(id: EngineId): ErasureCodec {
  const known = codecs.get(id) ?? makeCodec(id);
  codecs.set(id, known);
  return known;
}

function makeCodec(id: EngineId): ErasureCodec {
  if (id === 'scalar') {
    return PLAIN_CODEC_V1;
  }
  try {
    const memory = new KernelMemory({ isShared: false, maxBytes: MEMORY_BYTES });
    const context = createContext(memory, id);
    return context === undefined ? PLAIN_CODEC_V1 : kernelCodec(context, memory);
  } catch {
    // The host refuses memory: the same bytes, slower.
    return PLAIN_CODEC_V1;
  }
}

function bestCodec(): ErasureCodec {
  return codecOn(detectEngine());
}

/**
 * Codec v1 on the best engine of the host, the same bytes as {@link PLAIN_CODEC_V1}. The first call that
 * moves bytes takes some 5 MiB of memory for it, and keeps them.
 */
export const CODEC_V1: ErasureCodec = {
  id: 'v1',
  parameters: (validatorCount) => PLAIN_CODEC_V1.parameters(validatorCount),
  chunkBytes: (payloadBytes, validatorCount) =>
    PLAIN_CODEC_V1.chunkBytes(payloadBytes, validatorCount),
  encodeChunks: (payload, validatorCount) => bestCodec().encodeChunks(payload, validatorCount),
  reconstruct: (chunks, validatorCount) => bestCodec().reconstruct(chunks, validatorCount),
  reassemble: (chunks, validatorCount) => bestCodec().reassemble(chunks, validatorCount),
};
