import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Handicap, LESS_ENGINE, LESS_THREADS, SOUND } from './hosts/handicaps.ts';
import { type Death, watchedWorkers, workersSeen } from './hosts/watched-workers.ts';
import { buildInto, type Ended, lendDependencies, run } from './package/build.ts';
import { type TempFolder, tempFolder } from './support/temp-folder.ts';
import type { WholeJobReport } from './support/whole-job.ts';

let folder: TempFolder;

/** Runs the program to its end, which it has to find by itself. */
async function program(
  flags: readonly string[],
  ...args: readonly (string | number)[]
): Promise<{ readonly report: WholeJobReport; readonly stderr: string }> {
  const script = folder.at('dist', 'test', 'hosts', 'program.js');
  const all = [...flags, script, ...args.map(String)];
  const ended: Ended = await run(process.execPath, all, folder.path);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return { report: JSON.parse(ended.stdout) as WholeJobReport, stderr: ended.stderr };
}

/** What comes of the job on the plain engine alone. */
let plain: WholeJobReport;

beforeAll(async () => {
  folder = await tempFolder();
  await lendDependencies(folder);
  await buildInto(folder.at('dist'), ['test/hosts/program.ts']);
  await writeFile(folder.at('package.json'), '{ "type": "module" }');
  plain = (await program(LESS_ENGINE.find(({ name }) => name === 'SIMD')!.args, 0)).report;
}, 120_000);

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

/** Holds a report to the bytes of the plain engine. */
function expectSameBytes({ chunks, erasureRoot, isExact }: WholeJobReport): void {
  const expected = { chunks: plain.chunks, erasureRoot: plain.erasureRoot, isExact: true };
  expect({ chunks, erasureRoot, isExact }).toEqual(expected);
}

/** Reasons as the log has them. */
const told = (reasons: readonly string[]): readonly string[] =>
  reasons.map((reason) => `work_degraded ${reason}`);

describe('the whole job with two workers', () => {
  it.each([SOUND, ...LESS_ENGINE, ...LESS_THREADS])(
    'has the same bytes, and says what did it, on a host that lacks $name',
    async ({ args, engine, detected = engine, threads, warnings }: Handicap) => {
      const { report } = await program(args, 2);
      expectSameBytes(report);
      expect(report.engine).toEqual({ id: detected, reason: 'detected' });
      expect(report.work).toMatchObject({ engine, threads });
      expect(report.warnings).toEqual(told(warnings));
    },
  );

  /** Arguments that force an engine by the environment. */
  const forced = (engine: string): readonly string[] => {
    const setting = `process.env.AVAILABILITY_ENGINE = '${engine}';`;
    return ['--import', `data:text/javascript,${encodeURIComponent(setting)}`];
  };

  it.each(['simd_relaxed', 'simd', 'scalar'])(
    'is done on the engine %s when the environment says so, which is nothing to warn of',
    async (engine) => {
      const { report } = await program(forced(engine), 2);
      expectSameBytes(report);
      const choice = { id: engine, reason: 'environment' };
      expect(report).toMatchObject({ engine: choice, warnings: [] });
      expect(report.work).toMatchObject({ engine, reason: 'environment' });
    },
  );

  it.each([
    { lacks: 'relaxed SIMD', wanted: 'simd_relaxed', engine: 'simd' },
    { lacks: 'SIMD', wanted: 'simd', engine: 'scalar' },
  ])('is done on $engine when $wanted is forced where $lacks is missing', async (one) => {
    const { lacks, wanted, engine } = one;
    const { args } = LESS_ENGINE.find(({ name }) => name === lacks)!;
    const { report } = await program([...args, ...forced(wanted)], 2);
    expectSameBytes(report);
    expect(report.engine).toEqual({ id: engine, reason: 'fallback', wanted });
    expect(report.work).toMatchObject({ engine, reason: 'fallback' });
    expect(report.warnings).toEqual(told(['engine_unavailable']));
  });

  it('is refused when the environment names no engine', async () => {
    const script = folder.at('dist', 'test', 'hosts', 'program.js');
    const { code, stderr } = await run(process.execPath, [...forced('fast'), script], folder.path);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'RangeError: AVAILABILITY_ENGINE: expected simd_relaxed, simd, scalar',
    );
  });
});

/** Deaths of workers, on how many, and what is told of them. */
const DEATHS: readonly {
  readonly what: string;
  readonly death: Death;
  readonly count: number;
  readonly warnings: readonly string[];
}[] = [
  {
    what: 'one worker exits in its first task',
    death: { by: 'exit', atTask: 1 },
    count: 1,
    warnings: [],
  },
  {
    what: 'one worker is ended in its third task',
    death: { by: 'terminate', atTask: 3 },
    count: 1,
    warnings: [],
  },
  { what: 'one worker does not start', death: { by: 'no_start' }, count: 1, warnings: [] },
  {
    what: 'no worker starts',
    death: { by: 'no_start' },
    count: 1_000,
    warnings: ['threads_unavailable'],
  },
  {
    what: 'every worker exits in its first task',
    death: { by: 'exit', atTask: 1 },
    count: 1_000,
    warnings: ['threads_given_up'],
  },
];

describe('a program whose workers die', () => {
  it.each(DEATHS)(
    'recovers three times and ends by itself when $what',
    async ({ death, count, warnings }) => {
      const { report, stderr } = await program(watchedWorkers(death, count), 2, 3);
      expectSameBytes(report);
      expect(report.warnings).toEqual(told(warnings));
      const { started, done } = workersSeen(stderr);
      expect(started).toBeGreaterThanOrEqual(2);
      expect(done > 0).toBe(count === 1);
    },
  );

  it.each([1, 2])('gives %i workers work, and ends though nobody stopped it', async (n) => {
    const { report, stderr } = await program(watchedWorkers(), n, 4, 'not_stopped');
    expectSameBytes(report);
    const { started, done } = workersSeen(stderr);
    expect(started).toBe(n);
    expect(done).toBeGreaterThan(0);
  });

  it('starts no worker where none is wanted', async () => {
    const { stderr } = await program(watchedWorkers(), 0);
    expect(workersSeen(stderr)).toEqual({ started: 0, done: 0 });
  });
});
