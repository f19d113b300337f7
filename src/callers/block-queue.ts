/**
 * @module
 * The blocks that are being recovered, as data: who waits for whom, and who may start. No streams.
 */

import {
  candidateHashOf,
  candidateReceipt,
  receiptParaHeadHash,
  receiptParaId,
} from '../codec/candidate.ts';
import { toHex } from '../primitives/bytes.ts';
import type { RecoveredEvent } from '../recovery/events.ts';
import type { ParaBlock, PendingCandidate, QueuedBlock } from './in-order-events.ts';

/**
 * Where a block is.
 *
 * - `waiting`: for its delay; `hasBegun` once a try was made.
 * - `ready`: the delay is over; `begin` starts the try.
 * - `running`: a try is under way.
 * - `held`: recovered, and its parent is still to be given out.
 */
export type BlockStage =
  | { readonly type: 'waiting'; readonly hasBegun: boolean }
  | {
      readonly type: 'ready';
      readonly hasBegun: boolean;
      /** Starts the try, in that turn. */
      readonly begin: () => void;
    }
  | { readonly type: 'running' }
  | { readonly type: 'held'; readonly result: RecoveredEvent };

/** A block of the queue. */
export type Entry = {
  readonly key: string;
  readonly parentKey: string;
  readonly block: QueuedBlock;
  readonly candidate: PendingCandidate;
  stage: BlockStage;
};

/** Bounds of what may be under way. */
export type StartLimits = { readonly parallel: number; readonly maxAhead: number };

const HEX_HASH = /^[0-9a-f]{64}$/;

/** Name of a block in maps. @throws TypeError for a hash in another form. */
export function blockKey({ paraId, headHash }: ParaBlock): string {
  if (!HEX_HASH.test(headHash)) {
    throw new TypeError(`headHash: expected 64 lower-case hex characters, got ${headHash}`);
  }
  return `${paraId}:${headHash}`;
}

/**
 * Makes the entry of a candidate, not yet in a queue.
 *
 * @throws CodecError for a receipt of another size; TypeError for a parent hash in another form.
 */
export function entryOf(candidate: PendingCandidate): Entry {
  const receipt = candidateReceipt(candidate.receipt);
  const paraId = receiptParaId(receipt);
  const headHash = toHex(receiptParaHeadHash(receipt));
  return {
    key: blockKey({ paraId, headHash }),
    parentKey: blockKey({ paraId, headHash: candidate.parentHeadHash }),
    block: { paraId, headHash, candidateHash: candidateHashOf(receipt) },
    candidate,
    stage: { type: 'waiting', hasBegun: false },
  };
}

/** The blocks of a queue in order of arrival. */
export class BlockQueue {
  private readonly entries = new Map<string, Entry>();

  /** Blocks in it. */
  get size(): number {
    return this.entries.size;
  }

  /** Whether a block is in it. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** A block of it. */
  get(key: string): Entry | undefined {
    return this.entries.get(key);
  }

  /** Puts a block at the end. */
  add(entry: Entry): void {
    this.entries.set(entry.key, entry);
  }

  /** Takes a block out. */
  remove(entry: Entry): void {
    this.entries.delete(entry.key);
  }

  /** Whether a block that is to be added would come before itself. */
  isOwnAncestor({ key, parentKey }: Entry): boolean {
    let ancestor: string | undefined = parentKey;
    while (ancestor !== undefined && ancestor !== key) {
      ancestor = this.entries.get(ancestor)?.parentKey;
    }
    return ancestor === key;
  }

  /** The queued blocks right after one. */
  childrenOf(key: string): readonly Entry[] {
    return [...this.entries.values()].filter(({ parentKey }) => parentKey === key);
  }

  /**
   * The first block whose try may begin. A block whose parent is queued begins after it, and only as
   * many of them as `maxAhead` are running or held, which bounds the data kept; one whose parent is not
   * queued waits for a free place alone, so that held children never stop the block they wait for.
   */
  nextToBegin({ parallel, maxAhead }: StartLimits): (Entry & ReadyEntry) | undefined {
    const all = [...this.entries.values()];
    const busy = all.filter(({ stage }) => stage.type === 'running' || stage.type === 'held');
    if (busy.filter(({ stage }) => stage.type === 'running').length >= parallel) {
      return undefined;
    }
    const isAheadFull = busy.filter(({ parentKey }) => this.has(parentKey)).length >= maxAhead;
    return all.find((entry): entry is Entry & ReadyEntry => {
      const parent = this.entries.get(entry.parentKey);
      return (
        entry.stage.type === 'ready' &&
        (parent === undefined || (hasBegun(parent.stage) && !isAheadFull))
      );
    });
  }
}

/** An entry whose delay is over. */
type ReadyEntry = { readonly stage: Extract<BlockStage, { readonly type: 'ready' }> };

/** Whether a try was made. */
export function hasBegun(stage: BlockStage): boolean {
  return stage.type === 'running' || stage.type === 'held' || stage.hasBegun;
}
