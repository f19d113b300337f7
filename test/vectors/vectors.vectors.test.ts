/**
 * @module
 * All vector files through their runners, on the API; and proof that the runners look: every value that
 * is changed in a record is noticed, but for those named here.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { damaged, leavesOf, pathName, samplesOf } from './corruption.ts';
import { RUNNERS } from './registry.ts';
import { runContent, runFile } from './run-file.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

const contentOf = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Record<string, unknown>;

/** How many comparisons each committed file makes. Fewer means that a runner stopped looking. */
const CHECKS: Readonly<Record<string, number>> = {
  'available-data.json': 535,
  'decode.json': 800,
  'erasure-v1.json': 2753,
  'mapping-chacha8.json': 531,
  'mapping.json': 1227,
  'proofs.json': 783,
  'protocol-names.json': 16,
  'scale.json': 531,
};

beforeAll(hashReady);

describe('RUNNERS', () => {
  it('has every committed file, and no other', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual([...RUNNERS.keys()].sort());
    expect(Object.keys(CHECKS).sort()).toEqual([...RUNNERS.keys()].sort());
  });

  it.each(Object.entries(CHECKS))('%s holds, in %i checks or more', (file, count) => {
    const report = runFile(`${FOLDER}${file}`);
    expect(report).toMatchObject({ file, failed: [] });
    expect('checks' in report && report.checks).toBeGreaterThanOrEqual(count);
  });
});

/** What may change in a record without notice, and why it may. */
const UNNOTICED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'available-data.json': {
    'cases.name': 'a label',
    'cases.pov_source': 'the tag of no bytes',
    'cases.parent_head_source': 'the tag of no bytes',
  },
  'decode.json': {
    'thresholds_n_recovery_systematic.': 'no validators and one are both too few',
    'encode_errors.n': 'the same error for the next n',
    'ok.subsets': 'another subset of one code word gives the same output',
    'large.decodes_from': 'words, no data',
    'inconsistent.n': 'the next n has the same code',
    'inconsistent.what': 'a label',
    'inconsistent.same_output_with_overwritten_first_duplicate': 'says what to try besides',
    'errors.what': 'a label',
    'errors.n': 'the same error for the next n',
    'errors.mode': 'too few in both modes',
    'errors.given': 'the same error for other chunks',
  },
  'erasure-v1.json': { 'spec_examples.what': 'a label' },
  'mapping-chacha8.json': {},
  'mapping.json': {
    'switch.what': 'a label',
    'switch.bits': 'another bit than the one that counts',
    'switch.core': 'not read while the mapping is off',
    'switch.n': 'the same error or value for the next n',
  },
  'proofs.json': {
    'proofs.what': 'a label',
    'proofs.root': 'an invalid proof stays one under another root',
    'proofs.index': 'the next index has the same verdict',
    'proofs.nodes': 'an invalid or undecodable proof stays one with other nodes',
    'proofs.verdict.undecodable': 'words of the reference; ours is a code',
    'bounds.what': 'a label where the bytes are given',
    'bounds.result.error': 'words of the reference; ours is a code',
  },
};

/** Leaves of one name that are damaged in one record: long lists repeat themselves. */
const LEAVES_PER_NAME = 3;

/** The leaves to damage, a few for each name. */
function chosenLeaves(record: unknown): ReturnType<typeof leavesOf> {
  const taken = new Map<string, number>();
  return leavesOf(record).filter((path) => {
    const name = pathName(path);
    taken.set(name, (taken.get(name) ?? 0) + 1);
    return taken.get(name)! <= LEAVES_PER_NAME;
  });
}

