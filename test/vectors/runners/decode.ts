/**
 * @module
 * Runner of `decode.json`: which subsets decode and to what, chunks off any codeword, error kinds in
 * their order, and what comes out when the bytes are read as available data.
 */

import { decodeAvailableData, encodeAvailableData } from '../../../src/codec/available-data.ts';
import { HEX_TRIE_COMMITMENT } from '../../../src/commitment/commitment.ts';
import type { Shard } from '../../../src/erasure/index.ts';
import { concatBytes, fromHex, toHex } from '../../../src/primitives/bytes.ts';
import { ChaCha8 } from '../../../src/primitives/chacha8.ts';
import { blake2b256 } from '../../../src/primitives/hash.ts';
import { shuffle } from '../../../src/primitives/random.ts';
import { recoveryThreshold, systematicThreshold } from '../../../src/primitives/thresholds.ts';
import { checkOutcome, codeOf, type Outcome } from '../error-kind.ts';
import { type Expected, inFormOf, payload } from '../payload.ts';
import type { Checks } from '../runner.ts';
import { SHIPPED_CODE, type TestedCode } from '../tested-code.ts';

type IndexedHex = readonly [number, string];

type Code = {
  readonly n: number;
  readonly k: number;
  readonly tag: string;
  readonly len: number;
  readonly threshold?: number;
  readonly chunk_len: number;
  readonly chunks?: readonly string[];
  readonly chunks_blake2b256?: string;
};

type Ok = Code & {
  readonly output: Expected;
  readonly subsets: readonly [string, readonly number[]][];
};

type Inconsistent = {
  readonly n: number;
  readonly k: number;
  readonly what: string;
  readonly given: readonly IndexedHex[];
  readonly output: string;
  readonly same_output_with_overwritten_first_duplicate?: boolean;
};

type Refused = {
  readonly what: string;
  readonly n: number;
  readonly result: Outcome;
} & (
  | { readonly mode: 'regular'; readonly given: readonly IndexedHex[] }
  | { readonly mode: 'systematic'; readonly given: readonly string[] }
);

type Typed = {
  readonly what: string;
  readonly n: number;
  readonly payload: string;
  readonly committed_root: string;
  readonly committed_root_is_canonical_root: boolean;
  readonly regular: Outcome;
  readonly systematic: Outcome;
  readonly equals_original: boolean;
  readonly reencoded_root_matches: boolean | null;
  readonly chunk_len: number;
};

type Values = {
  readonly n: number;
  readonly root: string;
  readonly systematic: Outcome;
  readonly regular: readonly {
    readonly chunks: readonly number[];
    readonly bytes: string;
    readonly as_available_data: Outcome;
  }[];
};

type File = {
  readonly thresholds_n_recovery_systematic: readonly (readonly [
    number,
    number | string,
    number | string,
  ])[];
  readonly encode_errors: readonly {
    readonly n: number;
    readonly payload: string;
    readonly result: Outcome;
  }[];
  readonly chunk_i_is_32_bytes_of_value_i: readonly Values[];
  readonly ok: readonly Ok[];
  readonly large: readonly Code[];
  readonly inconsistent: readonly Inconsistent[];
  readonly errors: readonly Refused[];
  readonly typed: readonly Typed[];
};

const shardsOf = (given: readonly IndexedHex[]): Shard[] =>
  given.map(([index, hex]) => [index, fromHex(hex)]);

const pick = (chunks: readonly Uint8Array[], indices: readonly number[]): Shard[] =>
  indices.map((index) => [index, chunks[index]!]);

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

function checkThresholds(file: File, checks: Checks): void {
  for (const [n, recovery, systematic] of file.thresholds_n_recovery_systematic) {
    const rows = [
      ['recovery', recoveryThreshold, recovery],
      ['systematic', systematicThreshold, systematic],
    ] as const;
    for (const [name, compute, expected] of rows) {
      if (typeof expected === 'string') {
        checks.throws(() => compute(n), codeOf(expected), `${name} threshold of ${n}`);
      } else {
        checks.equal(compute(n), expected, `${name} threshold of ${n}`);
      }
    }
  }
}

