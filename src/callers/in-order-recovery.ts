/**
 * @module
 * The streams of one recovery in order: a delay and some tries for each block of the queue, and what
 * follows from each of their ends. The rules of who may start are in `block-queue.ts`.
 */

import { LRUCache } from 'lru-cache';
import {
  concatMap,
  defer,
  EMPTY,
  merge,
  NEVER,
  Observable,
  Subject,
  type Subscriber,
  Subscription,
  take,
  takeUntil,
} from 'rxjs';
import { hasCode } from '../primitives/errors.ts';
import type { RecoveredEvent, RecoveryEvent } from '../recovery/events.ts';
import { BlockQueue, blockKey, type Entry, entryOf, hasBegun } from './block-queue.ts';
import type {
  ChainInput,
  GivenUpReason,
  InOrderEvent,
  InOrderSettings,
  ParaBlock,
  PendingCandidate,
} from './in-order-events.ts';
import { type CallerParts, type RetriedEvent, recoverWithRetries } from './recover-with-retries.ts';
import { forCollator } from './requests.ts';

/** Ends of blocks that are remembered: some minutes of a parachain with as many blocks as a relay chain has cores. */
const REMEMBERED_BLOCKS = 4_096;

/** How a block left the queue. */
type BlockEnd = 'recovered' | 'imported' | 'not_wanted' | 'given_up';

/** One subscription of `recoverInOrder`. */
export class InOrderRecovery {
  private readonly parts: CallerParts;
  private readonly chain: ChainInput;
  private readonly settings: InOrderSettings;
  private readonly out: Subscriber<InOrderEvent>;
  private readonly queue = new BlockQueue();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly ends = new LRUCache<string, BlockEnd>({ max: REMEMBERED_BLOCKS });
  private isPendingOver = false;
  private isBeginning = false;

  /** Does nothing before {@link begin}. */
  constructor(
    parts: CallerParts,
    chain: ChainInput,
    settings: InOrderSettings,
    out: Subscriber<InOrderEvent>,
  ) {
    this.parts = parts;
    this.chain = chain;
    this.settings = settings;
    this.out = out;
  }

  /** Starts; the subscription stops everything. */
  begin(): Subscription {
    const all = new Subscription(() => {
      for (const subscription of this.subscriptions.values()) {
        subscription.unsubscribe();
      }
    });
    const fail = (error: unknown): void => this.out.error(error);
    all.add(
      (this.chain.imported$ ?? NEVER).subscribe({
        next: (block) => this.guarded(() => this.onImported(blockKey(block))),
        error: fail,
      }),
    );
    // A source that emits while it is subscribed cannot be unsubscribed yet, only be cut.
    const left$ = new Observable<void>((one) => this.out.add(() => one.next()));
    const pending$ = this.chain.pending$.pipe(takeUntil(left$));
    all.add(
      pending$.subscribe({
        next: (candidate) => this.guarded(() => this.onPending(candidate)),
        error: fail,
        complete: () => {
          this.isPendingOver = true;
          this.guarded(() => this.goOn());
        },
      }),
    );
    return all;
  }

  private onPending(candidate: PendingCandidate): void {
    const entry = entryOf(candidate);
    const { key } = entry;
    const end = this.ends.get(key);
    if (this.queue.has(key) || end === 'recovered') {
      return;
    }
    if (end === 'imported') {
      this.skip(entry, 'imported');
    } else if (!this.isWanted(entry.block)) {
      this.skip(entry, 'not_wanted');
    } else if (this.isParentMissing(entry)) {
      this.giveUp(entry, 'parent_given_up');
    } else if (this.queue.size >= this.settings.maxQueued) {
      this.giveUp(entry, 'queue_full');
    } else if (this.queue.isOwnAncestor(entry)) {
      this.giveUp(entry, 'own_ancestor');
    } else {
      this.enqueue(entry);
    }
  }

  private onImported(key: string): void {
    const entry = this.queue.get(key);
    if (entry !== undefined) {
      this.skip(entry, 'imported');
    } else if (this.ends.get(key) !== 'recovered') {
      // What was given out is imported next, and stays given out: its repetition is ignored.
      this.ends.set(key, 'imported');
    }
  }

  private enqueue(entry: Entry): void {
    if (this.queue.has(entry.key)) {
      // The same block came again while the caller was asked whether it is wanted.
      return;
    }
    this.ends.delete(entry.key);
    this.queue.add(entry);
    const subscription = new Subscription();
    this.subscriptions.set(entry.key, subscription);
    const { recovery, runtime } = this.parts;
    const gated = {
      recover: (request: Parameters<typeof recovery.recover>[0]): Observable<RecoveryEvent> =>
        this.whenBegun(entry).pipe(concatMap(() => recovery.recover(request))),
    };
    subscription.add(
      recoverWithRetries(
        { recovery: gated, runtime },
        forCollator(entry.candidate),
        this.settings.policy,
      ).subscribe({
        next: (event) => this.guarded(() => this.onEvent(entry, event)),
        error: (error: unknown) => this.onFailure(entry, error),
      }),
    );
  }

