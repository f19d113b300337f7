import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchedWorkers, workersSeen } from './hosts/watched-workers.ts';
import { buildInto, type Ended, lendDependencies, run, TSC } from './package/build.ts';
import { readManifest } from './support/entries.ts';
import { ROOT } from './support/source-tree.ts';
import { type TempFolder, tempFolder } from './support/temp-folder.ts';
import type { WholeJobReport } from './support/whole-job.ts';

const { name: packageName, exports } = readManifest();
const entries = Object.keys(exports).map((entry) => packageName + entry.slice(1));

/** Half again what it is with the kernel, whose bytes are in it twice: as a script and in its map. */
const MAX_TARBALL_BYTES = 1_500_000;

let folder: TempFolder;
/** Path of the packed package. */
let tarball: string;

/** Runs Node in the folder where the package is installed. */
function node(...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, args, folder.at('consumer'));
}

/** Runs npm: the one that started the tests, else the one in the path. */
function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const cli = process.env['npm_execpath'];
  return cli === undefined ? run('npm', args, cwd) : run(process.execPath, [cli, ...args], cwd);
}

/** Builds, packs and installs the package into a temporary folder; the checkout is left alone. */
async function installPackage(): Promise<void> {
  const staged = folder.at('staged');
  await mkdir(staged);
  for (const part of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin']) {
    await cp(join(ROOT, part), join(staged, part), { recursive: true });
  }
  await buildInto(join(staged, 'dist'));
  const packed = await npm(['pack', '--ignore-scripts', '--json'], staged);
  expect(packed.code, packed.stderr).toBe(0);
  const modules = folder.at('consumer', 'node_modules');
  await mkdir(modules, { recursive: true });
  tarball = join(staged, (await readdir(staged)).find((file) => file.endsWith('.tgz')) ?? '');
  expect(await run('tar', ['-xzf', tarball, '-C', modules], staged)).toMatchObject({ code: 0 });
  await cp(join(modules, 'package'), join(modules, packageName), { recursive: true });
  await lendDependencies(folder);
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

  it('holds the kernel as it is run, not what it is made from, and stays small', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball], folder.path);
    const files = stdout.split('\n').map((file) => file.replace(/^package\//, ''));
    expect(files).toContain('dist/src/erasure/kernel/kernel-bytes.js');
    expect(files.filter((file) => file.startsWith('dist/src/erasure/kernel/wat'))).toEqual([]);
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|\.wasm$|\.wat$/.test(file))).toEqual([]);
    expect((await stat(tarball)).size).toBeLessThan(MAX_TARBALL_BYTES);
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

/** Puts the program that does the whole job beside the package, as if a user had written it. */
async function writeProgram(): Promise<void> {
  for (const [folderName, module] of [
    ['esm', ts.ModuleKind.ESNext],
    ['cjs', ts.ModuleKind.CommonJS],
  ] as const) {
    const home = folder.at('consumer', folderName);
    await mkdir(home);
    const type = folderName === 'cjs' ? 'commonjs' : 'module';
    await writeFile(join(home, 'package.json'), JSON.stringify({ type }));
    for (const path of ['test/hosts/program.ts', 'test/support/whole-job.ts']) {
      const source = (await readFile(join(ROOT, path), 'utf8'))
        .replace("'../../src/index.ts'", `'${packageName}'`)
        .replace('../support/', './');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          module,
          target: ts.ScriptTarget.ES2024,
          rewriteRelativeImportExtensions: true,
        },
      });
      await writeFile(join(home, basename(path).replace(/ts$/, 'js')), outputText);
    }
  }
}

describe('a program with workers', () => {
  beforeAll(writeProgram);

  /** Where the program is run from; `hosts.test.ts` runs it from `dist`. */
  const programs = {
    'the sources': () => fileURLToPath(new URL('./hosts/program.ts', import.meta.url)),
    'the installed package by import': () => folder.at('consumer', 'esm', 'program.js'),
    'the installed package by require': () => folder.at('consumer', 'cjs', 'program.js'),
  };

  it.each(
    Object.entries(programs).flatMap(([from, path]) =>
      [1, 2].map((count) => ({ from, path, count })),
    ),
  )('has its work done by $count of them, run from $from', async ({ path, count }) => {
    const { code, stdout, stderr } = await node(...watchedWorkers(), path(), `${count}`, '4');
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as WholeJobReport;
    expect(report).toMatchObject({ isExact: true, warnings: [], work: { threads: count } });
    expect(report.work?.engine).toBe('simd_relaxed');
    const { started, done } = workersSeen(stderr);
    expect(started).toBe(count);
    expect(done).toBeGreaterThan(0);
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