/** Encodes and compares, so that what is decoded next is what the reference decoded. */
function encodeCode(code: Code, checks: Checks, tested: TestedCode): Uint8Array[] {
  const chunks = tested.codec.encodeChunks(payload(code.tag, code.len), code.n);
  const { systematicThreshold: k, recoveryThreshold: f1 } = tested.codec.parameters(code.n);
  checks.equal([k, f1], [code.k, code.threshold ?? f1], `${code.tag}: thresholds`);
  checks.equal(chunks[0]!.length, code.chunk_len, `${code.tag}: chunk length`);
  if (code.chunks === undefined) {
    const digest = toHex(blake2b256(concatBytes(chunks)));
    checks.equal(digest, code.chunks_blake2b256, `${code.tag}: digest of chunks`);
  } else {
    checks.equal(chunks.map(toHex), code.chunks, `${code.tag}: chunks`);
  }
  return chunks;
}

function checkOk(vector: Ok, checks: Checks, tested: TestedCode): void {
  const { n, k, tag, output } = vector;
  const chunks = encodeCode(vector, checks, tested);
  for (const [name, indices] of vector.subsets) {
    const actual = tested.reconstruct(pick(chunks, indices), n);
    checks.equal(inFormOf(output, actual), output, `${tag}: ${name}`);
  }
  const systematic = tested.reassemble(chunks.slice(0, k), n);
  checks.equal(inFormOf(output, systematic), output, `${tag}: systematic`);
  const surplus = tested.reassemble(chunks, n);
  checks.equal(inFormOf(output, surplus), output, `${tag}: systematic with surplus`);
}

function checkLarge(code: Code, checks: Checks, tested: TestedCode): void {
  const { n, k, tag, len } = code;
  const chunks = encodeCode(code, checks, tested);
  const shuffled = range(0, n);
  shuffle(shuffled, new ChaCha8(new Uint8Array(32)));
  const expected = toHex(payload(tag, len));
  const subsets = { 'last k': range(n - k, n), 'k random': shuffled.slice(0, k) };
  for (const [name, indices] of Object.entries(subsets)) {
    const bytes = tested.reconstruct(pick(chunks, indices), n);
    checks.equal(toHex(bytes.subarray(0, len)), expected, `${tag}: ${name}`);
    checks.ok(
      bytes.subarray(len).every((byte) => byte === 0),
      `${tag}: ${name}, padding`,
    );
  }
}

function checkInconsistent(vector: Inconsistent, checks: Checks, tested: TestedCode): void {
  const { n, what, given, output } = vector;
  const shards = shardsOf(given);
  checks.equal(systematicThreshold(n), vector.k, `n = ${n}: k`);
  checks.equal(toHex(tested.reconstruct(shards, n)), output, `n = ${n}: ${what}`);
  const [index, bytes] = shards[0]!;
  const repeated: Shard[] = [[index, bytes.map((byte) => byte ^ 0xff)], ...shards];
  if (vector.same_output_with_overwritten_first_duplicate === true) {
    const actual = toHex(tested.reconstruct(repeated, n));
    checks.equal(actual, output, `n = ${n}: ${what}, first index given twice`);
  }
}

function checkRefused(vector: Refused, checks: Checks, tested: TestedCode): void {
  const { n, mode, result } = vector;
  const run = (): Uint8Array =>
    vector.mode === 'regular'
      ? tested.reconstruct(shardsOf(vector.given), n)
      : tested.reassemble(
          vector.given.map((hex) => fromHex(hex)),
          n,
        );
  checkOutcome(checks, result, run, `n = ${n}, ${mode}: ${vector.what}`);
}

/** The outcome of reading bytes as available data; a failure has the name that its mode gives it. */
function outcomeAs(bytes: Uint8Array, failure: 'BadPayload' | 'Decode'): Outcome {
  try {
    decodeAvailableData(bytes);
    return 'ok';
  } catch {
    return { error: failure };
  }
}