/** The same object with every list empty. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) {
    return Array.isArray(value) ? [] : value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, emptied(child)]));
}

const hasFailed = (file: string, content: unknown): boolean => {
  const report = runContent(file, content);
  return 'failed' in report && report.failed.length > 0;
};

describe('runContent', () => {
  it.each(Object.entries(UNNOTICED))('notices every damaged value in %s', (file, unnoticed) => {
    const content = contentOf(file);
    if (file === 'decode.json') {
      // The others are compared with the canonical record of their n.
      const typed = content['typed'] as { readonly what: string }[];
      content['typed'] = typed.filter(({ what }) => what === 'canonical');
    }
    const sections = Object.keys(content).filter(
      (key) => Array.isArray(content[key]) && !['definition', 'node_table'].includes(key),
    );
    const missed = new Set<string>();
    for (const { section, content: sample } of samplesOf(content, sections)) {
      expect(hasFailed(file, sample), `${section} as it is`).toBe(false);
      for (const path of chosenLeaves(sample[section])) {
        const copy = { ...sample, [section]: damaged(sample[section], path) };
        if (!hasFailed(file, copy)) {
          missed.add(`${section}.${pathName(path)}`);
        }
      }
    }
    expect([...missed].sort()).toEqual(Object.keys(unnoticed).sort());
  });

  it.each(['scale.json', 'protocol-names.json'])('notices damage in each part of %s', (file) => {
    const content = contentOf(file);
    const sections = Object.keys(content).filter((key) => Array.isArray(content[key]));
    for (const section of sections) {
      const leaves = leavesOf((content[section] as unknown[])[0]);
      const isNoticed = leaves.some((path) =>
        hasFailed(file, { ...content, [section]: damaged(content[section], [0, ...path]) }),
      );
      expect(isNoticed, section).toBe(true);
    }
  });

  it.each([...RUNNERS.keys()])(
    'fails %s without content, with a foreign shape and empty',
    (file) => {
      for (const content of [null, 7, {}, { cases: 'none' }, emptied(contentOf(file))]) {
        expect(hasFailed(file, content), JSON.stringify(content).slice(0, 60)).toBe(true);
      }
    },
  );
});

describe('the vectors program', () => {
  const MAIN = `${FOLDER}main.ts`;
  const run = (...args: string[]): { code: number | null; lines: unknown[]; errors: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      encoding: 'utf8',
    });
    const lines = stdout.split('\n').filter((line) => line !== '');
    return {
      code: status,
      lines: lines.map((line) => JSON.parse(line) as unknown),
      errors: stderr,
    };
  };

  it('prints a line for each file and ends with 0 when all held', async () => {
    await using folder = await tempFolder();
    copyFileSync(`${FOLDER}mapping-chacha8.json`, folder.at('mapping-chacha8.json'));
    writeFileSync(folder.at('notes.json'), '{');
    writeFileSync(folder.at('readme.md'), 'words');
    const { code, lines } = run('--dir', folder.path);
    expect(lines).toEqual([
      { file: 'mapping-chacha8.json', checks: 531, failed: [] },
      { file: 'notes.json', skipped: true },
      { file: 'readme.md', skipped: true },
    ]);
    expect(code).toBe(0);
  });

  it('ends with 3 when a check failed or a file is malformed', async () => {
    await using folder = await tempFolder();
    const content = contentOf('mapping-chacha8.json');
    const copy = { ...content, seeds: damaged(content['seeds'], [1, 'slot']) };
    writeFileSync(folder.at('mapping-chacha8.json'), JSON.stringify(copy));
    writeFileSync(folder.at('proofs.json'), '{ "proofs": [');
    const { code, lines } = run('--dir', folder.path);
    expect(lines).toMatchObject([
      { file: 'mapping-chacha8.json', checks: 531, failed: [expect.stringContaining('seed of')] },
      { file: 'proofs.json', checks: 0, failed: [expect.stringContaining('cannot be read')] },
    ]);
    expect(code).toBe(3);
  });

  it.each([
    ['no arguments', []],
    ['an unknown option', ['--folder', FOLDER]],
    ['a folder that is not there', ['--dir', `${FOLDER}nowhere`]],
  ])('ends with 1 and says how to call it: %s', (_, args) => {
    const { code, lines, errors } = run(...args);
    expect([code, lines]).toEqual([1, []]);
    expect(errors).toContain('--dir DIR');
  });
});
