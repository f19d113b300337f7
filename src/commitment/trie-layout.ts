/**
 * @module
 * Where every byte of an erasure trie lies, worked out once for each number of validators: with the keys
 * 0 .. n-1 all nodes but for their hashes are known beforehand (erasure spec §5.3). Not the general trie;
 * that is `hex-trie.ts`, and the nodes made from a layout are the same bytes. `trie-build.ts` uses it.
 */

import { HASH_BYTES } from '../primitives/hash.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import { encodeBranch, encodeLeaf, prefixed } from './node-format.ts';

/** Nodes of one length, none under another, whose hashes can be taken together. */
export type HashBatch = {
  /** Length of each node, in bytes. */
  readonly bytes: number;
  /** Offsets of the nodes. */
  readonly nodes: Uint32Array;
  /** Offset at which the hash of each node goes: into its parent, or to `rootAt`. */
  readonly hashes: Uint32Array;
};

/**
 * The layout of one trie. A node is a number, the root 0, parents before their children. Offsets are from
 * the start of the trie's region of `regionBytes`: every node behind its SCALE length, then the root's hash.
 */
export type TrieLayout = {
  readonly validatorCount: number;
  /** The region with zeros in place of all hashes. */
  readonly template: Uint8Array;
  readonly regionBytes: number;
  /** Offset of the root's hash, which ends the region. */
  readonly rootAt: number;
  /** Bytes at the region's start that hold all nodes but the leaves. */
  readonly branchBytes: number;
  readonly nodeCount: number;
  /** By node: offset and length of its encoding, without the SCALE length. */
  readonly nodeAt: Uint32Array;
  readonly nodeBytes: Uint32Array;
  /** By node: bytes of the SCALE length in front of the encoding. */
  readonly prefixBytes: Uint8Array;
  /** By node: bytes up to its first hash; the next hashes follow with one byte between two. */
  readonly headBytes: Uint8Array;
  /** By node: its parent; the root's is itself. */
  readonly parent: Uint32Array;
  /** By node: offset at which its hash goes. */
  readonly hashAt: Uint32Array;
  /** By chunk: its leaf, and the number of nodes on the path to it. */
  readonly leaf: Uint32Array;
  readonly pathLength: Uint8Array;
  /** By chunk: offset at which the chunk's hash goes, in its leaf. */
  readonly digestAt: Uint32Array;
  /** By chunk: offset of its SCALE proof when all stand one behind the other; the last entry is the end. */
  readonly proofAt: Uint32Array;
  /** Children before parents. */
  readonly batches: readonly HashBatch[];
};

/** A node before it has a place. */
type Shape = {
  readonly encoding: Uint8Array;
  /** 0 for a leaf, else one more than its highest child. */
  readonly height: number;
  /** The chunk of a leaf. */
  readonly chunk: number | undefined;
  readonly children: readonly Shape[];
};

const NO_HASH = new Uint8Array(HASH_BYTES);

/** Nibbles of a key (§5.1). */
const KEY_NIBBLES = 8;

/** One byte tells the length of a child or a value, 32 (§5.2). */
const HASH_ENTRY_BYTES = 1 + HASH_BYTES;

/** A chunk's key as a number whose hex digits are the key's nibbles, high first: the index, bytes turned. */
function keyNumber(chunk: number): number {
  const turned = (chunk << 24) | ((chunk & 0xff00) << 8) | ((chunk >> 8) & 0xff00) | (chunk >>> 24);
  return turned >>> 0;
}

function nibbleOf(key: number, depth: number): number {
  return (key >>> (4 * (KEY_NIBBLES - 1 - depth))) & 15;
}

function partialOf(key: number, from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from }, (_, i) => nibbleOf(key, from + i));
}

/** The nibbles of a key from one on, as a number. */
function partialNumber(key: number, from: number): number {
  return from === 0 ? key : key % 16 ** (KEY_NIBBLES - from);
}

/** Makes the nodes; encodings that are alike are made once. */
class ShapeBuilder {
  /** Keys in the trie's order. */
  readonly #keys: Uint32Array;
  readonly #encodings = new Map<string, Uint8Array>();

