/**
 * @module
 * One recovery of one candidate in virtual time, from settings to the recorded end.
 */

import { EMPTY, type Observable, of, type Subscription, VirtualTimeScheduler } from 'rxjs';
import { createRecovery, type RecoveryPorts } from '../../src/create-recovery.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { RecoveredEvent, RecoveryEvent } from '../../src/recovery/events.ts';
import type { Recovery } from '../../src/recovery/orchestrator.ts';
import type {
  ChunkStore,
  LogFields,
  Logger,
  MetricLabels,
  MetricsSink,
  Runtime,
  SessionDirectory,
  SessionInfo,
} from '../../src/recovery/ports.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import type { RecoverySettings } from '../../src/recovery/settings.ts';
import { type CandidateOptions, type TestCandidate, testCandidate } from './candidate-world.ts';
import { authorityAt, type BehaviourOf, FakeNetwork } from './fake-network.ts';

/** How a world differs from one where everybody answers well at once. */
export type WorldOptions = CandidateOptions & {
  readonly behaviour?: BehaviourOf;
  readonly settings?: Partial<RecoverySettings>;
  readonly store?: (candidate: TestCandidate) => ChunkStore;
  readonly groups?: readonly (readonly number[])[];
  readonly ownValidatorIndex?: number;
  /** Node feature bit 2. Default: on. */
  readonly isMapped?: boolean;
  /** Validators that nobody knows. */
  readonly unknown?: readonly number[];
  readonly directory?: Partial<SessionDirectory>;
  /** Takes the place of, or adds to, what the world wires. */
  readonly ports?: (parts: WorldParts) => Partial<RecoveryPorts>;
};

/** What a world is made of before the recovery is. */
export type WorldParts = {
  readonly candidate: TestCandidate;
  readonly network: FakeNetwork;
  readonly runtime: Runtime;
};

/** One line of a {@link RecordedLog}. */
export type LogLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
};

/** Keeps every log line. */
export class RecordedLog implements Logger {
  /** In order. */
  readonly lines: LogLine[] = [];

  debug(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', event, fields });
  }

  info(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', event, fields });
  }

  warn(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', event, fields });
  }

  error(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', event, fields });
  }

  /** Names of the events, in order. */
  names(): readonly string[] {
    return this.lines.map(({ event }) => event);
  }
}

/** Counts every metric by name and labels. */
export class RecordedMetrics implements MetricsSink {
  /** Sum of increments. */
  readonly counts: Map<string, number> = new Map();

  /** See the port. */
  increment(name: string, labels: MetricLabels = {}, by = 1): void {
    const key = metricKey(name, labels);
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  /** Counts samples. */
  observe(name: string, _value: number, labels: MetricLabels = {}): void {
    this.increment(name, labels);
  }

  /** What was counted under a name. */
  of(name: string, labels: MetricLabels = {}): number {
    return this.counts.get(metricKey(name, labels)) ?? 0;
  }
}

function metricKey(name: string, labels: MetricLabels): string {
  return `${name} ${JSON.stringify(Object.entries(labels).toSorted())}`;
}

/** What came of a recovery. */
export type Outcome = {
  readonly events: RecoveryEvent[];
  readonly recovered: RecoveredEvent | undefined;
  readonly error: unknown;
};

/** A running instance over fakes. */
export class RecoveryWorld {
  /** Virtual time. */
  readonly scheduler: VirtualTimeScheduler = new VirtualTimeScheduler();
  /** The candidate. */
  readonly candidate: TestCandidate;
  /** Everybody who can be asked. */
  readonly network: FakeNetwork;
  /** The instance under test. */
  readonly recovery: Recovery;
  /** What it counted. */
  readonly metrics: RecordedMetrics = new RecordedMetrics();
  /** What it logged. */
  readonly log: RecordedLog = new RecordedLog();
  /** Sessions that were asked for. */
  readonly sessionsAsked: number[] = [];

  private constructor(options: WorldOptions) {
    this.candidate = testCandidate(options);
    const seed = new Uint8Array(32).fill((options.seed ?? 1) % 256);
    const runtime: Runtime = { scheduler: this.scheduler, random: new ChaCha8(seed) };
    this.network = new FakeNetwork(this.candidate, runtime, options.behaviour ?? (() => 'good'));
    const store = options.store?.(this.candidate);
    this.recovery = createRecovery(
      {
        directory: { ...this.directory(options), ...options.directory },
        chunkSource: this.network,
        dataSource: this.network,
        runtime,
        metrics: this.metrics,
        logger: this.log,
        ...(store === undefined ? {} : { store }),
        ...options.ports?.({ candidate: this.candidate, network: this.network, runtime }),
      },
      options.settings,
    );
  }

  /** Makes a world whose recovery is started. */
  static async open(options: WorldOptions): Promise<RecoveryWorld> {
    const world = new RecoveryWorld(options);
    await world.recovery.start();
    return world;
  }

  /** The request for this candidate. */
  request(fields: Partial<RecoveryRequest> = {}): RecoveryRequest {
    const { receipt, coreIndex } = this.candidate;
    return { receipt, sessionIndex: 10, coreIndex, ...fields };
  }

  /** Subscribes, lets all virtual time pass and returns what came. */
  run(fields: Partial<RecoveryRequest> = {}): Outcome {
    const outcome = record(this.recovery.recover(this.request(fields)));
    this.scheduler.flush();
    return outcome;
  }

  /** Timers that nobody took back: 0 when nothing is alive. */
  get timers(): number {
    return this.scheduler.actions.length;
  }

  /** Lets time pass up to a moment. */
  passUntil(ms: number): void {
    this.scheduler.maxFrames = ms;
    this.scheduler.flush();
    this.scheduler.frame = ms;
    this.scheduler.maxFrames = Number.POSITIVE_INFINITY;
  }

  private directory(options: WorldOptions): SessionDirectory {
    const n = options.validatorCount;
    const session: SessionInfo = {
      index: 10,
      validators: Array.from({ length: n }, (_, i) =>
        options.unknown?.includes(i) === true ? null : authorityAt(i),
      ),
      groups: options.groups ?? [],
      nodeFeatures: [false, false, options.isMapped ?? true],
      ...(options.ownValidatorIndex === undefined
        ? {}
        : { ownValidatorIndex: validatorIndex(options.ownValidatorIndex) }),
    };
    return {
      session: (index) => {
        this.sessionsAsked.push(index);
        return index === session.index ? of(session) : EMPTY;
      },
      locate: () => EMPTY,
    };
  }
}

/** An outcome that is still being written. */
export type Recording = {
  events: RecoveryEvent[];
  recovered: RecoveredEvent | undefined;
  error: unknown;
  subscription: Subscription;
};

/** Subscribes and writes down what comes. */
export function record(events$: Observable<RecoveryEvent>): Recording {
  const recording: Omit<Recording, 'subscription'> = {
    events: [],
    recovered: undefined,
    error: undefined,
  };
  const subscription = events$.subscribe({
    next: (event) => {
      recording.events.push(event);
      if (event.type === 'recovered') {
        recording.recovered = event;
      }
    },
    error: (error: unknown) => {
      recording.error = error;
    },
  });
  return Object.assign(recording, { subscription });
}

/** The code of a recovery's error. */
export function codeOf(error: unknown): string | undefined {
  return (error as RecoveryError | undefined)?.code;
}
