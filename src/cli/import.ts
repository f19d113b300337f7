/**
 * @module
 * `import`: what a candidate file holds goes into a peer's store, after it was proven.
 */

import type { Command } from 'commander';

import { hashReady } from '../primitives/hash.ts';
import { validatorIndex } from '../primitives/ids.ts';
import { type CandidateEntry, pickCandidate, readCandidateFile } from './candidate-file.ts';
import { misuse } from './failure.ts';
import { assertSameChain } from './fits-config.ts';
import { type CliIo, printJson, printLine, printNote } from './io.ts';
import { u32 } from './options.ts';
import { counted } from './readable.ts';
import { candidateHashOption } from './receipt.ts';
import { completed, soleValue } from './settle.ts';
import type { ProvenCandidate } from './store-candidate.ts';

type ImportOptions = {
  readonly config: string;
  readonly in: string;
  readonly validator?: number;
  readonly candidate?: string;
  readonly json?: boolean;
};

/** Adds `import` to the program. */
export function addImport(program: Command, io: CliIo): void {
  program
    .command('import')
    .description('Prove what a candidate file holds and put it into the store of a peer')
    .requiredOption('--config <file>', 'config of the peer; its store must be a folder')
    .requiredOption('--in <file>', 'candidate file')
    .option('--validator <index>', 'store the chunk of this validator only', u32)
    .option('--candidate <hash>', 'import this candidate only')
    .option('--json', 'print one JSON object per candidate')
    .addHelpText(
      'after',
      '\nWithout --validator all chunks and the available data are stored, as a backer does. Everything' +
        '\nis proven before anything is stored; a candidate without a receipt is refused.',
    )
    .action((options: ImportOptions) => runImport(io, options));
}

async function runImport(io: CliIo, options: ImportOptions): Promise<void> {
  // Loaded here: the commands that need no store do not wait for its libraries.
  const [{ loadConfig }, { sessionMapping }, storing, { openLevelStore }] = await Promise.all([
    import('./config.ts'),
    import('./session-mapping.ts'),
    import('./store-candidate.ts'),
    import('../store/open.ts'),
  ]);
  const config = await loadConfig(options.config);
  const { store: folder, session } = config;
  if (folder === undefined || folder === 'memory') {
    throw misuse(`${options.config}: store: import needs a folder`);
  }
  if (options.validator !== undefined && options.validator >= session.validators.length) {
    throw misuse(`--validator: the session has ${session.validators.length} validators`);
  }
  await hashReady();
  const entries = await readEntries(options, config);
  const proven = entries.map((entry) =>
    storing.proveCandidate(entry, (coreIndex) => sessionMapping(session, coreIndex)),
  );
  noteOddPlaces(io, proven);
  const store = await soleValue(openLevelStore(folder));
  try {
    for (const candidate of proven) {
      const stored =
        options.validator === undefined
          ? await storing.storeEverything(store, candidate)
          : await storing.storeOnlyOf(store, candidate, validatorIndex(options.validator));
      report(io, options, candidate, stored);
    }
  } finally {
    await completed(store.close());
  }
}

async function readEntries(
  options: ImportOptions,
  config: { readonly genesisHash: Uint8Array },
): Promise<readonly CandidateEntry[]> {
  const file = await readCandidateFile(options.in);
  assertSameChain(file.genesisHash, config, options.in);
  if (options.candidate === undefined) {
    return file.candidates;
  }
  return [pickCandidate(file, options.in, candidateHashOption(options.candidate))];
}

/** A proven chunk may stand with another validator than the session says; recovery copes with it. */
function noteOddPlaces(io: CliIo, candidates: readonly ProvenCandidate[]): void {
  for (const { candidateHash, chunks, mapping } of candidates) {
    const odd = chunks.filter(
      ({ validatorIndex: v, chunk }) => mapping.chunkOf(v) !== chunk.chunkIndex,
    );
    if (odd.length > 0) {
      printNote(
        io,
        `note: candidate ${candidateHash}: ${odd.length} chunks are not where the session's mapping ` +
          `(${mapping.scheme}) has them`,
      );
    }
  }
}

function report(
  io: CliIo,
  options: ImportOptions,
  { candidateHash, chunks, data }: ProvenCandidate,
  stored: { readonly storedChunks: number; readonly storedData: boolean },
): void {
  if (options.json === true) {
    printJson(io, { candidateHash, ...stored });
    return;
  }
  const parts = [
    ...(stored.storedChunks > 0 ? [counted(stored.storedChunks, 'chunk')] : []),
    ...(stored.storedData ? ['the available data'] : []),
  ];
  const isEmpty = chunks.length === 0 && data === undefined;
  const nothing = isEmpty ? 'nothing to store' : 'already held';
  const what = parts.length === 0 ? nothing : `stored ${parts.join(' and ')}`;
  printLine(io, `candidate ${candidateHash}: ${what}`);
}
