/**
 * @module
 * Everybody who can be asked in a recorded world. Chunk questions of one turn are a batch; its answers
 * are delivered one by one, each in an action of its own, and held ones when the file says so.
 */

import { Observable, type SchedulerLike, type Subscriber, Subscription } from 'rxjs';
import { type ChunkMapping, chunkMapping } from '../../src/mapping/assignment.ts';
import type {
  ChunkQuestion,
  ChunkReply,
  ChunkSource,
  DataQuestion,
  DataReply,
  DataSource,
} from '../../src/recovery/ports.ts';
import { chunkAnswer, dataAnswer, HELD_ACTIONS } from './answers.ts';
import type { WorldCandidate } from './candidate.ts';
import type { Behaviours, Step, World } from './format.ts';
import type { Trace } from './trace.ts';

/** After this long without a message all held requests are given up. */
const HELD_MS = 2_600;

/** What a held request gets once the next batch is issued, and what it gets when it is given up. */
const HELD_ANSWERS: Readonly<Record<string, { readonly next?: string; readonly end: string }>> = {
  hang: { end: 'to' },
  hangc: { end: 'can' },
  late: { next: 'ok', end: 'to' },
  lateno: { next: 'no', end: 'to' },
  hcan: { next: 'can', end: 'to' },
};

type Asked = {
  readonly question: ChunkQuestion;
  readonly subscriber: Subscriber<ChunkReply>;
  readonly action: string;
};

/** What the network of one step needs to know. */
export type StepScene = {
  readonly world: World;
  readonly step: Step;
  readonly candidate: WorldCandidate;
  readonly scheduler: SchedulerLike;
  readonly trace: Trace;
  /** Label of the strategy whose chunk requests are leaving. */
  strategy(): 's' | 'r';
  /** The b-th batch was issued; its answers are still to come. */
  onBatch(batch: number): void;
};

/** Both sources of one step. */
export class StepNetwork implements ChunkSource, DataSource {
  /** An answer was given whose proven chunk index is not below n. */
  hasGivenSurplus = false;
  /** Every question for full data forbade to dial, as the reference's do. */
  hasDialed = false;
  private readonly scene: StepScene;
  private readonly mapping: ChunkMapping;
  private readonly times = new Map<string, number>();
  private batch: { question: ChunkQuestion; subscriber: Subscriber<ChunkReply> }[] = [];
  private held: Asked[] = [];
  private batches = 0;
  private round = 0;
  private inRound = 0;
  private patience = Subscription.EMPTY;

  constructor(scene: StepScene) {
    this.scene = scene;
    const { world, step } = scene;
    const isMapped = world.n > 1 && world.features[2] === '1';
    this.mapping = chunkMapping({
      scheme: isMapped ? 'rfc47' : 'identity',
      validatorCount: world.n,
      coreIndex: step.core ?? step.mapcore ?? 0,
    });
  }

  /** A message left the recovery: the patience with held requests begins anew. */
  onMessage(): void {
    this.patience.unsubscribe();
    this.patience = this.scene.scheduler.schedule(() => this.giveUpHeld(), HELD_MS);
  }

  /** The step is over. */
  close(): void {
    this.patience.unsubscribe();
    this.held = [];
  }

  /** See the port. */
  askChunk(question: ChunkQuestion): Observable<ChunkReply> {
    return new Observable((subscriber) => {
      if (this.batch.length === 0) {
        this.scene.scheduler.schedule(() => this.issueBatch());
      }
      this.batch.push({ question, subscriber });
    });
  }

  /** See the port. */
  askData(question: DataQuestion): Observable<DataReply> {
    return new Observable((subscriber) => {
      const { step, candidate, scheduler, trace } = this.scene;
      const { validatorIndex, dial } = question;
      this.hasDialed ||= dial;
      trace.write(`f ${validatorIndex}`);
      this.batches += 1;
      const batch = this.batches;
      scheduler.schedule(() => {
        this.scene.onBatch(batch);
        const action = this.actionOf(step.fd, validatorIndex, `fd:${validatorIndex}`);
        scheduler.schedule(() => dataAnswer(action, candidate).subscribe(subscriber));
      });
    });
  }

  private issueBatch(): void {
    const { world, trace, onBatch, strategy } = this.scene;
    const batch = this.batch.map((asked) => ({ ...asked, action: '' }));
    this.batch = [];
    const names = batch.map(({ question: { authority, validatorIndex } }) =>
      authority === authorityName(validatorIndex)
        ? `${validatorIndex}`
        : `${authority.slice(1)}>${validatorIndex}`,
    );
    trace.write(`${strategy()} ${names.join(' ')}`);
    this.batches += 1;
    onBatch(this.batches);
    this.answerHeld();
    const roundAction = this.nextRound(batch.length);
    const answered = batch.map((asked) => ({
      ...asked,
      action: roundAction ?? this.chunkAction(asked.question),
    }));
    for (const asked of world.reverse === true ? answered.toReversed() : answered) {
      if (HELD_ACTIONS.has(asked.action)) {
        this.held.push(asked);
      } else {
        this.deliver(asked, asked.action);
      }
    }
  }

  /** The action of a whole batch, where the step has rounds. */
  private nextRound(requests: number): string | undefined {
    const { rounds } = this.scene.step;
    const round = rounds?.[Math.min(this.round, rounds.length - 1)];
    if (round === undefined) {
      return undefined;
    }
    const [count, action] = round;
    this.inRound += requests;
    if (this.inRound >= count) {
      this.round += 1;
      this.inRound = 0;
    }
    return action;
  }

  private chunkAction({ authority, validatorIndex }: ChunkQuestion): string {
    const { step } = this.scene;
    const recipient = Number(authority.slice(1));
    const behaviours = recipient === validatorIndex ? step.ck : step.bk;
    return this.actionOf(behaviours, recipient, `ck:${recipient}:${validatorIndex}`);
  }

  private actionOf(behaviours: Behaviours | undefined, recipient: number, key: string): string {
    const times = this.times.get(key) ?? 0;
    this.times.set(key, times + 1);
    const text = behaviours?.[recipient] ?? behaviours?.['def'] ?? 'ok';
    const actions = text.split(',');
    return actions[Math.min(times, actions.length - 1)] ?? 'ok';
  }

  private answerHeld(): void {
    const held = this.held;
    this.held = [];
    for (const asked of held) {
      const next = HELD_ANSWERS[asked.action]?.next;
      if (next === undefined) {
        this.held.push(asked);
      } else {
        this.deliver(asked, next);
      }
    }
  }

  private giveUpHeld(): void {
    const { held } = this;
    if (held.length === 0) {
      return;
    }
    this.held = [];
    this.scene.trace.writeGivenUp();
    for (const asked of held) {
      this.deliver(asked, HELD_ANSWERS[asked.action]?.end ?? 'to');
    }
  }

  private deliver({ question, subscriber }: Asked, action: string): void {
    const { candidate, scheduler, world } = this.scene;
    const { validatorIndex } = question;
    scheduler.schedule(() => {
      if (subscriber.closed) {
        return;
      }
      const own = candidate.chunks[this.mapping.chunkOf(validatorIndex)];
      if (own === undefined) {
        throw new RangeError(`no chunk of validator ${validatorIndex}`);
      }
      chunkAnswer(action, { candidate, own, validatorIndex, n: world.n }).subscribe({
        next: (reply) => {
          this.hasGivenSurplus ||= reply.type === 'chunk' && reply.chunk.chunkIndex >= world.n;
          subscriber.next(reply);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
  }
}

/** The authority of a validator in these worlds. */
export function authorityName(index: number): string {
  return `v${index}`;
}
