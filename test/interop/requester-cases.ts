/**
 * @module
 * Our requester against every flag of the Rust peer's `serve`.
 */

import { multiaddr } from '@multiformats/multiaddr';
import { lastValueFrom } from 'rxjs';
import { encodeFrame } from '../../protocol/framing.ts';
import type { PeerLimits } from '../../protocol/limits.ts';
import { encodeChunkRequest, encodeDataRequest } from '../../protocol/messages.ts';
import { protocolNames } from '../../protocol/names.ts';
import { readMessage } from '../../protocol/read-message.ts';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { concatBytes, equalBytes } from '../../src/primitives/bytes.ts';
import { type CandidateHash, validatorIndex } from '../../src/primitives/ids.ts';
import { MAX_RESPONSE_BYTES } from '../../src/primitives/limits.ts';
import type { ChunkReply, DataReply } from '../../src/recovery/ports.ts';
import { type RunningPeer, SERVER, startClient } from '../protocol/peers.ts';
import { RST, startRawPeer } from '../protocol/raw-yamux.ts';
import { check, type InteropCase, same, within } from './expect.ts';
import {
  erasureRoot,
  FIXTURE_PATH,
  fixtureChunk,
  fixtureData,
  GENESIS,
  ON_CORE_0,
  ON_CORE_1,
  SYNTHETIC,
  syntheticBytes,
  syntheticFile,
  UNKNOWN,
  WORKED_EXAMPLE,
} from './fixture.ts';
import { type RustServer, serve } from './rust-peer.ts';

const NAMES = protocolNames({ genesisHash: GENESIS });

/** Both ends of one case. */
class Ends {
  readonly server: RustServer;
  readonly client: RunningPeer;

  constructor(server: RustServer, client: RunningPeer) {
    this.server = server;
    this.client = client;
  }

  chunk(candidate: CandidateHash, validator: number): Promise<ChunkReply> {
    return lastValueFrom(
      this.client.peer.chunks.askChunk({
        candidateHash: candidate,
        sessionIndex: 1,
        validatorIndex: validatorIndex(validator),
        authority: SERVER,
        maxBytes: MAX_RESPONSE_BYTES,
      }),
    );
  }

  data(candidate: CandidateHash, maxBytes = 16_777_216): Promise<DataReply> {
    return lastValueFrom(
      this.client.peer.data.askData({
        candidateHash: candidate,
        sessionIndex: 1,
        validatorIndex: validatorIndex(0),
        authority: SERVER,
        maxBytes,
        dial: true,
      }),
    );
  }

  /** Sends bytes as they are on a stream of a protocol, and reads what comes. */
  async raw(protocol: string, bytes: Uint8Array): Promise<Uint8Array> {
    const [address] = this.server.location.addresses;
    const connection = await this.client.node.dial(multiaddr(address));
    const stream = await connection.newStream([protocol]);
    const { signal } = new AbortController();
    const answer = readMessage(stream, { limit: 16_777_216, signal });
    stream.send(bytes);
    try {
      return await answer;
    } finally {
      stream.abort(new Error('done'));
    }
  }

  /** Whether the first connection is the only one there has been, and still up. */
  isFirstConnectionUp(): boolean {
    const up = this.server.lines.filter((line) => line['event'] === 'connected').length;
    const down = this.server.lines.filter((line) => line['event'] === 'disconnected').length;
    return up === 1 && down === 0 && this.client.node.getConnections().length === 1;
  }
}

async function between<T>(
  args: readonly string[],
  work: (ends: Ends) => Promise<T>,
  limits: Partial<PeerLimits> = {},
): Promise<T> {
  const server = await serve(args.includes('--data') ? args : ['--data', FIXTURE_PATH, ...args]);
  const client = await startClient(server.location, { genesisHash: GENESIS, limits });
  try {
    return await work(new Ends(server, client));
  } finally {
    await client.stop();
    await server.stop();
  }
}

/** The failure of a request that must fail. */
async function failure(request: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const startedAt = performance.now();
  try {
    await request;
  } catch (error: unknown) {
    return { code: String((error as { code?: unknown }).code), ms: performance.now() - startedAt };
  }
  throw new Error('the request succeeded');
}

