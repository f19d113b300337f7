/**
 * @module
 * `mapping`: which chunk each validator holds.
 */

import type { Command } from 'commander';
import { chunkMapping, type MappingScheme } from '../mapping/assignment.ts';
import { hashReady } from '../primitives/hash.ts';
import { misuse } from './failure.ts';
import { type CliIo, printJson } from './io.ts';
import {
  hexBytes,
  JSON_ALWAYS_HELP,
  MAPPING_SCHEMES,
  oneOf,
  u32,
  VALIDATORS_HELP,
  validatorCount,
} from './options.ts';

type MappingOptions = {
  readonly validators: number;
  readonly core: number;
  readonly scheme: MappingScheme;
  readonly seed?: Uint8Array;
};

/** Adds `mapping` to the program. */
export function addMapping(program: Command, io: CliIo): void {
  program
    .command('mapping')
    .description('Print which chunk each validator holds')
    .requiredOption('--validators <n>', VALIDATORS_HELP, validatorCount)
    .requiredOption('--core <index>', 'core that the candidate was backed on', u32)
    .option('--scheme <name>', MAPPING_SCHEMES.join(', '), oneOf(MAPPING_SCHEMES), 'rfc47')
    .option('--seed <hex>', 'seed of the chacha8 mapping, 32 bytes', hexBytes(32))
    .option('--json', JSON_ALWAYS_HELP)
    .addHelpText(
      'after',
      '\nPrints a JSON array: the chunk index by validator index. Live networks use rfc47 once the' +
        '\nnode feature is on and identity before; chacha8 is for private networks.',
    )
    .action((options: MappingOptions) => runMapping(io, options));
}

async function runMapping(io: CliIo, options: MappingOptions): Promise<void> {
  const { validators, core, scheme, seed } = options;
  if ((scheme === 'chacha8') !== (seed !== undefined)) {
    throw misuse(`--seed: ${seed === undefined ? 'needed with' : 'only with'} --scheme chacha8`);
  }
  await hashReady();
  const mapping = chunkMapping({
    scheme,
    validatorCount: validators,
    coreIndex: core,
    ...(seed === undefined ? {} : { seed }),
  });
  printJson(io, mapping.chunkByValidator());
}
