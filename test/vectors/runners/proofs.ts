/**
 * @module
 * Runner of `proofs.json`: verdicts on valid, damaged and hostile proofs, and the bounds that hold when
 * a proof is decoded.
 */

import { decodeProof, encodeProof } from '../../../src/codec/erasure-chunk.ts';
import { ScaleWriter } from '../../../src/codec/scale.ts';
import { proofVerdict } from '../../../src/commitment/verify-chunk.ts';
import { fromHex, toHex } from '../../../src/primitives/bytes.ts';
import { codeOf } from '../error-kind.ts';
import type { Checks } from '../runner.ts';

type Verdict =
  | { readonly value: string }
  | { readonly error: string }
  | { readonly undecodable: string };

type File = {
  readonly node_table: readonly string[];
  readonly proofs: readonly {
    readonly what: string;
    readonly root: string;
    readonly index: number;
    readonly nodes: readonly number[];
    readonly verdict: Verdict;
  }[];
  readonly bounds: readonly {
    readonly what: string;
    readonly scale: string | null;
    readonly result:
      | { readonly nodes: number; readonly unread: number }
      | { readonly error: string };
  }[];
};

/** A SCALE list of byte strings, without the bounds that our own encoder holds. */
function scaleList(items: readonly Uint8Array[]): Uint8Array {
  const writer = new ScaleWriter();
  writer.compact('items', items.length);
  for (const item of items) {
    writer.byteString('item', item);
  }
  return writer.finish();
}

/** The codes with which a proof may be refused: its bounds, or SCALE itself. */
const REFUSALS = [
  'bad_proof_bounds',
  'unexpected_end',
  'non_canonical_compact',
  'out_of_range',
  'bad_length',
];

function refusal(bytes: Uint8Array): string {
  try {
    decodeProof(bytes);
    return 'decoded';
  } catch (error: unknown) {
    return String((error as { code?: unknown }).code);
  }
}

function checkVerdict(
  vector: File['proofs'][number],
  nodes: readonly Uint8Array[],
  checks: Checks,
): void {
  const { what, verdict } = vector;
  const bytes = scaleList(nodes);
  if ('undecodable' in verdict) {
    checks.equal(refusal(bytes), 'bad_proof_bounds', `${what}: undecodable`);
    return;
  }
  const proof = decodeProof(bytes).value;
  checks.equal(toHex(encodeProof(proof)), toHex(bytes), `${what}: encoded again`);
  const actual = proofVerdict(fromHex(vector.root), proof, vector.index);
  const spelled = actual.type === 'value' ? { value: toHex(actual.value) } : { error: actual.code };
  const expected = 'error' in verdict ? { error: codeOf(verdict.error) } : verdict;
  checks.equal(spelled, expected, `${what}, index ${vector.index}`);
}

/** Bytes of a bounds case that is described in words: `N nodes of M bytes 0xab`. */
function describedBytes(what: string): Uint8Array {
  const plain = /^(\d+) nodes? of (\d+) bytes 0xab$/.exec(what);
  if (plain !== null) {
    const node = new Uint8Array(Number(plain[2])).fill(0xab);
    return scaleList(new Array<Uint8Array>(Number(plain[1])).fill(node));
  }
  const mixed = /^(\d+) nodes, the last of (\d+) bytes 0xab$/.exec(what);
  if (mixed === null) {
    throw new Error(`bounds: cannot read "${what}"`);
  }
  const others = new Array<Uint8Array>(Number(mixed[1]) - 1).fill(Uint8Array.of(0xab));
  return scaleList([...others, new Uint8Array(Number(mixed[2])).fill(0xab)]);
}

function checkBounds({ what, scale, result }: File['bounds'][number], checks: Checks): void {
  const bytes = scale === null ? describedBytes(what) : fromHex(scale);
  if ('error' in result) {
    const code = refusal(bytes);
    checks.ok(REFUSALS.includes(code), `${what}: expected a refusal, got ${code}`);
    return;
  }
  const { value, bytesRead } = decodeProof(bytes);
  const actual = { nodes: value.length, unread: bytes.length - bytesRead };
  checks.equal(actual, result, what);
}

/** Compares every verdict and every bound. */
export function proofsRunner(content: unknown, checks: Checks): void {
  const file = content as File;
  const table = file.node_table.map((hex) => fromHex(hex));
  for (const vector of file.proofs) {
    const nodes = vector.nodes.map((position) => table[position]!);
    checkVerdict(vector, nodes, checks);
  }
  for (const vector of file.bounds) {
    checkBounds(vector, checks);
  }
}
