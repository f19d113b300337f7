/**
 * @module
 * Runs one recorded world on the shipped recovery, in virtual time, and writes down what the file
 * writes down about the reference.
 */

import { type Subscription, VirtualTimeScheduler } from 'rxjs';
import { createRecovery } from '../../src/create-recovery.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { Recovery } from '../../src/recovery/orchestrator.ts';
import { NO_LOGGER } from '../../src/recovery/ports.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { type RecoverySettings, UPSTREAM } from '../../src/recovery/settings.ts';
import { dataName, type WorldCandidate, worldCandidates } from './candidate.ts';
import { type Counted, WorldMetrics } from './counted.ts';
import type { Got, Step, Verdict, World } from './format.ts';
import { StepNetwork, type StepScene } from './network.ts';
import { fixedStrategies, WorldDirectory, worldPolicy, worldStore } from './ports.ts';
import { SteeredRandom } from './steered-random.ts';
import { Trace } from './trace.ts';

/** How to run a world. */
export type RunOptions = {
  /** Default: the reference's. */
  readonly settings?: RecoverySettings;
  /** Replays the recorded order of sources, or draws one from a seed. */
  readonly order: 'recorded' | { readonly seed: number };
  /** Our own place in the session; the reference does not know its own. */
  readonly ownValidatorIndex?: number;
};

/** How one caller's recovery ended; what the file has no word for is spelled out. */
export type Ending = Verdict | readonly ['other', string];

/** What came of one step. */
export type StepRun = {
  /** Per caller. */
  readonly v: readonly Ending[];
  readonly t: readonly string[];
  /** Of the callers that stayed, the last one's. */
  readonly events: readonly RecoveryEvent[];
  readonly hasGivenSurplus: boolean;
  readonly hasDialed: boolean;
};

/** What came of a world. */
export type WorldRun = { readonly steps: readonly StepRun[]; readonly m: Counted };

/** A recorded world while it runs. */
class RunningWorld {
  private readonly world: World;
  private readonly options: RunOptions;
  private readonly candidates: readonly WorldCandidate[];
  private readonly scheduler = new VirtualTimeScheduler();
  private readonly random: SteeredRandom;
  private readonly metrics = new WorldMetrics();
  private readonly recovery: Recovery;
  /** The session in which each candidate was asked for first. */
  private readonly sessions = new Map<number, number>();
  private current: StepScene | undefined;
  private network: StepNetwork | undefined;

  constructor(world: World, options: RunOptions) {
    this.world = world;
    this.options = options;
    this.candidates = worldCandidates(world);
    this.random = new SteeredRandom(options.order === 'recorded' ? 0 : options.order.seed);
    const scene = (): StepScene => defined(this.current);
    const network = (): StepNetwork => defined(this.network);
    this.recovery = createRecovery(
      {
        directory: new WorldDirectory(scene, options.ownValidatorIndex),
        chunkSource: { askChunk: (question) => network().askChunk(question) },
        dataSource: { askData: (question) => network().askData(question) },
        store: worldStore(scene),
        metrics: this.metrics,
        logger: NO_LOGGER,
        runtime: { scheduler: this.scheduler, random: this.random },
        sizePolicy: (...question) => {
          const plan = worldPolicy(world)(...question);
          this.steer(plan.strategies);
          return plan;
        },
      },
      options.settings ?? UPSTREAM,
    );
  }

  async run(): Promise<WorldRun> {
    await this.recovery.start();
    const steps = this.world.steps.map((step, place) => this.runStep(step, place));
    await this.recovery.stop();
    return { steps, m: this.metrics.counted() };
  }

  private runStep(step: Step, place: number): StepRun {
    const { world, scheduler } = this;
    const candidate = defined(this.candidates[step.cand ?? 0]);
    const got = defined(world.got[place]);
    this.steering = { step, got };
    const callers = Array.from({ length: step.callers ?? 1 }, () => new Caller(candidate));
    const network = (): StepNetwork => defined(this.network);
    this.current = {
      world,
      step,
      candidate,
      scheduler,
      trace: new Trace(scheduler, () => network().onMessage()),
      strategy: () => this.metrics.chunkStrategy,
      onBatch: (batch) => dropAt(batch, step, callers),
    };
    this.network = new StepNetwork(this.current);
    const request = this.request(step, candidate);
    this.steer(request.strategies ?? []);
    const onEnd = (): void => {
      if (callers.every((caller) => caller.isDone)) {
        network().close();
      }
    };
    for (const caller of callers) {
      caller.call(this.recovery, request, onEnd);
    }
    dropAt(0, step, callers);
    scheduler.flush();
    const { trace } = this.current;
    return {
      v: callers.map((caller) => caller.verdict),
      t: trace.lines,
      events: callers.at(-1)?.events ?? [],
      hasGivenSurplus: network().hasGivenSurplus,
      hasDialed: network().hasDialed,
    };
  }

