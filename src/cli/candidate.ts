/**
 * @module
 * `candidate`: a file becomes a candidate with receipt, available data, chunks and proofs.
 */

import type { Command } from 'commander';
import { candidateHashOf } from '../codec/candidate.ts';
import type { MappingScheme } from '../mapping/assignment.ts';
import { hashReady } from '../primitives/hash.ts';
import { candidateFilePieces } from './candidate-file.ts';
import { assertPlaceForFile, readBytes, writeAtomically } from './files.ts';
import { hexOf } from './hex.ts';
import { type CliIo, printJson, printLine } from './io.ts';
import { makeCandidate, RECEIPT_VERSIONS, type ReceiptVersion } from './make-candidate.ts';
import {
  hexBytes,
  integerBetween,
  MAPPING_SCHEMES,
  oneOf,
  POLKADOT_GENESIS,
  u32,
  VALIDATORS_HELP,
  validatorCount,
} from './options.ts';

type CandidateOptions = {
  readonly validators: number;
  readonly in: string;
  readonly out: string;
  readonly parentHead?: Uint8Array;
  readonly para: number;
  readonly session: number;
  readonly core: number;
  readonly scheme: MappingScheme;
  readonly seed?: Uint8Array;
  readonly version: ReceiptVersion;
  readonly genesis?: Uint8Array;
  readonly json?: boolean;
};

/** Parent head of the available data, unless another is given: that of the spec's example (§2.2). */
const DEFAULT_PARENT_HEAD = '070809';

/** Adds `candidate` to the program. */
export function addCandidate(program: Command, io: CliIo): void {
  const scheme = oneOf(MAPPING_SCHEMES);
  program
    .command('candidate')
    .description('Make a candidate around a PoV and write it as a candidate file')
    .requiredOption('--validators <n>', VALIDATORS_HELP, validatorCount)
    .requiredOption('--in <file>', 'file whose bytes are the PoV')
    .requiredOption('--out <file>', 'candidate file to write')
    .option('--parent-head <hex>', `parent head (default: ${DEFAULT_PARENT_HEAD})`, hexBytes())
    .option('--para <id>', 'para id', u32, 2000)
    .option('--session <index>', 'session index', u32, 1)
    .option('--core <index>', 'core index, 0..65535', integerBetween(0, 65_535), 0)
    .option('--scheme <name>', `chunk mapping: ${MAPPING_SCHEMES.join(', ')}`, scheme, 'rfc47')
    .option('--seed <hex>', 'seed of the chacha8 mapping, 32 bytes', hexBytes(32))
    .option('--version <v>', 'descriptor version: v1, v2, v3', oneOf(RECEIPT_VERSIONS), 'v2')
    .option('--genesis <hex>', "genesis hash (default: Polkadot's)", hexBytes(32))
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', '\nThe file is read by import, recover --receipt, decode and verify.')
    .action((options: CandidateOptions) => runCandidate(io, options));
}

async function runCandidate(io: CliIo, options: CandidateOptions): Promise<void> {
  await assertPlaceForFile('--out', options.out);
  const pov = await readBytes(options.in);
  await hashReady();
  const made = makeCandidate({
    pov,
    parentHead: options.parentHead ?? hexBytes()(DEFAULT_PARENT_HEAD),
    validatorCount: options.validators,
    paraId: options.para,
    sessionIndex: options.session,
    coreIndex: options.core,
    scheme: options.scheme,
    seed: options.seed,
    version: options.version,
  });
  await writeAtomically(
    options.out,
    candidateFilePieces({
      genesisHash: options.genesis ?? hexBytes(32)(POLKADOT_GENESIS),
      receipt: made.receipt,
      povHash: made.povHash,
      erasureRoot: made.erasureRoot,
      coreIndex: options.core,
      sessionIndex: options.session,
      validatorCount: options.validators,
      availableData: made.payload,
      chunks: made.chunks,
    }),
  );
  const summary = {
    candidateHash: candidateHashOf(made.receipt),
    erasureRoot: hexOf(made.erasureRoot),
    povHash: hexOf(made.povHash),
    validators: options.validators,
    out: options.out,
  };
  if (options.json === true) {
    printJson(io, summary);
  } else {
    printLine(io, `candidate ${summary.candidateHash}, erasure root ${summary.erasureRoot}`);
  }
}
