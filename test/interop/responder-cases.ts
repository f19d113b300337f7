/**
 * @module
 * The Rust peer's `request` against our responder, and against what our responder must never do.
 */

import type { Stream } from '@libp2p/interface';
import { encodeFrame, encodePrefix } from '../../protocol/framing.ts';
import {
  encodeChunkResponseV1,
  encodeChunkResponseV2,
  encodeDataResponse,
} from '../../protocol/messages.ts';
import { protocolNames } from '../../protocol/names.ts';
import { readMessage } from '../../protocol/read-message.ts';
import type { ServedEvent } from '../../protocol/served-event.ts';
import type { AvailabilityPeerInit } from '../../protocol/service.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import type { CandidateHash } from '../../src/primitives/ids.ts';
import { type RunningPeer, startPeer } from '../protocol/peers.ts';
import { check, type InteropCase, same, within } from './expect.ts';
import {
  fixtureChunk,
  fixtureData,
  fixtureStore,
  GENESIS,
  ON_CORE_0,
  ON_CORE_1,
  SYNTHETIC,
  type SyntheticSize,
  sha256,
  syntheticData,
  UNKNOWN,
  WORKED_EXAMPLE,
} from './fixture.ts';
import { type PeerLine, request } from './rust-peer.ts';

const NAMES = protocolNames({ genesisHash: GENESIS });
const FIVE_MIB: SyntheticSize = { validators: 256, chunkBytes: 40_916, povBytes: 5_242_880 };
const TEN_MIB: SyntheticSize = { ...FIVE_MIB, povBytes: 10_485_760 };

/** Our peer and what it has served. */
type Serving = {
  readonly server: RunningPeer;
  readonly served: readonly ServedEvent[];
  ask(...args: string[]): Promise<{ answers: readonly PeerLine[]; summary: PeerLine }>;
};

async function serving(
  init: Partial<AvailabilityPeerInit>,
  work: (serving: Serving) => Promise<string>,
): Promise<string> {
  const served: ServedEvent[] = [];
  const server = await startPeer({
    genesisHash: GENESIS,
    store: fixtureStore(),
    onServed: (event) => served.push(event),
    ...init,
  });
  try {
    const [address = ''] = server.location.addresses;
    return await work({ server, served, ask: (...args) => request(['--to', address, ...args]) });
  } finally {
    await server.stop();
  }
}

function ours(
  name: string,
  init: () => Partial<AvailabilityPeerInit>,
  run: (serving: Serving) => Promise<string>,
  isQuick = true,
): InteropCase {
  return { ours: 'responder', name, isQuick, run: () => serving(init(), run) };
}

/** All of the fixture in one version, byte for byte. */
function wholeFixture(flags: readonly string[], name: string, dataName: string) {
  return async ({ ask, served }: Serving): Promise<string> => {
    const encode = name === NAMES.chunkV2 ? encodeChunkResponseV2 : encodeChunkResponseV1;
    for (const candidate of [WORKED_EXAMPLE, ON_CORE_0, ON_CORE_1]) {
      const { answers } = await ask(
        ...['--candidate', candidate, '--chunks', '0-6', '--available-data', ...flags],
      );
      same(answers.length, 8, 'answers');
      for (const answer of answers) {
        const isChunk = answer['kind'] === 'chunk';
        const expected = isChunk
          ? encode(fixtureChunk(candidate, Number(answer['validatorIndex'])))
          : concatBytes(encodeDataResponse(fixtureData(candidate)));
        same(answer['ok'], true, JSON.stringify(answer));
        same(answer['protocol'], isChunk ? name : dataName, 'protocol');
        same(answer['sha256'], sha256(expected), 'sha256');
      }
    }
    same(served.filter((event) => event.reason !== undefined).length, 0, 'failures');
    return `24 answers byte for byte over ${name.slice(-12)}`;
  };
}

async function load({ ask, served }: Serving, chunks: string, parallel: number): Promise<PeerLine> {
  const { summary } = await ask(
    ...['--candidate', SYNTHETIC, '--chunks', chunks, '--parallel', String(parallel), '--quiet'],
  );
  check(served.length > 0, 'nothing was served');
  return summary;
}

