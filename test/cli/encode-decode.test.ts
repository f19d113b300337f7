import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { ENGINE_VARIABLE, engine } from '../../src/coding/engine.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isOneLine, jsonLines, run } from './support.ts';

const PAYLOAD = Uint8Array.from({ length: 101 }, (_, i) => i);

type Encoded = {
  erasureRoot: string;
  chunks: { chunkIndex: number; chunk: string; proof: string[] }[];
};

async function encoded(folder: { at(name: string): string }, n: number): Promise<Encoded> {
  await writeFile(folder.at('payload'), PAYLOAD);
  const result = await run(
    ...['encode', '--validators', String(n), '--in', folder.at('payload')],
    ...['--out', folder.at('encoded.json')],
  );
  expect(result).toMatchObject({ code: 0, err: '' });
  return JSON.parse(await readFile(folder.at('encoded.json'), 'utf8')) as Encoded;
}

describe('encode', () => {
  it('writes thresholds, root, chunks and proofs', async () => {
    await using folder = await tempFolder();
    const file = await encoded(folder, 10);
    expect(file).toMatchObject({
      validators: 10,
      recoveryThreshold: 4,
      systematicThreshold: 4,
      chunkBytes: 26,
    });
    expect(file.chunks.map(({ chunkIndex }) => chunkIndex)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(Object.keys(file.chunks[0]!)).toEqual(['chunkIndex', 'chunk', 'proof']);
  });

  it('names the engine, which may be chosen, and writes the same with each', async () => {
    await using folder = await tempFolder();
    const file = await encoded(folder, 10);
    const args = ['encode', '--validators', '10', '--in', folder.at('payload')];
    const { code, out } = await run(
      ...args,
      ...['--out', folder.at('scalar.json'), '--engine', 'scalar'],
    );
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toBe('engine scalar, option');
    expect(JSON.parse(await readFile(folder.at('scalar.json'), 'utf8'))).toEqual(file);
    const json = await run(...args, '--out', folder.at('best.json'), '--json');
    expect(jsonLines(json.out)).toMatchObject([{ engine: engine().id }]);
    const wrong = await run(...args, '--out', folder.at('out.json'), '--engine', 'gpu');
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('Expected one of simd_relaxed, simd, scalar.');
  });

  it('takes the engine that the environment names, and refuses one that is none', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('payload'), PAYLOAD);
    const args = ['encode', '--validators', '10', '--in', folder.at('payload')];
    vi.stubEnv(ENGINE_VARIABLE, 'scalar');
    const { out } = await run(...args, '--out', folder.at('out.json'), '--json');
    expect(jsonLines(out)).toMatchObject([{ engine: 'scalar' }]);
    vi.stubEnv(ENGINE_VARIABLE, 'gpu');
    const wrong = await run(...args, '--out', folder.at('none.json'));
    vi.unstubAllEnvs();
    expect(wrong.code).toBe(1);
    expect(isOneLine(wrong.err)).toBe(true);
    expect(wrong.err).toContain('AVAILABILITY_ENGINE: expected simd_relaxed, simd, scalar');
    expect(await readdir(folder.path)).not.toContain('none.json');
  });

  it('writes hashes in place of chunks with --digest', async () => {
    await using folder = await tempFolder();
    const plain = await encoded(folder, 4);
    const { code } = await run(
      ...['encode', '--validators', '4', '--in', folder.at('payload'), '--digest'],
      ...['--out', folder.at('digest.json')],
    );
    expect(code).toBe(0);
    const digest = JSON.parse(await readFile(folder.at('digest.json'), 'utf8')) as Encoded;
    expect(digest.chunks.map(({ chunk }) => chunk)).toEqual(
      plain.chunks.map(({ chunk }) => toHex(blake2b256(Buffer.from(chunk, 'hex')))),
    );
  });

  it('takes canonical AvailableData only with --available-data', async () => {
    await using folder = await tempFolder();
    const scale = encodeAvailableData({
      pov: { blockData: PAYLOAD },
      validationData: {
        parentHead: new Uint8Array(3),
        relayParentNumber: 7,
        relayParentStorageRoot: new Uint8Array(32),
        maxPovSize: 1024,
      },
    });
    const code = async (bytes: Uint8Array): Promise<number | null> => {
      await writeFile(folder.at('in'), bytes);
      const args = ['encode', '--validators', '4', '--in', folder.at('in'), '--available-data'];
      return (await run(...args, '--out', folder.at('out.json'))).code;
    };
    expect(await code(scale)).toBe(0);
    expect(await code(Uint8Array.from([...scale, 0]))).toBe(1);
    expect(await code(PAYLOAD)).toBe(1);
  });

  it('names the file that is no AvailableData', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('my.bin'), PAYLOAD);
    const { err } = await run(
      ...['encode', '--validators', '4', '--in', folder.at('my.bin'), '--available-data'],
      ...['--out', folder.at('out.json')],
    );
    expect(err).toContain(`error: ${folder.at('my.bin')}: not SCALE AvailableData: `);
    expect(isOneLine(err)).toBe(true);
  });

  it.each([
    ['an empty payload', '4', new Uint8Array(), 'bad_payload'],
    ['one validator', '1', PAYLOAD, 'not_enough_validators'],
    ['too many validators', '65537', PAYLOAD, 'too_many_validators'],
  ])('refuses %s and writes nothing', async (_, n, bytes, code) => {
    await using folder = await tempFolder();
    await writeFile(folder.at('in'), bytes);
    const result = await run(
      ...['encode', '--validators', n, '--in', folder.at('in'), '--out', folder.at('out.json')],
    );
    expect(result.code).toBe(1);
    expect(result.err).toContain(code);
    expect(isOneLine(result.err)).toBe(true);
    expect(await readdir(folder.path)).toEqual(['in']);
  });
});

