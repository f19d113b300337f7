/**
 * @module
 * `verify`: checks the proof of each chunk of a file against an erasure root.
 */

import type { Command } from 'commander';
import { verifyChunk } from '../commitment/verify-chunk.ts';
import { hashReady } from '../primitives/hash.ts';
import { chunkIndex } from '../primitives/ids.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import { isWithinProofBounds, type ListedChunk, readChunkList } from './chunk-list.ts';
import { CliError, misuse } from './failure.ts';
import { readJson } from './files.ts';
import { type CliIo, printJson } from './io.ts';
import { hexBytes, u32 } from './options.ts';

type VerifyOptions = {
  readonly validators: number;
  readonly root: Uint8Array;
  readonly in: string;
};

/** Adds `verify` to the program. */
export function addVerify(program: Command, io: CliIo): void {
  program
    .command('verify')
    .description('Check the proof of each chunk against an erasure root')
    .requiredOption('--validators <n>', 'number of validators, 2..65536', u32)
    .requiredOption('--root <hex>', 'erasure root', hexBytes(32))
    .requiredOption('--in <file>', 'JSON written by encode, or a candidate file')
    .option('--json', 'output is JSON lines in any case')
    .addHelpText(
      'after',
      '\nPrints one line { chunkIndex, valid, reason? } per chunk; ends with code 3 if any is not.',
    )
    .action((options: VerifyOptions) => runVerify(io, options));
}

async function runVerify(io: CliIo, options: VerifyOptions): Promise<void> {
  const chunks = readChunkList(await readJson(options.in), options.in);
  assertValidatorCount(options.validators);
  await hashReady();
  let invalidCount = 0;
  for (const chunk of chunks) {
    const reason = faultOf(chunk, options);
    invalidCount += reason === undefined ? 0 : 1;
    printJson(
      io,
      reason === undefined
        ? { chunkIndex: chunk.chunkIndex, valid: true }
        : { chunkIndex: chunk.chunkIndex, valid: false, reason },
    );
  }
  if (invalidCount > 0) {
    throw new CliError('invalid', `${invalidCount} of ${chunks.length} chunks do not verify`);
  }
}

function faultOf(
  { chunkIndex: index, bytes, proof, place }: ListedChunk,
  { validators, root }: VerifyOptions,
): string | undefined {
  if (proof === undefined) {
    throw misuse(`${place}.proof: expected an array of hex strings`);
  }
  if (!isWithinProofBounds(proof)) {
    return 'bad_proof_bounds';
  }
  const verdict = verifyChunk({
    erasureRoot: root,
    chunk: { bytes, chunkIndex: chunkIndex(index), proof },
    validatorCount: validators,
  });
  return verdict.type === 'invalid' ? verdict.reason : undefined;
}
