import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { POLKADOT_GENESIS } from '../../src/cli/options.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { run } from './support.ts';

async function recover(
  folder: TempFolder,
  config: { validators?: number; groups?: number[][]; genesisHash?: string },
  ...extra: readonly string[]
): ReturnType<typeof run> {
  const { validators = 4, groups = [[0]], genesisHash = POLKADOT_GENESIS } = config;
  await writeFile(folder.at('pov'), 'a block');
  await run(
    ...['candidate', '--validators', '4', '--in', folder.at('pov')],
    ...['--out', folder.at('candidate.json')],
  );
  const session = { index: 1, nodeFeatures: '', validators: Array(validators).fill(null), groups };
  await writeFile(folder.at('config.json'), JSON.stringify({ genesisHash, session }));
  return await run(
    ...['recover', '--config', folder.at('config.json')],
    ...['--receipt', folder.at('candidate.json'), ...extra],
  );
}

/** No validator has a peer here: what is not refused ends unavailable. */
const UNAVAILABLE = 2;

describe('recover', () => {
  it('refuses full data from backers alone without a group', async () => {
    await using folder = await tempFolder();
    const result = await recover(folder, {}, '--strategy', 'full_from_backers');
    expect(result).toEqual({
      code: 1,
      out: '',
      err: 'error: --strategy: full_from_backers needs --group\n',
    });
  });

  it.each([
    ['with a group', ['full_from_backers', '--group', '0']],
    ['among others', ['full_from_backers,regular_chunks']],
  ])('asks backers %s', async (_, extra) => {
    await using folder = await tempFolder();
    expect((await recover(folder, {}, '--strategy', ...extra)).code).toBe(UNAVAILABLE);
  });

  it.each([
    [[], '0 groups'],
    [[[0]], '1 group'],
    [[[0], [1, 2]], '2 groups'],
  ])('refuses a group that the session %j has not', async (groups, count) => {
    await using folder = await tempFolder();
    const { code, err } = await recover(folder, { groups }, '--group', '7');
    expect({ code, err }).toEqual({ code: 1, err: `error: --group: the session has ${count}\n` });
  });

  it('refuses a candidate file for another number of validators', async () => {
    await using folder = await tempFolder();
    const { code, err } = await recover(folder, { validators: 5 });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: candidate \w{64} is for 4 validators, the session has 5\n$/);
    // A bare receipt says nothing about it.
    const { candidates } = JSON.parse(await readFile(folder.at('candidate.json'), 'utf8')) as {
      candidates: { receipt: string }[];
    };
    const bare = await run(
      ...['recover', '--config', folder.at('config.json')],
      ...['--receipt', candidates[0]!.receipt],
    );
    expect(bare.code).toBe(UNAVAILABLE);
  });

  it('refuses a candidate file of another chain', async () => {
    await using folder = await tempFolder();
    const { code, err } = await recover(folder, { genesisHash: '11'.repeat(32) });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .*: genesisHash is 91b171\w*, the config has 1111\w*\n$/);
  });
});
