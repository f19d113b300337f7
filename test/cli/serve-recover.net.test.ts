/**
 * @module
 * A file, six stores, six peers in processes of their own, and the same file again: the commands as
 * they would be typed, and how `serve` and `recover` behave when things go wrong.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { isOneLine, jsonLines, MAIN, run, runProcess } from './support.ts';

const VALIDATORS = [0, 1, 2, 3, 4, 5];
const POV = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) % 253);
/** Twelve processes start on two cores here, beside those of other tests. */
const SLOW_MS = 180_000;

type Peer = { process: ChildProcess; lines: Record<string, unknown>[]; exited: Promise<unknown> };

let folder: TempFolder;
const peers: Peer[] = [];
const peerIds: string[] = [];

/** Starts `serve` and waits for its first line. */
async function serve(config: string, ...extra: string[]): Promise<Peer> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', config, ...extra], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const peer: Peer = {
    process: child,
    lines: [],
    exited: new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? code));
    }),
  };
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      const parts = (text + more).split('\n');
      text = parts.pop() ?? '';
      peer.lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
      if (peer.lines.length > 0) {
        resolve();
      }
    });
  });
  return peer;
}

/** Writes a config in which the peers are where `addresses` says. */
async function writeConfig(
  name: string,
  addresses: readonly (readonly string[])[],
  more: object = {},
): Promise<string> {
  const config = {
    genesisHash: '91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3',
    session: {
      index: 1,
      nodeFeatures: '001',
      validators: VALIDATORS.map((v) => ({ peerId: peerIds[v], addresses: addresses[v] ?? [] })),
      groups: [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    },
    ...more,
  };
  await writeFile(folder.at(name), JSON.stringify(config));
  return folder.at(name);
}

const addressesNow = (): string[][] => peers.map(({ lines }) => [String(lines[0]!['multiaddr'])]);

const recover = (config: string, ...extra: string[]): ReturnType<typeof run> =>
  run(
    ...['recover', '--config', config, '--receipt', folder.at('candidate.json')],
    ...['--out', folder.at('out'), ...extra],
  );

beforeAll(async () => {
  folder = await tempFolder();
  await writeFile(folder.at('pov'), POV);
  const made = await runProcess(
    ...['candidate', '--validators', '6', '--core', '1', '--in', folder.at('pov')],
    ...['--out', folder.at('candidate.json')],
  );
  expect(made).toMatchObject({ code: 0, err: '' });
  for (const v of VALIDATORS) {
    peerIds.push((await run('identity', folder.at(`key${v}`))).out.trim());
  }
  for (const v of VALIDATORS) {
    const mine = { store: `store${v}`, identity: `key${v}` };
    const config = await writeConfig(`config${v}.json`, [], mine);
    const only = v < 2 ? [] : ['--validator', String(v)];
    const args = ['import', '--config', config, '--in', folder.at('candidate.json'), ...only];
    // One of each kind as a process of its own.
    const imported = v === 0 || v === 2 ? await runProcess(...args) : await run(...args);
    expect(imported, imported.err).toMatchObject({ code: 0 });
  }
  peers.push(...(await Promise.all(VALIDATORS.map((v) => serve(folder.at(`config${v}.json`))))));
}, SLOW_MS);

afterAll(async () => {
  for (const { process: child } of peers) {
    child.kill('SIGKILL');
  }
  await Promise.all(peers.map(({ exited }) => exited));
  await folder[Symbol.asyncDispose]();
}, SLOW_MS);

describe('recover', () => {
  it('gives the file back, as a process', { timeout: SLOW_MS }, async () => {
    const config = await writeConfig('recover.json', addressesNow());
    const result = await runProcess(
      ...['recover', '--config', config, '--receipt', folder.at('candidate.json')],
      ...['--out', folder.at('typed'), '--json'],
    );
    expect(result.code, result.err).toBe(0);
    expect(new Uint8Array(await readFile(folder.at('typed')))).toEqual(POV);
    const events = jsonLines(result.out);
    expect(events[0]).toMatchObject({ type: 'started', sessionIndex: 1 });
    expect(events.at(-1)).toMatchObject({
      type: 'recovered',
      from: 'systematic_chunks',
      povBytes: POV.length,
    });
    expect(events.every(({ atMs }) => typeof atMs === 'number')).toBe(true);
  });

  it.each([
    ['full_from_backers', ['--group', '0']],
    [
      'systematic_chunks',
      ['--group', '0', '--size-limit', '1KiB', '--strategy', 'systematic_chunks'],
    ],
    ['regular_chunks', ['--strategy', 'regular_chunks']],
  ])('uses %s', async (strategy, extra) => {
    const config = await writeConfig('recover.json', addressesNow());
    const result = await recover(config, ...extra, '--report', folder.at('report.json'));
    expect(result.code, result.err).toBe(0);
    expect(result.out).toContain(`from ${strategy}`);
    expect(result.err).toContain(`recovery: ${strategy}`);
    expect(new Uint8Array(await readFile(folder.at('out')))).toEqual(POV);
    const report = JSON.parse(await readFile(folder.at('report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ outcome: 'recovered', from: strategy, povBytes: POV.length });
    expect(report).toHaveProperty('report.totals.usefulBytes');
    const explained = await run('explain', folder.at('report.json'));
    expect(explained.code, explained.err).toBe(0);
    expect(explained.out.split('\n')[0]).toMatch(
      new RegExp(`^recovered after [1-9][0-9.]* m?s, from ${strategy}$`),
    );
  });

  it('follows a preset, with the settings of the config on top', async () => {
    const config = await writeConfig('recover.json', addressesNow());
    const upstream = ['--group', '0', '--preset', 'upstream'];
    // An unknown size counts as large there: chunks are asked first.
    expect((await recover(config, ...upstream)).out).toContain('from systematic_chunks');
    const settings = { sizeUnknown: 'capped_request', dialBackers: true };
    const other = await writeConfig('upstream.json', addressesNow(), { settings });
    expect((await recover(other, ...upstream)).out).toContain('from full_from_backers');
  });

  it('uses the own chunk of its store, and leaves the store as it is', async () => {
    const config = await writeConfig('own.json', addressesNow(), { store: 'own-store' });
    const file = JSON.parse(await readFile(config, 'utf8')) as { session: object };
    Object.assign(file.session, { ownValidatorIndex: 4 });
    await writeFile(config, JSON.stringify(file));
    const args = ['import', '--config', config, '--in', folder.at('candidate.json')];
    expect((await run(...args, '--validator', '4')).code).toBe(0);
    const { code, out } = await recover(config, '--json');
    expect(code).toBe(0);
    const asked = jsonLines(out).filter(({ type }) => type === 'attempt_started');
    expect(asked.map(({ source }) => source)).toEqual(['validator-5']);
    // Stored again because nothing of it is there: the recovery has not kept the data.
    const again = await run(...args, '--json');
    expect(jsonLines(again.out)).toMatchObject([{ storedChunks: 5, storedData: true }]);
  });

  it('writes the SCALE with --available-data', async () => {
    const config = await writeConfig('recover.json', addressesNow());
    expect((await recover(config, '--available-data')).code).toBe(0);
    const { candidates } = JSON.parse(await readFile(folder.at('candidate.json'), 'utf8')) as {
      candidates: { availableData: string }[];
    };
    expect((await readFile(folder.at('out'))).toString('hex')).toBe(candidates[0]!.availableData);
  });

  it('ends with 2 and the account when nobody answers', async () => {
    const config = await writeConfig('nobody.json', []);
    const before = await readdir(folder.path);
    const args = ['recover', '--config', config, '--receipt', folder.at('candidate.json')];
    const result = await run(
      ...args,
      '--out',
      folder.at('none'),
      '--report',
      folder.at('why.json'),
    );
    expect(result.code).toBe(2);
    expect(result.err).toContain('dial_failed: validator-');
    expect(result.err.trimEnd().split('\n').at(-1)).toBe(
      'error: no strategy could get the data: held 0 of 2 chunks needed; run explain on the report (unavailable)',
    );
    const report = JSON.parse(await readFile(folder.at('why.json'), 'utf8')) as {
      account: { attempts: unknown[] };
    };
    expect(report).toMatchObject({ outcome: 'unavailable' });
    const explained = await run('explain', folder.at('why.json'));
    expect(explained.code).toBe(0);
    expect(explained.out).toMatch(
      /^unavailable after .*: sources_exhausted\n(.*\n){2}failed: (.*; )?dial_failed: validator-[0-5].*\nmissing: 2 chunks \(0 held of 2 needed\)\n/,
    );
    expect(report.account.attempts.length).toBeGreaterThan(0);
    expect((await readdir(folder.path)).sort()).toEqual(
      [...new Set([...before, 'nobody.json', 'why.json'])].sort(),
    );
  });

  it.each([
    ['an unknown session', ['--session', '9'], 1],
    ['an unknown strategy', ['--strategy', 'luck'], 1],
    ['no time at all', ['--timeout', '0'], 1],
    ['an unknown preset', ['--preset', 'fast'], 1],
    ['another candidate', ['--candidate', '11'.repeat(32)], 1],
  ])('ends in one line for %s', async (_, extra, code) => {
    const config = await writeConfig('recover.json', addressesNow());
    const result = await recover(config, ...extra);
    expect(result.code).toBe(code);
    expect(isOneLine(result.err)).toBe(true);
  });
});

/** Accepts connections and says nothing: every request has to run into a deadline. */
async function silentServer(): Promise<{ server: Server; address: string }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { server, address: `/ip4/127.0.0.1/tcp/${port}` };
}

describe('recover, given up', () => {
  it('is unavailable with the reason deadline after --timeout', async () => {
    const { server, address } = await silentServer();
    const config = await writeConfig(
      'silent.json',
      VALIDATORS.map(() => [address]),
    );
    const result = await recover(config, '--timeout', '300', '--json');
    server.close();
    expect(result.code).toBe(2);
    expect(jsonLines(result.out).at(-1)).toMatchObject({
      type: 'failed',
      outcome: 'unavailable',
      details: { reason: 'deadline' },
    });
    expect(result.err).toBe(
      'error: not recovered within 300 ms: held 0 of 2 chunks needed; see --report (unavailable)\n',
    );
  });

  it('is cancelled, with 130, by Ctrl-C', { timeout: SLOW_MS }, async () => {
    const { server, address } = await silentServer();
    const config = await writeConfig(
      'silent.json',
      VALIDATORS.map(() => [address]),
    );
    const child = spawn(
      process.execPath,
      [MAIN, 'recover', '--config', config, '--receipt', folder.at('candidate.json')],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    server.close();
    expect(code).toBe(130);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(/^error: .*\(cancelled\)$/);
  });
});

describe('serve', () => {
  it('logs a line per request', () => {
    const requests = peers.flatMap(({ lines }) => lines.slice(1));
    expect(requests.length).toBeGreaterThan(0);
    for (const line of requests) {
      expect(line).toMatchObject({ event: 'request', outcome: expect.any(String) });
      expect(line['protocol']).toMatch(/^\/91b1[0-9a-f]{60}\/req_(chunk\/[12]|available_data\/1)$/);
    }
  });

  it('lies when told to, and recovery goes elsewhere', { timeout: SLOW_MS }, async () => {
    await using other = await tempFolder();
    const lying = await writeConfig('lying.json', [], {
      store: other.at('store'),
      identity: 'key4',
    });
    const args = ['import', '--config', lying, '--in', folder.at('candidate.json')];
    expect((await run(...args, '--validator', '4')).code).toBe(0);
    const liar = await serve(lying, '--fault', 'flip-answers', '--until-stdin-ends');
    const addresses = addressesNow();
    addresses[4] = [String(liar.lines[0]!['multiaddr'])];
    const config = await writeConfig('recover.json', addresses);
    const { code, err } = await recover(config);
    liar.process.stdin!.end();
    expect(await liar.exited).toBe(0);
    expect(code).toBe(0);
    expect(err).toContain('chunk_hash_mismatch: validator-4');
    expect(new Uint8Array(await readFile(folder.at('out')))).toEqual(POV);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'closes cleanly on %s',
    { timeout: SLOW_MS },
    async (signal) => {
      const peer = peers[signal === 'SIGINT' ? 0 : 1]!;
      peer.process.kill(signal);
      expect(await peer.exited).toBe(0);
    },
  );

  it('ends with 1 and says so when its port is in use', async () => {
    const { server, address } = await silentServer();
    const config = await writeConfig('busy.json', [], { listen: address, store: 'memory' });
    const result = await run('serve', '--config', config);
    server.close();
    expect(result).toEqual({
      code: 1,
      out: '',
      err: `error: cannot listen on ${address}: address in use\n`,
    });
  });

  it('ends with 1 and one line when it cannot listen', async () => {
    const config = await writeConfig('bad-listen.json', [], {
      listen: '/ip4/203.0.113.7/tcp/1',
      store: 'memory',
    });
    const result = await run('serve', '--config', config);
    expect(result.code).toBe(1);
    expect(isOneLine(result.err)).toBe(true);
  });
});
