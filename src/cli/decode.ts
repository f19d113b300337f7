/**
 * @module
 * `decode`: chunks become the payload again. With an erasure root nothing unproven is decoded.
 */

import type { Command } from 'commander';
import type { CodingParts } from '../coding/coding.ts';
import { codingOn, engine } from '../coding/engine.ts';
import { verifyChunk } from '../commitment/verify-chunk.ts';
import { reassembleUnchecked, reconstructUnchecked } from '../erasure/index.ts';
import type { EngineId } from '../erasure/kernel/index.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { VerifiedChunk } from '../primitives/chunk.ts';
import { hashReady } from '../primitives/hash.ts';
import { chunkIndex } from '../primitives/ids.ts';
import { recoveryThreshold, systematicThreshold } from '../primitives/thresholds.ts';
import {
  isWithinProofBounds,
  type ListedChunk,
  readChunkList,
  validatorCountFor,
} from './chunk-list.ts';
import { CliError, misuse } from './failure.ts';
import { assertPlaceForFile, readJson, writeAtomically } from './files.ts';
import { type CliIo, printJson, printLine } from './io.ts';
import {
  engineOption,
  hexBytes,
  integerBetween,
  listOf,
  u32,
  VALIDATORS_HELP,
  validatorCount,
} from './options.ts';

type DecodeOptions = {
  readonly validators?: number;
  readonly in: string;
  readonly out: string;
  readonly chunks?: readonly number[];
  readonly root?: Uint8Array;
  readonly length?: number;
  readonly systematic?: boolean;
  readonly engine?: EngineId;
  readonly json?: boolean;
};

/** Adds `decode` to the program. */
export function addDecode(program: Command, io: CliIo): void {
  program
    .command('decode')
    .description('Rebuild a payload from chunks')
    .option('--validators <n>', `${VALIDATORS_HELP} (default: the file's)`, validatorCount)
    .requiredOption('--in <file>', 'JSON written by encode, or a candidate file')
    .requiredOption('--out <file>', 'file to write the payload to')
    .option('--chunks <list>', 'use these chunk indices only, such as 0,5,9', listOf(u32))
    .option('--root <hex>', 'erasure root: verify every chunk and check the result', hexBytes(32))
    .option('--length <bytes>', 'cut the payload to this length', integerBetween(0, 2 ** 48))
    .option('--systematic', 'reassemble the systematic chunks, whatever else is there')
    .addOption(engineOption())
    .option('--json', 'print the result as one JSON object')
    .addHelpText(
      'after',
      '\nWithout --root nothing is proven and the result says verified: false. Without --length the' +
        '\npayload keeps the zeros that fill its last column. Too few or ill-formed chunks end with' +
        '\ncode 1, chunks that do not verify or do not fit the root with code 3.',
    )
    .action((options: DecodeOptions) => runDecode(io, options));
}

async function runDecode(io: CliIo, options: DecodeOptions): Promise<void> {
  const { id } = engine(options.engine);
  await assertPlaceForFile('--out', options.out);
  const { root, in: name } = options;
  const file = await readJson(name);
  const listed = select(readChunkList(file, name), options);
  const validators = validatorCountFor(file, name, options.validators);
  await hashReady();
  const isReassembled =
    options.systematic === true || (root !== undefined && hasSystematic(listed, validators));
  const padded =
    root === undefined
      ? decodeUnchecked(listed, validators, isReassembled)
      : decodeChecked(codingOn(id), { listed, validators, isReassembled, root });
  const length = options.length ?? padded.length;
  if (length > padded.length) {
    throw misuse(`--length: the payload has ${padded.length} bytes, fewer than ${length}`);
  }
  await writeAtomically(options.out, [padded.subarray(0, length)]);
  const result = {
    // Unproven chunks are always decoded by the plain engine.
    engine: root === undefined ? 'scalar' : id,
    verified: root !== undefined,
    method: isReassembled ? 'reassemble' : 'reconstruct',
    chunks: listed.length,
    bytes: length,
    out: options.out,
  };
  if (options.json === true) {
    printJson(io, result);
  } else {
    printLine(
      io,
      `${length} bytes from ${listed.length} chunks (${result.method}), verified: ${result.verified}`,
    );
  }
}

function select(
  chunks: readonly ListedChunk[],
  { chunks: wanted, in: name }: DecodeOptions,
): readonly ListedChunk[] {
  if (wanted === undefined) {
    return chunks;
  }
  // From the end, so that of several chunks with one index the first stays.
  const byIndex = new Map(chunks.toReversed().map((chunk) => [chunk.chunkIndex, chunk]));
  return wanted.map((index) => {
    const chunk = byIndex.get(index);
    if (chunk === undefined) {
      throw misuse(`--chunks: ${name} holds no chunk ${index}`);
    }
    return chunk;
  });
}

/** Whether all systematic chunks are there: once proven they are the payload, without arithmetic. */
function hasSystematic(chunks: readonly ListedChunk[], validatorCount: number): boolean {
  const needed = systematicThreshold(validatorCount);
  const indices = new Set(chunks.map((chunk) => chunk.chunkIndex));
  return Array.from({ length: needed }, (_, index) => index).every((index) => indices.has(index));
}

/** The reference's results and errors over bare shards, in the order of the file. */
function decodeUnchecked(
  chunks: readonly ListedChunk[],
  validatorCount: number,
  isReassembled: boolean,
): Uint8Array {
  for (const { chunkIndex: index, place } of chunks) {
    if (!Number.isSafeInteger(index) || index < 0) {
      throw misuse(`${place}.chunkIndex: expected an integer from 0`);
    }
  }
  if (isReassembled) {
    const sorted = [...chunks].sort((a, b) => a.chunkIndex - b.chunkIndex);
    return reassembleUnchecked(
      sorted.map((chunk) => chunk.bytes),
      validatorCount,
    );
  }
  return reconstructUnchecked(
    chunks.map((chunk) => [chunk.chunkIndex, chunk.bytes] as const),
    validatorCount,
  );
}

function decodeChecked(
  { codec, commitment }: CodingParts,
  {
    listed,
    validators,
    isReassembled,
    root,
  }: {
    readonly listed: readonly ListedChunk[];
    readonly validators: number;
    readonly isReassembled: boolean;
    readonly root: Uint8Array;
  },
): Uint8Array {
  recoveryThreshold(validators);
  const verified = listed.map((chunk) => verifyListed(chunk, validators, root));
  const padded = codec[isReassembled ? 'reassemble' : 'reconstruct'](verified, validators);
  if (!equalBytes(commitment.root(codec.encodeChunks(padded, validators)), root)) {
    throw new CliError('invalid', 'the decoded payload has another erasure root');
  }
  return padded;
}

function verifyListed(
  { chunkIndex: index, bytes, proof, place }: ListedChunk,
  validatorCount: number,
  erasureRoot: Uint8Array,
): VerifiedChunk {
  if (proof === undefined) {
    throw misuse(`${place}.proof: needed with --root`);
  }
  if (!isWithinProofBounds(proof)) {
    throw new CliError('invalid', `${place}: does not verify: bad_proof_bounds`);
  }
  const verdict = verifyChunk({
    erasureRoot,
    chunk: { bytes, chunkIndex: chunkIndex(index), proof },
    validatorCount,
  });
  if (verdict.type === 'invalid') {
    throw new CliError('invalid', `${place}: does not verify: ${verdict.reason}`);
  }
  return verdict.chunk;
}
