import { VirtualTimeScheduler } from 'rxjs';
import { afterEach, describe, vi } from 'vitest';
import { configDirectory } from '../../src/cli/config-directory.ts';
import { realRuntime } from '../../src/create-recovery.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { CodecError } from '../../src/primitives/errors.ts';
import { type AuthorityId, validatorIndex } from '../../src/primitives/ids.ts';
import {
  chunkSourceFrom,
  chunkStoreFrom,
  dataSourceFrom,
  sessionDirectoryFrom,
} from '../../src/recovery/from-abortable.ts';
import {
  type ChunkQuestion,
  type ChunkReply,
  type DataQuestion,
  type DataReply,
  NO_LOGGER,
  NO_METRICS,
  type PeerLocation,
  RequestError,
  type SessionInfo,
} from '../../src/recovery/ports.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { type DirectoryUnderTest, directoryContract } from '../support/directory-contract.ts';
import { FakeDirectory } from '../support/fake-directory.ts';
import { authorityAt, type Behaviour, FakeNetwork } from '../support/fake-network.ts';
import { FakeStore } from '../support/fake-store.ts';
import {
  loggerContract,
  metricsContract,
  runtimeContract,
} from '../support/plain-port-contracts.ts';
import { RecordedLog, RecordedMetrics } from '../support/recovery-world.ts';
import {
  type OpenSource,
  type SourceScenario,
  type SourceUnderTest,
  sourceContract,
} from '../support/source-contract.ts';
import { all, chunkStoreContract } from '../support/store-contract.ts';

const candidate = testCandidate({ validatorCount: 7 });
const question: ChunkQuestion = {
  candidateHash: candidate.candidateHash,
  sessionIndex: 10,
  validatorIndex: validatorIndex(3),
  authority: authorityAt(3),
  maxBytes: 100_000,
};
const dataQuestion: DataQuestion = { ...question, maxBytes: 1_000, dial: true };

const CHUNK_TYPES = { some: 'chunk', none: 'no_such_chunk' };
const DATA_TYPES = { some: 'available_data', none: 'no_such_data' };

/** Longer than any deadline here. */
const LONG_MS = 5_000;

function fake<Reply>(
  ask: (network: FakeNetwork) => ReturnType<SourceUnderTest<Reply>['ask']>,
): OpenSource<Reply> {
  const behaviours: Readonly<Record<SourceScenario, Behaviour>> = {
    answers: 'good',
    has_nothing: 'no_such',
    fails: 'refused',
    garbage: 'undecodable',
    is_silent: 'timeout',
  };
  return async (scenario) => {
    const scheduler = new VirtualTimeScheduler();
    const runtime = { scheduler, random: new ChaCha8(new Uint8Array(32)) };
    const network = new FakeNetwork(candidate, runtime, () => ({
      behaviour: behaviours[scenario],
      delayMs: scenario === 'is_silent' ? 1_000 : 5,
    }));
    return {
      ask: () => ask(network),
      begun: () => network.asked.length,
      held: () => network.open + scheduler.actions.length,
      settle: async (promise) => {
        scheduler.flush();
        await promise;
      },
      onItsWay: async () => {},
      atOnce: 20,
      [Symbol.asyncDispose]: async () => {},
    };
  };
}

sourceContract<ChunkReply>(
  'ChunkSource: fake network',
  CHUNK_TYPES,
  fake((network) => network.askChunk(question)),
);
sourceContract<DataReply>(
  'DataSource: fake network',
  DATA_TYPES,
  fake((network) => network.askData(dataQuestion)),
);

/** A source of promises whose deadline is a timer of its own, on a clock that the test moves. */
function promised<Reply>(
  replies: { readonly answers: Reply; readonly has_nothing: Reply },
  askWith: (
    ask: (signal: AbortSignal) => Promise<Reply>,
  ) => ReturnType<SourceUnderTest<Reply>['ask']>,
): OpenSource<Reply> {
  return async (scenario) => {
    vi.useFakeTimers();
    let begun = 0;
    const held = new Set<AbortSignal>();
    const answer = async (signal: AbortSignal): Promise<Reply> => {
      switch (scenario) {
        case 'answers':
        case 'has_nothing':
          return replies[scenario];
        case 'fails':
          throw new RequestError('not_connected', 'told to');
        case 'garbage':
          throw new CodecError('unexpected_end', 'told to', { offset: 0 });
        case 'is_silent':
          return new Promise((_resolve, reject) => {
            const give = (error: Error): void => {
              clearTimeout(timer);
              reject(error);
            };
            const timer = setTimeout(give, 1_000, new RequestError('timeout', 'told to'));
            signal.addEventListener('abort', () => give(new RequestError('cancelled', 'left')));
          });
      }
    };
    const ask = (signal: AbortSignal): Promise<Reply> => {
      begun += 1;
      held.add(signal);
      signal.addEventListener('abort', () => held.delete(signal));
      return answer(signal).finally(() => held.delete(signal));
    };
    return {
      ask: () => askWith(ask),
      begun: () => begun,
      held: () => held.size,
      settle: async (promise) => {
        await vi.advanceTimersByTimeAsync(LONG_MS);
        await promise;
      },
      onItsWay: async () => {},
      atOnce: 20,
      [Symbol.asyncDispose]: async () => {
        vi.useRealTimers();
      },
    };
  };
}