function bigData(size: SyntheticSize, name: string): InteropCase {
  return ours(
    name,
    () => ({ store: fixtureStore(size) }),
    async ({ ask, server }) => {
      const { answers } = await ask('--candidate', SYNTHETIC, '--available-data');
      const expected = concatBytes(encodeDataResponse(syntheticData(size.povBytes)));
      same(answers[0]?.['ok'], true, JSON.stringify(answers[0]));
      same(answers[0]?.['sha256'], sha256(expected), 'sha256');
      check(server.node.getConnections().length <= 1, 'connections');
      return `${expected.length} bytes in ${Number(answers[0]?.['ms']).toFixed(0)} ms`;
    },
  );
}

/** Replaces our handler of /2 by a faulty one. */
function faulty(
  name: string,
  handler: (stream: Stream) => void | Promise<void>,
  expected: (answers: readonly PeerLine[]) => string,
  isQuick = true,
): InteropCase {
  return ours(
    name,
    () => ({}),
    async ({ ask, server }) => {
      await server.node.unhandle(NAMES.chunkV2);
      await server.node.handle(NAMES.chunkV2, handler);
      const { answers } = await ask(
        ...['--candidate', ON_CORE_0, '--chunks', '0', '--repeat', '2'],
      );
      return expected(answers);
    },
    isQuick,
  );
}

function errors(expected: readonly unknown[]): (answers: readonly PeerLine[]) => string {
  return (answers) => {
    const seen = answers.map((answer) => answer['error'] ?? answer['result']);
    same(seen, expected, 'outcomes');
    return seen.join(', ');
  };
}

/** The table of what a Rust node makes of our faults; none of it is done by our responder. */
const FAULTS: readonly InteropCase[] = [
  faulty(
    'fault: half an answer',
    async (stream) => {
      stream.send(concatBytes([encodePrefix(100), new Uint8Array(50)]));
      await stream.close();
    },
    errors(['refused', 'refused']),
  ),
  faulty(
    'fault: a reset',
    async (stream) => {
      // A reset before the request is out is told as `reset`; after it, as a refusal.
      await readMessage(stream, { limit: 1_000, signal: new AbortController().signal });
      stream.abort(new Error('fault'));
    },
    errors(['refused', 'refused']),
  ),
  faulty(
    'fault: a length over the limit',
    (stream) => void stream.send(encodePrefix(16_777_217)),
    errors(['badFrame', 'badFrame']),
  ),
  faulty(
    'fault: a prefix that is not minimal',
    (stream) => void stream.send(Uint8Array.of(0x81, 0x00, 1)),
    errors(['badFrame', 'badFrame']),
  ),
  faulty(
    'fault: an empty frame',
    (stream) => void stream.send(Uint8Array.of(0)),
    errors(['undecodable', 'undecodable']),
  ),
  faulty(
    'fault: bytes after the frame',
    (stream) => void stream.send(concatBytes([encodeFrame(Uint8Array.of(1)), new Uint8Array(9)])),
    errors(['noSuch', 'noSuch']),
  ),
  faulty(
    'fault: nothing',
    () => new Promise((resolve) => setTimeout(resolve, 1_300)),
    (answers) => {
      same(answers[0]?.['error'], 'timeout', 'error');
      within(Number(answers[0]?.['ms']), 900, 1_300, 'ms');
      return `timeout after ${Number(answers[0]?.['ms']).toFixed(0)} ms`;
    },
    false,
  ),
];

function without(
  names: readonly string[],
  flags: readonly string[],
  expected: unknown,
): InteropCase {
  return ours(
    `na for ${names.map((name) => name.slice(-12)).join(', ')}`,
    () => ({}),
    async ({ ask, server }) => {
      for (const name of names) {
        await server.node.unhandle(name);
      }
      const { answers } = await ask('--candidate', ON_CORE_0, '--chunks', '0', ...flags);
      same(answers[0]?.['error'] ?? answers[0]?.['protocol'], expected, 'outcome');
      return String(expected);
    },
  );
}

