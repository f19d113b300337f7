/**
 * @module
 * Golden vectors through the command line: what the commands print and write is compared, not what the
 * API returns. Cases of more than {@link MAX_N} validators run on the API only; here they would mean
 * files of megabytes for nothing new.
 */

import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeProof, encodeProof } from '../../src/codec/erasure-chunk.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { codeOf, type Outcome } from '../vectors/error-kind.ts';
import { type Expected, inFormOf, payload, type Source, sourceBytes } from '../vectors/payload.ts';
import { jsonLines, run } from './support.ts';

/** See the module's doc. */
const MAX_N = 300;

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as T;

type Encoded = {
  erasureRoot: string;
  chunkBytes: number;
  systematicThreshold: number;
  recoveryThreshold: number;
  chunks: { chunkIndex: number; chunk: string; proof: string[] }[];
};

let folder: TempFolder;
beforeAll(async () => {
  await hashReady();
  folder = await tempFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

async function encode(bytes: Uint8Array, n: number, ...extra: string[]): Promise<Encoded> {
  await writeFile(folder.at('payload'), bytes);
  const result = await run(
    ...['encode', '--validators', String(n), '--in', folder.at('payload')],
    ...['--out', folder.at('encoded.json'), ...extra],
  );
  expect(result.code, result.err).toBe(0);
  return JSON.parse(await readFile(folder.at('encoded.json'), 'utf8')) as Encoded;
}

/** Decodes a list of chunks; gives the bytes, or the code of the error. */
async function decode(
  list: readonly { chunkIndex: number; chunk: string }[],
  n: number,
  ...extra: string[]
): Promise<Uint8Array | string> {
  await writeFile(folder.at('list.json'), JSON.stringify(list));
  const result = await run(
    ...['decode', '--validators', String(n), '--in', folder.at('list.json')],
    ...['--out', folder.at('decoded'), ...extra],
  );
  return result.code === 0
    ? new Uint8Array(await readFile(folder.at('decoded')))
    : (/\((\w+)\)\n$/.exec(result.err)?.[1] ?? result.err);
}

type ErasureCase = {
  n: number;
  k: number;
  threshold: number;
  tag: string;
  len: number;
  chunk_len: number;
  root: string;
  chunks?: string[];
  chunks_blake2b256?: string;
  nodes?: string[];
  proofs?: Record<string, number[]>;
};

describe('encode and verify', () => {
  const { cases } = vectors<{ cases: ErasureCase[] }>('erasure-v1');
  const sizes = [...new Set(cases.map(({ n }) => n))].filter((n) => n <= MAX_N);

  it.each(sizes)('give the chunks, roots and proofs of erasure-v1.json for n = %i', async (n) => {
    for (const given of cases.filter((candidate) => candidate.n === n)) {
      const what = given.tag;
      const file = await encode(payload(given.tag, given.len), n);
      expect(file, what).toMatchObject({
        erasureRoot: given.root,
        chunkBytes: given.chunk_len,
        systematicThreshold: given.k,
        recoveryThreshold: given.threshold,
      });
      const chunks = file.chunks.map(({ chunk }) => chunk);
      if (given.chunks === undefined) {
        expect(toHex(blake2b256(fromHex(chunks.join('')))), what).toBe(given.chunks_blake2b256);
      } else {
        expect(chunks, what).toEqual(given.chunks);
      }
      for (const [index, places] of Object.entries(given.proofs ?? {})) {
        expect(file.chunks[Number(index)]!.proof, what).toEqual(
          places.map((place) => given.nodes![place]),
        );
      }
    }
    // The file of the last case still lies there.
    const last = cases.findLast((candidate) => candidate.n === n)!;
    const verified = await run(
      ...['verify', '--validators', String(n), '--root', last.root],
      ...['--in', folder.at('encoded.json')],
    );
    expect(jsonLines(verified.out).length).toBe(n);
    expect(verified.code).toBe(0);
  });

  it('refuse what decode.json says is refused', async () => {
    type EncodeError = { n: number; payload: string; result: Outcome };
    for (const given of vectors<{ encode_errors: EncodeError[] }>('decode').encode_errors) {
      if (given.result === 'ok' || given.n > 65_537) {
        continue;
      }
      await writeFile(folder.at('payload'), fromHex(given.payload));
      const { code, err } = await run(
        ...['encode', '--validators', String(given.n), '--in', folder.at('payload')],
        ...['--out', folder.at('none.json')],
      );
      expect(code).toBe(1);
      expect(err).toContain(`(${codeOf(given.result.error)})`);
    }
  });
});

describe('decode', () => {
  type OkCase = {
    n: number;
    tag: string;
    len: number;
    output: Expected;
    subsets: [string, number[]][];
  };
  type ErrorCase = {
    what: string;
    n: number;
    mode: 'regular' | 'systematic';
    given: [number, string][] | string[];
    result: Outcome;
  };
  type Inconsistent = { n: number; what: string; given: [number, string][]; output: string };
  const { ok, errors, inconsistent } = vectors<{
    ok: OkCase[];
    errors: ErrorCase[];
    inconsistent: Inconsistent[];
  }>('decode');

  it.each(ok.filter(({ n }) => n <= MAX_N))(
    'gives the output of $tag from each subset',
    async (given) => {
      const bytes = payload(given.tag, given.len);
      const { chunks, erasureRoot } = await encode(bytes, given.n);
      for (const [what, indices] of given.subsets) {
        const list = indices.map((index) => chunks[index]!);
        const plain = await decode(list, given.n);
        expect(inFormOf(given.output, plain as Uint8Array), what).toEqual(given.output);
        const proven = await decode(
          list,
          given.n,
          '--root',
          erasureRoot,
          '--length',
          `${given.len}`,
        );
        expect(proven, what).toEqual(bytes);
      }
    },
  );

  it('gives the reference output for chunks off any code word', async () => {
    for (const { n, what, given, output } of inconsistent) {
      const list = given.map(([chunkIndex, chunk]) => ({ chunkIndex, chunk }));
      expect(toHex((await decode(list, n)) as Uint8Array), `${n}: ${what}`).toBe(output);
    }
  });

  it('ends in the errors of decode.json, in their order', async () => {
    for (const { n, what, mode, given, result } of errors) {
      const list = given.map((entry, i) =>
        typeof entry === 'string'
          ? { chunkIndex: i, chunk: entry }
          : { chunkIndex: entry[0], chunk: entry[1] },
      );
      const outcome = await decode(list, n, ...(mode === 'systematic' ? ['--systematic'] : []));
      const expected = result === 'ok' ? 'bytes' : codeOf(result.error);
      expect(typeof outcome === 'string' ? outcome : 'bytes', `${n} ${mode}: ${what}`).toBe(
        expected,
      );
    }
  });
});

describe('verify', () => {
  type Bound = {
    what: string;
    scale: string | null;
    result: { nodes: number } | { error: string };
  };
  type ProofCase = {
    what: string;
    root: string;
    index: number;
    nodes: number[];
    verdict: { value: string } | { error: string } | { undecodable: string };
  };
  const { proofs, bounds, node_table } = vectors<{
    proofs: ProofCase[];
    bounds: Bound[];
    node_table: string[];
  }>('proofs');

  it('has the verdict of every proof in proofs.json', async () => {
    for (const { what, root, index, nodes, verdict } of proofs) {
      // No chunk is known here: a valid proof then fails at the chunk's hash, and not before.
      const list = [
        { chunkIndex: index, chunk: '0000', proof: nodes.map((place) => node_table[place]) },
      ];
      await writeFile(folder.at('list.json'), JSON.stringify(list));
      const result = await run(
        ...['verify', '--validators', '65536', '--root', root, '--in', folder.at('list.json')],
      );
      expect(result.code, what).toBe(3);
      const [line] = jsonLines(result.out);
      const expected =
        'value' in verdict
          ? 'chunk_hash_mismatch'
          : 'undecodable' in verdict
            ? 'bad_proof_bounds'
            : codeOf(verdict.error);
      const isBeyond = index >= 65_536;
      expect(line!['reason'], what).toBe(isBeyond ? 'chunk_index_out_of_range' : expected);
    }
  });

  it('keeps the bounds of proofs that the wire has', async () => {
    const root = '00'.repeat(32);
    for (const { what, scale, result } of bounds) {
      if (scale === null || !('nodes' in result)) {
        continue;
      }
      const { value } = decodeProof(fromHex(scale));
      expect(toHex(encodeProof(value)), what).toBe(scale.slice(0, encodeProof(value).length * 2));
      const list = [{ chunkIndex: 0, chunk: '0000', proof: value.map((node) => toHex(node)) }];
      await writeFile(folder.at('list.json'), JSON.stringify(list));
      const { out } = await run(
        ...['verify', '--validators', '2', '--root', root, '--in', folder.at('list.json')],
      );
      expect(jsonLines(out)[0]!['reason'], what).toBe('invalid_branch_proof');
    }
  });
});

/** `V2` -> `v2`, `unknown(2)` -> `unknown`. */
const wordOf = (version: string): string => version.toLowerCase().replace(/\(.*/, '');

describe('receipt', () => {
  it('says what scale.json says', async () => {
    type Receipt = {
      what: string;
      scale: string;
      candidate_hash: string;
      pov_hash: string;
      erasure_root: string;
      version: string;
      version_old_rules: string;
      core_index: number | null;
      session_index: number | null;
      scheduling_session: number | null;
    };
    for (const given of vectors<{ receipts: Receipt[] }>('scale').receipts) {
      const { code, out } = await run('receipt', given.scale, '--json');
      expect(code, given.what).toBe(0);
      expect(jsonLines(out)[0], given.what).toMatchObject({
        candidateHash: given.candidate_hash,
        povHash: given.pov_hash,
        erasureRoot: given.erasure_root,
        version: wordOf(given.version),
        versionBeforeV3: wordOf(given.version_old_rules),
        coreIndex: given.core_index,
        sessionIndex: given.session_index,
        schedulingSession: given.scheduling_session,
      });
    }
  });
});

describe('candidate', () => {
  it('codes the data of available-data.json as it is there', async () => {
    type DataCase = {
      name: string;
      n: number;
      pov_source: Source;
      available_data: Expected;
      erasure_root: string;
      pov_hash: string;
      payload_len: number;
    };
    const { cases } = vectors<{ cases: (DataCase & Record<string, unknown>)[] }>('available-data');
    for (const given of cases.filter(({ n }) => n <= MAX_N)) {
      await writeFile(folder.at('pov'), sourceBytes(given.pov_source));
      const result = await run(
        ...['candidate', '--validators', `${given.n}`, '--in', folder.at('pov'), '--json'],
        ...['--out', folder.at('candidate.json')],
      );
      // The PoV hash does not depend on the validation data, which the file spells differently.
      expect(jsonLines(result.out)[0], given.name).toMatchObject({ povHash: given.pov_hash });
      if (!('hex' in given.available_data)) {
        continue;
      }
      const file = await encode(fromHex(given.available_data.hex), given.n, '--available-data');
      expect(file.erasureRoot, given.name).toBe(given.erasure_root);
    }
  });
});
