/**
 * @module
 * What tests of single strategies stand on: a context over made-up validators, without an orchestrator,
 * and short forms of events for marbles.
 */

import { map, Observable, type OperatorFunction, of, type Subscriber } from 'rxjs';
import { CODING_V1, type Coding } from '../../src/coding/coding.ts';
import type { ErasureWork } from '../../src/coding/erasure-work.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { type AuthorityId, type ValidatorIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { DataHolders } from '../../src/recovery/data-holders.ts';
import { heldToGuarantees } from '../../src/recovery/held-work.ts';
import { KnownChunks } from '../../src/recovery/known-chunks.ts';
import {
  type ChunkQuestion,
  type ChunkReply,
  type ChunkSource,
  type ChunkStore,
  type DataReply,
  type DataSource,
  type LogFields,
  NO_LOGGER,
  NO_METRICS,
  type Runtime,
  type SessionInfo,
} from '../../src/recovery/ports.ts';
import { checkRequest, type RecoveryRequest } from '../../src/recovery/request.ts';
import { type RecoverySettings, STANDARD } from '../../src/recovery/settings.ts';
import type { RecoveryContext, StrategyOutput } from '../../src/recovery/strategy.ts';
import { WorkLog } from '../../src/recovery/work-log.ts';
import {
  type CandidateOptions,
  type TestCandidate,
  testCandidate,
} from '../support/candidate-world.ts';
import { authorityAt, type BehaviourOf, FakeNetwork } from '../support/fake-network.ts';

/** The coding of every test here. */
export const CODING: Coding = CODING_V1([]);

/** How a context differs from one where everybody answers well at once. */
export type ContextOptions = CandidateOptions & {
  readonly scheduler: Runtime['scheduler'];
  readonly behaviour?: BehaviourOf;
  readonly chunkSource?: (candidate: TestCandidate) => ChunkSource;
  readonly dataSource?: (candidate: TestCandidate) => DataSource;
  readonly store?: (candidate: TestCandidate) => ChunkStore;
  readonly settings?: Partial<RecoverySettings>;
  readonly request?: Partial<RecoveryRequest>;
  readonly groups?: readonly (readonly number[])[];
  readonly ownValidatorIndex?: number;
  readonly unknown?: readonly number[];
  readonly work?: ErasureWork;
};

/** A context and what is behind it. */
export type TestContext = {
  readonly context: RecoveryContext;
  readonly candidate: TestCandidate;
  readonly network: FakeNetwork;
  /** Names of the warnings logged. */
  readonly warnings: string[];
};

/** Makes a context whose mapping is the candidate's. */
export function testContext(options: ContextOptions): TestContext {
  const { scheduler, validatorCount } = options;
  const candidate = testCandidate(options);
  const runtime: Runtime = { scheduler, random: new ChaCha8(new Uint8Array(32).fill(1)) };
  const network = new FakeNetwork(candidate, runtime, options.behaviour ?? (() => 'good'));
  const warnings: string[] = [];
  let attempts = 0;
  const request = checkRequest({
    receipt: candidate.receipt,
    sessionIndex: 10,
    coreIndex: candidate.coreIndex,
    ...options.request,
  });
  const session: SessionInfo = {
    index: 10,
    validators: Array.from({ length: validatorCount }, (_, i) =>
      options.unknown?.includes(i) === true ? null : authorityAt(i),
    ),
    groups: options.groups ?? [],
    nodeFeatures: [false, false, true],
    ...(options.ownValidatorIndex === undefined
      ? {}
      : { ownValidatorIndex: validatorIndex(options.ownValidatorIndex) }),
  };
  const holders = new DataHolders();
  holders.add(request);
  holders.setSession(session);
  const context: RecoveryContext = {
    request,
    session,
    holders,
    mapping: candidate.mapping,
    known: new KnownChunks(),
    settings: { ...STANDARD, ...options.settings },
    chunkSource: options.chunkSource?.(candidate) ?? network,
    dataSource: options.dataSource?.(candidate) ?? network,
    store: options.store?.(candidate),
    coding: CODING,
    work: heldToGuarantees(
      (options.work ?? plainWork()).open({
        coding: CODING,
        erasureRoot: candidate.erasureRoot,
        validatorCount,
      }),
    ),
    workLog: new WorkLog(),
    runtime,
    metrics: NO_METRICS,
    logger: { ...NO_LOGGER, warn: (event: string, _fields?: LogFields) => warnings.push(event) },
    nextAttemptId: () => {
      attempts += 1;
      return attempts - 1;
    },
  };
  return { context, candidate, network, warnings };
}