  /** Emits once, when it is the entry's turn. */
  private whenBegun(entry: Entry): Observable<void> {
    return defer(() => {
      const begun$ = new Subject<void>();
      const ask$ = defer(() => {
        const begin = (): void => begun$.next();
        entry.stage = { type: 'ready', hasBegun: hasBegun(entry.stage), begin };
        this.guarded(() => this.goOn());
        return EMPTY;
      });
      return merge(begun$, ask$).pipe(take(1));
    });
  }

  private onEvent(entry: Entry, event: RetriedEvent): void {
    if (event.type === 'recovered') {
      entry.stage = { type: 'held', result: event };
      this.giveOut(entry);
      this.goOn();
      return;
    }
    if (event.type === 'try_waiting') {
      entry.stage = { type: 'waiting', hasBegun: hasBegun(entry.stage) };
      this.goOn();
    }
    this.out.next({ type: 'progress', block: entry.block, event });
  }

  private onFailure(entry: Entry, error: unknown): void {
    if (hasCode(error, 'stopped')) {
      this.out.error(error);
      return;
    }
    this.guarded(() => this.giveUp(entry, 'failed', error));
  }

  /** Gives out a held block whose parent is not queued, and then what was held for it. */
  private giveOut(first: Entry): void {
    const open = [first];
    for (let entry = open.shift(); entry !== undefined; entry = open.shift()) {
      const { stage } = entry;
      const isQueued = this.queue.get(entry.key) === entry;
      if (stage.type === 'held' && isQueued && !this.queue.has(entry.parentKey)) {
        this.leave(entry, 'recovered');
        this.emitRecovered(entry, stage.result);
        open.push(...this.queue.childrenOf(entry.key));
      }
    }
  }

  private emitRecovered({ block, candidate }: Entry, result: RecoveredEvent): void {
    this.out.next({ type: 'recovered', atMs: this.nowMs(), block, candidate, result });
  }

  private skip(entry: Entry, reason: 'imported' | 'not_wanted'): void {
    this.leave(entry, reason);
    this.out.next({ type: 'skipped', atMs: this.nowMs(), block: entry.block, reason });
    for (const child of this.queue.childrenOf(entry.key)) {
      this.giveOut(child);
    }
    this.goOn();
  }

  private giveUp(first: Entry, reason: GivenUpReason, error?: unknown): void {
    this.leave(first, 'given_up');
    this.emitGivenUp(first, reason, error);
    const parents = [first.key];
    for (let key = parents.shift(); key !== undefined; key = parents.shift()) {
      for (const child of this.queue.childrenOf(key)) {
        // Whoever was told of one end may have brought about the next.
        if (this.queue.get(child.key) === child) {
          this.leave(child, 'given_up');
          this.emitGivenUp(child, 'parent_given_up');
          parents.push(child.key);
        }
      }
    }
    this.goOn();
  }

  private emitGivenUp({ block }: Entry, reason: GivenUpReason, error?: unknown): void {
    this.out.next({
      type: 'given_up',
      atMs: this.nowMs(),
      block,
      reason,
      ...(error === undefined ? {} : { error }),
    });
  }

  /** Takes a block out of the queue and stops what it does. */
  private leave(entry: Entry, end: BlockEnd): void {
    if (this.queue.get(entry.key) === entry) {
      this.queue.remove(entry);
      this.subscriptions.get(entry.key)?.unsubscribe();
      this.subscriptions.delete(entry.key);
    }
    this.ends.set(entry.key, end);
  }

  /** Begins what may begin; completes when nothing is left. */
  private goOn(): void {
    if (this.isBeginning) {
      return;
    }
    this.isBeginning = true;
    const next = (): ReturnType<BlockQueue['nextToBegin']> =>
      this.out.closed ? undefined : this.queue.nextToBegin(this.settings);
    for (let entry = next(); entry !== undefined; entry = next()) {
      this.beginTry(entry, entry.stage.begin);
    }
    this.isBeginning = false;
    if (this.isPendingOver && this.queue.size === 0) {
      this.out.complete();
    }
  }

  private beginTry(entry: Entry, begin: () => void): void {
    if (this.isWanted(entry.block)) {
      entry.stage = { type: 'running' };
      begin();
    } else {
      this.skip(entry, 'not_wanted');
    }
  }

  /** Whether the parent was given up, unless the node came to know it by another way. */
  private isParentMissing({ parentKey, block, candidate }: Entry): boolean {
    const { paraId } = block;
    return (
      this.ends.get(parentKey) === 'given_up' &&
      this.isWanted({ paraId, headHash: candidate.parentHeadHash })
    );
  }

  private isWanted({ paraId, headHash }: ParaBlock): boolean {
    return this.chain.isWanted?.({ paraId, headHash }) ?? true;
  }

  /** What the caller handed in may be misuse or throw: that ends the whole. */
  private guarded(act: () => void): void {
    if (this.out.closed) {
      return;
    }
    try {
      act();
    } catch (error: unknown) {
      this.out.error(error);
    }
  }

  private nowMs(): number {
    return this.parts.runtime.scheduler.now();
  }
}
