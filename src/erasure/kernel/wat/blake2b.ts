/**
 * @module
 * The compression of BLAKE2b for several messages at once: pairs of messages in the two lanes of vectors,
 * and single messages in plain registers beside them (RFC 7693 §3.1-3.2). `hash-rows.ts` runs it over rows.
 *
 * Its speed lies in its shape: see {@link CompressionShape}.
 */

import { BLAKE2B_IV, BLAKE2B_ORDER, BLAKE2B_ROTATE_16, BLAKE2B_ROTATE_24 } from '../memory-map.ts';
import {
  COLUMNS,
  DIAGONALS,
  mixPair,
  mixSingle,
  type PairWords,
  type Rotations,
  type SingleWords,
  writeSpread,
  xor64,
} from './blake2b-mixing.ts';
import { INITIAL_VALUES, ROUNDS } from './blake2b-tables.ts';
import type { Build } from './build.ts';
import {
  add,
  type Body,
  type I32,
  type I64,
  type Local,
  load32,
  load64,
  loadV,
  shuffle,
  type V128,
  value,
  vector,
  xor,
} from './function-text.ts';

/** Bytes of a message block. */
export const BLOCK_BYTES = 128;

/** Bytes of a state, eight words. */
const STATE_BYTES = 64;

/** What is compressed side by side, and how the code is laid out. Results are the same for all. */
export type CompressionShape = {
  /** Pairs of messages in vectors. */
  readonly pairs: number;
  /** Messages in plain registers. */
  readonly scalars: number;
  /** Mixings of a pair that go step by step side by side: 4, 2 or 1. Fewer need fewer registers at a time. */
  readonly sideBySide: number;
  /** Rounds in the loop's body; divides 12. More is less loop, but code beyond some size runs at half speed. */
  readonly roundsPerPass: number;
};

/** How many messages a shape takes. */
export function messagesOf({ pairs, scalars }: CompressionShape): number {
  return 2 * pairs + scalars;
}

/** Offsets in scratch memory that a compression of some shape uses. */
export type CompressionScratch = {
  /** By use, 192 entries of 32 bits: address of the first pair's word. See {@link prepareOrder}. */
  readonly pairOrder: number;
  /** The same for the first single message. */
  readonly singleOrder: number;
  /** Message words of each pair, 16 vectors, lane 0 from the first message. */
  readonly pairWords: number;
  /** The block of each single message. */
  readonly singleWords: number;
  /** Chain values: 8 vectors for each pair, then 8 words for each single message. */
  readonly states: number;
  /** First byte that is free. */
  readonly end: number;
};

const ORDER_BYTES = 4 * 16 * ROUNDS;
const PAIR_BLOCK_BYTES = 2 * BLOCK_BYTES;
const PAIR_STATE_BYTES = 2 * STATE_BYTES;

/** Places for a shape. */
export function compressionScratch({ pairs, scalars }: CompressionShape): CompressionScratch {
  const pairWords = 2 * ORDER_BYTES;
  const singleWords = pairWords + pairs * PAIR_BLOCK_BYTES;
  const states = singleWords + scalars * BLOCK_BYTES;
  const end = states + pairs * PAIR_STATE_BYTES + scalars * STATE_BYTES;
  return { pairOrder: 0, singleOrder: ORDER_BYTES, pairWords, singleWords, states, end };
}

/** Where the chain value of message `i` starts in scratch, and the distance between its words. */
export function statePlace(
  shape: CompressionShape,
  message: number,
): { readonly offset: number; readonly step: number } {
  const { states } = compressionScratch(shape);
  return message < 2 * shape.pairs
    ? { offset: states + (message >> 1) * PAIR_STATE_BYTES + 8 * (message & 1), step: 16 }
    : { offset: states + message * STATE_BYTES, step: 8 };
}

const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALVES = LOW_HALVES.map((lane) => lane + 8);

const splat64 = (a: I64): V128 => value('v128', `(i64x2.splat ${a.text})`);
const constant64 = (a: bigint): I64 => value('i64', `(i64.const ${a})`);
const initialValue = (i: number): I64 => constant64(INITIAL_VALUES[i] ?? 0n);

/**
 * Writes the addresses of message words in the order of their use to scratch: once for each call, since
 * every thread has a scratch of its own. A list of 768 bytes and one load per word is what keeps the rounds
 * in a loop; unrolled code would have the offsets in it, but is too large for the fast path of some hosts.
 */
export function prepareOrder(f: Body, shape: CompressionShape, scratch: I32): void {
  const { pairOrder, singleOrder, pairWords, singleWords } = compressionScratch(shape);
  const write = (to: number, words: number, table: number): void => {
    const base = f.let(value('v128', `(i32x4.splat ${add(scratch, words).text})`));
    for (let at = 0; at < ORDER_BYTES; at += 16) {
      f.storeV(scratch, vector('i32x4.add', base, loadV(table, at)), to + at);
    }
  };
  if (shape.pairs > 0) {
    write(pairOrder, pairWords, BLAKE2B_ORDER);
  }
  if (shape.scalars > 0) {
    write(singleOrder, singleWords, BLAKE2B_ORDER + ORDER_BYTES);
  }
}

/** What {@link writeCompression} reads. */
export type CompressionInput = {
  readonly scratch: Local<'i32'>;
  /** Address of each message's block. */
  readonly blocks: readonly Local<'i32'>[];
  /** Bytes of each message up to the end of this block. */
  readonly counter: I64;
  /** All ones for the last block, else 0. */
  readonly lastMask: I64;
};

/** Locals that live as long as the function; made before its loops. */
export type CompressionLocals = Rotations & {
  readonly pairs: readonly PairWords[];
  readonly singles: readonly SingleWords[];
  /** Walks through the order lists. */
  readonly order: Local<'i32'>;
  readonly orderEnd: Local<'i32'>;
};

