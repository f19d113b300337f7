/**
 * @module
 * Recoveries end to end over sockets on loopback, by each of the three strategies: TCP, noise, yamux, the chunk
 * and data protocols, proofs, decoding, check. All servers in one process, the client in another; the first
 * two recoveries of a strategy, which dial, are not timed. CPU time is that of the whole process, all threads.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import type { PeerLocation } from '../src/recovery/ports.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import type { ClientAnswer, ClientQuestion } from './children/loopback-client.ts';
import type { ServersQuestion } from './children/loopback-servers.ts';
import type { LoopbackRow } from './result-rows.ts';
import { candidateOf } from './support/candidate.ts';
import { type Child, startChild } from './support/child.ts';
import { fixture } from './support/fixture.ts';
import { writeLoopbackWorld } from './support/loopback-world.ts';
import { rounded, storeRows } from './support/results.ts';
import { median, minimum } from './support/rounds.ts';
import { PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const SERVERS = new URL('./children/loopback-servers.ts', import.meta.url);
const CLIENT = new URL('./children/loopback-client.ts', import.meta.url);
const STRATEGIES = ['full_from_backers', 'systematic_chunks', 'regular_chunks'] as const;

/** A hundred nodes fit one process; at 5 MiB their chunks have 160 KiB. */
const VALIDATORS = 100;
const USUAL_BYTES = 5 * 2 ** 20;
const THREADS = 2;

/** Polkadot's genesis; the names of the protocols hold it. */
const GENESIS = '91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3';

const payloadBytes = SIZES.includes(USUAL_BYTES) ? USUAL_BYTES : Math.max(...SIZES);
const rows: LoopbackRow[] = [];

test(`loopback size=${sizeText(payloadBytes)}`, { timeout: PATIENCE_MS }, async () => {
  await hashReady();
  await using folder = await tempFolder();
  const path = folder.at('world');
  writeLoopbackWorld(path, {
    genesisHash: Uint8Array.from(Buffer.from(GENESIS, 'hex')),
    backers: [0, 1, 2, 3, 4],
    candidates: candidateOf(fixture(payloadBytes, VALIDATORS), 2),
  });
  await using servers = startChild(SERVERS);
  const ask = (question: ServersQuestion): unknown => servers.ask(question);
  const locations = (await ask({ type: 'start', path })) as readonly PeerLocation[];
  const cpu = async (): Promise<number> => (await ask({ type: 'cpu' })) as number;
  await using client = startChild(CLIENT);
  const recoveries = roundsOr(9);
  for (const strategy of STRATEGIES) {
    const common = { path, locations, strategy, threads: THREADS };
    await recover(client, { ...common, recoveries: 2 });
    const before = await cpu();
    const { wallMs, cpuSeconds } = await recover(client, { ...common, recoveries });
    const serversCpuSeconds = ((await cpu()) - before) / recoveries;
    rows.push({
      strategy,
      payloadBytes,
      validators: VALIDATORS,
      threads: THREADS,
      recoveries,
      minimumMs: rounded(minimum(wallMs)),
      medianMs: rounded(median(wallMs)),
      clientCpuSeconds: rounded(cpuSeconds / recoveries),
      serversCpuSeconds: rounded(serversCpuSeconds),
    });
  }
});

function recover(client: Child, question: ClientQuestion): Promise<ClientAnswer> {
  return client.ask(question);
}

afterAll(() => {
  const table = plainTable([
    ['over sockets, per recovery', 'min ms', 'median ms', 'client CPU s', 'servers CPU s'],
    ...rows.map((row) => [
      `recovery/${row.strategy} n=${row.validators} size=${sizeText(row.payloadBytes)}`,
      short(row.minimumMs),
      short(row.medianMs),
      short(row.clientCpuSeconds),
      short(row.serversCpuSeconds),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('loopback', rows);
});
