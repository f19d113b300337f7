/**
 * @module
 * What is known about a candidate's place in the chain, and how long its data is kept for it
 * (recovery spec §5.2). Pure transitions, one per edge; who calls them, and when, is not decided here.
 */

/** A relay-chain block that includes a candidate. `hash` is 64 lower-case hex characters. */
export type IncludingBlock = { readonly number: number; readonly hash: string };

/**
 * Where a candidate stands. `sinceMs` is when it was first seen; it survives inclusion, so that a
 * candidate that falls back to *unavailable* has the age it always had.
 */
export type CandidateState =
  | { readonly type: 'unavailable'; readonly sinceMs: number }
  | {
      readonly type: 'unfinalized';
      readonly sinceMs: number;
      /** Not empty; ascending by number, then hash; no block twice. */
      readonly blocks: readonly IncludingBlock[];
    }
  | { readonly type: 'finalized'; readonly sinceMs: number; readonly finalizedAtMs: number };

/** How long data is kept, in milliseconds. Candidates in unfinalized blocks are kept regardless. */
export type Retention = { readonly unavailableMs: number; readonly finalizedMs: number };

const HOUR_MS = 3_600_000;

/** 1 h after first seen, or 25 h after finality, as on live networks (recovery spec §5.2). */
export const DEFAULT_RETENTION: Retention = {
  unavailableMs: HOUR_MS,
  finalizedMs: 25 * HOUR_MS,
};

/** (none) -> Unavailable: first seen backed, or stored before that. */
export function firstSeen(nowMs: number): CandidateState {
  return { type: 'unavailable', sinceMs: nowMs };
}

/** Unavailable -> Unfinalized, Unfinalized -> Unfinalized: included in one more block. */
export function included(state: CandidateState, block: IncludingBlock): CandidateState {
  switch (state.type) {
    case 'unavailable':
      return { type: 'unfinalized', sinceMs: state.sinceMs, blocks: [block] };
    case 'unfinalized': {
      const blocks = [...state.blocks.filter((other) => !isSameBlock(other, block)), block];
      return { ...state, blocks: blocks.sort(compareBlocks) };
    }
    case 'finalized':
      return state;
  }
}

/**
 * Unfinalized -> Unfinalized: one of the including blocks lost to a fork.
 * Unfinalized -> Unavailable: the last one did; the original time counts again.
 */
export function retracted(state: CandidateState, block: IncludingBlock): CandidateState {
  if (state.type !== 'unfinalized') {
    return state;
  }
  const blocks = state.blocks.filter((other) => !isSameBlock(other, block));
  return blocks.length === 0
    ? { type: 'unavailable', sinceMs: state.sinceMs }
    : { ...state, blocks };
}

/** Unavailable -> Finalized, Unfinalized -> Finalized. The first finality counts. */
export function finalized(state: CandidateState, nowMs: number): CandidateState {
  return state.type === 'finalized'
    ? state
    : { type: 'finalized', sinceMs: state.sinceMs, finalizedAtMs: nowMs };
}

/** Whether a candidate's data may go. */
export function isExpired(state: CandidateState, retention: Retention, nowMs: number): boolean {
  switch (state.type) {
    case 'unavailable':
      return state.sinceMs + retention.unavailableMs <= nowMs;
    case 'unfinalized':
      return false;
    case 'finalized':
      return state.finalizedAtMs + retention.finalizedMs <= nowMs;
  }
}

/** Order in which including blocks are kept: by number, then by hash. */
export function compareBlocks(a: IncludingBlock, b: IncludingBlock): number {
  if (a.number !== b.number) {
    return a.number - b.number;
  }
  return a.hash < b.hash ? -1 : Number(a.hash > b.hash);
}

function isSameBlock(a: IncludingBlock, b: IncludingBlock): boolean {
  return a.number === b.number && a.hash === b.hash;
}
