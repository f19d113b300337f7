import { readdir, readFile, writeFile } from 'node:fs/promises';
import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { POLKADOT_GENESIS } from '../../src/cli/options.ts';
import { candidateHash } from '../../src/primitives/ids.ts';
import { openLevelStore } from '../../src/store/open.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { isOneLine, jsonLines, run } from './support.ts';

const POV = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7) % 256);

type File = { genesisHash: string; candidates: Record<string, unknown>[] };
type Chunk = { validatorIndex: number; chunkIndex: number; chunk: string; proof: string[] };

async function setUp(folder: TempFolder, session: object = {}): Promise<string> {
  await writeFile(folder.at('pov'), POV);
  const made = await run(
    ...['candidate', '--validators', '6', '--core', '1', '--in', folder.at('pov'), '--json'],
    ...['--out', folder.at('candidate.json')],
  );
  const config = {
    genesisHash: POLKADOT_GENESIS,
    store: 'store',
    session: {
      index: 1,
      nodeFeatures: '001',
      validators: [null, null, null, null, null, null],
      groups: [],
      ...session,
    },
  };
  await writeFile(folder.at('config.json'), JSON.stringify(config));
  return String(jsonLines(made.out)[0]!['candidateHash']);
}

const importFile = (folder: TempFolder, ...extra: string[]): ReturnType<typeof run> =>
  run(
    ...['import', '--config', folder.at('config.json'), '--in', folder.at('candidate.json')],
    ...['--json', ...extra],
  );

async function held(
  folder: TempFolder,
  hash: string,
): Promise<{ chunks: number[][]; data: number }> {
  const store = await lastValueFrom(openLevelStore(folder.at('store')));
  const id = candidateHash(hash);
  const chunks = await lastValueFrom(store.loadChunks(id).pipe(toArray()), { defaultValue: [] });
  const data = await lastValueFrom(store.loadAvailableData(id), { defaultValue: new Uint8Array() });
  await lastValueFrom(store.close(), { defaultValue: undefined });
  return {
    chunks: chunks.map(({ validatorIndex, chunk }) => [validatorIndex, chunk.chunkIndex]),
    data: data.length,
  };
}

async function change(folder: TempFolder, edit: (file: File) => void): Promise<void> {
  const path = folder.at('candidate.json');
  const file = JSON.parse(await readFile(path, 'utf8')) as File;
  edit(file);
  await writeFile(path, JSON.stringify(file));
}

const chunksOf = (file: File): Chunk[] => file.candidates[0]!['chunks'] as Chunk[];