function checkTyped(vector: Typed, canonical: string, checks: Checks, tested: TestedCode): void {
  const { n, payload: bytes } = vector;
  const what = `n = ${n}: ${vector.what}`;
  const chunks = tested.codec.encodeChunks(fromHex(bytes), n);
  const root = toHex(HEX_TRIE_COMMITMENT.root(chunks));
  const k = systematicThreshold(n);
  checks.equal(chunks[0]!.length, vector.chunk_len, `${what}: chunk length`);
  checks.equal(root, vector.committed_root, `${what}: root`);
  const regular = tested.reconstruct(pick(chunks, range(n - k, n)), n);
  const systematic = tested.reassemble(chunks, n);
  checks.equal(outcomeAs(regular, 'BadPayload'), vector.regular, `${what}: regular`);
  checks.equal(outcomeAs(systematic, 'Decode'), vector.systematic, `${what}: systematic`);
  const isDecoded = outcomeAs(regular, 'BadPayload') === 'ok';
  const again = isDecoded ? encodeAvailableData(decodeAvailableData(regular).value) : undefined;
  const isOriginal = again !== undefined && toHex(again) === canonical;
  checks.equal(isOriginal, vector.equals_original, `${what}: equals the original`);
  const rootAgain = again && toHex(HEX_TRIE_COMMITMENT.root(tested.codec.encodeChunks(again, n)));
  const matches = rootAgain === undefined ? null : rootAgain === root;
  checks.equal(matches, vector.reencoded_root_matches, `${what}: root of the value encoded again`);
  const canonicalRoot = HEX_TRIE_COMMITMENT.root(tested.codec.encodeChunks(fromHex(canonical), n));
  const isCanonical = toHex(canonicalRoot) === root;
  checks.equal(isCanonical, vector.committed_root_is_canonical_root, `${what}: canonical root`);
}

function checkValues(vector: Values, checks: Checks, tested: TestedCode): void {
  const { n } = vector;
  const what = `n = ${n}, chunk i is 32 bytes i`;
  const chunks = range(0, n).map((i) => new Uint8Array(32).fill(i));
  checks.equal(toHex(HEX_TRIE_COMMITMENT.root(chunks)), vector.root, `${what}: root`);
  const systematic = outcomeAs(tested.reassemble(chunks, n), 'Decode');
  checks.equal(systematic, vector.systematic, `${what}: systematic`);
  for (const { chunks: indices, bytes, as_available_data } of vector.regular) {
    const actual = tested.reconstruct(pick(chunks, indices), n);
    checks.equal(toHex(actual), bytes, `${what}: from ${indices.length}`);
    const outcome = outcomeAs(actual, 'BadPayload');
    checks.equal(outcome, as_available_data, `${what}: from ${indices.length}, as data`);
  }
}

/** Decodes every listed input and compares outcome and bytes. */
export function decodeRunner(
  content: unknown,
  checks: Checks,
  tested: TestedCode = SHIPPED_CODE,
): void {
  const file = content as File;
  checkThresholds(file, checks);
  for (const { n, payload: bytes, result } of file.encode_errors) {
    const run = (): unknown => tested.codec.encodeChunks(fromHex(bytes), n);
    checkOutcome(checks, result, run, `encode ${bytes.length / 2} bytes, n = ${n}`);
  }
  for (const vector of file.chunk_i_is_32_bytes_of_value_i) {
    checkValues(vector, checks, tested);
  }
  for (const vector of file.ok) {
    checkOk(vector, checks, tested);
  }
  for (const code of file.large) {
    checkLarge(code, checks, tested);
  }
  for (const vector of file.inconsistent) {
    checkInconsistent(vector, checks, tested);
  }
  for (const vector of file.errors) {
    checkRefused(vector, checks, tested);
  }
  const canonical = new Map(
    file.typed
      .filter(({ what }) => what === 'canonical')
      .map((vector) => [vector.n, vector.payload]),
  );
  for (const vector of file.typed) {
    checkTyped(vector, canonical.get(vector.n)!, checks, tested);
  }
}