async function untilIdle(ends: Ends): Promise<void> {
  const giveUpAt = performance.now() + 5_000;
  while (ends.client.peer.openCount > 0) {
    check(performance.now() < giveUpAt, `openCount stays at ${ends.client.peer.openCount}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const streams = ends.client.node.getConnections().flatMap((connection) => connection.streams);
  same(streams.length, 0, 'streams left open');
}

function proves(reply: ChunkReply, candidate: CandidateHash): boolean {
  return (
    reply.type === 'chunk' &&
    verifyChunk({ erasureRoot: erasureRoot(candidate), chunk: reply.chunk, validatorCount: 6 })
      .type === 'verified'
  );
}

/** All of the fixture over one protocol, byte for byte. */
async function wholeFixture(ends: Ends, protocol: string, dataProtocol: string): Promise<string> {
  for (const candidate of [WORKED_EXAMPLE, ON_CORE_0, ON_CORE_1]) {
    for (let validator = 0; validator < 6; validator += 1) {
      const reply = await ends.chunk(candidate, validator);
      const expected = fixtureChunk(candidate, validator);
      const isIndexLost = protocol !== NAMES.chunkV2;
      same(reply.protocol, protocol, 'protocol');
      same(
        reply.type === 'chunk' ? Array.from(reply.chunk.bytes) : reply.type,
        Array.from(expected?.bytes ?? []),
        'chunk',
      );
      const isMapped = candidate === ON_CORE_1 && isIndexLost;
      same(proves(reply, candidate), !isMapped, `proof of ${candidate.slice(0, 8)} V=${validator}`);
    }
    same((await ends.chunk(candidate, 6)).type, 'no_such_chunk', 'V = 6');
  }
  for (const candidate of [ON_CORE_0, ON_CORE_1]) {
    const reply = await ends.data(candidate);
    same(reply.protocol, dataProtocol, 'data protocol');
    check(
      reply.type === 'available_data' &&
        equalBytes(encodeAvailableData(reply.data), fixtureData(candidate) ?? new Uint8Array()),
      'the data differs',
    );
  }
  same((await ends.data(WORKED_EXAMPLE)).type, 'no_such_data', 'worked example');
  same((await ends.chunk(UNKNOWN, 0)).type, 'no_such_chunk', 'unknown candidate');
  await untilIdle(ends);
  check(ends.isFirstConnectionUp(), 'the connection did not stay');
  return `18 chunks, 3 data answers, 4 NoSuchChunk over ${protocol.slice(-12)}, no stream left`;
}

function simple(
  name: string,
  args: readonly string[],
  run: (ends: Ends) => Promise<string>,
  isQuick = true,
): InteropCase {
  return { ours: 'requester', name, isQuick, run: () => between(args, run) };
}

async function refusedBoth(ends: Ends): Promise<string> {
  same((await failure(ends.chunk(ON_CORE_0, 0))).code, 'refused', 'chunk');
  same((await failure(ends.data(ON_CORE_0))).code, 'refused', 'data');
  await untilIdle(ends);
  check(ends.isFirstConnectionUp(), 'the connection did not stay');
  return 'refused, refused; connection stays, no stream left';
}

async function hanging(ends: Ends): Promise<string> {
  const [chunk, data] = await Promise.all([
    failure(ends.chunk(ON_CORE_0, 0)),
    failure(ends.data(ON_CORE_0)),
  ]);
  same([chunk.code, data.code], ['timeout', 'timeout'], 'codes');
  within(chunk.ms, 950, 1_400, 'chunk ms');
  within(data.ms, 1_950, 2_400, 'data ms');
  await untilIdle(ends);
  check(ends.isFirstConnectionUp(), 'the connection did not stay');
  return `timeout after ${chunk.ms.toFixed(0)} and ${data.ms.toFixed(0)} ms, no stream left`;
}

async function corrupt(ends: Ends): Promise<string> {
  const reply = await ends.chunk(ON_CORE_0, 2);
  same(reply.type, 'chunk', 'decodes');
  same(proves(reply, ON_CORE_0), false, 'proof');
  const data = await ends.data(ON_CORE_0);
  check(
    data.type === 'available_data' &&
      !equalBytes(encodeAvailableData(data.data), fixtureData(ON_CORE_0) ?? new Uint8Array()),
    'the data is intact',
  );
  return 'both decode; the proof does not verify, the data differs';
}

function delayed(delayMs: number, chunkCode: string, dataCode: string): InteropCase {
  return simple(
    `--delay-ms ${delayMs}`,
    ['--delay-ms', String(delayMs), '--bare'],
    async (ends) => {
      const outcome = (request: Promise<{ type: string }>): Promise<string> =>
        request.then(
          (reply) => reply.type,
          (error: unknown) => (error as { code: string }).code,
        );
      const [chunk, data] = await Promise.all([
        outcome(ends.chunk(ON_CORE_0, 0)),
        outcome(ends.data(ON_CORE_0)),
      ]);
      same([chunk, data], [chunkCode, dataCode], 'outcomes');
      const logged = await Promise.all(
        ['req_chunk/2', 'req_available_data/1'].map((short) =>
          ends.server.line(
            (line) => line['event'] === 'request' && String(line['protocol']).endsWith(short),
          ),
        ),
      );
      await untilIdle(ends);
      return `chunk ${chunk}, data ${data}; server logs ${logged.map((l) => l['outcome']).join(', ')}`;
    },
    false,
  );
}

async function fiveHundredTwelve(ends: Ends): Promise<string> {
  await ends.chunk(ON_CORE_0, 0);
  const startedAt = performance.now();
  const replies = await Promise.all(
    Array.from({ length: 512 }, (_, i) => ends.chunk(ON_CORE_0, i % 6)),
  );
  const ms = performance.now() - startedAt;
  same(replies.filter((reply) => proves(reply, ON_CORE_0)).length, 512, 'proven answers');
  await untilIdle(ends);
  return `512 of 512 answered in ${ms.toFixed(0)} ms, at most 64 streams at a time`;
}

async function oddRequests(ends: Ends): Promise<string> {
  const padded = (request: Uint8Array, size: number): Uint8Array =>
    encodeFrame(concatBytes([request, new Uint8Array(size - request.length)]));
  const chunk = encodeChunkRequest({
    candidateHash: ON_CORE_0,
    validatorIndex: validatorIndex(0),
  });
  const seen: string[] = [];
  for (const [protocol, request] of [
    [NAMES.chunkV2, chunk],
    [NAMES.availableData, encodeDataRequest(ON_CORE_0)],
  ] as const) {
    seen.push((await failure(ends.raw(protocol, encodeFrame(request.subarray(0, 5))))).code);
    seen.push(`${(await ends.raw(protocol, padded(request, 1_001))).length} bytes`);
    const long = concatBytes([Uint8Array.of(request.length + 0x80, 0), request]);
    seen.push((await failure(ends.raw(protocol, long))).code);
  }
  same(
    seen,
    ['refused', '305 bytes', 'reset', 'refused', '111 bytes', 'reset'],
    '5 bytes, 1,001 bytes, long prefix; for each protocol',
  );
  return seen.join(', ');
}

async function synthetic(povBytes: number): Promise<string> {
  const file = syntheticFile({ validators: 256, chunkBytes: 40_916, povBytes });
  try {
    return await between(['--data', file.path], async (ends) => {
      const startedAt = performance.now();
      const reply = await ends.data(SYNTHETIC);
      const ms = performance.now() - startedAt;
      check(
        reply.type === 'available_data' &&
          equalBytes(reply.data.pov.blockData, syntheticBytes(0, povBytes)),
        'the data differs',
      );
      const limit = await failure(ends.data(SYNTHETIC, povBytes));
      same(limit.code, 'too_large', 'below its size');
      await untilIdle(ends);
      check(ends.isFirstConnectionUp(), 'the connection did not stay');
      return `${reply.bytes} bytes in ${ms.toFixed(0)} ms with the dial; limit one lower: too_large`;
    });
  } finally {
    file.remove();
  }
}

/** A reader that never grants more window, as a raw muxer. */
async function stalledReader(): Promise<string> {
  const file = syntheticFile({ validators: 256, chunkBytes: 40_916, povBytes: 10_485_760 });
  const server = await serve(['--data', file.path]);
  const raw = await startRawPeer({ grant: 0, regrant: false });
  try {
    await raw.node.dial(multiaddr(server.location.addresses[0]));
    const connection = await raw.connection();
    const stream = connection.open();
    await stream.selectProtocol(NAMES.availableData);
    const startedAt = performance.now();
    stream.write(encodeFrame(encodeDataRequest(SYNTHETIC)));
    await stream.untilFlag(RST);
    const ms = performance.now() - startedAt;
    const line = await server.line((entry) => entry['event'] === 'request');
    same(line['outcome'], 'sendFailed', 'server');
    check(connection.isOpen, 'the connection is gone');
    return `reset after ${ms.toFixed(0)} ms, server sendFailed, connection stays`;
  } finally {
    await raw.stop();
    await server.stop();
    file.remove();
  }
}

async function idleClose(ends: Ends): Promise<string> {
  await ends.chunk(ON_CORE_0, 0);
  const closed = await ends.server.line((line) => line['event'] === 'disconnected');
  const reply = await ends.chunk(ON_CORE_0, 1);
  same(proves(reply, ON_CORE_0), true, 'after the close');
  return `server closed after its idle time (at ${String(closed['atMs'])} ms); asked again by a redial`;
}

/** Requests more often than the idle time keep the connection; yamux pings would not. */
async function keptByRequests(ends: Ends): Promise<string> {
  for (let i = 0; i < 5; i += 1) {
    await ends.chunk(ON_CORE_0, i);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  check(ends.isFirstConnectionUp(), 'the connection did not stay');
  return 'five requests, 400 ms apart, on one connection';
}

/** Every case with our requester. */
export const REQUESTER_CASES: readonly InteropCase[] = [
  simple('plain', [], (ends) => wholeFixture(ends, NAMES.chunkV2, NAMES.availableData)),
  simple('--bare', ['--bare'], (ends) => wholeFixture(ends, NAMES.chunkV2, NAMES.availableData)),
  simple('--v1-only', ['--v1-only'], (ends) =>
    wholeFixture(ends, NAMES.chunkV1, NAMES.availableData),
  ),
  simple('--legacy-only', ['--legacy-only'], (ends) =>
    wholeFixture(ends, NAMES.chunkV1Legacy, NAMES.availableDataLegacy),
  ),
  simple('--no-such', ['--no-such'], async (ends) => {
    const types = [(await ends.chunk(ON_CORE_0, 0)).type, (await ends.data(ON_CORE_0)).type];
    same(types, ['no_such_chunk', 'no_such_data'], 'types');
    return types.join(', ');
  }),
  simple('--refuse', ['--refuse'], refusedBoth),
  simple('--corrupt', ['--corrupt'], corrupt),
  simple('--hang', ['--hang'], hanging, false),
  delayed(300, 'chunk', 'available_data'),
  delayed(1_500, 'timeout', 'available_data'),
  delayed(2_500, 'timeout', 'timeout'),
  simple('odd requests', [], oddRequests),
  {
    ours: 'requester',
    name: '512 at once',
    isQuick: false,
    // A loaded machine needs more than the second that a chunk request has.
    run: () => between(['--quiet'], fiveHundredTwelve, { chunkDeadlineMs: 10_000 }),
  },
  { ours: 'requester', name: 'synthetic 5 MiB', isQuick: true, run: () => synthetic(5_242_880) },
  { ours: 'requester', name: 'synthetic 10 MiB', isQuick: false, run: () => synthetic(10_485_760) },
  { ours: 'requester', name: 'a reader that stalls', isQuick: false, run: stalledReader },
  simple('--idle-ms 700', ['--idle-ms', '700'], idleClose, false),
  simple('--idle-ms 700, kept by requests', ['--idle-ms', '700'], keptByRequests, false),
];