  constructor(validatorCount: number) {
    this.#keys = Uint32Array.from({ length: validatorCount }, (_, i) => keyNumber(i)).sort();
  }

  /** The node over the keys from..to-1, which agree before `depth`. */
  build(from: number, to: number, depth: number): Shape {
    const first = this.#keys[from] ?? 0;
    if (to - from === 1) {
      const encoding = this.#encoding(`${depth} ${partialNumber(first, depth)}`, () =>
        encodeLeaf(partialOf(first, depth, KEY_NIBBLES), NO_HASH),
      );
      // Turning the bytes again gives the index back.
      return { encoding, chunk: keyNumber(first), children: [], height: 0 };
    }
    const last = this.#keys[to - 1] ?? 0;
    let branchAt = depth;
    while (nibbleOf(first, branchAt) === nibbleOf(last, branchAt)) {
      branchAt += 1;
    }
    const children: Shape[] = [];
    const nibbles: number[] = [];
    for (let start = from; start < to; ) {
      const nibble = nibbleOf(this.#keys[start] ?? 0, branchAt);
      let end = start + 1;
      while (end < to && nibbleOf(this.#keys[end] ?? 0, branchAt) === nibble) {
        end += 1;
      }
      nibbles.push(nibble);
      children.push(this.build(start, end, branchAt + 1));
      start = end;
    }
    const partial = partialOf(first, depth, branchAt);
    const encoding = this.#encoding(`${partial.join()}:${nibbles.join()}`, () => {
      const references = nibbles.map((nibble) => ({ nibble, reference: NO_HASH }));
      return encodeBranch(partial, undefined, references);
    });
    const height = 1 + Math.max(...children.map((child) => child.height));
    return { encoding, chunk: undefined, children, height };
  }

  /** The encoding of that name, made when it is the first. */
  #encoding(name: string, make: () => Uint8Array): Uint8Array {
    const known = this.#encodings.get(name);
    const encoding = known ?? make();
    if (known === undefined) {
      this.#encodings.set(name, encoding);
    }
    return encoding;
  }
}

/** All nodes: the higher first, and of one height the equally long together. */
function inOrder(root: Shape): readonly Shape[] {
  const nodes: Shape[] = [];
  const collect = (node: Shape): void => {
    nodes.push(node);
    node.children.forEach(collect);
  };
  collect(root);
  return nodes.sort((a, b) => b.height - a.height || a.encoding.length - b.encoding.length);
}

type Places = Pick<
  TrieLayout,
  'nodeAt' | 'nodeBytes' | 'prefixBytes' | 'headBytes' | 'template' | 'rootAt' | 'branchBytes'
>;

/** Gives every node its place. */
function placeNodes(nodes: readonly Shape[]): Places {
  const nodeAt = new Uint32Array(nodes.length);
  const framed = new Map<Uint8Array, Uint8Array>();
  let end = 0;
  let branchBytes = 0;
  nodes.forEach(({ encoding, height }, node) => {
    const bytes = framed.get(encoding) ?? prefixed(encoding);
    framed.set(encoding, bytes);
    nodeAt[node] = end + bytes.length - encoding.length;
    end += bytes.length;
    branchBytes = height > 0 ? end : branchBytes;
  });
  const template = new Uint8Array(end + HASH_BYTES);
  const prefixBytes = new Uint8Array(nodes.length);
  nodes.forEach(({ encoding }, node) => {
    const bytes = framed.get(encoding) ?? encoding;
    prefixBytes[node] = bytes.length - encoding.length;
    template.set(bytes, (nodeAt[node] ?? 0) - bytes.length + encoding.length);
  });
  return {
    nodeAt,
    nodeBytes: Uint32Array.from(nodes, ({ encoding }) => encoding.length),
    prefixBytes,
    headBytes: Uint8Array.from(nodes, ({ encoding, children }) => {
      const rest = Math.max(1, children.length) - 1;
      return encoding.length - HASH_BYTES - rest * HASH_ENTRY_BYTES;
    }),
    template,
    rootAt: end,
    branchBytes,
  };
}