  private steering: { readonly step: Step; readonly got: Got } | undefined;

  private request(step: Step, { receipt }: WorldCandidate): RecoveryRequest {
    const { world } = this;
    const cand = step.cand ?? 0;
    // The reference knows a recovery by its candidate alone; ours also by the session. So a candidate
    // is asked for under its first session, while the directory answers with the step's.
    const sessionIndex = this.sessions.get(cand) ?? step.session ?? 10;
    this.sessions.set(cand, sessionIndex);
    const strategies = fixedStrategies(world, step);
    return {
      receipt,
      sessionIndex,
      ...(step.group === undefined ? {} : { backingGroup: step.group }),
      ...(step.core === undefined ? {} : { coreIndex: step.core }),
      ...(world.threshold === undefined ? {} : { sizeLimitBytes: world.threshold }),
      ...(world.kind === 'collator' ? { checkMode: 'pov_hash', useStore: false } : {}),
      ...(strategies === undefined ? {} : { strategies }),
    };
  }

  /** Makes the shuffles of the next plan come out as recorded. */
  private steer(strategies: readonly string[]): void {
    const { step, got } = this.steering ?? {};
    if (this.options.order !== 'recorded' || step === undefined || got === undefined) {
      return;
    }
    const { n, groups } = this.world;
    this.random.steer(
      strategies.flatMap((type) => {
        if (type === 'full_from_backers') {
          const from = step.group === undefined ? [] : (groups[step.group] ?? []);
          return [{ from, to: wanted(from, askedForData(got)) }];
        }
        const all = Array.from({ length: n }, (_, i) => i);
        return type === 'regular_chunks' ? [{ from: all, to: wanted(all, askedForOwn(got)) }] : [];
      }),
    );
  }
}

/** One who asked, and what became of it. */
class Caller {
  verdict: Ending = ['other', 'pending'];
  readonly events: RecoveryEvent[] = [];
  isDone = false;
  private readonly candidate: WorldCandidate;
  private subscription: Subscription | undefined;
  private onEnd: () => void = () => {};

  constructor(candidate: WorldCandidate) {
    this.candidate = candidate;
  }

  call(recovery: Recovery, request: RecoveryRequest, onEnd: () => void): void {
    const end = (verdict: Ending): void => {
      this.verdict = verdict;
      this.isDone = true;
      onEnd();
    };
    this.onEnd = onEnd;
    this.subscription = recovery.recover(request).subscribe({
      next: (event) => {
        this.events.push(event);
        if (event.type === 'recovered') {
          const name = dataName(event.data);
          end(name === dataName(this.candidate.data) ? 'data' : ['data', name]);
        }
      },
      error: (error: unknown) => end(verdictOf(error)),
    });
  }

  leave(): void {
    if (!this.isDone) {
      this.subscription?.unsubscribe();
      this.verdict = null;
      this.isDone = true;
      this.onEnd();
    }
  }
}

/** A reply channel that is dropped is a fault of the reference's own: our `local_fault`. */
function verdictOf(error: unknown): Ending {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'invalid':
    case 'unavailable':
      return code;
    case 'local_fault':
      return 'dropped';
    default:
      return ['other', String(error)];
  }
}

function dropAt(batch: number, { drop }: Step, callers: readonly Caller[]): void {
  const [count, at] = drop ?? [0, -1];
  if (batch === at) {
    for (const caller of callers.slice(0, count)) {
      caller.leave();
    }
  }
}

/** An order that is consumed from its end: first those never asked, then the others, last asked first. */
function wanted(all: readonly number[], asked: readonly number[]): readonly number[] {
  const first = [...new Set(asked)].filter((index) => all.includes(index));
  return [...all.filter((index) => !first.includes(index)), ...first.toReversed()];
}

/** Whom the recorded run asked for the full data, in order. */
function askedForData({ t }: Got): readonly number[] {
  return t.flatMap((line) => /^(?:~ )?f (\d+)$/.exec(line)?.slice(1).map(Number) ?? []);
}

/** Whom the recorded regular strategy asked for their own chunk, in order. */
function askedForOwn({ t }: Got): readonly number[] {
  return t.flatMap((line) => {
    const words = /^(?:~ )?r (.*)$/.exec(line)?.[1]?.split(' ') ?? [];
    return words.filter((word) => !word.includes('>')).map(Number);
  });
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new TypeError('value: expected one');
  }
  return value;
}

/** Runs a world. */
export function runWorld(world: World, options: RunOptions): Promise<WorldRun> {
  return new RunningWorld(world, options).run();
}
