import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entrySources, readManifest } from './support/entries.ts';
import { ROOT } from './support/source-tree.ts';
import { type TempFolder, tempFolder } from './support/temp-folder.ts';

/** The `ts` blocks of the README, in order. */
async function snippets(): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '');
}

/** A snippet that imports the sources in place of the package. */
function onSources(snippet: string): string {
  const { name } = readManifest();
  const entries = Object.entries(entrySources()).toSorted(([a], [b]) => b.length - a.length);
  return entries.reduce(
    (text, [entry, source]) =>
      text.replaceAll(`'${name}${entry.slice(1)}'`, `'${pathToFileURL(join(ROOT, source)).href}'`),
    snippet,
  );
}

/** What the compiler says about a snippet with the settings that `tsc --init` writes. */
function complaints(file: string): readonly string[] {
  const { name } = readManifest();
  const paths = Object.fromEntries(
    Object.entries(entrySources()).map(([entry, source]) => [
      name + entry.slice(1),
      [join(ROOT, source)],
    ]),
  );
  const program = ts.createProgram([file], {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    paths,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}

describe('README.md', () => {
  let folder: TempFolder;

  beforeAll(async () => {
    folder = await tempFolder();
    await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'), 'junction');
    await writeFile(folder.at('package.json'), '{ "type": "module" }');
  });

  afterAll(async () => {
    await folder[Symbol.asyncDispose]();
  });

  it.each([
    { place: 0, what: 'an embedded example', prints: 'a block from regular_chunks\n' },
    {
      place: 1,
      what: 'a peer example, which goes on from it,',
      prints: 'a block from regular_chunks\n7 bytes from full_from_backers\n',
    },
  ])('has $what that compiles and runs', async ({ place, prints }) => {
    const snippet = (await snippets()).slice(0, place + 1).join('\n');
    const typed = folder.at(`typed-${place}.ts`);
    await writeFile(typed, snippet);
    expect(complaints(typed)).toEqual([]);
    const file = folder.at(`run-${place}.ts`);
    await writeFile(file, onSources(snippet));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { encoding: 'utf8' });
    expect(stdout).toBe(prints);
  });

  it.skipIf(process.platform === 'win32')(
    'has commands that carry a file through six stores and six peers',
    { timeout: 180_000 },
    async () => {
      const text = await readFile(join(ROOT, 'README.md'), 'utf8');
      const [commands = ''] = [...text.matchAll(/^```sh\n(cli.*?)^```/gms)].map((m) => m[1] ?? '');
      // Ten ports of our own, below those that systems hand out; a folder that goes with the test.
      const ports = 2_000 + (process.pid % 1_000);
      const here = commands
        .replace('$(mktemp -d)', folder.at('walk'))
        .replaceAll('3010$v', `${ports}$v`);
      await mkdir(folder.at('walk'));
      const bash = promisify(execFile)('bash', ['-euc', here], { cwd: ROOT, encoding: 'utf8' });
      const { stdout } = await bash;
      expect(stdout.trimEnd().split('\n').at(-1)).toBe('the same');
    },
  );

  it('keeps the embedded example short and free of RxJS', async () => {
    const [embedded = ''] = await snippets();
    expect(embedded.trim().split('\n').length).toBeLessThanOrEqual(30);
    expect(embedded).not.toContain('rxjs');
  });
});
