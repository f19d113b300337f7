/**
 * @module
 * `verify`: checks the proof of each chunk of a file against an erasure root.
 */

import type { Command } from 'commander';
import { verifyChunk } from '../commitment/verify-chunk.ts';
import { hashReady } from '../primitives/hash.ts';
import { chunkIndex } from '../primitives/ids.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import {
  isWithinProofBounds,
  type ListedChunk,
  readChunkList,
  validatorCountFor,
} from './chunk-list.ts';
import { CliError, misuse } from './failure.ts';
import { readJson } from './files.ts';
import { type CliIo, printJson } from './io.ts';
import { hexBytes, JSON_ALWAYS_HELP, VALIDATORS_HELP, validatorCount } from './options.ts';

type VerifyOptions = {
  readonly validators?: number;
  readonly root: Uint8Array;
  readonly in: string;
};

/** Adds `verify` to the program. */
export function addVerify(program: Command, io: CliIo): void {
  program
    .command('verify')
    .description('Check the proof of each chunk against an erasure root')
    .option('--validators <n>', `${VALIDATORS_HELP} (default: the file's)`, validatorCount)
    .requiredOption('--root <hex>', 'erasure root', hexBytes(32))
    .requiredOption('--in <file>', 'JSON written by encode, or a candidate file')
    .option('--json', JSON_ALWAYS_HELP)
    .addHelpText(
      'after',
      '\nPrints one line { chunkIndex, valid, reason? } per chunk; ends with code 3 if any is not.',
    )
    .action((options: VerifyOptions) => runVerify(io, options));
}

async function runVerify(io: CliIo, options: VerifyOptions): Promise<void> {
  const { in: name, root } = options;
  const file = await readJson(name);
  const chunks = readChunkList(file, name);
  const validators = validatorCountFor(file, name, options.validators);
  assertValidatorCount(validators);
  await hashReady();
  let invalidCount = 0;
  for (const chunk of chunks) {
    const reason = faultOf(chunk, { validators, root });
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
  { validators, root }: { readonly validators: number; readonly root: Uint8Array },
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
