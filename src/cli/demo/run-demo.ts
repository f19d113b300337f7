/**
 * @module
 * The demo from beginning to end. Whatever happens on the way, at the end no process of it
 * is left.
 */

import { join } from 'node:path';
import { hashReady } from '../../primitives/hash.ts';
import { CliError } from '../failure.ts';
import { eventJson, outcomeJson } from '../follow-recovery.ts';
import { type CliIo, printJson, printLine, printNote } from '../io.ts';
import { Progress } from '../progress.ts';
import { readableBytes } from '../readable.ts';
import { disagreements } from './agreement.ts';
import { roundLog, worldLog } from './event-log.ts';
import {
  type Mishap,
  ROUNDS,
  type Round,
  type RoundResult,
  runRound,
  type Stage,
} from './rounds.ts';
import { resultTable, unavailableText } from './table.ts';
import { Troupe } from './troupe.ts';
import { distribute, makeWorld, ownHoldings, type World } from './world.ts';

/** What the demo was asked for. */
export type DemoOptions = {
  /** An empty folder; whoever made it removes it. */
  readonly folder: string;
  readonly validatorCount: number;
  readonly pov: Uint8Array;
  readonly scheme: 'rfc47' | 'chacha8';
  readonly seed: string;
  readonly isJson: boolean;
};

/** How long a peer's log may lag behind its answers, in milliseconds. */
const LOG_LAG_MS = 2_000;
/** How long after a peer's death a Ctrl-C that caused it may be noticed, in milliseconds. */
const SIGNAL_LAG_MS = 100;
/** Between two looks at the logs, in milliseconds. */
const LOOK_MS = 10;

/** Runs the demo. @throws CliError `local_fault` when a round does not end as it must, `cancelled`. */
export async function runDemo(io: CliIo, options: DemoOptions, signal: AbortSignal): Promise<void> {
  let troupe: Troupe | undefined;
  try {
    const world = await prepareWorld(io, options, signal);
    troupe = makeTroupe(io, options, world);
    await startPeers(io, { world, troupe, signal });
    await playRounds(io, options, { world, troupe, signal });
    await checkOwnStore(io, options, world);
  } catch (error: unknown) {
    if (!signal.aborted && !(await abortedSoon(signal))) {
      throw error;
    }
  } finally {
    await troupe?.close();
  }
  throwIfCancelled(signal);
}

async function prepareWorld(io: CliIo, options: DemoOptions, signal: AbortSignal): Promise<World> {
  await hashReady();
  const { folder, validatorCount, pov, scheme, seed } = options;
  const world = await makeWorld({ folder, validatorCount, pov, scheme, seed });
  announceWorld(io, options, world);
  await distribute(world, () => throwIfCancelled(signal));
  return world;
}

async function startPeers(io: CliIo, { world, troupe, signal }: Stage): Promise<void> {
  const startedAtMs = performance.now();
  const validators = world.candidate.chunks.map((chunk) => chunk.validatorIndex);
  await troupe.start(validators, signal);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  printNote(io, `${validators.length} peers run, each in its own process (${seconds} s)`);
}

/**
 * A terminal sends Ctrl-C to us and to the peers at once: a peer's death may be noticed first. Then the
 * reason is Ctrl-C all the same.
 */
async function abortedSoon(signal: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, SIGNAL_LAG_MS));
  return signal.aborted;
}

/** Recovering must not have put anything into the store of the one who recovers. */
async function checkOwnStore(io: CliIo, { isJson }: DemoOptions, world: World): Promise<void> {
  const held = await ownHoldings(world);
  if (isJson) {
    printJson(io, { type: 'own_store', ...held });
  }
  const [first, ...others] = held.validators;
  if (first !== world.cast.own || others.length > 0 || held.hasData) {
    throw new CliError('local_fault', 'the own store holds more than the own chunk');
  }
}

async function playRounds(io: CliIo, options: DemoOptions, stage: Stage): Promise<void> {
  const results: RoundResult[] = [];
  const log = [...worldLog(stage.world)];
  for (const round of ROUNDS) {
    throwIfCancelled(stage.signal);
    const mishaps = await round.prepare(stage);
    const result = await playRound(io, options, stage, round, mishaps);
    results.push(result);
    log.push(...roundLog(result, mishaps, stage.world));
  }
  if (options.isJson) {
    printJson(io, { type: 'log', lines: log });
  } else {
    for (const line of [...resultTable(results), ...unavailableText(results)]) {
      printLine(io, line);
    }
  }
  const wrong = results.filter((result) => !result.isAsExpected);
  if (wrong.length > 0) {
    const names = wrong.map(({ round }) => `${round.number} (${round.title})`).join(', ');
    throw new CliError('local_fault', `not as expected: recovery ${names}`);
  }
}

