/**
 * @module
 * The demo at a small size, with real processes, sockets and signals.
 */

import { access, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { disagreements } from '../../../src/cli/demo/agreement.ts';
import type { RecoveryAccount } from '../../../src/recovery/account.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { runProcess } from '../support.ts';
import { type DemoLine, type DemoProcess, isRunning, linesOf, startDemo } from './demo-process.ts';

/** Many processes start on two cores here, beside those of other tests. */
const SLOW_MS = 240_000;
/** Enough for each fault to sit with a systematic holder. */
const FULL = ['--validators', '10', '--size', '40KiB'];

type Ended = { account: RecoveryAccount; outcome: string; from?: string } & DemoLine;

/** What was served between the start and the end of a round. */
function servedIn(demo: DemoProcess, round: number): { validator: number; line: DemoLine }[] {
  const at = (type: string): number =>
    demo.lines.findIndex((line) => line['type'] === type && line['round'] === round);
  return demo.lines
    .slice(at('round_started'), at('round_ended'))
    .filter(({ type }) => type === 'served')
    .map(({ validator, line }) => ({ validator: Number(validator), line: line as DemoLine }));
}

/** What must be gone: processes, sockets, the folder. */
async function expectNothingLeft(demo: DemoProcess): Promise<void> {
  for (const { validator, pid } of linesOf(demo, 'spawned')) {
    expect(isRunning(Number(pid)), `process of validator ${String(validator)}`).toBe(false);
  }
  for (const { multiaddr } of linesOf(demo, 'peer')) {
    const port = Number(String(multiaddr).split('/')[4]);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    expect(isOpen, String(multiaddr)).toBe(false);
  }
  const [world] = linesOf(demo, 'world');
  await expect(access(String(world!['folder']))).rejects.toMatchObject({ code: 'ENOENT' });
}

type Mishaps = { validator: number; mishap: string }[];

/** Linux tells whether a process is frozen; the state stands after the command's name. */
async function stateOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') gone');
  return status.split(') ')[1]!;
}