describe('the number of validators', () => {
  it('comes from the file when the option does not say it', async () => {
    await using folder = await tempFolder();
    const { erasureRoot } = await encoded(folder, 10);
    const source = ['--in', folder.at('encoded.json'), '--root', erasureRoot];
    expect((await run('verify', ...source)).code).toBe(0);
    const decoded = await run('decode', ...source, '--length', '101', '--out', folder.at('out'));
    expect(decoded.code, decoded.err).toBe(0);
    expect(new Uint8Array(await readFile(folder.at('out')))).toEqual(PAYLOAD);
  });

  it('comes from the candidate of a candidate file, too', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('pov'), PAYLOAD);
    const made = await run(
      ...['candidate', '--validators', '7', '--in', folder.at('pov'), '--json'],
      ...['--out', folder.at('candidate.json')],
    );
    const root = String(jsonLines(made.out)[0]!['erasureRoot']);
    const source = ['--in', folder.at('candidate.json'), '--root', root];
    expect((await run('verify', ...source)).code).toBe(0);
    const wrong = await run('verify', ...source, '--validators', '6');
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('7 validators') });
  });

  it.each(['decode', 'verify'])('is refused in %s when the file says another', async (command) => {
    await using folder = await tempFolder();
    const { erasureRoot, chunks } = await encoded(folder, 10);
    const write = (content: object): Promise<void> =>
      writeFile(folder.at('encoded.json'), JSON.stringify(content));
    const error = async (...extra: string[]): Promise<string> => {
      const out = command === 'decode' ? ['--out', folder.at('out')] : [];
      const source = ['--in', folder.at('encoded.json'), '--root', erasureRoot];
      const result = await run(command, ...source, ...extra, ...out);
      expect(result.code).toBe(1);
      return result.err.replace(folder.at('encoded.json'), 'FILE');
    };
    expect(await error('--validators', '9')).toBe(
      'error: --validators: FILE is for 10 validators, not 9\n',
    );
    await write({ validators: 'ten', chunks });
    expect(await error()).toBe('error: FILE: validators: expected a number\n');
    await write(chunks);
    expect(await error()).toBe(
      'error: --validators: needed, FILE does not say how many there are\n',
    );
  });

  it.each(['encode', 'decode', 'verify', 'candidate', 'mapping'])(
    'has the same bounds in the help and in the errors of %s',
    async (command) => {
      expect((await run(command, '--help')).out).toContain('number of validators, 2..65536');
      for (const text of ['1', '65537', '99999999999', '2.5', '-3', 'x']) {
        const { code, err } = await run(command, '--validators', text);
        expect(code).toBe(1);
        expect(err, text).toContain('Expected an integer in 2..65536');
      }
    },
  );
});

