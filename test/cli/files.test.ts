import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { assertPlaceForFile, readJson, writeAtomically } from '../../src/cli/files.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { run } from './support.ts';

describe('writeAtomically', () => {
  it('joins pieces of text and bytes, also beyond what is written at once', async () => {
    await using folder = await tempFolder();
    const large = new Uint8Array(1_500_000).fill(7);
    await writeAtomically(folder.at('file'), ['ä', large, Uint8Array.of(1), large]);
    const content = await readFile(folder.at('file'));
    expect(content.length).toBe(2 + 1 + 2 * large.length);
    expect(content.subarray(0, 3)).toEqual(Buffer.from([0xc3, 0xa4, 7]));
  });

  it('leaves the old file and nothing else when a piece cannot be made', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('file'), 'old');
    const pieces = function* (): Generator<string> {
      yield 'new';
      throw new RangeError('no more');
    };
    await expect(writeAtomically(folder.at('file'), pieces())).rejects.toThrow('no more');
    expect(await readdir(folder.path)).toEqual(['file']);
    expect(await readFile(folder.at('file'), 'utf8')).toBe('old');
  });

  it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing half written when %s ends the process, nor a listener when it is done',
    { timeout: 60_000 },
    async (signal) => {
      await using folder = await tempFolder();
      await writeAtomically(folder.at('other'), ['done']);
      expect(process.listenerCount(signal)).toBe(0);
      const files = new URL('../../src/cli/files.ts', import.meta.url).href;
      const script = `
        import { writeAtomically } from ${JSON.stringify(files)};
        const piece = new Uint8Array(2 ** 20);
        await writeAtomically(${JSON.stringify(folder.at('file'))}, (function* () {
          yield piece;
          process.kill(process.pid, ${JSON.stringify(signal)});
          for (let i = 0; i < 500; i += 1) yield piece;
        })());`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
      expect(await new Promise((resolve) => child.once('close', (_, by) => resolve(by)))).toBe(
        signal,
      );
      expect(await readdir(folder.path)).toEqual(['other']);
    },
  );

  it('follows a link', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('target'), 'old');
    await symlink(folder.at('target'), folder.at('link'));
    await writeAtomically(folder.at('link'), ['new']);
    expect(await readFile(folder.at('target'), 'utf8')).toBe('new');
  });

  it('says what it could not write, in words of its own', async () => {
    await using folder = await tempFolder();
    await mkdir(folder.at('folder'));
    for (const path of [folder.at('nowhere', 'file'), folder.at('folder')]) {
      await expect(writeAtomically(path, ['x'])).rejects.toMatchObject({
        code: 'local_fault',
        message: expect.stringMatching(/^cannot write .*: (ENOENT|EISDIR|EPERM|EACCES)$/),
      });
    }
    expect(await readdir(folder.path)).toEqual(['folder']);
  });
});

describe('assertPlaceForFile', () => {
  it('lets pass what can be written, and what was not asked for', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('old'), 'old');
    for (const path of [undefined, folder.at('old'), folder.at('new'), 'in-this-folder']) {
      await assertPlaceForFile('--out', path);
    }
    expect(await readdir(folder.path)).toEqual(['old']);
  });

  it.each([
    ['a missing folder', ['nowhere', 'file'], '--out: no such folder: '],
    ['a file in the place of the folder', ['file', 'other'], '--out: no such folder: '],
    ['a missing folder as the file', ['nowhere/'], '--out: no such folder: '],
    ['a folder', ['folder'], '--out: a folder, expected a file: '],
  ])('refuses %s', async (_, parts, message) => {
    await using folder = await tempFolder();
    await mkdir(folder.at('folder'));
    await writeFile(folder.at('file'), '');
    await expect(
      assertPlaceForFile('--out', [folder.path, ...parts].join('/')),
    ).rejects.toMatchObject({
      code: 'local_fault',
      message: expect.stringContaining(message),
    });
  });

  it('refuses an empty path', async () => {
    await expect(assertPlaceForFile('--out', '')).rejects.toThrow('--out: expected a path');
  });

  it.each([
    ['encode', ['--validators', '4', '--in', 'nowhere.bin', '--out']],
    ['candidate', ['--validators', '4', '--in', 'nowhere.bin', '--out']],
    ['decode', ['--validators', '4', '--in', 'nowhere.json', '--out']],
    ['recover', ['--config', 'nowhere.json', '--receipt', 'nowhere.json', '--out']],
    ['recover', ['--config', 'nowhere.json', '--receipt', 'nowhere.json', '--report']],
  ])('comes before anything else in %s', async (command, args) => {
    await using folder = await tempFolder();
    const path = folder.at('nowhere', 'file');
    expect(await run(command, ...args, path)).toEqual({
      code: 1,
      out: '',
      err: `error: ${args.at(-1)}: no such folder: ${folder.at('nowhere')}\n`,
    });
  });
});

describe('recover', () => {
  it('does not write the report over the PoV', async () => {
    const files = ['--config', 'nowhere.json', '--receipt', 'nowhere.json'];
    expect(await run('recover', ...files, '--out', 'same', '--report', 'same')).toEqual({
      code: 1,
      out: '',
      err: 'error: --report: the same file as --out\n',
    });
  });
});

describe('readJson', () => {
  it('names the file that is no JSON', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('file'), '{');
    await expect(readJson(folder.at('file'))).rejects.toMatchObject({
      code: 'misuse',
      message: `${folder.at('file')}: not JSON`,
    });
  });
});