describe('demo', () => {
  it('recovers as it says, from processes of their own', { timeout: SLOW_MS }, async () => {
    const demo = startDemo(...FULL, '--seed', 'a');
    const third = await demo.until(({ type, round }) => type === 'round_started' && round === 3);
    const victimOf = (wanted: string): number =>
      (third['mishaps'] as Mishaps).find(({ mishap }) => mishap === wanted)!.validator;
    const pidOf = (wanted: string): number => {
      const validator = victimOf(wanted);
      return Number(
        linesOf(demo, 'spawned').findLast((line) => line['validator'] === validator)!['pid'],
      );
    };
    if (process.platform === 'linux') {
      expect(await stateOf(pidOf('stopped'))).toMatch(/^T/);
    }
    const { code, err } = await demo.ended;
    expect(code, err).toBe(0);
    const pids = linesOf(demo, 'peer').map(({ pid }) => pid);
    // Two peers were started again for the third round.
    expect(pids.length).toBe(12);
    expect(new Set([...pids, process.pid, demo.process.pid]).size).toBe(14);
    for (const wanted of ['killed', 'stopped']) {
      const pid = pidOf(wanted);
      const exited = linesOf(demo, 'exited').find((line) => line['pid'] === pid);
      expect(exited, wanted).toMatchObject({ signal: 'SIGKILL' });
    }
    const ended = linesOf(demo, 'round_ended') as Ended[];
    expect(ended.map(({ outcome, from }) => from ?? outcome)).toEqual([
      'full_from_backers',
      'systematic_chunks',
      'regular_chunks',
      'unavailable',
    ]);
    expect(ended.map(({ isExact }) => isExact)).toEqual([true, true, true, false]);
    const [world] = linesOf(demo, 'world');
    for (const { round, account } of ended) {
      const what = `round ${String(round)}`;
      expect(disagreements(account, servedIn(demo, Number(round))), what).toEqual([]);
      const asked = account.attempts.map(({ source }) => source);
      expect(asked, what).not.toContain(`validator-${String(world!['own'])}`);
    }
    const answersOf = (wanted: string): unknown[] =>
      ended[2]!.account.attempts
        .filter(({ source }) => source === `validator-${victimOf(wanted)}`)
        .map(({ answer, code: reason }) => (answer === 'invalid' ? reason : answer));
    // Enough others may have answered before these did.
    expect(['chunk_hash_mismatch', 'canceled']).toContain(answersOf('lies')[0]);
    expect(['no_such_chunk', 'canceled']).toContain(answersOf('flipped_byte')[0]);
    // Where the connection of the round before was lost meanwhile, it cannot be dialed.
    expect(['timeout', 'canceled', 'error']).toContain(answersOf('stopped')[0]);
    expect(linesOf(demo, 'own_store')).toEqual([
      { type: 'own_store', validators: [world!['own']], hasData: false },
    ]);
    await expectNothingLeft(demo);

    const again = startDemo(...FULL, '--seed', 'a');
    expect((await again.ended).code).toBe(0);
    expect(linesOf(again, 'log')).toEqual(linesOf(demo, 'log'));
    expect((linesOf(demo, 'log')[0]!['lines'] as string[]).length).toBeGreaterThan(20);
  });

  it('prints a table, also of a file and a shuffled mapping', { timeout: SLOW_MS }, async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('file'), 'anything');
    const args = ['--validators', '4', '--file', folder.at('file'), '--scheme', 'chacha8'];
    const { code, out, err } = await runProcess('demo', ...args);
    expect(code, err).toBe(0);
    const [table, account] = out.split('\n\n');
    expect(account).toMatch(/^Recovery 4 ended unavailable:\n( {2}.*\n)+$/);
    const rows = table!.split('\n');
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
      ['recovery', 'strategy'],
      ['1 healthy', 'full_from_backers'],
      ['2 backers gone', 'systematic_chunks'],
      ['3 holders fail', 'regular_chunks'],
      ['4 too many gone', 'unavailable'],
    ]);
  });

  const moments: [string, string[], (line: DemoLine) => boolean][] = [
    ['while peers start', ['--validators', '4'], ({ type }) => type === 'spawned'],
    ['while it recovers', ['--validators', '4'], ({ type }) => type === 'event'],
    [
      'while a process is stopped',
      ['--validators', '6'],
      ({ type, round }) => type === 'round_started' && round === 3,
    ],
  ];

  it.each(moments)(
    'leaves nothing after Ctrl-C %s',
    { timeout: SLOW_MS },
    async (_, args, moment) => {
      const demo = startDemo(...args, '--size', '40KiB');
      await demo.until(moment);
      demo.process.kill('SIGINT');
      // As npm does, which passes on what the terminal has sent already.
      demo.process.kill('SIGINT');
      const { code, err } = await demo.ended;
      expect(code).toBe(130);
      expect(err.trimEnd().split('\n').at(-1)).toBe('error: cancelled');
      await expectNothingLeft(demo);
    },
  );

  it('leaves nothing when whoever read its output and its log has gone', {
    timeout: SLOW_MS,
  }, async () => {
    const demo = startDemo('--validators', '4', '--size', '40KiB');
    await demo.until(({ type }) => type === 'spawned');
    // The log breaks first: `npm start 2>&1 | head -1`.
    demo.process.stderr!.destroy();
    demo.process.stdout!.destroy();
    expect((await demo.ended).code).toBe(130);
    await expectNothingLeft(demo);
  });

  it.each([
    ['too few validators', ['--validators', '3'], '4..128'],
    ['data that no answer holds', ['--size', '16MiB'], '--size'],
    ['a file that is not there', ['--file', 'nowhere'], 'cannot read'],
    ['the identity mapping', ['--scheme', 'identity'], 'rfc47, chacha8'],
  ])('refuses %s before it starts anything', async (_, args, message) => {
    const { code, out, err } = await runProcess('demo', '--json', ...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });
});
