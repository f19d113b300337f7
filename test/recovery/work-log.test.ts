import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { engine } from '../../src/coding/engine.ts';
import type { DecodePath } from '../../src/coding/erasure-work.ts';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import { rootedWork } from '../support/fake-work.ts';
import { chunkAndProofBytes } from '../support/proven-chunks.ts';
import { RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

beforeAll(hashReady);

const N = 7;

/** The value without its lengths and numbers: what a caller gets a copy of. */
function dataBytes({ data }: TestCandidate): number {
  const { parentHead, relayParentStorageRoot } = data.validationData;
  return data.pov.blockData.length + parentHead.length + relayParentStorageRoot.length;
}

/** Bytes of the different nodes in the proofs of chunks. */
function nodeBytes(chunks: readonly Chunk[]): number {
  const nodes = new Map(chunks.flatMap(({ proof }) => proof.map((node) => [toHex(node), node])));
  return [...nodes.values()].reduce((sum, { length }) => sum + length, 0);
}

/** The work of one recovery by the plain work, unless `options` say otherwise. */
async function workOf(options: Partial<WorldOptions>, request: Partial<RecoveryRequest> = {}) {
  const ports = () => ({ work: plainWork() });
  const world = await RecoveryWorld.open({ validatorCount: N, ports, ...options });
  const { recovered } = world.run(request);
  const { candidate } = world;
  const { work, chunksHeld } = recovered!.account;
  const held = chunksHeld.map((index) => candidate.chunks[index]!);
  return {
    work,
    world,
    candidate,
    scaleBytes: encodeAvailableData(candidate.data).length,
    /** Of all chunks held, with their proofs, with different nodes of their proofs, and without. */
    loadBytes: held.reduce((sum, chunk) => sum + chunkAndProofBytes(chunk), 0),
    sharedBytes: held.reduce((sum, { bytes }) => sum + bytes.length, 0) + nodeBytes(held),
    chunkBytes: held.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}

describe('the plain work in an account', () => {
  it('of chunks whose root came with the payload: each chunk once, and the result', async () => {
    const { work, candidate, loadBytes } = await workOf({ ports: () => ({ work: rootedWork() }) });
    expect(work).toEqual({
      engine: 'scalar',
      reason: 'option',
      threads: 0,
      path: 'plain',
      hashedChunks: 2,
      reusedHashes: 0,
      copiedBytes: { load: loadBytes, result: 0, check: 0, caller: dataBytes(candidate) },
    });
  });

  it('of chunks that are encoded again to be checked: the canonical encoding too', async () => {
    const { work, candidate, scaleBytes, loadBytes } = await workOf(
      {},
      { strategies: ['regular_chunks'] },
    );
    expect(work?.hashedChunks).toBe(2 + N);
    expect(work?.copiedBytes).toEqual({
      load: loadBytes,
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
    const ports = () => ({ work: plainWork() });
    const world = await RecoveryWorld.open({ validatorCount: N, kind: 'no_codeword', ports });
    expect(world.run().error).toMatchObject({
      code: 'invalid',
      account: { work: { path: 'plain', hashedChunks: 2 + N } },
    });
  });
});

describe.runIf(engine().id !== 'scalar')('the work of the kernel in an account', () => {
  /** More than a few systematic chunks: 40 validators have 8. */
  const MANY = 40;

  async function kernelWorkOf(
    forcePath: DecodePath | undefined,
    options: Partial<WorldOptions>,
    request: Partial<RecoveryRequest> = {},
  ) {
    using disposable = new DisposableStack();
    const work = codingWork({
      workers: 0,
      ...(forcePath === undefined ? {} : { forcePath }),
    });
    disposable.defer(() => work.close?.());
    return await workOf(
      { validatorCount: MANY, povBytes: 3_000, ports: () => ({ work }), ...options },
      request,
    );
  }

  it.each<[DecodePath, RecoveryRequest['strategies']]>([
    ['transposition', ['systematic_chunks']],
    ['rows', ['regular_chunks']],
    ['blocks', ['regular_chunks']],
    ['reveal', ['regular_chunks']],
  ])(
    'by %s: each chunk and each node of a proof is loaded, and the payload taken out, once',
    async (path, order) => {
      const { work, candidate, sharedBytes, chunkBytes } = await kernelWorkOf(
        path,
        {},
        { strategies: order ?? [] },
      );
      expect(work).toEqual({
        engine: engine().id,
        reason: engine().reason,
        threads: 0,
        path,
        hashedChunks: MANY,
        reusedHashes: 8,
        copiedBytes: {
          load: sharedBytes,
          result: chunkBytes,
          check: 0,
          caller: dataBytes(candidate),
        },
      });
    },
  );

  it('of full data: two copies by the check, and one loaded to be encoded', async () => {
    const { work, candidate, scaleBytes } = await kernelWorkOf(
      undefined,
      { groups: [[3]] },
      { backingGroup: 0 },
    );
    expect(work).toMatchObject({ hashedChunks: MANY, reusedHashes: 0 });
    expect(work?.copiedBytes).toEqual({
      load: scaleBytes,
      result: 0,
      check: 2 * scaleBytes,
      caller: dataBytes(candidate),
    });
  });
});