/** Every case with our responder. */
export const RESPONDER_CASES: readonly InteropCase[] = [
  ours('v2', () => ({}), wholeFixture([], NAMES.chunkV2, NAMES.availableData)),
  ours(
    'v2, a peer without identify and ping',
    () => ({}),
    wholeFixture(['--bare'], NAMES.chunkV2, NAMES.availableData),
  ),
  ours('--v1-only', () => ({}), wholeFixture(['--v1-only'], NAMES.chunkV1, NAMES.availableData)),
  ours(
    '--legacy-only',
    () => ({}),
    wholeFixture(['--legacy-only'], NAMES.chunkV1Legacy, NAMES.availableDataLegacy),
  ),
  without([NAMES.chunkV2], [], NAMES.chunkV1),
  without([NAMES.chunkV2, NAMES.chunkV1], [], NAMES.chunkV1Legacy),
  without([NAMES.chunkV2, NAMES.chunkV1, NAMES.chunkV1Legacy], [], 'unsupportedProtocol'),
  ours(
    'NoSuch',
    () => ({}),
    async ({ ask }) => {
      const { answers } = await ask('--candidate', UNKNOWN, '--chunks', '0-2', '--available-data');
      same(
        answers.map((answer) => answer['result']),
        Array(4).fill('noSuch'),
        'results',
      );
      return '4 × noSuch';
    },
  ),
  ours(
    'a store that is absent',
    () => ({ store: undefined as never }),
    async ({ ask }) => {
      const { answers } = await ask('--candidate', ON_CORE_0, '--chunks', '0', '--available-data');
      const seen = Object.fromEntries(
        answers.map((answer) => [answer['kind'], answer['error'] ?? answer['result']]),
      );
      same(seen, { chunk: 'refused', availableData: 'noSuch' }, 'outcomes');
      return 'chunk refused, available data noSuch';
    },
  ),
  ours(
    'an undecodable request',
    () => ({}),
    async ({ ask }) => {
      const short = '0102030405' as CandidateHash;
      const { answers } = await ask('--candidate', short, '--chunks', '0', '--available-data');
      same(
        answers.map((answer) => answer['error']),
        ['refused', 'refused'],
        'errors',
      );
      return 'refused, refused';
    },
  ),
  ours(
    '50 at once',
    () => ({ store: fixtureStore(FIVE_MIB) }),
    async (all) => {
      const summary = await load(all, '0-49', 50);
      same([summary['ok'], summary['failed']], [50, 0], 'ok and failed');
      return `50 ok in ${String(summary['wallMs'])} ms, connect ${String(summary['connectMs'])} ms`;
    },
  ),
  ours(
    '100 at once',
    () => ({ store: fixtureStore(FIVE_MIB) }),
    async (all) => {
      const summary = await load(all, '0-99', 100);
      // 8 being served and 64 waiting is what one peer gets; whoever comes later than the first
      // answers finds room again.
      check(Number(summary['ok']) >= 72, `only ${String(summary['ok'])} were served`);
      const refused = all.served.filter((event) => event.reason === 'busy').length;
      same(Number(summary['ok']) + refused, 100, 'served and refused');
      return `${String(summary['ok'])} ok, ${refused} refused as busy`;
    },
  ),
  ours(
    '256 × 40 KiB, 50 at a time, ten rounds',
    () => ({ store: fixtureStore(FIVE_MIB) }),
    async ({ ask }) => {
      const { summary } = await ask(
        ...['--candidate', SYNTHETIC, '--chunks', '0-255', '--parallel', '50'],
        ...['--warmup', '2', '--repeat', '10', '--quiet'],
      );
      same(summary['failed'], 0, 'failed');
      return `round p50 ${String(summary['roundP50Ms'])} ms, min ${String(summary['roundMinMs'])} ms`;
    },
    false,
  ),
  bigData(FIVE_MIB, 'synthetic 5 MiB'),
  bigData(TEN_MIB, 'synthetic 10 MiB'),
  ...FAULTS,
];