describe('decode', () => {
  it('gives the payload from any chunks, checked against the root', async () => {
    await using folder = await tempFolder();
    const { erasureRoot } = await encoded(folder, 10);
    for (const [chunks, method] of [
      ['0,1,2,3', 'reassemble'],
      ['3,9,5,4', 'reconstruct'],
      ['9,8,7,6,5,4', 'reconstruct'],
    ] as const) {
      const { code, out } = await run(
        ...['decode', '--validators', '10', '--in', folder.at('encoded.json'), '--json'],
        ...[
          '--chunks',
          chunks,
          '--root',
          erasureRoot,
          '--length',
          '101',
          '--out',
          folder.at('out'),
        ],
      );
      expect(code).toBe(0);
      expect(jsonLines(out)).toMatchObject([{ verified: true, method, bytes: 101 }]);
      expect(new Uint8Array(await readFile(folder.at('out')))).toEqual(PAYLOAD);
    }
  });

  it('says that nothing is verified without a root, and keeps the padding', async () => {
    await using folder = await tempFolder();
    await encoded(folder, 6);
    const { code, out } = await run(
      ...['decode', '--validators', '6', '--in', folder.at('encoded.json'), '--json'],
      ...['--chunks', '4,5', '--out', folder.at('out')],
    );
    expect(code).toBe(0);
    expect(jsonLines(out)).toMatchObject([{ verified: false, bytes: 104 }]);
    expect(new Uint8Array(await readFile(folder.at('out')))).toEqual(
      Uint8Array.from([...PAYLOAD, 0, 0, 0]),
    );
  });

  it('ends with 3 for a chunk that does not verify, and writes nothing', async () => {
    await using folder = await tempFolder();
    const file = await encoded(folder, 6);
    file.chunks[4]!.chunk = `00${file.chunks[4]!.chunk.slice(2)}`;
    await writeFile(folder.at('bad.json'), JSON.stringify(file));
    const args = ['decode', '--validators', '6', '--in', folder.at('bad.json')];
    const result = await run(...args, '--root', file.erasureRoot, '--out', folder.at('out'));
    expect(result.code).toBe(3);
    expect(result.err).toContain('chunk_hash_mismatch');
    expect((await readdir(folder.path)).includes('out')).toBe(false);
    const without = await run(
      ...[...args, '--root', file.erasureRoot, '--chunks', '0,5', '--out', folder.at('out')],
    );
    expect(without.code).toBe(0);
  });

  it('ends with 3 for proven chunks that are no code word', async () => {
    await using folder = await tempFolder();
    // Chunk i is 2 bytes of value i: a root over them has valid proofs and no payload.
    const { HEX_TRIE_COMMITMENT } = await import('../../src/commitment/commitment.ts');
    const chunks = [0, 1, 2, 3].map((i) => Uint8Array.from([i, i]));
    const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
    const list = chunks.map((bytes, chunkIndex) => ({
      chunkIndex,
      chunk: toHex(bytes),
      proof: proofs[chunkIndex]!.map((node) => toHex(node)),
    }));
    await writeFile(folder.at('in.json'), JSON.stringify(list));
    const { code, err } = await run(
      ...['decode', '--validators', '4', '--in', folder.at('in.json'), '--root', toHex(root)],
      ...['--chunks', '2,3', '--out', folder.at('out')],
    );
    expect(code).toBe(3);
    expect(err).toContain('another erasure root');
  });

  it.each([
    ['too few chunks', ['--chunks', '3'], 'not_enough_chunks'],
    ['a chunk that is not there', ['--chunks', '0,7'], 'holds no chunk 7'],
    ['a list that is none', ['--chunks', '0,,1'], 'integer'],
    ['a length beyond the payload', ['--length', '105'], '--length'],
    ['a root of the wrong size', ['--root', 'abcd'], '32 bytes'],
  ])('refuses %s', async (_, extra, message) => {
    await using folder = await tempFolder();
    await encoded(folder, 6);
    const result = await run(
      ...['decode', '--validators', '6', '--in', folder.at('encoded.json'), ...extra],
      ...['--out', folder.at('out')],
    );
    expect(result.code).toBe(1);
    expect(result.err).toContain(message);
    expect(isOneLine(result.err)).toBe(true);
    expect((await readdir(folder.path)).includes('out')).toBe(false);
  });

  it.each([
    ['no JSON', '{"chunks":', 'not JSON'],
    ['no chunks', '{}', 'chunks'],
    ['a chunk that is no object', '[7]', 'chunks[0]'],
    ['a chunk without index', '[{"chunk":"00"}]', 'chunks[0].chunkIndex'],
    ['a chunk that is no hex', '[{"chunkIndex":0,"chunk":"0x0"}]', 'chunks[0].chunk'],
    ['a proof that is no list', '[{"chunkIndex":0,"chunk":"00","proof":""}]', 'chunks[0].proof'],
    ['a negative index', '[{"chunkIndex":-1,"chunk":"0000"}]', 'chunks[0].chunkIndex'],
  ])('names the place of the fault in a file: %s', async (_, text, place) => {
    await using folder = await tempFolder();
    await writeFile(folder.at('in.json'), text);
    const args = ['decode', '--validators', '6', '--in', folder.at('in.json')];
    const result = await run(...args, '--out', folder.at('out'));
    expect(result.code).toBe(1);
    expect(result.err).toContain(place);
    expect(isOneLine(result.err)).toBe(true);
  });
});