async function playRound(
  io: CliIo,
  { isJson }: DemoOptions,
  stage: Stage,
  round: Round,
  mishaps: readonly Mishap[],
): Promise<RoundResult> {
  const { number, title, expected } = round;
  if (isJson) {
    printJson(io, { type: 'round_started', round: number, title, expected, mishaps });
  } else {
    printNote(io, `recovery ${number}: ${title}${mishapText(mishaps)}`);
  }
  stage.troupe.forget();
  const progress = new Progress(io, `recovery ${number}`);
  const result = await runRound(round, stage, (event) => {
    if (isJson) {
      printJson(io, { type: 'event', round: number, event: eventJson(event) });
    } else {
      progress.show(event);
    }
  });
  progress.end();
  if (!isJson) {
    printNote(io, `recovery ${number} ended after ${Math.round(result.ms)} ms`);
  }
  const complaints = await compareLogs(result, stage);
  if (isJson) {
    const { ms, isExact, isAsExpected, outcome } = result;
    printJson(io, {
      type: 'round_ended',
      round: number,
      ms: Math.round(ms),
      isExact,
      isAsExpected,
      disagreements: complaints,
      ...outcomeJson(outcome),
    });
  }
  if (complaints.length > 0 && !stage.signal.aborted) {
    throw new CliError('local_fault', `account and peers do not agree: ${complaints.join('; ')}`);
  }
  return result;
}

/** A peer logs an answer after it sent it, so its line may come after our result. */
async function compareLogs(
  { outcome }: RoundResult,
  { troupe, signal }: Stage,
): Promise<readonly string[]> {
  const account = outcome.type === 'recovered' ? outcome.result.account : outcome.error.account;
  if (account === undefined) {
    return [];
  }
  const untilMs = performance.now() + LOG_LAG_MS;
  let complaints = disagreements(account, troupe.served);
  while (complaints.length > 0 && performance.now() < untilMs && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    complaints = disagreements(account, troupe.served);
  }
  return complaints;
}

function makeTroupe(io: CliIo, { isJson }: DemoOptions, world: World): Troupe {
  const tell = (news: object): void => {
    if (isJson) {
      printJson(io, news);
    }
  };
  return new Troupe(world, join(world.folder, 'compiled'), {
    onSpawned: ({ validator, pid }) => tell({ type: 'spawned', validator, pid }),
    onStarted: ({ validator, pid, peerId, multiaddr }) =>
      tell({ type: 'peer', validator, pid, peerId, multiaddr }),
    onServed: ({ validator, line }) => tell({ type: 'served', validator, line }),
    onExited: ({ validator, pid }, code, signal) =>
      tell({ type: 'exited', validator, pid, code, signal }),
  });
}

function announceWorld(io: CliIo, options: DemoOptions, world: World): void {
  const { cast, candidate, candidateHash, folder } = world;
  const { validatorCount, coreIndex, backingGroup, backers, systematicHolders, own } = cast;
  if (options.isJson) {
    printJson(io, {
      type: 'world',
      pid: process.pid,
      folder,
      seed: options.seed,
      scheme: options.scheme,
      candidateHash,
      povBytes: options.pov.length,
      validators: validatorCount,
      coreIndex,
      backingGroup,
      backers,
      systematicHolders,
      own,
      faults: Object.fromEntries(cast.faults),
    });
    return;
  }
  const chunkBytes = candidate.chunks[0]?.chunk.bytes.length ?? 0;
  printNote(io, `candidate ${candidateHash}: ${readableBytes(options.pov.length)} of PoV`);
  printNote(
    io,
    `${validatorCount} validators hold a chunk of ${readableBytes(chunkBytes)} each, ` +
      `any ${cast.mapping.systematicThreshold} give the data; we recover as validator ${own}`,
  );
  printNote(
    io,
    `backers: ${backers.join(', ')}; systematic chunks: ${systematicHolders.join(', ')} ` +
      `(${options.scheme}, core ${coreIndex})`,
  );
}

function mishapText(mishaps: readonly Mishap[]): string {
  const text = mishaps.map(({ validator, mishap }) => `${validator} ${mishap}`).join(', ');
  return text === '' ? '' : ` (${text})`;
}

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new CliError('cancelled', 'cancelled');
  }
}
