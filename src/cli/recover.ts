/**
 * @module
 * `recover`: gets a candidate's data back from the configured peers.
 */

import type { Command } from 'commander';
import type { EngineId } from '../erasure/kernel/index.ts';
import { STRATEGY_TYPES } from '../recovery/labels.ts';
import { type RecoverySettings, STANDARD, UPSTREAM } from '../recovery/settings.ts';
import { CliError, misuse } from './failure.ts';
import { assertPlaceForFile, writeAtomically } from './files.ts';
import type { RecoveryOutcome } from './follow-recovery.ts';
import { type CliIo, printJson, printLine, printNote } from './io.ts';
import { byteSize, engineOption, integerBetween, listOf, oneOf, u32 } from './options.ts';
import type { RequestOptions } from './recovery-request.ts';
import { shownName } from './source-names.ts';

type RecoverOptions = RequestOptions & {
  readonly config: string;
  readonly preset: Preset;
  readonly out?: string;
  readonly availableData?: boolean;
  readonly report?: string;
  readonly engine?: EngineId;
  readonly workers?: number;
  readonly json?: boolean;
};

/** Presets by the name that the option takes. */
const PRESETS = { standard: STANDARD, upstream: UPSTREAM } as const;
type Preset = keyof typeof PRESETS;

/** Longest time that a timer takes, in milliseconds: 2^31 - 1. */
const MAX_TIMER_MS = 2_147_483_647;

/** Adds `recover` to the program. */
export function addRecover(program: Command, io: CliIo): void {
  const strategies = STRATEGY_TYPES.join(', ');
  program
    .command('recover')
    .description('Recover the data of a candidate from the peers of a config')
    .requiredOption('--config <file>', 'config: session, peers, and our own store if any')
    .requiredOption('--receipt <hex|file>', 'receipt: hex, or a file: raw, hex, candidate file')
    .option('--candidate <hash>', 'which candidate of a file with several')
    .option('--session <index>', "session (default: the file's, else the receipt's)", u32)
    .option('--core <index>', "core (default: the file's, else the receipt's)", u32)
    .option('--group <index>', 'backing group; lets backers be asked for everything', u32)
    .option(
      '--preset <name>',
      "standard, or upstream: the reference's rules; the config's settings apply on top",
      oneOf<Preset>(['standard', 'upstream']),
      'standard' as Preset,
    )
    .option('--strategy <list>', `exactly these: ${strategies}`, listOf(oneOf(STRATEGY_TYPES)))
    .option('--size-limit <bytes>', 'ask backers for everything only below this size', byteSize)
    .option('--timeout <ms>', 'give up after this time', integerBetween(1, MAX_TIMER_MS))
    .option('--out <file>', 'file to write the PoV to')
    .option('--available-data', 'write the SCALE AvailableData in place of the PoV')
    .option('--report <file>', 'file to write the account and the report to, for explain')
    .addOption(engineOption())
    .option(
      '--workers <n>',
      "worker threads; 0: none (default: the config's, else one less than cores, at most 4)",
      integerBetween(0, 64),
    )
    .option('--json', 'print each event as one JSON object')
    .addHelpText(
      'after',
      '\nEnds with 0 when the data was recovered and checked, 2 when it could not be had (also after' +
        '\n--timeout), 3 when it is provably not what the receipt commits to, 130 after Ctrl-C.',
    )
    .action((options: RecoverOptions) => runRecover(io, options));
}

async function runRecover(io: CliIo, options: RecoverOptions): Promise<void> {
  const interrupt = io.listenForInterrupt();
  try {
    const outcome = await recoverOnce(io, options, interrupt.signal);
    await report(io, options, outcome);
    if (outcome.type === 'failed') {
      const { withShortfall } = await import('./shortfall.ts');
      throw withShortfall(outcome.error, options.report !== undefined);
    }
  } finally {
    interrupt.dispose();
  }
}

async function recoverOnce(
  io: CliIo,
  options: RecoverOptions,
  signal: AbortSignal,
): Promise<RecoveryOutcome> {
  const [{ loadConfig }, { requestOf }, { openPeer }, following, { Progress }] = await Promise.all([
    import('./config.ts'),
    import('./recovery-request.ts'),
    import('./peer-process.ts'),
    import('./follow-recovery.ts'),
    import('./progress.ts'),
  ]);
  if (options.out !== undefined && options.report === options.out) {
    throw misuse('--report: the same file as --out');
  }
  await assertPlaceForFile('--out', options.out);
  await assertPlaceForFile('--report', options.report);
  const config = await loadConfig(options.config);
  const request = await requestOf(options, config);
  const { retention: _retention, ...ownSettings } = config.settings;
  const settings: RecoverySettings = { ...PRESETS[options.preset], ...ownSettings };
  const { engine = config.work.engine, workers = config.work.workers } = options;
  const work = {
    ...config.work,
    ...(engine === undefined ? {} : { engine }),
    ...(workers === undefined ? {} : { workers }),
  };
  const peer = await openPeer({ ...config, work }, { listenByDefault: [] });
  const progress = new Progress(io, 'recovery');
  try {
    await using recovery = peer.node.createRecovery({}, settings);
    await recovery.start();
    if (signal.aborted) {
      throw new CliError('cancelled', 'cancelled before the recovery began');
    }
    return await following.followRecovery({
      recovery,
      request,
      signal,
      onEvent: (event) =>
        options.json === true ? printJson(io, following.eventJson(event)) : progress.show(event),
    });
  } finally {
    progress.end();
    await peer.stop();
  }
}

async function report(io: CliIo, options: RecoverOptions, outcome: RecoveryOutcome): Promise<void> {
  const { failuresOf, outcomeJson } = await import('./follow-recovery.ts');
  const { readableBytes } = await import('./readable.ts');
  if (outcome.type === 'recovered' && options.out !== undefined) {
    const { data } = outcome.result;
    const { encodeAvailableData } = await import('../codec/available-data.ts');
    await writeAtomically(options.out, [
      options.availableData === true ? encodeAvailableData(data) : data.pov.blockData,
    ]);
  }
  if (options.report !== undefined) {
    const { reportFileOf } = await import('./report-file.ts');
    await writeAtomically(options.report, [`${JSON.stringify(reportFileOf(outcome), null, 1)}\n`]);
  }
  if (options.json === true) {
    if (outcome.type === 'failed') {
      printJson(io, { type: 'failed', ...outcomeJson(outcome) });
    }
    return;
  }
  const account = outcome.type === 'recovered' ? outcome.result.account : outcome.error.account;
  for (const [reason, sources] of account === undefined ? [] : failuresOf(account)) {
    printNote(io, `${reason}: ${sources.map(shownName).join(', ')}`);
  }
  if (outcome.type === 'recovered') {
    const { data, from } = outcome.result;
    const { issued = 0, bytes = 0 } = account?.totals ?? {};
    printLine(
      io,
      `recovered ${data.pov.blockData.length} bytes of PoV from ${from}: ` +
        `${issued} requests, ${readableBytes(bytes)} received`,
    );
  }
}
