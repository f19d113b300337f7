import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run, TSC } from '../../package/build.ts';
import { ROOT } from '../../support/source-tree.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

/** The program, and its path in the checkout as in a build. */
const PROGRAM = fileURLToPath(new URL('./kernel-program.ts', import.meta.url));
const BUILT_PROGRAM = relative(ROOT, PROGRAM).replace(/\.ts$/, '.js');

/** What the program prints when all is well. */
const SOUND = {
  isSame: true,
  distinct: 5,
  isOfZeros: false,
  tally: { started: 2, deaths: 0, redone: 0 },
};

async function outputOf(program: string, memory: 'shared' | 'own'): Promise<unknown> {
  const { code, stdout, stderr } = await run(process.execPath, [program, memory], ROOT);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Compiles the program, what it loads and the workers' script; types are checked elsewhere. */
async function build(folder: TempFolder): Promise<string> {
  const built = folder.at('built');
  await mkdir(built);
  await writeFile(join(built, 'package.json'), JSON.stringify({ type: 'module' }));
  await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'), 'junction');
  const config = folder.at('tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.build.json'),
      compilerOptions: {
        rootDir: ROOT,
        outDir: built,
        noCheck: true,
        declaration: false,
        isolatedDeclarations: false,
        types: [],
      },
      files: [PROGRAM, join(ROOT, 'src', 'coding', 'pool', 'thread-main.ts')],
      include: [],
    }),
  );
  const { code, stdout } = await run(process.execPath, [TSC, '-p', config], ROOT);
  expect(code, stdout).toBe(0);
  return join(built, BUILT_PROGRAM);
}

describe('kernelPool', () => {
  it.each([
    ['shared', []],
    ['own', [['no_shared_memory', 'undefined']]],
  ] as const)(
    'works from the sources on %s memory, and lets the process end',
    async (memory, warnings) => {
      expect(await outputOf(PROGRAM, memory)).toEqual({ ...SOUND, warnings });
    },
  );

  it('works from a build, and lets the process end', async () => {
    await using folder = await tempFolder();
    const program = await build(folder);
    expect(await outputOf(program, 'shared')).toEqual({ ...SOUND, warnings: [] });
  });
});