describe('import', () => {
  it('stores all chunks and the data, and the same again changes nothing', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder);
    const first = await importFile(folder);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(jsonLines(first.out)).toEqual([
      { candidateHash: hash, storedChunks: 6, storedData: true },
    ]);
    expect(jsonLines((await importFile(folder)).out)).toEqual([
      { candidateHash: hash, storedChunks: 0, storedData: false },
    ]);
    const { chunks, data } = await held(folder, hash);
    expect(chunks).toEqual([0, 1, 2, 3, 4, 5].map((v) => [v, (2 + v) % 6]));
    expect(data).toBeGreaterThan(POV.length);
  });

  it('stores the chunk of one validator and nothing else', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder);
    expect((await importFile(folder, '--validator', '4')).code).toBe(0);
    expect(await held(folder, hash)).toEqual({ chunks: [[4, 0]], data: 0 });
  });

  it('says what it stored, and what was there already', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder);
    const say = async (...extra: string[]): Promise<string> => {
      const args = ['--config', folder.at('config.json'), '--in', folder.at('candidate.json')];
      return (await run('import', ...args, ...extra)).out.replace(`candidate ${hash}: `, '');
    };
    expect(await say('--validator', '4')).toBe('stored 1 chunk\n');
    expect(await say('--validator', '4')).toBe('already held\n');
    expect(await say()).toBe('stored 5 chunks and the available data\n');
    await change(folder, (file) => {
      file.candidates[0]!['chunks'] = [];
      delete file.candidates[0]!['availableData'];
    });
    expect(await say()).toBe('nothing to store\n');
  });

  it('makes the chunks where the file has only the data', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder);
    await change(folder, (file) => {
      file.candidates[0]!['chunks'] = [];
    });
    expect((await importFile(folder, '--validator', '4')).code).toBe(0);
    expect(await held(folder, hash)).toEqual({ chunks: [[4, 0]], data: 0 });
  });

  it('stores the chunks there are where the file has no data', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder);
    await change(folder, (file) => {
      delete file.candidates[0]!['availableData'];
      chunksOf(file).splice(0, 4);
    });
    expect((await importFile(folder)).code).toBe(0);
    expect(await held(folder, hash)).toEqual({
      chunks: [
        [4, 0],
        [5, 1],
      ],
      data: 0,
    });
  });

  it('keeps proven chunks where the file has them, and says that it is not where they belong', async () => {
    await using folder = await tempFolder();
    const hash = await setUp(folder, { nodeFeatures: '' });
    const result = await importFile(folder);
    expect(result.code).toBe(0);
    expect(result.err).toMatch(/^note: .*6 chunks are not where .*identity/);
    const { chunks } = await held(folder, hash);
    expect(chunks).toEqual([0, 1, 2, 3, 4, 5].map((v) => [v, (2 + v) % 6]));
  });

  const flip = (hex: string): string => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`;
  const faults: [string, number, string, (file: File) => void][] = [
    [
      'a damaged chunk',
      3,
      'validator 5',
      (file) => (chunksOf(file)[5]!.chunk = flip(chunksOf(file)[5]!.chunk)),
    ],
    ['an empty proof', 3, 'bad_proof_bounds', (file) => (chunksOf(file)[0]!.proof = [])],
    [
      'damaged data',
      3,
      'PoV',
      (file) => {
        const data = String(file.candidates[0]!['availableData']);
        file.candidates[0]!['availableData'] = `${data.slice(0, 100)}${flip(data.slice(100))}`;
      },
    ],
    [
      'data with another end',
      3,
      'erasure root',
      (file) => {
        const data = String(file.candidates[0]!['availableData']);
        file.candidates[0]!['availableData'] = `${data.slice(0, -8)}${flip(data.slice(-8))}`;
      },
    ],
    [
      'bytes after the data',
      1,
      'follow',
      (file) =>
        (file.candidates[0]!['availableData'] =
          `${String(file.candidates[0]!['availableData'])}00`),
    ],
    [
      'a candidate without receipt',
      1,
      'no receipt',
      (file) => delete file.candidates[0]!['receipt'],
    ],
    [
      'another number of validators',
      1,
      '7 validators',
      (file) => (file.candidates[0]!['validators'] = 7),
    ],
    [
      'a file of another chain',
      1,
      `genesisHash is ${'11'.repeat(32)}, the config has ${POLKADOT_GENESIS}`,
      (file) => (file.genesisHash = '11'.repeat(32)),
    ],
    [
      'a validator named twice',
      1,
      'validator 1',
      (file) => (chunksOf(file)[0]!.validatorIndex = 1),
    ],
    [
      'a validator beyond the session',
      1,
      'validator 6',
      (file) => (chunksOf(file)[5]!.validatorIndex = 6),
    ],
    [
      'a second candidate without receipt',
      1,
      'no receipt',
      (file) => file.candidates.push({ candidateHash: '11'.repeat(32) }),
    ],
  ];

  it.each(faults)('refuses %s and stores nothing', async (_, code, message, damage) => {
    await using folder = await tempFolder();
    await setUp(folder);
    await change(folder, damage);
    const result = await importFile(folder);
    expect(result.code).toBe(code);
    expect(result.err).toContain(message);
    expect(isOneLine(result.err)).toBe(true);
    expect((await readdir(folder.path)).includes('store')).toBe(false);
  });

  it('refuses a store in memory, an unknown validator and a store that is open already', async () => {
    await using folder = await tempFolder();
    await setUp(folder);
    const store = await lastValueFrom(openLevelStore(folder.at('store')));
    expect((await importFile(folder)).err).toMatch(
      /the store is open already: .* \(store_locked\)\n$/,
    );
    await lastValueFrom(store.close(), { defaultValue: undefined });
    expect((await importFile(folder, '--validator', '6')).err).toContain('--validator');
    const config = JSON.parse(await readFile(folder.at('config.json'), 'utf8')) as object;
    await writeFile(folder.at('config.json'), JSON.stringify({ ...config, store: 'memory' }));
    expect((await importFile(folder)).err).toContain('store');
  });
});
