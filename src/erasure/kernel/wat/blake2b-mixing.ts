/**
 * @module
 * The mixing function of BLAKE2b on vectors and on plain registers (RFC 7693 §3.1), as lists of steps, so that
 * the steps of several messages can be written in any order that keeps each list's own.
 */

import type { Build } from './build.ts';
import {
  type Body,
  type I64,
  type Local,
  shift,
  shuffle,
  type V128,
  value,
  vector,
  xor,
} from './function-text.ts';

/** Words that one mixing changes: the columns of the 4 x 4 state (RFC 7693 §3.2). */
export const COLUMNS: readonly Four[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
];
/** The same of the diagonals. */
export const DIAGONALS: readonly Four[] = [
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
/** Four of sixteen words. */
export type Four = readonly [number, number, number, number];

/** Sixteen working words: of two messages. */
export type PairWords = readonly Local<'v128'>[];
/** The same of one message. */
export type SingleWords = readonly Local<'i64'>[];

/** Byte orders that rotate two 64-bit words to the right, in registers. */
export type Rotations = { readonly rotate24: Local<'v128'>; readonly rotate16: Local<'v128'> };

const SWAP_32 = [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11];

const addV = (a: V128, b: V128): V128 => vector('i64x2.add', a, b);
const add64 = (a: I64, b: I64): I64 => value('i64', `(i64.add ${a.text} ${b.text})`);
/** XOR of 64-bit values. */
export const xor64 = (a: I64, b: I64): I64 => value('i64', `(i64.xor ${a.text} ${b.text})`);

/** Words of one mixing. */
function four<T>(words: readonly T[], [a, b, c, d]: Four): readonly [T, T, T, T] {
  const [x, y, z, w] = [words[a], words[b], words[c], words[d]];
  if (x === undefined || y === undefined || z === undefined || w === undefined) {
    throw new RangeError('words: expected sixteen');
  }
  return [x, y, z, w];
}

/** Statements of a step of some mixings, to be written when its turn comes. */
export type Step = () => void;

/**
 * Writes all of `main` with `others` spread evenly between. A single message costs least where its
 * instructions fill gaps between those of the pairs: for two pairs and one message 28.3 ms for 1000 rows of
 * 40,960 bytes on Zen 3, against 34.2 ms with the message's mixings behind those of the pairs.
 */
export function writeSpread(main: readonly Step[], others: readonly Step[]): void {
  let written = 0;
  main.forEach((step, i) => {
    step();
    for (; written < Math.round(((i + 1) * others.length) / main.length); written += 1) {
      others[written]?.();
    }
  });
}

/** Groups of the given size, in order. */
function inGroups<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: items.length / size }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/**
 * Mixings of a pair's words, so many side by side. Rotation by 63 is a sum and a shift, by 32 a
 * shuffle that processors have.
 *
 * The message word is added before `b`: that comes last, and the sum with it is what the next step waits
 * for. The other order took 7 % longer.
 */
export function mixPair(
  f: Body,
  build: Build,
  sideBySide: number,
  words: PairWords,
  groups: readonly Four[],
  word: (use: number) => V128,
  { rotate24, rotate16 }: Rotations,
): Step[] {
  const mixings = groups.map((group, i) => ({ words: four(words, group), use: 2 * i }));
  return inGroups(mixings, sideBySide).flatMap((mixed) =>
    [0, 1].flatMap((half): Step[] => {
      const each = (write: (words: MixedPair, use: number) => void) => (): void => {
        for (const { words: mixedWords, use } of mixed) {
          write(mixedWords, use + half);
        }
      };
      return [
        each(([a, b], use) => f.set(a, addV(addV(a, word(use)), b))),
        each(([a, , , d]) => f.set(d, xor(d, a))),
        each(([, , , d]) =>
          f.set(d, half === 0 ? shuffle(SWAP_32, d, d) : build.swizzle(d, rotate16)),
        ),
        each(([, , c, d]) => f.set(c, addV(c, d))),
        each(([, b, c]) => f.set(b, xor(b, c))),
        each(([, b]) => f.set(b, half === 0 ? build.swizzle(b, rotate24) : rotatedBy63(b))),
      ];
    }),
  );
}

type MixedPair = readonly [Local<'v128'>, Local<'v128'>, Local<'v128'>, Local<'v128'>];

function rotatedBy63(b: V128): V128 {
  return vector('v128.or', shift('i64x2.shr_u', b, 63), addV(b, b));
}

/** Mixings of a single message's words, one after the other. */
export function mixSingle(
  f: Body,
  words: SingleWords,
  groups: readonly Four[],
  word: (use: number) => I64,
): Step[] {
  const rotated = (a: I64, by: number): I64 =>
    value('i64', `(i64.rotr ${a.text} (i64.const ${by}))`);
  return groups.flatMap((group, i) => {
    const [a, b, c, d] = four(words, group);
    return [0, 1].flatMap((half): Step[] => [
      () => f.set(a, add64(add64(a, word(2 * i + half)), b)),
      () => f.set(d, rotated(xor64(d, a), half === 0 ? 32 : 16)),
      () => f.set(c, add64(c, d)),
      () => f.set(b, rotated(xor64(b, c), half === 0 ? 24 : 63)),
    ]);
  });
}
