import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { RECORDED } from './recorded.ts';
import { fileFrom } from './run-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'worlds-'));
const file = join(folder, 'worlds.json');
const [world] = (RECORDED.worlds ?? []).filter(({ id }) => id === 7);
const departing = (RECORDED.worlds ?? []).filter(({ id }) => id === 86);

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the program on some content, and says how it ended. */
function run(content: string): [number | null, unknown, string] {
  writeFileSync(file, content);
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--in', file], {
    encoding: 'utf8',
  });
  return [status, stdout === '' ? undefined : JSON.parse(stdout), stderr];
}

describe('the worlds program', () => {
  it('prints one object and ends with 0 where all agree', () => {
    expect(run(JSON.stringify({ worlds: [world] }))).toEqual([
      0,
      { worlds: 1, agreed: 1, differed: [] },
      '',
    ]);
  });

  it('ends with 0 where a world departs as documented, and says so', () => {
    const [status, report] = run(JSON.stringify({ worlds: departing }));
    expect(status).toBe(0);
    expect(report).toMatchObject({
      agreed: 0,
      differed: [{ world: 86, departure: expect.stringContaining('proven') }],
    });
  });

  it('ends with 3 where a world differs', () => {
    const spoiled = { ...world, m: {} };
    const [status, report] = run(JSON.stringify({ worlds: [spoiled], scenarios: [] }));
    expect(status).toBe(3);
    expect(report).toMatchObject({ worlds: 1, agreed: 0, differed: [{ world: 7 }] });
  });

  it('ends with 1 and its usage where there is nothing to run', () => {
    const [status, report, stderr] = run('{}');
    expect([status, report]).toEqual([1, undefined]);
    expect(stderr).toContain('usage: npm run -s worlds');
  });
});

describe('fileFrom', () => {
  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['an object of another format', '{}'],
  ])('refuses a file that is %s', (_name, content) => {
    writeFileSync(file, content);
    expect(() => fileFrom(['--in', file])).toThrow();
  });

  it.each([
    ['no file', []],
    ['a file that is not there', ['--in', 'nowhere']],
    ['an option that is not known', ['--out', 'x']],
  ])('refuses arguments that name %s', (_name, args) => {
    expect(() => fileFrom(args)).toThrow();
  });
});