/** Says where the hash of each node goes. */
function linkNodes(
  nodes: readonly Shape[],
  { nodeAt, headBytes, rootAt }: Places,
): Pick<TrieLayout, 'parent' | 'hashAt'> {
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const parent = new Uint32Array(nodes.length);
  const hashAt = new Uint32Array(nodes.length).fill(rootAt, 0, 1);
  nodes.forEach(({ children }, number) => {
    children.forEach((child, i) => {
      const childNumber = numbers.get(child) ?? 0;
      parent[childNumber] = number;
      hashAt[childNumber] = (nodeAt[number] ?? 0) + (headBytes[number] ?? 0) + i * HASH_ENTRY_BYTES;
    });
  });
  return { parent, hashAt };
}

/** Runs of nodes of one height and length, leaves first. */
function hashBatches(
  nodes: readonly Shape[],
  { nodeAt }: Places,
  hashAt: Uint32Array,
): HashBatch[] {
  const batches: HashBatch[] = [];
  for (let from = 0; from < nodes.length; ) {
    const { height, encoding } = nodes[from] ?? { height: 0, encoding: NO_HASH };
    let to = from + 1;
    while (nodes[to]?.height === height && nodes[to]?.encoding.length === encoding.length) {
      to += 1;
    }
    const places = { nodes: nodeAt.slice(from, to), hashes: hashAt.slice(from, to) };
    batches.unshift({ bytes: encoding.length, ...places });
    from = to;
  }
  return batches;
}

/** Follows every chunk from its leaf to the root. */
function pathsOf(
  validatorCount: number,
  nodes: readonly Shape[],
  { nodeAt, nodeBytes, prefixBytes, headBytes }: Places,
  parent: Uint32Array,
): Pick<TrieLayout, 'leaf' | 'pathLength' | 'digestAt' | 'proofAt'> {
  const leaf = new Uint32Array(validatorCount);
  nodes.forEach(({ chunk }, node) => {
    if (chunk !== undefined) {
      leaf[chunk] = node;
    }
  });
  const pathLength = new Uint8Array(validatorCount);
  const proofAt = new Uint32Array(validatorCount + 1);
  for (let chunk = 0; chunk < validatorCount; chunk += 1) {
    // One byte for the number of nodes, at most 9.
    let bytes = 1;
    let length = 0;
    for (let node = leaf[chunk] ?? 0, isLast = false; !isLast; node = parent[node] ?? 0) {
      bytes += (prefixBytes[node] ?? 0) + (nodeBytes[node] ?? 0);
      length += 1;
      isLast = node === 0;
    }
    pathLength[chunk] = length;
    proofAt[chunk + 1] = (proofAt[chunk] ?? 0) + bytes;
  }
  const digestAt = leaf.map((node) => (nodeAt[node] ?? 0) + (headBytes[node] ?? 0));
  return { leaf, pathLength, digestAt, proofAt };
}

function makeLayout(validatorCount: number): TrieLayout {
  const nodes = inOrder(new ShapeBuilder(validatorCount).build(0, validatorCount, 0));
  const places = placeNodes(nodes);
  const links = linkNodes(nodes, places);
  return {
    validatorCount,
    nodeCount: nodes.length,
    regionBytes: places.template.length,
    batches: hashBatches(nodes, places, links.hashAt),
    ...places,
    ...links,
    ...pathsOf(validatorCount, nodes, places, links.parent),
  };
}

/** Layouts that are kept: one for each session that may be live, and some for tools. 10 MB at n = 65536. */
const KEPT_LAYOUTS = 4;

/** By number of validators, the one used last at the end. */
const kept = new Map<number, TrieLayout>();

/**
 * The layout for `validatorCount` chunks; the last few are kept, and must not be written to.
 *
 * Cost: 1 ms at n = 1000 when it is made.
 * Source: erasure spec §5.1–5.4.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export function trieLayout(validatorCount: number): TrieLayout {
  assertValidatorCount(validatorCount);
  const layout = kept.get(validatorCount) ?? makeLayout(validatorCount);
  kept.delete(validatorCount);
  kept.set(validatorCount, layout);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_LAYOUTS) {
      break;
    }
    kept.delete(oldest);
  }
  return layout;
}
