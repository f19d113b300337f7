/**
 * @module
 * BLAKE2b-256 over lists of rows (`hash-exports.ts` says what the functions take): walks through the
 * list in batches and through the rows in blocks; the compression is `blake2b.ts`.
 */

import { HASH_ENTRY_WORDS, HASH_IS_FIRST, HASH_IS_LAST } from '../hash-exports.ts';
import { BLAKE2B_START } from '../memory-map.ts';
import {
  BLOCK_BYTES,
  type CompressionLocals,
  type CompressionShape,
  compressionLocals,
  compressionScratch,
  messagesOf,
  prepareOrder,
  statePlace,
  writeCompression,
} from './blake2b.ts';
import type { Build, FunctionMaker } from './build.ts';
import {
  add,
  and32,
  type Body,
  type FunctionText,
  functionText,
  isZero,
  type Local,
  less,
  load8,
  load16,
  load32,
  load64,
  loadV,
  sub,
  type Value,
  value,
} from './function-text.ts';

const ENTRY_BYTES = 4 * HASH_ENTRY_WORDS;

/** A row being hashed: where its next block is, and the entry it came from. */
type Message = { readonly block: Local<'i32'>; readonly entry: Local<'i32'> };

/** What walking through a row needs. */
type BatchLocals = CompressionLocals & {
  /** Bytes of the rows that are not taken, and bytes that this block takes. */
  readonly left: Local<'i32'>;
  readonly taken: Local<'i32'>;
  readonly counter: Local<'i64'>;
  readonly lastMask: Local<'i64'>;
};

/** Parameters of the functions. */
type Parameters = Readonly<
  Record<'list' | 'count' | 'bytes' | 'before' | 'flags' | 'scratch', Local<'i32'>>
>;

const has = (flags: Local<'i32'>, flag: number): Value<'i32'> => and32(flags, flag);

/** Words of the chain value, which is kept in scratch while a row is hashed. */
function eachStateWord(
  shape: CompressionShape,
  messages: readonly Message[],
  wordCount: number,
  visit: (scratchOffset: number, message: Message, entryOffset: number) => void,
): void {
  messages.forEach((message, i) => {
    const { offset, step } = statePlace(shape, i);
    for (let word = 0; word < wordCount; word += 1) {
      visit(offset + step * word, message, 8 * word);
    }
  });
}

/** Brings the chain values of a batch to scratch. */
function loadStates(
  f: Body,
  shape: CompressionShape,
  messages: readonly Message[],
  { flags, scratch }: Parameters,
): void {
  f.if(
    has(flags, HASH_IS_FIRST),
    () => {
      eachStateWord(shape, messages, 8, (to, _, word) => {
        f.store64(scratch, load64(BLAKE2B_START, 2 * word), to);
      });
    },
    () => {
      eachStateWord(shape, messages, 8, (to, { entry }, word) => {
        f.store64(scratch, load64(load32(entry, 4), word), to);
      });
    },
  );
}

/** Writes the digests, or the chain values to go on from. */
function storeStates(
  f: Body,
  shape: CompressionShape,
  messages: readonly Message[],
  { flags, scratch }: Parameters,
): void {
  f.if(
    has(flags, HASH_IS_LAST),
    () => {
      eachStateWord(shape, messages, 4, (from, { entry }, word) => {
        f.store64(load32(entry, 8), load64(scratch, from), word);
      });
    },
    () => {
      eachStateWord(shape, messages, 8, (from, { entry }, word) => {
        f.store64(load32(entry, 4), load64(scratch, from), word);
      });
    },
  );
}

/**
 * Copies the bytes of a last block that is not full, and zeros behind them; nothing beyond is read, since
 * a row may end where the memory does.
 */
function copyTail(
  f: Body,
  { block }: Message,
  tail: Local<'i32'>,
  scratch: Local<'i32'>,
  to: number,
): void {
  for (let at = 0; at < BLOCK_BYTES; at += 16) {
    f.storeV(scratch, value('v128', '(v128.const i64x2 0 0)'), to + at);
  }
  const from = f.let(block);
  const target = f.let(add(scratch, to));
  const end = f.let(add(block, and32(tail, -16)));
  const step = (bytes: number): void => {
    f.advance(from, bytes);
    f.advance(target, bytes);
  };
  f.while(
    () => less(from, end),
    () => {
      f.storeV(target, loadV(from));
      step(16);
    },
  );
  f.if(and32(tail, 8), () => {
    f.store64(target, load64(from));
    step(8);
  });
  f.if(and32(tail, 4), () => {
    f.store32(target, load32(from));
    step(4);
  });
  f.if(and32(tail, 2), () => {
    f.store16(target, load16(from));
    step(2);
  });
  f.if(and32(tail, 1), () => {
    f.do(`(i32.store8 ${target.text} ${load8(from).text})`);
  });
  f.set(block, add(scratch, to));
}

