import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CliError, exitCodeOf, lineOf } from '../../src/cli/failure.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isOneLine, run, runProcess } from './support.ts';

const COMMANDS = [
  ...['demo', 'candidate', 'encode', 'decode', 'verify', 'receipt', 'mapping', 'import'],
  ...['identity', 'serve', 'recover', 'explain'],
];

describe('the program', () => {
  it('lists every command and the exit codes in its help', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const name of COMMANDS) {
      expect(out).toContain(`\n  ${name} `);
    }
    expect(out).toContain('130 cancelled');
  });

  it.each(COMMANDS)('explains every option of %s', async (name) => {
    const { code, out } = await run(name, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`Usage: availability-recovery ${name}`);
    for (const line of out.split('\n').filter((text) => /^ {2}-/.test(text))) {
      // Either a description on the same line, or the next line holds it.
      expect(line.trim().length, line).toBeGreaterThan(2);
    }
    expect(out).not.toContain('--fault');
  });

  it.each([
    ['an unknown command', ['nonsense']],
    ['an unknown option', ['mapping', '--validators', '6', '--core', '0', '--nonsense']],
    ['a missing option', ['mapping', '--core', '0']],
    ['a number that is none', ['mapping', '--validators', '6x', '--core', '0']],
    ['too many arguments', ['receipt', 'a', 'b']],
  ])('ends with 1 and one line for %s', async (_, args) => {
    const result = await run(...args);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(isOneLine(result.err)).toBe(true);
  });

  it('does the same as a process', async () => {
    const [good, bad] = await Promise.all([
      runProcess('mapping', '--validators', '7', '--core', '1'),
      runProcess('receipt', 'nowhere'),
    ]);
    expect(good).toEqual({ code: 0, out: '[2,3,4,5,6,0,1]\n', err: '' });
    expect(bad).toMatchObject({ code: 1, out: '' });
    expect(isOneLine(bad.err)).toBe(true);
  });
});

describe('the help', () => {
  it('says each default of demo once', async () => {
    const { out } = await run('demo', '--help');
    expect(out).toContain('(default: 2MiB)');
    expect(out).not.toMatch(/\(default: [^)]*\)\s+\(default: /);
  });

  it.each(['mapping', 'serve', 'verify'])(
    'says that --json changes nothing in %s',
    async (name) => {
      const { out } = await run(name, '--help');
      expect(out.replace(/\s+/g, ' ')).toContain('--json accepted as everywhere');
    },
  );
});

describe('mapping', () => {
  it('prints one JSON array', async () => {
    expect(
      await run('mapping', '--validators', '6', '--core', '3', '--scheme', 'identity'),
    ).toEqual({
      code: 0,
      out: '[0,1,2,3,4,5]\n',
      err: '',
    });
  });

  it('needs a seed for chacha8, and takes none otherwise', async () => {
    const args = ['mapping', '--validators', '6', '--core', '0'];
    expect((await run(...args, '--scheme', 'chacha8')).code).toBe(1);
    expect((await run(...args, '--seed', '00'.repeat(32))).code).toBe(1);
  });
});

describe('identity', () => {
  it('makes a key once, with mode 0600, and prints the same peer id again', async () => {
    await using folder = await tempFolder();
    const first = await run('identity', folder.at('key'));
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^12D3KooW\w+\n$/);
    expect(await run('identity', folder.at('key'))).toEqual(first);
    if (process.platform !== 'win32') {
      expect((await stat(folder.at('key'))).mode & 0o777).toBe(0o600);
    }
  });

  it('reads hex and raw secrets alike, and never prints them', async () => {
    await using folder = await tempFolder();
    const secret = Buffer.alloc(32, 7);
    await writeFile(folder.at('raw'), secret);
    await writeFile(folder.at('hex'), `0x${secret.toString('hex')}\n`);
    const [raw, hex] = [
      await run('identity', folder.at('raw')),
      await run('identity', folder.at('hex')),
    ];
    expect(raw).toEqual(hex);
    expect(raw.out).not.toContain('0707');
  });

  it('refuses a file that holds no secret, and leaves it alone', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('key'), 'not a key');
    const result = await run('identity', folder.at('key'));
    expect(result.code).toBe(1);
    expect(isOneLine(result.err)).toBe(true);
    expect(await readFile(folder.at('key'), 'utf8')).toBe('not a key');
  });
});

describe('exitCodeOf', () => {
  it.each([
    [new CliError('misuse', 'x'), 1],
    [new CliError('local_fault', 'x'), 1],
    [new CliError('cancelled', 'x'), 130],
    [new RecoveryError('unavailable', 'x'), 2],
    [new RecoveryError('invalid', 'x'), 3],
    [new RecoveryError('cancelled', 'x'), 130],
    [new RecoveryError('stopped', 'x'), 1],
    [new RecoveryError('local_fault', 'x'), 1],
    [new RangeError('x'), 1],
    ['no error at all', 1],
  ])('%s', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe('lineOf', () => {
  it('shows nothing that a terminal would obey, and no end of it', () => {
    expect(lineOf(new Error('key \u001b[2J\u0007\r\nnext'))).toBe(
      'error: key \ufffd[2J\ufffd; next',
    );
    expect(lineOf(new Error('k'.repeat(1_000_000))).length).toBeLessThan(3_000);
  });

  it('is one line, with the code of a typed error', () => {
    expect(lineOf(new RecoveryError('unavailable', 'none\n  left'))).toBe(
      'error: none; left (unavailable)',
    );
    expect(lineOf(new CliError('misuse', 'wrong'))).toBe('error: wrong');
  });
});
