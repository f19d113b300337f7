import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { pickCandidate, readCandidateFile } from '../../src/cli/candidate-file.ts';
import { descriptorVersion } from '../../src/codec/candidate.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isOneLine, jsonLines, run } from './support.ts';

const POV = Uint8Array.from({ length: 300 }, (_, i) => i % 251);

async function make(
  folder: { at(name: string): string },
  ...extra: readonly string[]
): Promise<Awaited<ReturnType<typeof run>>> {
  await writeFile(folder.at('pov'), POV);
  return await run(
    ...['candidate', '--validators', '6', '--in', folder.at('pov')],
    ...['--out', folder.at('candidate.json'), ...extra],
  );
}

describe('candidate', () => {
  it('writes a file that import, verify and receipt read', async () => {
    await using folder = await tempFolder();
    const made = await make(folder, '--core', '1', '--json');
    expect(made).toMatchObject({ code: 0, err: '' });
    const file = await readCandidateFile(folder.at('candidate.json'));
    const entry = pickCandidate(file, 'it', undefined);
    expect(entry).toMatchObject({ coreIndex: 1, sessionIndex: 1, validatorCount: 6 });
    // rfc47: chunk (core * k + V) mod n.
    expect(entry.chunks.map(({ chunk }) => chunk.chunkIndex)).toEqual([2, 3, 4, 5, 0, 1]);
    const [summary] = jsonLines(made.out);
    const verified = await run(
      ...['verify', '--validators', '6', '--root', String(summary!['erasureRoot'])],
      ...['--in', folder.at('candidate.json')],
    );
    expect(verified.code).toBe(0);
    const receipt = await run('receipt', folder.at('candidate.json'), '--json');
    expect(jsonLines(receipt.out)).toMatchObject([
      {
        candidateHash: entry.candidateHash,
        version: 'v2',
        paraId: 2000,
        coreIndex: 1,
        sessionIndex: 1,
        erasureRoot: summary!['erasureRoot'],
        povHash: summary!['povHash'],
      },
    ]);
  });

  it.each(['v1', 'v2', 'v3'] as const)('makes a receipt that reads as %s', async (version) => {
    await using folder = await tempFolder();
    expect((await make(folder, '--version', version)).code).toBe(0);
    const { candidates } = await readCandidateFile(folder.at('candidate.json'));
    expect(descriptorVersion(candidates[0]!.receipt!)).toBe(version);
  });

  it('gives the same bytes for the same input', async () => {
    await using folder = await tempFolder();
    await make(folder);
    const first = await readFile(folder.at('candidate.json'));
    await make(folder);
    expect(await readFile(folder.at('candidate.json'))).toEqual(first);
  });

  it.each([
    ['chacha8 without seed', ['--scheme', 'chacha8'], '--seed'],
    ['a seed without chacha8', ['--seed', '00'.repeat(32)], '--seed'],
    ['an unknown scheme', ['--scheme', 'random'], 'identity, rfc47, chacha8'],
    ['a core of 17 bits', ['--core', '65536'], '0..65535'],
    ['an unknown version', ['--version', 'v4'], 'v1, v2, v3'],
    ['a head that is no hex', ['--parent-head', 'xyz'], 'hex'],
  ])('refuses %s and writes nothing', async (_, extra, message) => {
    await using folder = await tempFolder();
    const result = await make(folder, ...extra);
    expect(result.code).toBe(1);
    expect(result.err).toContain(message);
    expect(isOneLine(result.err)).toBe(true);
    expect(await readdir(folder.path)).toEqual(['pov']);
  });
});

describe('readCandidateFile', () => {
  it('reads content from files beside it', async () => {
    await using folder = await tempFolder();
    await make(folder);
    const value = JSON.parse(await readFile(folder.at('candidate.json'), 'utf8')) as {
      candidates: Record<string, unknown>[];
    };
    const [entry] = value.candidates;
    await writeFile(folder.at('data'), Buffer.from(String(entry!['availableData']), 'hex'));
    delete entry!['availableData'];
    entry!['availableDataFile'] = 'data';
    await writeFile(folder.at('beside.json'), JSON.stringify(value));
    const [whole] = (await readCandidateFile(folder.at('candidate.json'))).candidates;
    const [beside] = (await readCandidateFile(folder.at('beside.json'))).candidates;
    expect(beside).toEqual(whole);
  });

  it.each([
    ['no candidates', {}, 'candidates'],
    ['a candidate that is no object', { candidates: [1] }, 'candidates[0]'],
    ['no hash', { candidates: [{}] }, 'candidates[0].candidateHash'],
    [
      'a receipt of another candidate',
      { candidates: [{ candidateHash: '11'.repeat(32), receipt: '00'.repeat(324) }] },
      'candidates[0].receipt',
    ],
    [
      'a short receipt',
      { candidates: [{ candidateHash: '11'.repeat(32), receipt: '00' }] },
      'candidates[0].receipt',
    ],
    [
      'a chunk without validator',
      { candidates: [{ candidateHash: '11'.repeat(32), chunks: [{ chunk: '' }] }] },
      'chunks[0].validatorIndex',
    ],
    [
      'synthetic content',
      { candidates: [{ candidateHash: '11'.repeat(32), synthetic: {} }] },
      'candidates[0].synthetic',
    ],
  ])('names the place of the fault: %s', async (_, value, place) => {
    await using folder = await tempFolder();
    await writeFile(folder.at('bad.json'), JSON.stringify(value));
    await expect(readCandidateFile(folder.at('bad.json'))).rejects.toMatchObject({
      code: 'misuse',
      message: expect.stringContaining(place),
    });
  });
});

describe('receipt', () => {
  it('reads hex, a raw file and a hex file alike', async () => {
    await using folder = await tempFolder();
    await make(folder);
    const { candidates } = await readCandidateFile(folder.at('candidate.json'));
    const { bytes } = candidates[0]!.receipt!;
    const hex = Buffer.from(bytes).toString('hex');
    await writeFile(folder.at('raw'), bytes);
    await writeFile(folder.at('hex'), `0x${hex}\n`);
    const outputs = await Promise.all(
      [hex, folder.at('raw'), folder.at('hex'), folder.at('candidate.json')].map((argument) =>
        run('receipt', argument),
      ),
    );
    expect(new Set(outputs.map(({ out }) => out)).size).toBe(1);
    expect(outputs[0]!.out).toContain(`candidateHash: ${candidates[0]!.candidateHash}\n`);
  });

  it.each([
    ['hex of another size', 'abcd', '324'],
    ['no hex and no file', 'nowhere.json', 'cannot read'],
  ])('refuses %s', async (_, argument, message) => {
    const result = await run('receipt', argument);
    expect(result.code).toBe(1);
    expect(result.err).toContain(message);
    expect(isOneLine(result.err)).toBe(true);
  });

  it('asks for --candidate where a file has several', async () => {
    await using folder = await tempFolder();
    const hashes = ['11'.repeat(32), '22'.repeat(32)];
    const candidates = hashes.map((candidateHash) => ({ candidateHash }));
    await writeFile(folder.at('two.json'), JSON.stringify({ candidates }));
    const several = await run('receipt', folder.at('two.json'));
    expect(several).toMatchObject({ code: 1, err: expect.stringContaining(hashes[1]!) });
    const bare = await run('receipt', folder.at('two.json'), '--candidate', hashes[1]!);
    expect(bare).toMatchObject({ code: 1, err: expect.stringContaining('no receipt') });
  });
});