const sixteen = <T>(make: () => T): T[] => Array.from({ length: 16 }, make);

/** Makes the locals of a shape. */
export function compressionLocals(f: Body, shape: CompressionShape): CompressionLocals {
  return {
    pairs: Array.from({ length: shape.pairs }, () => sixteen(() => f.local('v128'))),
    singles: Array.from({ length: shape.scalars }, () => sixteen(() => f.local('i64'))),
    // In locals from memory: as literals they would be made anew at each use, 10 % slower as measured.
    rotate24: f.let(loadV(BLAKE2B_ROTATE_24)),
    rotate16: f.let(loadV(BLAKE2B_ROTATE_16)),
    order: f.local('i32'),
    orderEnd: f.local('i32'),
  };
}

/** Brings the blocks of a pair into the two lanes of 16 vectors in scratch. */
function interleave(f: Body, scratch: I32, to: number, first: I32, second: I32): void {
  for (let at = 0; at < BLOCK_BYTES; at += 16) {
    const a = f.let(loadV(first, at));
    const b = f.let(loadV(second, at));
    f.storeV(scratch, shuffle(LOW_HALVES, a, b), to + 2 * at);
    f.storeV(scratch, shuffle(HIGH_HALVES, a, b), to + 2 * at + 16);
  }
}

/** Adds one block of every message to the chain values in scratch. */
export function writeCompression(
  f: Body,
  build: Build,
  shape: CompressionShape,
  input: CompressionInput,
  locals: CompressionLocals,
): void {
  const { scratch, blocks } = input;
  const place = compressionScratch(shape);
  locals.pairs.forEach((words, pair) => {
    const [first, second] = [blocks[2 * pair] ?? scratch, blocks[2 * pair + 1] ?? scratch];
    interleave(f, scratch, place.pairWords + pair * PAIR_BLOCK_BYTES, first, second);
    startPair(f, words, input, place.states + pair * PAIR_STATE_BYTES);
  });
  locals.singles.forEach((words, single) => {
    const block = blocks[2 * shape.pairs + single] ?? scratch;
    for (let at = 0; at < BLOCK_BYTES; at += 16) {
      f.storeV(scratch, loadV(block, at), place.singleWords + single * BLOCK_BYTES + at);
    }
    startSingle(f, words, input, statePlace(shape, 2 * shape.pairs + single).offset);
  });
  writeRounds(f, build, shape, scratch, locals);
  locals.pairs.forEach((words, pair) => {
    words.slice(0, 8).forEach((word, i) => {
      const at = place.states + pair * PAIR_STATE_BYTES + 16 * i;
      const sum = xor(loadV(scratch, at), word, words[i + 8] ?? word);
      f.storeV(scratch, sum, at);
    });
  });
  locals.singles.forEach((words, single) => {
    words.slice(0, 8).forEach((word, i) => {
      const at = statePlace(shape, 2 * shape.pairs + single).offset + 8 * i;
      const sum = xor64(load64(scratch, at), xor64(word, words[i + 8] ?? word));
      f.store64(scratch, sum, at);
    });
  });
}

/** Working words of a pair: chain value, then initial values with counter and last mask (§3.2). */
function startPair(f: Body, words: PairWords, input: CompressionInput, states: number): void {
  words.forEach((word, i) => {
    if (i < 8) {
      f.set(word, loadV(input.scratch, states + 16 * i));
    } else if (i === 12) {
      f.set(word, splat64(xor64(initialValue(4), input.counter)));
    } else if (i === 14) {
      f.set(word, splat64(xor64(initialValue(6), input.lastMask)));
    } else {
      f.set(word, loadV(BLAKE2B_IV, 16 * (i - 8)));
    }
  });
}

/** The same for a single message. */
function startSingle(f: Body, words: SingleWords, input: CompressionInput, state: number): void {
  words.forEach((word, i) => {
    if (i < 8) {
      f.set(word, load64(input.scratch, state + 8 * i));
    } else if (i === 12) {
      f.set(word, xor64(initialValue(4), input.counter));
    } else if (i === 14) {
      f.set(word, xor64(initialValue(6), input.lastMask));
    } else {
      f.set(word, initialValue(i - 8));
    }
  });
}

function writeRounds(
  f: Body,
  build: Build,
  shape: CompressionShape,
  scratch: Local<'i32'>,
  locals: CompressionLocals,
): void {
  const { order, orderEnd } = locals;
  const { pairOrder, singleOrder } = compressionScratch(shape);
  const roundBytes = 4 * 16;
  f.set(order, scratch);
  f.set(orderEnd, add(scratch, ORDER_BYTES));
  f.repeat(
    () => {
      for (let round = 0; round < shape.roundsPerPass; round += 1) {
        [COLUMNS, DIAGONALS].forEach((groups, half) => {
          const uses = round * roundBytes + half * 32;
          const pairSteps = locals.pairs.flatMap((words, pair) => {
            const word = (use: number): V128 =>
              loadV(load32(order, pairOrder + uses + 4 * use), pair * PAIR_BLOCK_BYTES);
            return mixPair(f, build, shape.sideBySide, words, groups, word, locals);
          });
          const singleSteps = locals.singles.flatMap((words, single) => {
            const word = (use: number): I64 =>
              load64(load32(order, singleOrder + uses + 4 * use), single * BLOCK_BYTES);
            return mixSingle(f, words, groups, word);
          });
          writeSpread(pairSteps, singleSteps);
        });
      }
      f.advance(order, shape.roundsPerPass * roundBytes);
    },
    () => value('i32', `(i32.lt_u ${order.text} ${orderEnd.text})`),
  );
}
