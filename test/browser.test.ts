import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle } from './browser/bundle.ts';
import { Chromium, findChromium } from './browser/chromium.ts';
import type { PageReport } from './browser/page.ts';
import { Site, type SiteFiles, type Visit } from './browser/site.ts';
import { buildInto, lendDependencies } from './package/build.ts';
import { parseSource, ROOT } from './support/source-tree.ts';
import { type TempFolder, tempFolder } from './support/temp-folder.ts';

let folder: TempFolder;

beforeAll(async () => {
  folder = await tempFolder();
  await lendDependencies(folder);
  await buildInto(folder.at('dist'));
}, 120_000);

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

/** Scripts of a bundle, by name. */
function scriptsOf({ files }: Bundle): readonly (readonly [string, string])[] {
  return [...files].flatMap(([name, text]): [string, string][] =>
    name.endsWith('.js') ? [[name, String(text)]] : [],
  );
}

describe('a bundle of the entry for browsers', () => {
  let entry: Bundle;

  beforeAll(async () => {
    entry = await bundle(folder.at('dist', 'src', 'index.js'), folder.at('dist'));
  }, 60_000);

  it('is made without a warning and without a stand-in for a Node built-in', () => {
    expect(entry.warnings).toEqual([]);
    const standIns = entry.modules.filter(
      (id) => isBuiltin(id) || id.includes('__vite-browser-external'),
    );
    expect(standIns).toEqual([]);
  });

  it('imports nothing but its own files', () => {
    const foreign = scriptsOf(entry).flatMap(([name, text]) =>
      parseSource(name, text)
        .imports.filter(({ specifier }) => !specifier.startsWith('./'))
        .map(({ specifier }) => `${name}: ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  it('codes and proves where no global of Node exists', async () => {
    for (const [name, text] of scriptsOf(entry)) {
      await writeFile(folder.at(name.replaceAll('/', '-')), text);
    }
    const code = `
      const { log } = console;
      for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']) {
        delete globalThis[name];
      }
      const ar = await import('./${entry.entry.replaceAll('/', '-')}');
      await ar.hashReady();
      const chunks = ar.CODEC_V1.encodeChunks(Uint8Array.of(1, 2, 3), 4);
      const { root, proofs } = ar.HEX_TRIE_COMMITMENT.commit(chunks);
      const chunk = { bytes: chunks[3], chunkIndex: ar.chunkIndex(3), proof: proofs[3] };
      const verdict = ar.HEX_TRIE_COMMITMENT.verifyChunk({ erasureRoot: root, chunk, validatorCount: 4 });
      log(verdict.type);
    `;
    const args = ['--input-type=module', '-e', code];
    const ended = await promisify(execFile)(process.execPath, args, { cwd: folder.path });
    expect(ended).toEqual({ stdout: 'verified\n', stderr: '' });
  });
});

/** Headers under which a page has `SharedArrayBuffer`. */
const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

const policy = (...rules: readonly string[]): Record<string, string> => ({
  'content-security-policy': ["default-src 'self'", ...rules].join('; '),
});

const VISITS: readonly Visit[] = [
  { name: 'isolated', headers: ISOLATION, query: '?times=3' },
  { name: 'plain', headers: {}, query: '?times=3&share=4' },
  {
    name: 'no-simd',
    headers: {},
    query: '?share=4',
    head: '<script>WebAssembly.validate = () => false;</script>',
  },
  {
    name: 'no-workers',
    headers: {
      ...ISOLATION,
      ...policy("script-src 'self' 'wasm-unsafe-eval'", "worker-src 'none'"),
    },
  },
  { name: 'no-wasm', headers: policy("script-src 'self'"), query: '?share=8' },
];

/** Bound against hangs of the browser, ten times what it takes on two quiet cores. */
const HANG_MS = 240_000;

/** Vector files that the page runs. */
const VECTORS = ['decode.json', 'erasure-v1.json', 'proofs.json', 'mapping.json'];

/** BLAKE2b-256 over the chunks of the page's job; the same job on Node gives it too (`hosts.test.ts`). */
const CHUNKS_DIGEST = 'f8b66e7f987739be2cd00970ec5b9dd0f0551a8ab113a242b26083425201cf59';

const chromium = findChromium();

describe.skipIf(chromium === undefined)('the library in Chromium', () => {
  let reports: ReadonlyMap<string, unknown>;

  beforeAll(async () => {
    const page = fileURLToPath(new URL('./browser/page.ts', import.meta.url));
    const { files, entry } = await bundle(page, folder.at('dist'));
    const html = `<title>test</title><script type="module" src="./${entry}"></script>`;
    const served: SiteFiles = new Map<string, string | Uint8Array>([
      ...files,
      ['index.html', html],
      ...(await Promise.all(
        VECTORS.map(
          async (name) =>
            [`vectors/${name}`, await readFile(join(ROOT, 'test', 'vectors', name))] as const,
        ),
      )),
    ]);
    await using site = await Site.open(served, VISITS);
    await using browser = await Chromium.open(chromium!, site.address);
    reports = await browser.until(site.reports, HANG_MS);
  }, 2 * HANG_MS);

  const reportOf = (name: string): PageReport => reports.get(name) as PageReport;

  it.each([
    ['isolated', true],
    ['plain', false],
    ['no-simd', false],
    ['no-workers', true],
    ['no-wasm', false],
  ])('sees on the page %s that shared memory is there: %s', (name, isShared) => {
    expect(reportOf(name)).toMatchObject({ isIsolated: isShared, hasSharedMemory: isShared });
  });

  it.each(VISITS)('gives every vector its bytes and verdict on the page $name', ({ name }) => {
    const { error, vectors } = reportOf(name);
    expect(error).toBeUndefined();
    expect(Object.keys(vectors)).toEqual(VECTORS);
    for (const [file, { checks, failed }] of Object.entries(vectors)) {
      expect(failed, file).toEqual([]);
      expect(checks, file).toBeGreaterThan(200);
    }
  });

  const detected = { engine: 'simd_relaxed', threads: 2, warnings: [], hasWorked: true };

  it.each([
    { name: 'isolated', ...detected },
    { name: 'plain', ...detected, warnings: ['no_shared_memory'] },
    { name: 'no-simd', engine: 'scalar', threads: 0, warnings: ['no_kernel'], hasWorked: false },
    {
      name: 'no-workers',
      ...detected,
      threads: 0,
      warnings: ['threads_unavailable'],
      hasWorked: false,
    },
    { name: 'no-wasm', engine: 'scalar', threads: 0, warnings: ['no_kernel'], hasWorked: false },
  ])(
    'codes and recovers on the page $name with the engine $engine and $threads workers',
    ({ name, engine, threads, warnings, hasWorked }) => {
      const { jobs, workers, warnings: printed } = reportOf(name);
      const [alone, together] = jobs;
      expect(alone).toMatchObject({
        isExact: true,
        engine: { id: engine },
        work: { engine, threads: 0 },
      });
      expect(together).toMatchObject({ isExact: true, work: { engine, threads } });
      expect(together?.warnings).toEqual(warnings.map((warning) => `work_degraded ${warning}`));
      expect([alone?.chunks, together?.chunks]).toEqual([CHUNKS_DIGEST, CHUNKS_DIGEST]);
      expect(workers.done > 0).toBe(hasWorked);
      expect(printed).toEqual([]);
    },
  );
});
