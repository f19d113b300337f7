/**
 * @module
 * Runner of `mapping.json`: the rotation and its switch, and every step of the seeded draws: words,
 * bounded draws, shuffle and partial shuffle.
 */

import { type ChunkMapping, chunkMapping, schemeOf } from '../../../src/mapping/assignment.ts';
import { fromHex, toHex } from '../../../src/primitives/bytes.ts';
import { ChaCha8 } from '../../../src/primitives/chacha8.ts';
import { blake2b256 } from '../../../src/primitives/hash.ts';
import { chunkIndex, validatorIndex } from '../../../src/primitives/ids.ts';
import { drawBelow, type Random, shuffle } from '../../../src/primitives/random.ts';
import { codeOf } from '../error-kind.ts';
import type { Checks } from '../runner.ts';

type Rotation = {
  readonly n: number;
  readonly k: number;
  readonly cores?: Readonly<Record<string, readonly number[]>>;
  readonly chunk_of_validator_0_for_cores_0_to_11?: readonly number[];
  readonly samples_core_validator_chunk?: readonly (readonly [number, number, number])[];
};

type Switch =
  | {
      readonly what: string;
      readonly bits: string;
      readonly n: number;
      readonly core: number;
      readonly chunks: readonly number[];
    }
  | {
      readonly what: 'on' | 'off';
      readonly n: number;
      readonly core: number;
      readonly validator: number;
      readonly result: number | string;
    };

type Stream = {
  readonly seed: string;
  readonly words: readonly number[];
  readonly first_1024_words_le_blake2b256: string;
  readonly next_u64: readonly string[];
  readonly alternating_u32_u64: readonly string[];
  readonly after_63_words_u64_then_u32: readonly [string, string];
};

type Draws = {
  readonly seed: string;
  readonly bound: number;
  readonly u32: readonly number[];
  readonly u32_words_used: number;
  readonly usize: readonly number[];
  readonly usize_words_used: number;
};

type Partial = {
  readonly amount: number;
  readonly words_used: number;
  readonly chosen_len: number;
  readonly chosen?: readonly number[];
  readonly rest?: readonly number[];
  readonly chosen_first_8?: readonly number[];
  readonly chosen_then_rest_u32le_blake2b256?: string;
};

type Shuffle = {
  readonly seed: string;
  readonly n: number;
  readonly words_used: number;
  readonly next_word_after: number;
  readonly first_draws: readonly number[];
  readonly result?: readonly number[];
  readonly result_first_16?: readonly number[];
  readonly result_last_16?: readonly number[];
  readonly result_u32le_blake2b256?: string;
  readonly partial_shuffle: readonly Partial[];
};

type File = {
  readonly rotation: readonly Rotation[];
  readonly switch: readonly Switch[];
  readonly chacha8: readonly Stream[];
  readonly gen_range: readonly Draws[];
  readonly shuffle: readonly Shuffle[];
};

/** A ChaCha8 stream that counts the words taken from it. */
class CountedStream implements Random {
  words = 0;
  readonly #stream: ChaCha8;

  constructor(seed: string) {
    this.#stream = new ChaCha8(fromHex(seed));
  }

  nextU32(): number {
    this.words += 1;
    return this.#stream.nextU32();
  }

