import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readJson, writeAtomically } from '../../src/cli/files.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
