import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainRecovery } from '../../src/cli/explain-recovery.ts';
import { parseReportFile, reportFileOf } from '../../src/cli/report-file.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { isOneLine, jsonLines, run } from './support.ts';

type Json = Record<string, unknown>;

let folder: TempFolder;
let good: Json;

/** The file of a recovery in which nobody had a chunk and V6 lied. */
async function recordedFile(): Promise<Json> {
  const world = await RecoveryWorld.open({
    validatorCount: 7,
    behaviour: ({ index }) => (index === 6 ? 'flipped' : 'no_such'),
  });
  const error = world.run().error as RecoveryError;
  return JSON.parse(JSON.stringify(reportFileOf({ type: 'failed', error }))) as Json;
}

async function explain(content: unknown, ...extra: string[]): ReturnType<typeof run> {
  const path = folder.at('report.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return run('explain', path, ...extra);
}

/** The file with something else in one place; `undefined` takes it out. */
function changed(path: readonly (string | number)[], value: unknown): Json {
  const copy = structuredClone(good);
  const last = path.at(-1)!;
  const at = path
    .slice(0, -1)
    .reduce<Record<string | number, unknown>>((node, key) => node[key] as Json, copy);
  if (value === undefined) {
    delete at[last];
  } else {
    at[last] = value;
  }
  return copy;
}

beforeAll(async () => {
  folder = await tempFolder();
  good = await recordedFile();
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

describe('explain', () => {
  it('prints the explanation of the file, whose verdict is not its exit code', async () => {
    const { code, out, err } = await explain(good);
    expect([code, err]).toEqual([0, '']);
    expect(out.trimEnd().split('\n')).toEqual(explainRecovery(parseReportFile(good, 'x')));
    expect(out).toContain('no_such_chunk: v0, v2, v3');
    expect(out).toContain('chunk_hash_mismatch: v6');
    expect((await explain(good)).out).toBe(out);
  });

  it('prints facts and report as one JSON object with --json', async () => {
    const { code, out } = await explain(good, '--json');
    expect(code).toBe(0);
    const [json, ...more] = jsonLines(out);
    expect(more).toEqual([]);
    expect(json).toMatchObject({
      outcome: 'unavailable',
      reason: 'sources_exhausted',
      costliest: { strategy: 'systematic_chunks' },
      failed: { chunk_hash_mismatch: ['v6'] },
      chunks: { held: 0, needed: 2 },
      report: good['report'],
    });
  });

  it('makes the report anew: what the file says of it is not believed', async () => {
    const { out } = await explain(changed(['report'], { ms: 1e9 }));
    expect(out).toBe((await explain(good)).out);
  });

  it('shows no character of a name that a terminal would obey, and cuts a long one', async () => {
    const evil = `\u001b[2J\u202e\n${'x'.repeat(200)}`;
    const { out, code } = await explain(changed(['account', 'attempts', 0, 'source'], evil));
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]|x{80}/);
    expect(out).toContain('?[2J??xxx');
  });

  it('needs no more than an outcome', async () => {
    expect(await explain({ outcome: 'stopped' })).toMatchObject({
      code: 0,
      out: 'stopped; nothing had begun\n',
    });
  });

  it.each<[string, () => unknown, string]>([
    ['no JSON', () => '{', 'not JSON'],
    ['another value', () => [1], 'expected object'],
    ['no outcome', () => changed(['outcome'], undefined), 'outcome: missing'],
    ['an unknown outcome', () => changed(['outcome'], 'fine'), 'outcome: expected one of'],
    [
      'an account without attempts',
      () => changed(['account', 'attempts'], undefined),
      'account.attempts: missing',
    ],
    [
      'an unknown answer',
      () => changed(['account', 'attempts', 0, 'answer'], 'maybe'),
      'account.attempts[0].answer: expected one of',
    ],
    [
      'a time before the beginning of time',
      () => changed(['account', 'attempts', 1, 'ms'], -1),
      'account.attempts[1].ms: must be >= 0',
    ],
    [
      'a size that is a text',
      () => changed(['account', 'attempts', 0, 'bytes'], '7'),
      'account.attempts[0].bytes: expected integer',
    ],
    [
      'a reason that is no word',
      () => changed(['details', 'reason'], 'two\nlines'),
      'details.reason: must match pattern',
    ],
    [
      'a code that is no word',
      () => changed(['account', 'attempts', 0, 'code'], '\u001b[2J'),
      'account.attempts[0].code: must match pattern',
    ],
    [
      'an engine that is none',
      () => changed(['account', 'work', 'engine'], '\u001b[2J'),
      'account.work.engine: expected one of',
    ],
    ['the hash of nothing', () => changed(['account', 'candidateHash'], ''), 'must match pattern'],
  ])('ends with 1 and one line for %s', async (_name, content, message) => {
    const result = await explain(content());
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(isOneLine(result.err), result.err).toBe(true);
    expect(result.err).toContain('report.json: ');
    expect(result.err).toContain(message);
  });

  it('ends with 1 and one line for a file that is not there', async () => {
    const result = await run('explain', folder.at('nothing'));
    expect(result.code).toBe(1);
    expect(isOneLine(result.err)).toBe(true);
  });

  it('refuses no file that recover writes, whatever the end', async () => {
    for (const kind of ['honest', 'trailing_garbage', 'no_codeword'] as const) {
      const world = await RecoveryWorld.open({ validatorCount: 7, kind });
      const { recovered, error } = world.run();
      const file = reportFileOf(
        recovered === undefined
          ? { type: 'failed', error: error as RecoveryError }
          : { type: 'recovered', result: recovered },
      );
      expect((await explain(file)).code, kind).toBe(0);
      expect(JSON.parse(await readFile(folder.at('report.json'), 'utf8')), kind).toHaveProperty(
        'report.totals',
      );
    }
  });
});
