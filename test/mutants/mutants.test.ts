import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPatch, ROOT } from './checkout.ts';
import { mutantFrom, readMutants } from './patches.ts';

const MUTANTS = await readMutants();

describe('the mutants', () => {
  it('are at least 20, and break what they break in the sources alone', async () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(20);
    for (const { name, path } of MUTANTS) {
      const files = [...(await readFile(path, 'utf8')).matchAll(/^\+\+\+ b\/(\S+)/gm)];
      expect(files.length, name).toBeGreaterThan(0);
      for (const [, file] of files) {
        expect(file, name).toMatch(/^(src|strategies|protocol)\//);
      }
    }
  });

  it.each(MUTANTS)('$name still applies', async ({ path }) => {
    expect(await applyPatch(ROOT, path, 'check')).toBeUndefined();
  });

  it.each(MUTANTS)('$name names a test that is there', async ({ testFile, title }) => {
    expect(await readFile(join(ROOT, testFile), 'utf8')).toContain(title);
  });

  it('are in the table of their README, each with its test', async () => {
    const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `([^`]+)` \|.*\| `([^`]+)`: (.+) \|$/gm)];
    expect(rows.map(([, name, file, title]) => [name, file, title])).toEqual(
      MUTANTS.map(({ name, testFile, title }) => [name, testFile, title]),
    );
  });
});

describe('mutantFrom', () => {
  it('refuses a patch without a header', () => {
    expect(() => mutantFrom('one', '--- a/x\n+++ b/x\n')).toThrow('one.patch: no line "Breaks: …"');
  });
});