describe('verify', () => {
  it('prints a line per chunk and ends with 0 when all verify', async () => {
    await using folder = await tempFolder();
    const { erasureRoot } = await encoded(folder, 4);
    const args = ['verify', '--validators', '4', '--root', `0x${erasureRoot}`];
    const { code, out } = await run(...args, '--in', folder.at('encoded.json'));
    expect(code).toBe(0);
    expect(jsonLines(out)).toEqual([0, 1, 2, 3].map((chunkIndex) => ({ chunkIndex, valid: true })));
  });

  it('gives the reason of each chunk that does not, and ends with 3', async () => {
    await using folder = await tempFolder();
    const { erasureRoot, chunks } = await encoded(folder, 4);
    const good = chunks[0]!;
    const list = [
      good,
      { ...good, chunkIndex: 1 },
      { ...good, chunkIndex: 4 },
      { ...good, chunkIndex: 2 ** 32 },
      { ...good, chunkIndex: -1 },
      { ...good, chunkIndex: 0.5 },
      { ...good, chunk: `ff${good.chunk.slice(2)}` },
      { ...good, proof: [] },
      { ...good, proof: good.proof.slice(1) },
    ];
    await writeFile(folder.at('list.json'), JSON.stringify(list));
    const args = ['verify', '--validators', '4', '--root', erasureRoot];
    const { code, out, err } = await run(...args, '--in', folder.at('list.json'));
    expect(code).toBe(3);
    expect(isOneLine(err)).toBe(true);
    expect(jsonLines(out).map(({ reason }) => reason)).toEqual([
      undefined,
      // The proof of another index lacks a node on the way.
      'invalid_branch_proof',
      ...Array.from({ length: 4 }, () => 'chunk_index_out_of_range'),
      'chunk_hash_mismatch',
      'bad_proof_bounds',
      'invalid_branch_proof',
    ]);
  });
});
