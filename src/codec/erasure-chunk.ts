/**
 * @module
 * SCALE of a chunk with its index and proof (recovery spec §2.4), and of a proof with its bounds
 * (recovery spec §2.6). Whether the proof holds is not asked here.
 */

import type { Chunk, TrieProof } from '../primitives/chunk.ts';
import { chunkIndex } from '../primitives/ids.ts';
import { MAX_PROOF_NODE_BYTES, MAX_PROOF_NODES } from '../primitives/limits.ts';
import {
  compactBytes,
  type Decoded,
  decodePrefix,
  type ScaleReader,
  ScaleWriter,
} from './scale.ts';

/**
 * SCALE of a chunk: bytes, index, proof. A version-2 answer carries the same after its discriminant.
 *
 * @throws RangeError when the index is no 32-bit integer or the proof is out of bounds.
 */
export function encodeErasureChunk(chunk: Chunk): Uint8Array {
  const writer = new ScaleWriter(partsBytes(chunk) + 4);
  writeErasureChunk(writer, chunk);
  return writer.finish();
}

/** As {@link encodeErasureChunk}, inside a longer message. */
export function writeErasureChunk(writer: ScaleWriter, chunk: Chunk): void {
  writer.byteString('chunk.bytes', chunk.bytes).u32('chunk.chunkIndex', chunk.chunkIndex);
  writeProof(writer, chunk.proof);
}

/**
 * Reads a chunk from the front of `bytes`. The index is what the sender claims, any 32-bit number.
 *
 * Buffers: chunk and proof nodes are views of `bytes`.
 *
 * @throws {@link CodecError} `unexpected_end`, `non_canonical_compact`, `out_of_range`,
 * `bad_proof_bounds`.
 */
export function decodeErasureChunk(bytes: Uint8Array): Decoded<Chunk> {
  return decodePrefix(bytes, readErasureChunk);
}

/** As {@link decodeErasureChunk}, inside a longer message. */
export function readErasureChunk(reader: ScaleReader): Chunk {
  const bytes = reader.byteString();
  const index = chunkIndex(reader.u32());
  return { bytes, chunkIndex: index, proof: readProof(reader) };
}

/**
 * SCALE of a proof: a list of byte strings.
 *
 * @throws RangeError when the proof is out of bounds.
 */
export function encodeProof(proof: TrieProof): Uint8Array {
  const writer = new ScaleWriter();
  writeProof(writer, proof);
  return writer.finish();
}

/** As {@link encodeProof}, inside a longer message. */
export function writeProof(writer: ScaleWriter, proof: TrieProof): void {
  if (proof.length < 1 || proof.length > MAX_PROOF_NODES) {
    throw new RangeError(`proof: expected 1..${MAX_PROOF_NODES} nodes, got ${proof.length}`);
  }
  writer.compact('proof.length', proof.length);
  for (const node of proof) {
    if (!isNodeSize(node.length)) {
      throw new RangeError(
        `proof: expected nodes of 1..${MAX_PROOF_NODE_BYTES} bytes, got ${node.length}`,
      );
    }
    writer.byteString('node', node);
  }
}

/** Reads a proof from the front of `bytes`; faults as {@link decodeErasureChunk}. */
export function decodeProof(bytes: Uint8Array): Decoded<TrieProof> {
  return decodePrefix(bytes, readProof);
}

/**
 * Spec: erasure spec §5.4, the whole list is read first, node sizes are compared next, the count
 * last; every violation is a decode error.
 * Impl: nodes beyond the limit are stepped over without a view. A count that the bytes left cannot
 * hold (a node takes one byte at least) ends it before the first node, so the work is at most linear
 * in the bytes received and the memory is that of eight views.
 */
export function readProof(reader: ScaleReader): TrieProof {
  const start = reader.offset;
  const count = reader.compactU32();
  reader.need(count);
  const nodes: Uint8Array[] = [];
  let badNodeBytes: number | undefined;
  for (let i = 0; i < count; i += 1) {
    let nodeBytes: number;
    if (i < MAX_PROOF_NODES) {
      const node = reader.byteString();
      nodes.push(node);
      nodeBytes = node.length;
    } else {
      nodeBytes = reader.skipByteString();
    }
    if (badNodeBytes === undefined && !isNodeSize(nodeBytes)) {
      badNodeBytes = nodeBytes;
    }
  }
  if (badNodeBytes !== undefined) {
    throw reader.fault('bad_proof_bounds', `proof node of ${badNodeBytes} bytes`, start, {
      nodeBytes: badNodeBytes,
    });
  }
  if (count < 1 || count > MAX_PROOF_NODES) {
    throw reader.fault('bad_proof_bounds', `proof of ${count} nodes`, start, { nodes: count });
  }
  return nodes;
}

/** Size of chunk bytes and proof in SCALE, without the index. */
export function partsBytes(chunk: Chunk): number {
  const proofBytes = chunk.proof.reduce(
    (sum, node) => sum + compactBytes(node.length) + node.length,
    compactBytes(chunk.proof.length),
  );
  return compactBytes(chunk.bytes.length) + chunk.bytes.length + proofBytes;
}

function isNodeSize(bytes: number): boolean {
  return bytes >= 1 && bytes <= MAX_PROOF_NODE_BYTES;
}