/** Hashes one batch, block by block. */
function hashBatch(
  f: Body,
  build: Build,
  shape: CompressionShape,
  messages: readonly Message[],
  p: Parameters,
  locals: BatchLocals,
): void {
  const { left, taken, counter, lastMask } = locals;
  const tails = compressionScratch(shape).end;
  loadStates(f, shape, messages, p);
  f.set(left, p.bytes);
  f.set(counter, value('i64', `(i64.extend_i32_u ${p.before.text})`));
  f.repeat(
    () => {
      f.set32(taken, BLOCK_BYTES);
      f.set(lastMask, value('i64', '(i64.const 0)'));
      f.if(isZero(less(BLOCK_BYTES, left)), () => {
        f.set(taken, left);
        const flag = `(i32.eq ${has(p.flags, HASH_IS_LAST).text} (i32.const ${HASH_IS_LAST}))`;
        f.set(lastMask, value('i64', `(i64.sub (i64.const 0) (i64.extend_i32_u ${flag}))`));
      });
      f.set(counter, value('i64', `(i64.add ${counter.text} (i64.extend_i32_u ${taken.text}))`));
      f.if(less(taken, BLOCK_BYTES), () => {
        messages.forEach((message, i) => {
          copyTail(f, message, taken, p.scratch, tails + BLOCK_BYTES * i);
        });
      });
      const blocks = messages.map(({ block }) => block);
      const input = { scratch: p.scratch, blocks, counter, lastMask };
      writeCompression(f, build, shape, input, locals);
      for (const { block } of messages) {
        f.advance(block, BLOCK_BYTES);
      }
      f.set(left, sub(left, taken));
    },
    () => left,
  );
  storeStates(f, shape, messages, p);
}

/** Locals of a function; made before its loops. */
function makeLocals(f: Body, shape: CompressionShape): BatchLocals {
  return {
    ...compressionLocals(f, shape),
    left: f.local('i32'),
    taken: f.local('i32'),
    counter: f.local('i64'),
    lastMask: f.local('i64'),
  };
}

/** One function over a list. */
function hashRowsFunction(build: Build, name: string, shape: CompressionShape): FunctionText {
  const names = ['list', 'count', 'bytes', 'before', 'flags', 'scratch'] as const;
  return functionText(name, names, (f, p) => {
    const size = messagesOf(shape);
    const locals = makeLocals(f, shape);
    const messages = Array.from({ length: size }, () => ({
      block: f.local('i32'),
      entry: f.local('i32'),
    }));
    prepareOrder(f, shape, p.scratch);
    // Only a lone pair goes with one row missing: it takes the first row for both.
    const isLonePair = shape.pairs === 1 && shape.scalars === 0;
    const least = isLonePair ? 1 : size;
    f.while(
      () => isZero(less(p.count, least)),
      () => {
        messages.forEach(({ block, entry }, i) => {
          f.set(entry, add(p.list, ENTRY_BYTES * i));
          if (isLonePair && i > 0) {
            f.if(less(p.count, size), () => {
              f.set(entry, p.list);
            });
          }
          f.set(block, load32(entry));
        });
        hashBatch(f, build, shape, messages, p, locals);
        f.advance(p.list, ENTRY_BYTES * size);
        f.set(p.count, sub(p.count, size));
        if (isLonePair) {
          // Below zero after an odd row: no more.
          f.if(value('i32', `(i32.lt_s ${p.count.text} (i32.const 0))`), () => {
            f.set32(p.count, 0);
          });
        }
      },
    );
    return undefined;
  });
}

/**
 * The three kernels. Their shapes are the best that were found on Zen 3: of 1, 2 or 4 mixings side by side, 1
 * to 12 rounds in a pass, constants in registers or loaded at each use, words of the state kept in memory,
 * other orders of sums, and one or two single messages beside one to three pairs.
 */
export const hashFunctions: FunctionMaker = (build) => [
  hashRowsFunction(build, 'hashPair', { pairs: 1, scalars: 0, sideBySide: 4, roundsPerPass: 1 }),
  hashRowsFunction(build, 'hashPairs', { pairs: 2, scalars: 0, sideBySide: 2, roundsPerPass: 2 }),
  hashRowsFunction(build, 'hashHybrid', { pairs: 2, scalars: 1, sideBySide: 1, roundsPerPass: 2 }),
];
