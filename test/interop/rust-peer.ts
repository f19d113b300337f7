/**
 * @module
 * Starts the Rust peer, whose path comes from the variable `LITEP2P_PEER`, and reads its lines.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { PeerLocation } from '../../src/recovery/ports.ts';

/** One JSON line of the Rust peer. */
export type PeerLine = Readonly<Record<string, unknown>>;

/** Path of the built Rust peer; `undefined` when the variable is unset or names no file. */
export function rustPeerPath(): string | undefined {
  const path = process.env['LITEP2P_PEER'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** A serving Rust peer. */
export type RustServer = {
  readonly location: PeerLocation;
  /** Every line so far. */
  readonly lines: readonly PeerLine[];
  /** The first line after `from` that fits; waits for it. */
  line(fits: (line: PeerLine) => boolean, from?: number): Promise<PeerLine>;
  stop(): Promise<void>;
};

/** Runs `serve` and resolves when it listens. */
export async function serve(args: readonly string[]): Promise<RustServer> {
  const child = start(['serve', ...args]);
  const lines: PeerLine[] = [];
  let wake: (() => void)[] = [];
  const exited = exitOf(child);
  createInterface({ input: child.stdout! }).on('line', (text) => {
    lines.push(JSON.parse(text) as PeerLine);
    const woken = wake;
    wake = [];
    for (const resolve of woken) {
      resolve();
    }
  });
  const line = async (fits: (line: PeerLine) => boolean, from = 0): Promise<PeerLine> => {
    for (;;) {
      const found = lines.slice(from).find(fits);
      if (found !== undefined) {
        return found;
      }
      const more = new Promise<'line'>((resolve) => wake.push(() => resolve('line')));
      if ((await Promise.race([more, exited])) !== 'line') {
        throw new Error(`the Rust peer has exited: ${JSON.stringify(lines)}`);
      }
    }
  };
  const listening = await line((entry) => entry['event'] === 'listening');
  return {
    location: { peerId: String(listening['peer']), addresses: [String(listening['multiaddr'])] },
    lines,
    line,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs `request` to its end: its answers and its summary. */
export async function request(
  args: readonly string[],
): Promise<{ readonly answers: readonly PeerLine[]; readonly summary: PeerLine }> {
  const child = start(['request', ...args]);
  const lines: PeerLine[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on('line', (text) => lines.push(JSON.parse(text) as PeerLine));
  const drained = new Promise<void>((resolve) => reader.once('close', resolve));
  await exitOf(child);
  await drained;
  const summary = lines.find((line) => line['summary'] !== undefined)?.['summary'];
  if (summary === undefined) {
    throw new Error(`no summary from request ${args.join(' ')}: ${JSON.stringify(lines)}`);
  }
  return {
    answers: lines.filter((line) => line['ok'] !== undefined),
    summary: summary as PeerLine,
  };
}

function start(args: readonly string[]): ChildProcess {
  const path = rustPeerPath();
  if (path === undefined) {
    throw new Error('LITEP2P_PEER names no built Rust peer');
  }
  return spawn(path, args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

async function exitOf(child: ChildProcess): Promise<'exit'> {
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return 'exit';
}
