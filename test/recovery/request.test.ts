import { describe, expect, it } from 'vitest';
import { checkRequest, type RecoveryRequest } from '../../src/recovery/request.ts';
import { testCandidate } from '../support/candidate-world.ts';

const candidate = testCandidate({ validatorCount: 4 });
const good: RecoveryRequest = { receipt: candidate.receipt, sessionIndex: 10 };

describe('checkRequest', () => {
  it('takes the commitments from the receipt, and the defaults', () => {
    const checked = checkRequest(good);
    expect(checked.candidate.candidateHash).toBe(candidate.candidateHash);
    expect(checked.candidate.erasureRoot).toEqual(candidate.erasureRoot);
    expect(checked).toMatchObject({ sessionIndex: 10, checkMode: 're_encode', useStore: true });
  });

  it('keeps what the caller chose', () => {
    const chosen = {
      backingGroup: 3,
      coreIndex: 0,
      checkMode: 'pov_hash',
      useStore: false,
      strategies: ['regular_chunks'],
      mapping: { scheme: 'chacha8', seed: new Uint8Array(32) },
      sizeLimitBytes: 0,
      timeoutMs: 1,
    } as const;
    expect(checkRequest({ ...good, ...chosen })).toMatchObject(chosen);
  });

  it('takes the largest numbers', () => {
    const sessionIndex = 4_294_967_295;
    const timeoutMs = 2_147_483_647;
    expect(checkRequest({ ...good, sessionIndex, timeoutMs })).toMatchObject({
      sessionIndex,
      timeoutMs,
    });
  });

  it('does not see what the caller does to the receipt afterwards', () => {
    for (const make of [
      (bytes: Uint8Array) => bytes.slice(),
      (bytes: Uint8Array) => Buffer.from(bytes),
    ]) {
      const receipt = make(candidate.receipt);
      const { candidate: checked } = checkRequest({ ...good, receipt });
      receipt.fill(0);
      expect([...checked.erasureRoot]).toEqual([...candidate.erasureRoot]);
      expect([...checked.receipt.bytes]).toEqual([...candidate.receipt]);
    }
  });

  const numbers = [
    'sessionIndex',
    'backingGroup',
    'coreIndex',
    'sizeLimitBytes',
    'timeoutMs',
  ] as const;
  const bad = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null, 1n, {}];
  it.each(numbers.flatMap((name) => bad.map((value) => [name, value] as const)))(
    'refuses %s = %s by its name',
    (name, value) => {
      expect(() => checkRequest({ ...good, [name]: value })).toThrow(
        expect.objectContaining({
          name: 'RangeError',
          message: expect.stringMatching(new RegExp(`^${name}: expected an integer in `)),
        }),
      );
    },
  );

  it.each([
    ['sessionIndex', 2 ** 32],
    ['backingGroup', 2 ** 32],
    ['coreIndex', 2 ** 32],
    ['timeoutMs', 2 ** 31],
    ['timeoutMs', 0],
  ])('refuses %s = %d', (name, value) => {
    expect(() => checkRequest({ ...good, [name]: value })).toThrow(RangeError);
  });

  it('refuses a request without a session', () => {
    expect(() => checkRequest({ receipt: good.receipt } as RecoveryRequest)).toThrow(
      /^sessionIndex: /,
    );
  });

  it.each<[string, unknown, string]>([
    ['receipt', undefined, 'receipt'],
    ['receipt', 'x'.repeat(324), 'receipt'],
    ['receipt', Array.from({ length: 324 }, () => 0), 'receipt'],
    ['checkMode', 'none', 'checkMode'],
    ['checkMode', 1, 'checkMode'],
    ['useStore', 'no', 'useStore'],
    ['useStore', 0, 'useStore'],
    ['strategies', ['by_magic'], 'strategies'],
    ['strategies', 'regular_chunks', 'strategies'],
    ['strategies', {}, 'strategies'],
    ['strategies', [Symbol('s')], 'strategies'],
    ['mapping', { scheme: 'rot13' }, 'mapping.scheme'],
    ['mapping', {}, 'mapping.scheme'],
    ['mapping', null, 'mapping.scheme'],
    ['mapping', { scheme: 'chacha8' }, 'mapping.seed'],
    ['mapping', { scheme: 'chacha8', seed: 'seed' }, 'mapping.seed'],
  ])('refuses %s = %o as a TypeError that names %s', (name, value, named) => {
    expect(() => checkRequest({ ...good, [name]: value })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringMatching(new RegExp(`^${named}: `)),
      }),
    );
  });

  it('refuses a seed of another size', () => {
    const mapping = { scheme: 'chacha8', seed: new Uint8Array(31) } as const;
    expect(() => checkRequest({ ...good, mapping })).toThrow(/^mapping.seed: expected 32 bytes/);
  });

  it.each([0, 323, 325])('refuses a receipt of %d bytes as bad_length', (length) => {
    expect(() => checkRequest({ ...good, receipt: new Uint8Array(length) })).toThrow(
      expect.objectContaining({
        name: 'CodecError',
        code: 'bad_length',
        message: expect.stringMatching(/^receipt: /),
      }),
    );
  });
});
