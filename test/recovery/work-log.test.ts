import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import { rootedWork } from '../support/fake-work.ts';
import { RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

beforeAll(hashReady);

const N = 7;

/** The value without its lengths and numbers: what a caller gets a copy of. */
function dataBytes({ data }: TestCandidate): number {
  const { parentHead, relayParentStorageRoot } = data.validationData;
  return data.pov.blockData.length + parentHead.length + relayParentStorageRoot.length;
}

async function workOf(options: Partial<WorldOptions>, request: Partial<RecoveryRequest> = {}) {
  const world = await RecoveryWorld.open({ validatorCount: N, ...options });
  const { recovered } = world.run(request);
  const { candidate } = world;
  const scaleBytes = encodeAvailableData(candidate.data).length;
  const chunkBytes = candidate.chunks[0]!.bytes.length;
  return { work: recovered!.account.work, world, candidate, scaleBytes, chunkBytes };
}

describe('the work in an account', () => {
  it('of chunks whose root came with the payload: each chunk once, and the result', async () => {
    const { work, candidate, chunkBytes } = await workOf({ ports: () => ({ work: rootedWork() }) });
    expect(work).toEqual({
      engine: 'scalar',
      reason: 'option',
      threads: 0,
      path: 'plain',
      hashedChunks: 2,
      reusedHashes: 0,
      copiedBytes: { load: 2 * chunkBytes, result: 0, check: 0, caller: dataBytes(candidate) },
    });
  });

  it('of chunks that are encoded again to be checked: the canonical encoding too', async () => {
    const { work, candidate, scaleBytes, chunkBytes } = await workOf(
      {},
      { strategies: ['regular_chunks'] },
    );
    expect(work?.hashedChunks).toBe(2 + N);
    expect(work?.copiedBytes).toEqual({
      load: 2 * chunkBytes,
      result: 0,
      check: scaleBytes,
      caller: dataBytes(candidate),
    });
  });

  it.each([
    ['re_encode', 2],
    ['pov_hash', 1],
  ] as const)(
    'of full data, in %s mode: %i copies that the sender can not reach',
    async (mode, copies) => {
      const { work, candidate, scaleBytes } = await workOf(
        { groups: [[3]] },
        { backingGroup: 0, checkMode: mode },
      );
      expect(work).not.toHaveProperty('path');
      expect(work?.copiedBytes).toEqual({
        load: 0,
        result: 0,
        check: copies * scaleBytes,
        caller: dataBytes(candidate),
      });
    },
  );

  it('of our own data: what the store gave, and the canonical encoding of it', async () => {
    const store = new FakeStore();
    const { work, candidate, scaleBytes } = await workOf({
      store: ({ candidateHash, data }) =>
        store.putAvailableData(candidateHash, encodeAvailableData(data)),
    });
    expect(work?.copiedBytes).toEqual({
      load: 0,
      result: 0,
      check: 2 * scaleBytes,
      caller: dataBytes(candidate),
    });
  });

  it('is not there for a result that was kept', async () => {
    const { world } = await workOf({});
    const { recovered } = world.run();
    expect(recovered?.from).toBe('cache');
    expect(recovered?.account).not.toHaveProperty('work');
  });

  it('has a copy for each caller, and is one for all who share a run', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: N,
      behaviour: () => ({ behaviour: 'good', delayMs: 10 }),
    });
    const callers = [0, 1].map(() => record(world.recovery.recover(world.request())));
    world.scheduler.flush();
    const [first, second] = callers.map(({ recovered }) => recovered?.account.work);
    expect(first?.copiedBytes.caller).toBe(dataBytes(world.candidate));
    expect(second).toEqual(first);
  });

  it('is there too where a recovery ends without data', async () => {
    const world = await RecoveryWorld.open({ validatorCount: N, kind: 'no_codeword' });
    expect(world.run().error).toMatchObject({
      code: 'invalid',
      account: { work: { path: 'plain', hashedChunks: 2 + N } },
    });
  });
});