const protocol = 'p';
sourceContract<ChunkReply>(
  'ChunkSource: chunkSourceFrom',
  CHUNK_TYPES,
  promised<ChunkReply>(
    {
      answers: { type: 'chunk', chunk: candidate.chunks[0]!, protocol, bytes: 9 },
      has_nothing: { type: 'no_such_chunk', protocol, bytes: 1 },
    },
    (ask) => chunkSourceFrom({ askChunk: (_q, signal) => ask(signal) }).askChunk(question),
  ),
);
sourceContract<DataReply>(
  'DataSource: dataSourceFrom',
  DATA_TYPES,
  promised<DataReply>(
    {
      answers: { type: 'available_data', data: candidate.data, protocol, bytes: 9 },
      has_nothing: { type: 'no_such_data', protocol, bytes: 1 },
    },
    (ask) => dataSourceFrom({ askData: (_q, signal) => ask(signal) }).askData(dataQuestion),
  ),
);

function sessionAt(index: number): SessionInfo {
  return { index, validators: [authorityAt(index), null], groups: [[0]], nodeFeatures: [] };
}

function knowledge(indices: readonly number[]): Omit<DirectoryUnderTest, 'directory'> & {
  readonly locations: Map<AuthorityId, PeerLocation>;
} {
  return {
    sessions: indices.map(sessionAt),
    locations: new Map(
      indices.map((index) => [
        authorityAt(index),
        { peerId: `p${index}`, addresses: ['/ip4/127.0.0.1/tcp/1'] },
      ]),
    ),
  };
}

directoryContract('sessionDirectoryFrom', () => {
  const known = knowledge([0, 1, 7, 4_294_967_294]);
  return {
    ...known,
    move: (authority, location) => known.locations.set(authority, location),
    directory: sessionDirectoryFrom({
      session: async (index) => known.sessions.find((session) => session.index === index),
      locate: async (authority) => known.locations.get(authority),
    }),
  };
});

directoryContract('fake', () => {
  const known = knowledge([3, 4]);
  const directory = new FakeDirectory();
  known.sessions.forEach((session) => {
    directory.sessions.set(session.index, session);
  });
  known.locations.forEach((location, authority) => {
    directory.locations.set(authority, location);
  });
  return {
    ...known,
    directory,
    move: (authority, location) => directory.locations.set(authority, location),
  };
});

directoryContract('a config file', () => {
  const known = knowledge([10]);
  const [session] = known.sessions as [SessionInfo];
  return { ...known, directory: configDirectory({ session, locations: known.locations }) };
});

metricsContract('NO_METRICS', () => NO_METRICS);
metricsContract('recorded', () => new RecordedMetrics());
loggerContract('NO_LOGGER', () => NO_LOGGER);
loggerContract('recorded', () => new RecordedLog());

runtimeContract('virtual', () => {
  const scheduler = new VirtualTimeScheduler();
  return {
    runtime: { scheduler, random: new ChaCha8(new Uint8Array(32).fill(1)) },
    pass: (ms) => {
      const endMs = scheduler.now() + ms;
      scheduler.maxFrames = endMs;
      scheduler.flush();
      scheduler.frame = endMs;
    },
  };
});

describe('the real clock, moved by the test', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  runtimeContract('realRuntime', () => {
    vi.useFakeTimers();
    return { runtime: realRuntime(), pass: (ms) => void vi.advanceTimersByTime(ms) };
  });
});

chunkStoreContract('chunkStoreFrom', async () => {
  const inner = new FakeStore();
  const one = async <T>(values: Promise<T[]>): Promise<T | undefined> => (await values)[0];
  return {
    store: chunkStoreFrom({
      loadChunks: (hash) => all(inner.loadChunks(hash)),
      loadAvailableData: (hash) => one(all(inner.loadAvailableData(hash))),
      loadChunkBytes: (hash) => one(all(inner.loadChunkBytes(hash))),
      dropCorrupt: async (hash, entry) => {
        await all(inner.dropCorrupt(hash, entry));
      },
    }),
    hold: async (held, { validators, data }) => {
      for (const v of validators) {
        inner.putChunk(held.candidateHash, v, held.chunkOf(v));
      }
      if (data) {
        inner.putAvailableData(held.candidateHash, held.dataBytes);
      }
    },
    damage: async (hash, entry) => {
      inner.corrupt(hash, entry);
    },
    corruptions: () => inner.dropped.length,
    [Symbol.asyncDispose]: async () => {},
  };
});
