/**
 * @module
 * `demo`: real peers in processes of their own, and four recoveries, from healthy to hopeless.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { MAX_RESPONSE_BYTES } from '../primitives/limits.ts';
import { misuse } from './failure.ts';
import { readBytes } from './files.ts';
import type { CliIo } from './io.ts';
import { byteSize, integerBetween, oneOf } from './options.ts';

type DemoCommandOptions = {
  readonly validators: number;
  readonly file?: string;
  readonly size: number;
  readonly scheme: 'rfc47' | 'chacha8';
  readonly seed: string;
  readonly json?: boolean;
};

/** Bounds of `--validators`: each is a process of its own. */
const MIN_VALIDATORS = 4;
const MAX_VALIDATORS = 128;

/** What the validation data and framing add to a PoV, generously; full data travels as one answer. */
const OVERHEAD_BYTES = 1_024;

const DEFAULT_BYTES = 2_097_152;

/** Where in the demo's folder Node keeps compiled code. */
const COMPILED_FOLDER = 'compiled';

/** Adds `demo` to the program. */
export function addDemo(program: Command, io: CliIo): void {
  program
    .command('demo')
    .description('Start a peer per validator and recover a candidate four times')
    .option(
      '--validators <n>',
      `number of validators, ${MIN_VALIDATORS}..${MAX_VALIDATORS}`,
      integerBetween(MIN_VALIDATORS, MAX_VALIDATORS),
      12,
    )
    .option('--file <file>', 'data to recover (default: generated)')
    .addOption(
      new Option('--size <size>', 'size of generated data')
        .argParser(byteSize)
        .default(DEFAULT_BYTES, '2MiB'),
    )
    .option(
      '--scheme <name>',
      'chunk mapping: rfc47, chacha8',
      oneOf(['rfc47', 'chacha8']),
      'rfc47',
    )
    .option('--seed <text>', 'everything that is chance comes from this text', '1')
    .option('--json', 'print everything that happens as JSON lines')
    .addHelpText(
      'after',
      `
Each validator's peer is a process on loopback with its own LevelDB store in a temporary folder. The
recoveries: healthy; backers gone; backers and systematic holders gone, one stored byte flipped, one
peer that lies, one process stopped; too many gone, which must end unavailable. Each result is
compared with the original. With fewer than 7 validators there is not room for every fault.
Ctrl-C ends everything and leaves nothing behind.`,
    )
    .action((options: DemoCommandOptions) => runDemoCommand(io, options));
}

async function runDemoCommand(io: CliIo, options: DemoCommandOptions): Promise<void> {
  const interrupt = io.listenForInterrupt();
  try {
    const pov = await readPov(options);
    const folder = await mkdtemp(join(tmpdir(), 'availability-recovery-demo-'));
    try {
      const runDemo = await importWithCache(join(folder, COMPILED_FOLDER));
      const { validators: validatorCount, scheme, seed, json } = options;
      await runDemo(
        io,
        { folder, validatorCount, pov, scheme, seed, isJson: json === true },
        interrupt.signal,
      );
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  } finally {
    interrupt.dispose();
  }
}

/**
 * Loads the demo, and with it all that a peer consists of, and keeps what Node compiled: each of the
 * peers then starts with a fifth less work (1.1 s of CPU in place of 1.4 s, measured).
 */
async function importWithCache(folder: string) {
  enableCompileCache(folder);
  const { runDemo } = await import('./demo/run-demo.ts');
  flushCompileCache();
  return runDemo;
}

async function readPov({ file, size, seed }: DemoCommandOptions): Promise<Uint8Array> {
  const { generatedPov } = await import('./demo/seeds.ts');
  const given = file === undefined ? undefined : await readBytes(file);
  const byteCount = given?.length ?? size;
  const limit = MAX_RESPONSE_BYTES - OVERHEAD_BYTES;
  if (byteCount > limit) {
    const option = given === undefined ? '--size' : '--file';
    throw misuse(`${option}: at most ${limit} bytes, as much as one answer holds`);
  }
  return given ?? generatedPov(seed, byteCount);
}
