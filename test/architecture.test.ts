import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, hasTopLevelAwait, LIBP2P, loadedWith, PLACES } from './support/architecture.ts';
import { entrySources } from './support/entries.ts';
import {
  packageOf,
  parseSource,
  ROOT,
  readSources,
  SOURCE_FOLDERS,
} from './support/source-tree.ts';

const sources = readSources(SOURCE_FOLDERS);
const byPath = new Map(sources.map((file) => [file.path, file]));

describe('the house plan', () => {
  it('is kept by every file', () => {
    expect(sources.flatMap((file) => faultsOf(file))).toEqual([]);
  });

  it('names no place that does not exist', () => {
    expect(
      PLACES.map((place) => place.path).filter((path) => !existsSync(join(ROOT, path))),
    ).toEqual([]);
  });

  it('keeps sources in the folders of the library', () => {
    const known = new Set([...SOURCE_FOLDERS, 'test', 'bench', 'bin', 'dist', 'coverage']);
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter(
        (one) => one.isDirectory() && !one.name.startsWith('.') && one.name !== 'node_modules',
      )
      .map((one) => one.name);
    expect(folders.filter((name) => !known.has(name))).toEqual([]);
  });

  it('is mirrored by the tests, whose suffix says their kind', () => {
    const kinds = /^[^.]+(\.(vectors|prop|net|slow))?\.test\.ts$/;
    const homes = ['support', 'vectors', 'interop', 'mutants', 'worlds'];
    const strays = readSources(['test'])
      .map((file) => posix.relative('test', file.path))
      .filter((path) => path.endsWith('.test.ts'))
      .filter((path) => {
        const folder = posix.dirname(path);
        const isAtHome = [folder, `src/${folder}`].some((place) => existsSync(join(ROOT, place)));
        return !kinds.test(posix.basename(path)) || !(isAtHome || homes.includes(folder));
      });
    expect(strays).toEqual([]);
  });

  it('carries .ts in the import paths of tests and benches', () => {
    const bad = readSources(['test', 'bench']).flatMap((file) =>
      file.imports
        .filter(({ specifier }) => /^\.{1,2}\//.test(specifier) && !/\.(ts|json)$/.test(specifier))
        .map(({ specifier }) => `${file.path}: ${specifier}`),
    );
    expect(bad).toEqual([]);
  });
});

describe('the entries', () => {
  it('load nothing that waits at the top level', () => {
    const loaded = Object.values(entrySources()).flatMap((entry) => [...loadedWith(entry, byPath)]);
    const waiting = loaded.filter((path) => hasTopLevelAwait(byPath.get(path)!));
    expect([...new Set(waiting)]).toEqual([]);
  });

  it.each(['.', './strategies'])('load neither libp2p nor Node through %s', (name) => {
    const isForeign = (specifier: string): boolean =>
      isBuiltin(specifier) ||
      LIBP2P.some((pattern) => packageOf(specifier).startsWith(pattern.replace(/\*$/, '')));
    const foreign = [...loadedWith(entrySources()[name]!, byPath)].flatMap((path) =>
      byPath
        .get(path)!
        .imports.filter(({ specifier }) => isForeign(specifier))
        .map(({ specifier }) => `${path}: ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('file sizes', () => {
  const lines = sources.map((file) => ({
    path: file.path,
    count: file.text.split('\n').length - 1,
    isExplained: /\bLong because\b/.test(file.text.slice(0, 1_000)),
  }));

  it('stay at or below 500 lines unless the top says "Long because"', () => {
    expect(lines.filter(({ count, isExplained }) => count > 500 && !isExplained)).toEqual([]);
  });

  it('stay at or below 350 lines in nine of ten files, 120 in the median', () => {
    const counts = lines.map(({ count }) => count).sort((a, b) => a - b);
    expect(counts[Math.floor(counts.length * 0.9)]).toBeLessThanOrEqual(350);
    expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(120);
  });
});

describe('faultsOf', () => {
  const planted = (path: string, line: string): readonly string[] =>
    faultsOf(parseSource(path, `/**\n * @module\n */\n${line}\n`));

  it.each([
    ['src/primitives/a.ts', "import { b } from '../codec/b.ts';", 'imports upward: src/codec/b.ts'],
    [
      'src/codec/a.ts',
      "import type { B } from '../mapping/b.ts';",
      'imports sideways: src/mapping/b.ts',
    ],
    [
      'protocol/a.ts',
      "export { b } from '../strategies/b.ts';",
      'imports sideways: strategies/b.ts',
    ],
    ['src/recovery/a.ts', "type B = import('../store/b.ts').B;", 'imports upward: src/store/b.ts'],
    ['src/recovery/a.ts', "void import('../cli/b.ts');", 'imports upward: src/cli/b.ts'],
    [
      'src/recovery/a.ts',
      "import { b } from '../erasure/field.ts';",
      'reaches past the index of erasure: src/erasure/field.ts',
    ],
    [
      'src/cli/a.ts',
      "import { b } from '../../protocol/index.ts';",
      'imports an index: protocol/index.ts',
    ],
    ['src/recovery/a.ts', "import { b } from './b';", 'imports ./b without .ts'],
    [
      'src/recovery/a.ts',
      "import { b } from '../../test/b.ts';",
      'imports test/b.ts, which is on no floor',
    ],
    ['src/mapping/a.ts', "import { of } from 'rxjs';", 'imports the package rxjs'],
    ['src/codec/a.ts', "import { readFile } from 'node:fs';", 'uses the Node API node:fs'],
    ['src/codec/a.ts', "import { readFile } from 'fs';", 'uses the Node API fs'],
    [
      'src/store/a.ts',
      "import { x } from '@libp2p/interface';",
      'imports the package @libp2p/interface',
    ],
    ['strategies/a.ts', "import { x } from 'libp2p';", 'imports the package libp2p'],
    ['src/erasure/a.ts', 'const x = Buffer.from([]);', 'uses the global Buffer'],
    ['src/primitives/a.ts', 'const x = process.pid;', 'uses the global process'],
    ['src/commitment/a.ts', 'setTimeout(x, 1);', 'uses the global setTimeout'],
    ['src/recovery/a.ts', 'const x = process.pid;', 'uses the global process'],
    ['src/erasure/index.ts', 'export const x = 1;', 'does more than re-export'],
    ['src/recovery/utils.ts', '', 'has a name that says nothing'],
  ])('finds in %s: %s', (path, line, fault) => {
    expect(planted(path, line)).toEqual([`${path}: ${fault}`]);
  });

  it('finds a file on no floor, and one without a @module comment', () => {
    expect(planted('src/peers/a.ts', '')).toEqual(['src/peers/a.ts: is on no floor']);
    expect(faultsOf(parseSource('src/codec/a.ts', 'export {};\n'))).toEqual([
      'src/codec/a.ts: does not start with a @module comment',
    ]);
  });

  it.each([
    ['src/codec/a.ts', "import { b } from '../primitives/b.ts';\nimport { c } from './c.ts';"],
    ['src/codec/a.ts', 'export type X = { process: number };\nexport const x = y.process;'],
    ['src/recovery/a.ts', "import { b } from '../erasure/index.ts';\nimport { of } from 'rxjs';"],
    [
      'protocol/a.ts',
      "import { b } from 'it-pipe';\nimport { c } from '../src/recovery/ports.ts';",
    ],
    ['src/cli/a.ts', "import { b } from '../node.ts';\nimport { c } from 'libp2p';"],
    ['strategies/index.ts', "export { b } from './b.ts';\nexport type { C } from './c.ts';"],
  ])('finds nothing in %s: %s', (path, lines) => {
    expect(planted(path, lines)).toEqual([]);
  });
});

describe('loadedWith', () => {
  it('follows imports and re-exports, but nothing that is gone at run time', () => {
    const files = [
      parseSource('src/a.ts', "import { b } from './b.ts';\nimport type { T } from './type.ts';"),
      parseSource('src/b.ts', "export { c } from './c/c.ts';\nexport type { T } from './type.ts';"),
      parseSource('src/c/c.ts', "import { a } from '../a.ts';\nimport { of } from 'rxjs';"),
      parseSource('src/type.ts', ''),
    ];
    const loaded = loadedWith('src/a.ts', new Map(files.map((file) => [file.path, file])));
    expect([...loaded].sort()).toEqual(['src/a.ts', 'src/b.ts', 'src/c/c.ts']);
  });
});

describe('hasTopLevelAwait', () => {
  it.each([
    ['await x;', true],
    ['const y = { z: [await x] };', true],
    ['for await (const y of x) {}', true],
    ['await using y = x;', true],
    ['if (a) { await x; }', true],
    ['async function f() { await x; }', false],
    ['const f = async () => { for await (const y of x) {} };', false],
    ['class A { async m() { await using y = x; } }', false],
  ])('reads %j', (text, expected) => {
    expect(hasTopLevelAwait(parseSource('src/a.ts', text))).toBe(expected);
  });
});

describe('the license', () => {
  it('is the one that package.json names', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      license: string;
    };
    expect(manifest.license).toBe('Apache-2.0');
    expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toContain('Version 2.0, January 2004');
  });
});