  nextU64(): bigint {
    this.words += 2;
    return this.#stream.nextU64();
  }
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function u32leDigest(numbers: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((number, i) => {
    view.setUint32(4 * i, number, true);
  });
  return toHex(blake2b256(new Uint8Array(view.buffer)));
}

function checkTable(mapping: ChunkMapping, expected: readonly number[], what: string): string[] {
  const table = mapping.chunkByValidator();
  const holders = table.map((_, c) => mapping.validatorOf(chunkIndex(c)));
  return [
    ...(JSON.stringify(table) === JSON.stringify(expected) ? [] : [what]),
    ...(holders.every((v, c) => table[v] === c) ? [] : [`${what}: inverse`]),
  ];
}

function checkRotation(vector: Rotation, checks: Checks): void {
  const { n, k } = vector;
  const at = (coreIndex: number): ChunkMapping =>
    chunkMapping({ scheme: 'rfc47', validatorCount: n, coreIndex });
  checks.equal(at(0).systematicThreshold, k, `n = ${n}: k`);
  for (const [core, table] of Object.entries(vector.cores ?? {})) {
    const what = `n = ${n}, core ${core}`;
    checks.equal(checkTable(at(Number(core)), table, what), [], what);
  }
  vector.chunk_of_validator_0_for_cores_0_to_11?.forEach((chunk, core) => {
    checks.equal(at(core).chunkOf(validatorIndex(0)), chunk, `n = ${n}, core ${core}, V = 0`);
  });
  for (const [core, validator, chunk] of vector.samples_core_validator_chunk ?? []) {
    const mapping = at(core);
    const what = `n = ${n}, core ${core}`;
    checks.equal(mapping.chunkOf(validatorIndex(validator)), chunk, `${what}, V = ${validator}`);
    checks.equal(mapping.validatorOf(chunkIndex(chunk)), validator, `${what}, C = ${chunk}`);
  }
}

function checkSwitch(vector: Switch, checks: Checks): void {
  const { n, core } = vector;
  if ('bits' in vector) {
    const scheme = schemeOf([...vector.bits].map((bit) => bit === '1'));
    const mapping = chunkMapping({ scheme, validatorCount: n, coreIndex: core });
    checks.equal(mapping.chunkByValidator(), vector.chunks, vector.what);
    return;
  }
  const scheme = vector.what === 'on' ? 'rfc47' : 'identity';
  const what = `mapping ${vector.what}, n = ${n}`;
  const run = (): number =>
    chunkMapping({ scheme, validatorCount: n, coreIndex: core }).chunkOf(
      validatorIndex(vector.validator),
    );
  if (typeof vector.result === 'string') {
    checks.throws(run, codeOf(vector.result), what);
  } else {
    checks.equal(run(), vector.result, what);
  }
}

function checkStream(vector: Stream, checks: Checks): void {
  const { seed } = vector;
  const what = `seed ${seed.slice(0, 8)}`;
  const stream = (): ChaCha8 => new ChaCha8(fromHex(seed));
  const plain = stream();
  const words = range(1024).map(() => plain.nextU32());
  checks.equal(words.slice(0, vector.words.length), vector.words, `${what}: words`);
  const digest = u32leDigest(words);
  checks.equal(digest, vector.first_1024_words_le_blake2b256, `${what}: 1,024 words`);
  const wide = stream();
  const doubles = vector.next_u64.map(() => String(wide.nextU64()));
  checks.equal(doubles, vector.next_u64, `${what}: u64`);
  const mixed = stream();
  const alternating = vector.alternating_u32_u64.map((_, i) =>
    String(i % 2 === 0 ? mixed.nextU32() : mixed.nextU64()),
  );
  checks.equal(alternating, vector.alternating_u32_u64, `${what}: u32 and u64 in turn`);
  const late = stream();
  for (let i = 0; i < 63; i += 1) {
    late.nextU32();
  }
  const across = [String(late.nextU64()), String(late.nextU32())];
  checks.equal(across, vector.after_63_words_u64_then_u32, `${what}: across a block`);
}

/** The `usize` rule of the file's definition. The package has no use for it; its words are the stream's. */
function drawUsizeBelow(stream: CountedStream, bound: number): number {
  const wide = BigInt(bound);
  const mask = 2n ** 64n - 1n;
  const zone = (wide << BigInt(64 - wide.toString(2).length)) - 1n;
  for (;;) {
    const product = stream.nextU64() * wide;
    if ((product & mask) <= zone) {
      return Number(product >> 64n);
    }
  }
}

function checkDraws(vector: Draws, checks: Checks): void {
  const { seed, bound } = vector;
  const what = `seed ${seed.slice(0, 8)}, bound ${bound}`;
  const narrow = new CountedStream(seed);
  const draws = vector.u32.map(() => drawBelow(narrow, bound));
  checks.equal(draws, vector.u32, `${what}: u32`);
  checks.equal(narrow.words, vector.u32_words_used, `${what}: words used`);
  const method = new ChaCha8(fromHex(seed));
  const same = vector.u32.map(() => method.nextBelow(bound));
  checks.equal(same, vector.u32, `${what}: nextBelow`);
  const wide = new CountedStream(seed);
  const usize = vector.usize.map(() => drawUsizeBelow(wide, bound));
  checks.equal(usize, vector.usize, `${what}: usize`);
  checks.equal(wide.words, vector.usize_words_used, `${what}: usize words used`);
}

/** The partial shuffle of the file's definition, on the package's draws. */
function partialShuffle(
  n: number,
  amount: number,
  random: Random,
): { chosen: number[]; rest: number[] } {
  const items = range(n);
  const end = Math.max(0, n - amount);
  for (let i = n - 1; i >= end; i -= 1) {
    const j = drawBelow(random, i + 1);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return { chosen: items.slice(end), rest: items.slice(0, end) };
}

function checkPartial(vector: Shuffle, part: Partial, checks: Checks): void {
  const what = `seed ${vector.seed.slice(0, 8)}, n = ${vector.n}, ${part.amount} chosen`;
  const stream = new CountedStream(vector.seed);
  const { chosen, rest } = partialShuffle(vector.n, part.amount, stream);
  checks.equal(stream.words, part.words_used, `${what}: words used`);
  checks.equal(chosen.length, part.chosen_len, `${what}: count`);
  if (part.chosen === undefined) {
    checks.equal(chosen.slice(0, 8), part.chosen_first_8, `${what}: chosen`);
    const digest = u32leDigest([...chosen, ...rest]);
    checks.equal(digest, part.chosen_then_rest_u32le_blake2b256, `${what}: digest`);
  } else {
    checks.equal([chosen, rest], [part.chosen, part.rest], what);
  }
}

function checkShuffle(vector: Shuffle, checks: Checks): void {
  const { seed, n } = vector;
  const what = `seed ${seed.slice(0, 8)}, n = ${n}`;
  const stream = new CountedStream(seed);
  const items = range(n);
  shuffle(items, stream);
  checks.equal(stream.words, vector.words_used, `${what}: words used`);
  checks.equal(stream.nextU32(), vector.next_word_after, `${what}: next word`);
  const drawing = new ChaCha8(fromHex(seed));
  const draws = vector.first_draws.map((_, i) => drawing.nextBelow(n - i));
  checks.equal(draws, vector.first_draws, `${what}: draws`);
  if (vector.result === undefined) {
    const ends = [items.slice(0, 16), items.slice(-16)];
    checks.equal(ends, [vector.result_first_16, vector.result_last_16], `${what}: ends`);
    checks.equal(u32leDigest(items), vector.result_u32le_blake2b256, `${what}: digest`);
  } else {
    checks.equal(items, vector.result, what);
  }
  for (const part of vector.partial_shuffle) {
    checkPartial(vector, part, checks);
  }
}

/** Compares mappings, words, draws and shuffles. */
export function mappingRunner(content: unknown, checks: Checks): void {
  const file = content as File;
  for (const vector of file.rotation) {
    checkRotation(vector, checks);
  }
  for (const vector of file.switch) {
    checkSwitch(vector, checks);
  }
  for (const vector of file.chacha8) {
    checkStream(vector, checks);
  }
  for (const vector of file.gen_range) {
    checkDraws(vector, checks);
  }
  for (const vector of file.shuffle) {
    checkShuffle(vector, checks);
  }
}