/** The genuine answer of a validator. */
export function goodReply({ chunks, mapping }: TestCandidate, validator: number): ChunkReply {
  const chunk = chunks[mapping.chunkOf(validatorIndex(validator))];
  if (chunk === undefined) {
    throw new RangeError(`validator: no chunk of ${validator}`);
  }
  return { type: 'chunk', chunk, protocol: 'test/req_chunk/2', bytes: chunk.bytes.length };
}

/** The well-formed answer of a validator that has nothing. */
export const NO_SUCH_CHUNK: ChunkReply = {
  type: 'no_such_chunk',
  protocol: 'test/req_chunk/2',
  bytes: 1,
};

/** The genuine full data. */
export function goodData({ data }: TestCandidate): DataReply {
  return { type: 'available_data', data, protocol: 'test/req_available_data/1', bytes: 100 };
}

/** One letter per output, for marbles. */
const LETTERS = {
  attempt_started: 's',
  attempt_finished: 'f',
  attempt_late: 'l',
  chunk_held: 'h',
  decoding: 'd',
  checking: 'c',
  strategy_ended: 'e',
  data: 'D',
} as const;

/** Outputs as letters: s f l h d c e, and D for the data. */
export function letters(): OperatorFunction<StrategyOutput, string> {
  return map((output) => LETTERS[output.type]);
}

/** A source that answers each authority with its own stream. */
export function chunksBy(
  byAuthority: Readonly<Record<string, Observable<ChunkReply>>>,
): ChunkSource {
  return { askChunk: ({ authority }) => byAuthority[authority] ?? of(NO_SUCH_CHUNK) };
}

/** A source key. */
export function sourceAt(
  index: number,
  validator: number = index,
): { readonly authority: AuthorityId; readonly validatorIndex: ValidatorIndex } {
  return { authority: authorityAt(index), validatorIndex: validatorIndex(validator) };
}

/** A source whose answers the test gives by hand. */
export class ManualSource implements ChunkSource {
  /** Every question, in order, as authority and validator: `v2:2`. */
  readonly asked: string[] = [];
  private readonly waiting = new Map<string, Subscriber<ChunkReply>>();

  /** See the port. */
  askChunk({ authority, validatorIndex: validator }: ChunkQuestion): Observable<ChunkReply> {
    return new Observable((subscriber) => {
      const key = `${authority}:${validator}`;
      this.asked.push(key);
      this.waiting.set(key, subscriber);
      return () => this.waiting.delete(key);
    });
  }

  /** Questions without an answer. */
  get open(): number {
    return this.waiting.size;
  }

  /** Answers one question. */
  answer(index: number, reply: ChunkReply, validator: number = index): void {
    this.subscriber(index, validator).next(reply);
  }

  /** Fails one question. */
  fail(index: number, error: unknown, validator: number = index): void {
    this.subscriber(index, validator).error(error);
  }

  private subscriber(index: number, validator: number): Subscriber<ChunkReply> {
    const found = this.waiting.get(`v${index}:${validator}`);
    if (found === undefined) {
      throw new RangeError(`index: v${index} is not asked for the chunk of ${validator}`);
    }
    return found;
  }
}
