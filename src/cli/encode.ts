/**
 * @module
 * `encode`: a payload becomes chunks with proofs and an erasure root.
 */

import type { Command } from 'commander';
import { decodeAvailableData, encodeAvailableData } from '../codec/available-data.ts';
import { codingOn, engine } from '../coding/engine.ts';
import type { EngineId } from '../erasure/kernel/index.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { blake2b256, hashReady } from '../primitives/hash.ts';
import { recoveryThreshold, systematicThreshold } from '../primitives/thresholds.ts';
import { proofHex } from './chunk-list.ts';
import { misuse } from './failure.ts';
import { assertPlaceForFile, readBytes, writeAtomically } from './files.ts';
import { hexOf } from './hex.ts';
import { type CliIo, printJson, printLine } from './io.ts';
import { engineOption, VALIDATORS_HELP, validatorCount } from './options.ts';

type EncodeOptions = {
  readonly validators: number;
  readonly in: string;
  readonly out: string;
  readonly availableData?: boolean;
  readonly digest?: boolean;
  readonly engine?: EngineId;
  readonly json?: boolean;
};

/** Adds `encode` to the program. */
export function addEncode(program: Command, io: CliIo): void {
  program
    .command('encode')
    .description('Cut a payload into one chunk per validator, with proofs and the erasure root')
    .requiredOption('--validators <n>', VALIDATORS_HELP, validatorCount)
    .requiredOption('--in <file>', 'payload')
    .requiredOption('--out <file>', 'JSON file to write')
    .option('--available-data', 'refuse a payload that is no canonical SCALE AvailableData')
    .option('--digest', 'write the BLAKE2b-256 of each chunk in place of its bytes')
    .addOption(engineOption())
    .option('--json', 'print the result as one JSON object')
    .addHelpText(
      'after',
      '\nWrites { validators, recoveryThreshold, systematicThreshold, chunkBytes, erasureRoot,' +
        '\nchunks: [{ chunkIndex, chunk, proof: [hex...] }] }; bytes are in hex.',
    )
    .action((options: EncodeOptions) => runEncode(io, options));
}

async function runEncode(io: CliIo, options: EncodeOptions): Promise<void> {
  const { id, reason } = engine(options.engine);
  await assertPlaceForFile('--out', options.out);
  const payload = await readBytes(options.in);
  await hashReady();
  if (options.availableData === true) {
    assertCanonical(payload, options.in);
  }
  const { codec, commitment } = codingOn(id);
  const chunks = codec.encodeChunks(payload, options.validators);
  const { root, proofs } = commitment.commit(chunks);
  const head = {
    validators: options.validators,
    recoveryThreshold: recoveryThreshold(options.validators),
    systematicThreshold: systematicThreshold(options.validators),
    chunkBytes: chunks[0]?.length ?? 0,
    erasureRoot: hexOf(root),
  };
  await writeAtomically(options.out, encodePieces(head, chunks, proofs, options.digest === true));
  if (options.json === true) {
    printJson(io, { ...head, out: options.out, engine: id });
  } else {
    printLine(io, `erasure root ${head.erasureRoot}, ${chunks.length} x ${head.chunkBytes} bytes`);
    printLine(io, `engine ${id}, ${reason}`);
  }
}

function* encodePieces(
  head: object,
  chunks: readonly Uint8Array[],
  proofs: readonly (readonly Uint8Array[])[],
  isDigest: boolean,
): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},\n"chunks":[`;
  for (const [chunkIndex, bytes] of chunks.entries()) {
    const line = JSON.stringify({
      chunkIndex,
      chunk: hexOf(isDigest ? blake2b256(bytes) : bytes),
      proof: proofHex(proofs[chunkIndex] ?? []),
    });
    yield `${chunkIndex === 0 ? '' : ','}\n${line}`;
  }
  yield '\n]}\n';
}

function assertCanonical(payload: Uint8Array, name: string): void {
  const { value, bytesRead } = decodedData(payload, name);
  if (bytesRead !== payload.length || !equalBytes(encodeAvailableData(value), payload)) {
    throw misuse(
      `${name}: not canonical SCALE AvailableData, which takes ${bytesRead} of ${payload.length} bytes`,
    );
  }
}

function decodedData(payload: Uint8Array, name: string): ReturnType<typeof decodeAvailableData> {
  try {
    return decodeAvailableData(payload);
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw misuse(`${name}: not SCALE AvailableData: ${reason}`, error);
  }
}
