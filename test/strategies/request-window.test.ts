import { of, Subject, VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { CodecError } from '../../src/primitives/errors.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import type { AuthorityId } from '../../src/primitives/ids.ts';
import { authorityId } from '../../src/primitives/ids.ts';
import type { StrategyEvent } from '../../src/recovery/events.ts';
import {
  type ChunkQuestion,
  type ChunkReply,
  type ChunkSource,
  RequestError,
} from '../../src/recovery/ports.ts';
import { maxChunkAnswerBytes } from '../../strategies/answer-limit.ts';
import type { AnswerCounts } from '../../strategies/predicates.ts';
import { RequestWindow, type WindowPhase } from '../../strategies/request-window.ts';
import type { SourceKey } from '../../strategies/retry-table.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { authorityAt } from '../support/fake-network.ts';
import { workWith } from '../support/fake-work.ts';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';
import { phaseOver } from './phase.ts';
import {
  type ContextOptions,
  chunksBy,
  goodReply,
  ManualSource,
  NO_SUCH_CHUNK,
  sourceAt,
  type TestContext,
  testContext,
} from './support.ts';

beforeAll(hashReady);

const NOT_CONNECTED = new RequestError('not_connected', 'not connected');
const TIMEOUT = new RequestError('timeout', 'timeout', { stage: 'first_byte' });

/** A window over answers given by hand, whose wish for live attempts the test sets. */
class Bench {
  readonly scheduler: VirtualTimeScheduler = new VirtualTimeScheduler();
  readonly source: ManualSource = new ManualSource();
  readonly events: StrategyEvent[] = [];
  readonly test: TestContext;
  readonly window: RequestWindow;
  phase: WindowPhase;
  wanted = 0;
  counts: AnswerCounts = { responses: 0, errors: 0 };
  hasEnded = false;

  constructor(
    sources: readonly SourceKey[],
    fields: Partial<WindowPhase> = {},
    options: Partial<ContextOptions> = {},
  ) {
    this.test = testContext({
      validatorCount: 7,
      scheduler: this.scheduler,
      chunkSource: () => this.source,
      ...options,
    });
    this.window = new RequestWindow(this.test.context);
    this.phase = phaseOver(this.test, sources, {
      desired: (counts) => {
        this.counts = { responses: counts.responses, errors: counts.errors };
        return this.wanted;
      },
      ...fields,
    });
  }

  /** Begins the phase. */
  collect(wanted: number): this {
    this.wanted = wanted;
    this.window.collect(this.phase).subscribe({
      next: (event) => this.events.push(event),
      complete: () => {
        this.hasEnded = true;
      },
    });
    return this;
  }

  /** Lets time pass. */
  passUntil(ms: number): this {
    this.scheduler.maxFrames = ms;
    this.scheduler.flush();
    this.scheduler.frame = ms;
    return this;
  }

  /** Gives the genuine chunk of a validator. */
  deliver(index: number): this {
    this.source.answer(index, goodReply(this.test.candidate, index));
    return this;
  }

  /** Who waits in the queue, front to back, as `v4:4`. */
  get queued(): readonly string[] {
    return this.phase.queue
      .toArray()
      .map(({ authority, validatorIndex }) => `${authority}:${validatorIndex}`);
  }

  types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}

/** R37 and R38: V0 late, V1 to V4 live; V5, V6 and one more wait. */
function mixedBench(backups: AuthorityId[] = []): Bench {
  const extra = sourceAt(9, 0);
  const order = [5, 6].map((i) => sourceAt(i));
  const bench = new Bench([...order, extra, ...[4, 3, 2, 1, 0].map((i) => sourceAt(i))], {
    backups,
    threshold: 3,
  });
  bench.collect(1);
  bench.wanted = 4;
  bench.passUntil(1_000);
  bench.wanted = 0;
  return bench;
}

/** The answers of R37: two chunks, NoSuchChunk, an undecodable one, no connection. */
function answerMixed(bench: Bench): void {
  bench.deliver(0).deliver(1);
  bench.source.answer(2, NO_SUCH_CHUNK);
  bench.source.fail(3, new CodecError('unexpected_end', 'cut short', { offset: 0 }));
  bench.source.fail(4, NOT_CONNECTED);
}

describe('RequestWindow, launching', () => {
  it('R31: sends nothing with an empty queue, and ends', () => {
    const bench = new Bench([]).collect(3);
    expect([bench.source.asked, bench.hasEnded]).toEqual([[], true]);
  });

  it('R32: sends nothing when none is wanted', () => {
    const bench = new Bench([sourceAt(1)], { threshold: 1 }).collect(0);
    expect([bench.source.asked, bench.queued]).toEqual([[], ['v1:1']]);
  });

  it('R33: sends nothing when none is wanted while one is late', () => {
    const bench = new Bench([sourceAt(1), sourceAt(0)], { threshold: 2 }).collect(1);
    bench.wanted = 0;
    bench.passUntil(1_000);
    expect([bench.source.asked, bench.source.open]).toEqual([['v0:0'], 1]);
    expect(bench.types()).toEqual(['attempt_started', 'attempt_late']);
  });

  it('R34: sends all that wait as one batch beside a late and a live one', () => {
    const bench = new Bench(
      [4, 3, 2, 1, 0].map((i) => sourceAt(i)),
      { threshold: 5 },
    ).collect(1);
    bench.passUntil(1_000);
    // V0 is late, and silence let V1 go out.
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1']);
    bench.wanted = 10;
    bench.deliver(0);
    bench.source.answer(1, NO_SUCH_CHUNK);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v2:2', 'v3:3', 'v4:4']);
  });

  it('R34: announces a whole batch before it sends the first of it', () => {
    const started: number[] = [];
    const scheduler = new VirtualTimeScheduler();
    const events: StrategyEvent[] = [];
    const test = testContext({
      validatorCount: 7,
      scheduler,
      chunkSource: () => ({
        askChunk: () => {
          started.push(events.filter(({ type }) => type === 'attempt_started').length);
          return new Subject<ChunkReply>();
        },
      }),
    });
    const window = new RequestWindow(test.context);
    const phase = phaseOver(
      test,
      [1, 2, 3].map((i) => sourceAt(i)),
      { threshold: 3 },
    );
    window.collect(phase).subscribe((event) => events.push(event));
    expect(started).toEqual([3, 3, 3]);
  });
});

describe('RequestWindow, asking', () => {
  it('R35: asks an authority for the chunk of a validator; the version is up to the protocol', () => {
    const questions: ChunkQuestion[] = [];
    const chunkSource: ChunkSource = {
      askChunk: (question) => {
        questions.push(question);
        return of(NO_SUCH_CHUNK);
      },
    };
    const bench = new Bench([sourceAt(5, 2)], { threshold: 1 }, { chunkSource: () => chunkSource });
    bench.collect(1);
    const { candidateHash } = bench.test.candidate;
    const maxBytes = maxChunkAnswerBytes(bench.test.context);
    expect(questions).toEqual([{ candidateHash, sessionIndex: 10, ...sourceAt(5, 2), maxBytes }]);
  });
});

describe('RequestWindow, settling', () => {
  it('R36: ends at once, without an answer, when nothing is on the way or queued', () => {
    const bench = new Bench([], { threshold: 1 }).collect(0);
    expect([bench.hasEnded, bench.counts]).toEqual([true, { responses: 0, errors: 0 }]);
  });

  it('R37: counts five answers and three errors, and puts the repeat at the front', () => {
    const bench = mixedBench();
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v2:2', 'v3:3', 'v4:4']);
    answerMixed(bench);
    expect(bench.counts).toEqual({ responses: 5, errors: 3 });
    expect(bench.test.context.known.count).toBe(2);
    expect(bench.queued).toEqual(['v4:4', 'v5:5', 'v6:6', 'v9:0']);
    expect(bench.source.open).toBe(0);
  });

  it('R37: leaves out a source that failed as often as allowed', () => {
    const bench = mixedBench();
    answerMixed(bench);
    bench.wanted = 4;
    bench.passUntil(3_000);
    bench.wanted = 0;
    expect(bench.source.asked.slice(5)).toEqual(['v9:0', 'v6:6', 'v5:5', 'v4:4']);
    bench.source.fail(4, NOT_CONNECTED);
    expect(bench.queued).toEqual([]);
    expect(bench.counts).toEqual({ responses: 6, errors: 4 });
  });

  it('R37: ends without a look at the queue when it may conclude', () => {
    const bench = new Bench([sourceAt(1)], { threshold: 0 }).collect(3);
    expect([bench.hasEnded, bench.queued, bench.source.asked]).toEqual([true, ['v1:1'], []]);
  });

  it('R38: puts the first backer without a record for the chunk at the front, once', () => {
    const [alice, bob] = [authorityId('v20'), authorityId('v21')];
    const backups = [2, 0, 4, 3].map(authorityAt).concat(alice, bob);
    const bench = mixedBench(backups);
    answerMixed(bench);
    expect(bench.queued).toEqual(['v4:4', 'v2:3', 'v0:2', 'v5:5', 'v6:6', 'v9:0']);
    bench.wanted = 6;
    bench.passUntil(3_000);
    bench.wanted = 0;
    bench.source.fail(4, NOT_CONNECTED);
    expect(bench.queued).toEqual(['v20:4']);
  });

  it('gives a backup its own allowance under its own key', () => {
    const bench = new Bench([sourceAt(1)], { threshold: 1, backups: [authorityAt(5)] }).collect(1);
    bench.source.answer(1, NO_SUCH_CHUNK);
    bench.source.fail(5, TIMEOUT, 1);
    bench.source.fail(5, TIMEOUT, 1);
    expect(bench.source.asked).toEqual(['v1:1', 'v5:1', 'v5:1']);
    expect(bench.hasEnded).toBe(true);
  });

  it('R4: makes no progress with a chunk that is held, and records no failure', () => {
    const bench = new Bench([sourceAt(1), sourceAt(2)], { threshold: 2 }).collect(2);
    bench.deliver(2);
    bench.source.answer(1, goodReply(bench.test.candidate, 2));
    expect(bench.types().filter((type) => type === 'chunk_held')).toHaveLength(1);
    expect(bench.window.retries.has(sourceAt(1))).toBe(false);
    expect(bench.hasEnded).toBe(true);
  });

  it('ignores a failure of an attempt that the phase does not want', () => {
    const bench = new Bench([sourceAt(1), sourceAt(2)], {
      threshold: 1,
      backups: [authorityAt(5)],
      wants: ({ validatorIndex }) => validatorIndex !== 1,
    }).collect(2);
    bench.source.fail(1, TIMEOUT);
    expect(bench.queued).toEqual([]);
    bench.source.answer(2, NO_SUCH_CHUNK);
    expect(bench.source.asked).toEqual(['v2:2', 'v1:1', 'v5:2']);
  });
});

describe('RequestWindow, time', () => {
  it('measures silence, not the age of an attempt', () => {
    const bench = new Bench(
      [2, 1, 0].map((i) => sourceAt(i)),
      { threshold: 3 },
    ).collect(3);
    bench.passUntil(600).deliver(0);
    bench.passUntil(1_599);
    expect(bench.types()).not.toContain('attempt_late');
    bench.passUntil(1_600);
    expect(bench.events.filter(({ type }) => type === 'attempt_late')).toEqual([
      { type: 'attempt_late', atMs: 1_600, attemptId: 1 },
      { type: 'attempt_late', atMs: 1_600, attemptId: 2 },
    ]);
  });

  it('still takes a late answer', () => {
    const bench = new Bench([sourceAt(0)], { threshold: 1 }).collect(1).passUntil(2_500).deliver(0);
    expect(bench.types()).toEqual([
      'attempt_started',
      'attempt_late',
      'attempt_finished',
      'chunk_held',
    ]);
    expect(bench.hasEnded).toBe(true);
  });

  it('waits for the time of a refused source when nobody else is left', () => {
    const bench = new Bench([sourceAt(0)], { threshold: 1 }).collect(1).passUntil(10);
    bench.source.fail(0, new RequestError('refused', 'refused'));
    bench.passUntil(259);
    expect(bench.source.asked).toEqual(['v0:0']);
    bench.passUntil(260);
    expect(bench.source.asked).toEqual(['v0:0', 'v0:0']);
  });

  it('refill on_answer: sends on every answer', () => {
    const bench = new Bench(
      [3, 2, 1, 0].map((i) => sourceAt(i)),
      { threshold: 4 },
    ).collect(2);
    bench.deliver(0);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v2:2']);
  });

  it('refill after_round: waits until all have answered', () => {
    const settings = { refill: 'after_round' } as const;
    const order = [3, 2, 1, 0].map((i) => sourceAt(i));
    const bench = new Bench(order, { threshold: 4 }, { settings }).collect(2);
    bench.deliver(0);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1']);
    bench.deliver(1);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v2:2', 'v3:3']);
  });

  it('refill after_round: waits for silence while one hangs', () => {
    const settings = { refill: 'after_round' } as const;
    const order = [3, 2, 1, 0].map((i) => sourceAt(i));
    const bench = new Bench(order, { threshold: 4 }, { settings }).collect(2);
    bench.passUntil(100).deliver(0);
    bench.passUntil(1_099);
    expect(bench.source.asked).toHaveLength(2);
    bench.passUntil(1_100);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v2:2', 'v3:3']);
  });

  it('refill after_round: a round with nobody to ask ends at a silence, not at the next answer', () => {
    const settings = { refill: 'after_round' } as const;
    const order = [1, 0].map((i) => sourceAt(i));
    const bench = new Bench(order, { threshold: 2 }, { settings }).collect(2);
    bench.passUntil(1_100).source.fail(0, TIMEOUT);
    bench.passUntil(2_099);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1']);
    bench.passUntil(2_100);
    expect(bench.source.asked).toEqual(['v0:0', 'v1:1', 'v0:0']);
  });
});

/** V0 has nothing, V1 has its chunk, and both say so at once. */
function answersAtOnce(candidate: TestCandidate): ChunkSource {
  return chunksBy({ v0: of(NO_SUCH_CHUNK), v1: of(goodReply(candidate, 1)) });
}

describe('RequestWindow, phases', () => {
  it('goes on in the next phase at once when a phase ends with its last answer', async () => {
    // n = 3: one systematic holder, so nothing else is on the way when it fails.
    const world = await RecoveryWorld.open({
      validatorCount: 3,
      coreIndex: 0,
      behaviour: ({ index }) => ({ behaviour: index === 0 ? 'no_such' : 'good', delayMs: 10 }),
    });
    const { recovered, error } = world.run();
    expect(codeOf(error)).toBeUndefined();
    expect(recovered).toMatchObject({ from: 'regular_chunks', atMs: 20 });
  });

  it('carryInFlight: keeps what is on the way, and knows whom it asks', () => {
    const bench = new Bench([sourceAt(1), sourceAt(0)], { threshold: 2 }).collect(2);
    bench.source.answer(0, NO_SUCH_CHUNK);
    expect([bench.hasEnded, bench.source.open]).toEqual([true, 1]);
    expect([0, 1].map((i) => bench.window.isAsking(sourceAt(i)))).toEqual([false, true]);
    bench.hasEnded = false;
    bench.phase = { ...bench.phase, threshold: 1 };
    bench.collect(2).deliver(1);
    expect([bench.hasEnded, bench.test.context.known.count]).toEqual([true, 1]);
    expect(bench.window.isAsking(sourceAt(1))).toBe(false);
  });

  it('carryInFlight: keeps an answer that came between two phases', () => {
    const bench = new Bench([sourceAt(1), sourceAt(0)], { threshold: 2 }).collect(2);
    bench.source.answer(0, NO_SUCH_CHUNK);
    bench.passUntil(30).deliver(1);
    expect(bench.test.context.known.count).toBe(0);
    bench.passUntil(100);
    bench.phase = { ...bench.phase, threshold: 1 };
    bench.collect(2);
    expect(bench.test.context.known.count).toBe(1);
    expect(bench.events.at(-2)).toMatchObject({ type: 'attempt_finished', atMs: 100, ms: 30 });
  });

  it('carryInFlight: keeps an answer that was not looked at when the phase ended', () => {
    const order = [sourceAt(1), sourceAt(0)];
    const bench = new Bench(order, { threshold: 2 }, { chunkSource: answersAtOnce }).collect(2);
    expect([bench.hasEnded, bench.test.context.known.count]).toEqual([true, 0]);
    bench.phase = { ...bench.phase, threshold: 1 };
    bench.collect(2);
    expect(bench.test.context.known.count).toBe(1);
  });

  it('carryInFlight off: drops what is on the way and says so', () => {
    const settings = { carryInFlight: false };
    const bench = new Bench([sourceAt(1), sourceAt(0)], { threshold: 2 }, { settings }).collect(2);
    bench.source.answer(0, NO_SUCH_CHUNK);
    expect([bench.hasEnded, bench.source.open]).toEqual([true, 0]);
    expect(bench.events.at(-1)).toMatchObject({ answer: 'canceled', code: 'not_needed' });
    expect(bench.window.isAsking(sourceAt(1))).toBe(false);
  });

  it('stops everything when it is unsubscribed, without a word', () => {
    const bench = new Bench(
      [1, 0].map((i) => sourceAt(i)),
      { threshold: 2 },
    ).collect(2);
    const before = bench.events.length;
    bench.window.unsubscribe();
    expect([bench.source.open, bench.events.length]).toEqual([0, before]);
    expect(bench.scheduler.actions).toEqual([]);
  });
});

describe('RequestWindow, work that fails to verify', () => {
  const broken = new Error('a worker died');

  /** A window whose work answers nothing but by a failure given by hand. */
  function opened(): { bench: Bench; verdict: Subject<never>; errors: unknown[] } {
    const verdict = new Subject<never>();
    const work = workWith({ verify: () => verdict });
    const bench = new Bench([sourceAt(1)], { threshold: 1 }, { work });
    return { bench, verdict, errors: [] };
  }

  it('ends the phase that listens in the local fault', () => {
    const { bench, verdict, errors } = opened();
    bench.wanted = 1;
    bench.window.collect(bench.phase).subscribe({ error: (error: unknown) => errors.push(error) });
    bench.source.answer(1, goodReply(bench.test.candidate, 1));
    expect(errors).toEqual([]);
    verdict.error(broken);
    expect(errors).toMatchObject([{ code: 'local_fault', cause: broken }]);
  });

  it('between two phases is told to the next, which would wait for that answer for ever', () => {
    const { bench, verdict, errors } = opened();
    bench.wanted = 1;
    const first = bench.window.collect(bench.phase).subscribe((event) => bench.events.push(event));
    bench.source.answer(1, goodReply(bench.test.candidate, 1));
    first.unsubscribe();
    verdict.error(broken);
    bench.window.collect(bench.phase).subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toMatchObject([{ code: 'local_fault', cause: broken }]);
  });

  it('is heard by nobody once everything was taken back', () => {
    const { bench, verdict, errors } = opened();
    bench.wanted = 1;
    bench.window.collect(bench.phase).subscribe({ error: (error: unknown) => errors.push(error) });
    bench.source.answer(1, goodReply(bench.test.candidate, 1));
    expect(bench.window.cancelAll()).toMatchObject([{ answer: 'canceled', code: 'not_needed' }]);
    expect(verdict.observed).toBe(false);
    verdict.error(broken);
    expect(errors).toEqual([]);
  });
});
