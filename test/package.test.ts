import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from './support/entries.ts';
import { ROOT } from './support/source-tree.ts';
import { type TempFolder, tempFolder } from './support/temp-folder.ts';

const { name: packageName, exports } = readManifest();
const entries = Object.keys(exports).map((entry) => packageName + entry.slice(1));

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

let folder: TempFolder;

/** Runs a command to its end, whatever its exit code. */
async function run(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, { cwd, encoding: 'utf8' })) };
  } catch (error: unknown) {
    return error as Ended;
  }
}

/** Runs Node in the folder where the package is installed. */
function node(...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, args, folder.at('consumer'));
}

/** Runs npm: the one that started the tests, else the one in the path. */
function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const cli = process.env['npm_execpath'];
  return cli === undefined ? run('npm', args, cwd) : run(process.execPath, [cli, ...args], cwd);
}

/** Path of the TypeScript compiler's command. */
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

/** Builds, packs and installs the package into a temporary folder; the checkout is left alone. */
async function installPackage(): Promise<void> {
  const staged = folder.at('staged');
  await mkdir(staged);
  for (const part of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin']) {
    await cp(join(ROOT, part), join(staged, part), { recursive: true });
  }
  const args = [TSC, '-p', 'tsconfig.build.json', '--outDir', join(staged, 'dist')];
  expect(await run(process.execPath, args, ROOT)).toMatchObject({ code: 0, stdout: '' });
  const packed = await npm(['pack', '--ignore-scripts', '--json'], staged);
  expect(packed.code, packed.stderr).toBe(0);
  const modules = folder.at('consumer', 'node_modules');
  await mkdir(modules, { recursive: true });
  const tarball = (await readdir(staged)).find((file) => file.endsWith('.tgz')) ?? '';
  expect(await run('tar', ['-xzf', join(staged, tarball), '-C', modules], staged)).toMatchObject({
    code: 0,
  });
  await cp(join(modules, 'package'), join(modules, packageName), { recursive: true });
  // Dependencies are found on the way up from the package.
  await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'), 'junction');
}

beforeAll(async () => {
  folder = await tempFolder();
  await installPackage();
}, 120_000);

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

describe('the packed package', () => {
  it('holds what is built and what is said about it, no sources and no tests', async () => {
    const top = await readdir(folder.at('consumer', 'node_modules', packageName));
    expect(top.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'package.json',
    ]);
    const dist = await readdir(folder.at('consumer', 'node_modules', packageName, 'dist'));
    expect(dist.sort()).toEqual(['protocol', 'src', 'strategies']);
  });

  it.each([
    ['import', 'module', 'await import(entry)'],
    ['require', 'commonjs', 'require(entry)'],
  ])(
    'gives every entry to %s, warns of nothing and lets the process end',
    async (_, type, load) => {
      const names = JSON.stringify(entries);
      const code = `for (const entry of ${names}) console.log(entry, Object.keys(${load}).length > 0);`;
      expect(await node(`--input-type=${type}`, '-e', code)).toEqual({
        code: 0,
        stdout: entries.map((entry) => `${entry} true\n`).join(''),
        stderr: '',
      });
    },
  );

  it('gives every entry its types', async () => {
    const lines = entries.map((entry, index) => `export type * as E${index} from '${entry}';`);
    await writeFile(folder.at('consumer', 'consumer.mts'), `${lines.join('\n')}\n`);
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    const args = [TSC, ...flags, '--skipLibCheck', '--types', 'node', 'consumer.mts'];
    expect(await node(...args)).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('the command', () => {
  const bin = (...args: readonly string[]): Promise<Ended> =>
    node(`node_modules/${packageName}/bin/availability-recovery.cjs`, ...args);

  /** The command on a Node that says it is another version. */
  async function onNode(version: string): Promise<Ended> {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
    await writeFile(folder.at('consumer', 'pretend.cjs'), pretend);
    const command = `node_modules/${packageName}/bin/availability-recovery.cjs`;
    return node('--require', './pretend.cjs', command, '--help');
  }

  it('prints its help', async () => {
    const help = await bin('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: availability-recovery');
  });

  it('ends with 1 for a command that it does not know', async () => {
    expect(await bin('no-such-command')).toMatchObject({ code: 1, stdout: '' });
  });

  it.each(['18.20.8', '20.20.2', '22.17.1'])(
    'says in one line that Node %s is too old',
    async (version) => {
      expect(await onNode(version)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `availability-recovery: Node >= 22.18 is needed, this is ${version}\n`,
      });
    },
  );

  it.each(['22.18.0', '26.1.0'])('runs on Node %s', async (version) => {
    expect(await onNode(version)).toMatchObject({ code: 0, stderr: '' });
  });
});
