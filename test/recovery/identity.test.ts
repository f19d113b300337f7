import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { candidateReceipt, encodeReceipt } from '../../src/codec/candidate.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { assertReceiptSession, checkRequest } from '../../src/recovery/request.ts';
import { type CandidateKind, testCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';

beforeAll(hashReady);

const ZERO = new Uint8Array(32);
const COMMON = {
  paraId: 2_000,
  relayParent: ZERO,
  validationDataHash: ZERO,
  povHash: ZERO,
  erasureRoot: ZERO,
  paraHeadHash: ZERO,
  validationCodeHash: ZERO,
  commitmentsHash: ZERO,
};

describe('the session of a receipt', () => {
  const v2 = encodeReceipt({ ...COMMON, version: 'v2', coreIndex: 0, sessionIndex: 10 });
  const v3 = encodeReceipt({
    ...COMMON,
    version: 'v3',
    coreIndex: 0,
    sessionIndex: 10,
    schedulingSession: 12,
  });
  const v1 = encodeReceipt({
    ...COMMON,
    version: 'v1',
    collator: ZERO.map(() => 8),
    signature: new Uint8Array(64).fill(9),
  });
  const unknown = candidateReceipt(v2.bytes.map((byte, i) => (i === 36 ? 7 : byte)));

  it.each([
    ['v2, its own', v2, 10, true],
    ['v2, another', v2, 11, false],
    ['v3, its own', v3, 10, true],
    ['v3, the one it was scheduled in', v3, 12, true],
    ['v3, one between', v3, 11, false],
    ['v1, any', v1, 99, true],
    ['unknown version, any', unknown, 99, true],
  ])('%s', (_name, receipt, sessionIndex, isRight) => {
    const request = checkRequest({ receipt: receipt.bytes, sessionIndex });
    const check = (): void => assertReceiptSession(request);
    if (isRight) {
      expect(check).not.toThrow();
    } else {
      expect(check).toThrow(RangeError);
      expect(check).toThrow(/^sessionIndex: expected 10/);
    }
  });

  it('is refused before any work', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 4 });
    const { error, events } = world.run({ sessionIndex: 11 });
    expect(error).toBeInstanceOf(RangeError);
    expect([events, world.sessionsAsked, world.network.asked]).toEqual([[], [], []]);
  });

  it('does not matter where the settings say so', async () => {
    const settings = { receiptSession: 'ignored' } as const;
    const world = await RecoveryWorld.open({ validatorCount: 4, settings });
    expect(codeOf(world.run({ sessionIndex: 11 }).error)).toBe('local_fault');
    expect(world.sessionsAsked).toEqual([11]);
  });
});

describe('the core of a receipt', () => {
  it('is worth a warning when the request names another, and the recovery goes on with that', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, coreIndex: 2 });
    const { events, recovered } = world.run({ coreIndex: 3 });
    expect(events[1]).toEqual({
      type: 'warning',
      atMs: 0,
      code: 'core_index_mismatch',
      requested: 3,
      inReceipt: 2,
    });
    expect(recovered?.data).toEqual(world.candidate.data);
  });

  it.each([{ coreIndex: 2 }, { coreIndex: undefined }])('is no matter with %o', async (fields) => {
    const world = await RecoveryWorld.open({ validatorCount: 7, coreIndex: 2 });
    const { receipt } = world.candidate;
    const { coreIndex } = fields;
    const request = {
      receipt,
      sessionIndex: 10,
      ...(coreIndex === undefined ? {} : { coreIndex }),
    };
    const types: string[] = [];
    world.recovery.recover(request).subscribe(({ type }) => types.push(type));
    world.scheduler.flush();
    expect(types).not.toContain('warning');
    expect(types).toContain('recovered');
  });
});

describe('results across check modes', () => {
  const both = ['re_encode', 'pov_hash'] as const;

  it.each([true, false])(
    'data held against the root answers where the PoV hash is asked for (store use %s)',
    async (useStore) => {
      const world = await RecoveryWorld.open({ validatorCount: 7 });
      expect(world.run().recovered?.from).toBe('systematic_chunks');
      const asked = world.network.asked.length;
      const { recovered, events } = world.run({ checkMode: 'pov_hash', useStore });
      expect(events.map(({ type }) => type)).toEqual(['recovered']);
      expect([recovered?.from, world.network.asked.length]).toEqual(['cache', asked]);
    },
  );

  it('not if its PoV hash is another', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, kind: 'wrong_pov_hash' });
    expect(world.run().recovered?.from).toBe('systematic_chunks');
    expect(codeOf(world.run({ checkMode: 'pov_hash' }).error)).toBe('invalid');
  });

  it('data held against the PoV hash never answers where the root is asked for', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, kind: 'trailing_garbage' });
    expect(world.run({ checkMode: 'pov_hash' }).recovered?.from).toBe('systematic_chunks');
    expect(codeOf(world.run().error)).toBe('invalid');
  });

  it.each<CandidateKind>(['trailing_garbage', 'long_chunks'])(
    'invalid stays in its check mode (%s)',
    async (kind) => {
      for (const modes of [both, both.toReversed()]) {
        const world = await RecoveryWorld.open({ validatorCount: 7, kind });
        const codes = modes.map((checkMode) => [checkMode, codeOf(world.run({ checkMode }).error)]);
        expect(Object.fromEntries(codes)).toEqual({ re_encode: 'invalid', pov_hash: undefined });
      }
    },
  );

  it('unchecked data of our own store answers nobody who asked for a check', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      settings: { checkStoredData: false },
      store: ({ candidateHash, data }) => {
        const store = new FakeStore();
        const validationData = { ...data.validationData, relayParentNumber: 99 };
        store.putAvailableData(candidateHash, encodeAvailableData({ ...data, validationData }));
        return store;
      },
    });
    expect(world.run().recovered?.from).toBe('store');
    const { recovered } = world.run({ checkMode: 'pov_hash', useStore: false });
    expect([recovered?.from, recovered?.data]).toEqual(['systematic_chunks', world.candidate.data]);
  });

  it('nothing crosses candidates', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    world.run();
    const { receipt } = testCandidate({ validatorCount: 7, seed: 9 });
    expect(world.run({ receipt, checkMode: 'pov_hash' }).recovered?.from).not.toBe('cache');
  });
});
