import { describe, expect, it } from 'vitest';
import {
  APPROVAL_CHECK_TIMEOUT_MS,
  forApprovalChecker,
  forCollator,
  forDispute,
} from '../../src/callers/requests.ts';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { FakeStore } from '../support/fake-store.ts';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';

const receipt = new Uint8Array(324);

/** Fields without the candidate's own. */
function ways(request: RecoveryRequest): Partial<RecoveryRequest> {
  const { receipt: _receipt, sessionIndex: _sessionIndex, ...rest } = request;
  return rest;
}

describe('forApprovalChecker', () => {
  const fields = { receipt, sessionIndex: 10, backingGroup: 0, coreIndex: 2 };

  it('passes receipt, session, group and core, and checks by encoding again', () => {
    expect(forApprovalChecker(fields)).toEqual({
      ...fields,
      checkMode: 're_encode',
      timeoutMs: 120_000,
    });
  });

  it.each(['backingGroup', 'coreIndex'])('refuses a request without %s by its name', (name) => {
    expect(() => forApprovalChecker({ ...fields, [name]: undefined as never })).toThrow(
      new TypeError(`${name}: expected a number, got undefined`),
    );
  });

  it('asks the group first, the own store before it', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1, 2, 5]] });
    const { candidate } = world;
    const outcome = world.run(forApprovalChecker({ ...fields, receipt: candidate.receipt }));
    expect(outcome.recovered?.from).toBe('full_from_backers');

    const holder = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1, 2, 5]],
      store: (one) =>
        new FakeStore().putAvailableData(one.candidateHash, encodeAvailableData(one.data)),
    });
    const own = holder.run(forApprovalChecker({ ...fields, receipt: holder.candidate.receipt }));
    expect(own.recovered?.from).toBe('store');
  });

  it('ends at 120 s in unavailable, with nothing left alive', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1, 2, 5]],
      behaviour: () => 'hang',
    });
    const outcome = world.run(forApprovalChecker({ ...fields, receipt: world.candidate.receipt }));
    expect(outcome.error).toMatchObject({ code: 'unavailable', details: { reason: 'deadline' } });
    expect(world.scheduler.now()).toBeLessThanOrEqual(APPROVAL_CHECK_TIMEOUT_MS + 1_000);
    expect(world.network.open).toBe(0);
  });

  it('F-16: keeps the group that was passed, whatever groups the session has by now', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[0], [3], [6]] });
    world.run(forApprovalChecker({ ...fields, backingGroup: 1, receipt: world.candidate.receipt }));
    expect(world.network.dataAsked()).toEqual(['v3']);
  });
});

describe('forDispute', () => {
  const fields = { receipt, sessionIndex: 10 };

  it('passes no core, and without a group knows regular chunks alone', () => {
    expect(ways(forDispute(fields))).toEqual({
      checkMode: 're_encode',
      strategies: ['regular_chunks'],
    });
  });

  it('uses a group last, after the chunks', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1, 2, 5]],
      behaviour: ({ kind }) => (kind === 'chunk' ? 'no_such' : 'good'),
    });
    const outcome = world.run(
      forDispute({ ...fields, receipt: world.candidate.receipt, backingGroup: 0 }),
    );
    expect(outcome.recovered?.from).toBe('full_from_backers');
    expect(world.network.chunksAsked().length).toBeGreaterThanOrEqual(7 - 2);
    const kinds = world.network.asked.map(({ kind }) => kind);
    expect(kinds.indexOf('available_data')).toBeGreaterThan(kinds.lastIndexOf('chunk'));
  });

  it('leaves a group alone while chunks suffice', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1, 2, 5]] });
    const outcome = world.run(
      forDispute({ ...fields, receipt: world.candidate.receipt, backingGroup: 0 }),
    );
    expect(outcome.recovered?.from).toBe('regular_chunks');
    expect(world.network.dataAsked()).toEqual([]);
  });
});

describe('forCollator', () => {
  const fields = { receipt, sessionIndex: 10 };

  it('bypasses the store and checks the PoV hash; group and core go in where they are known', () => {
    const plain = { checkMode: 'pov_hash', useStore: false };
    expect(ways(forCollator(fields))).toEqual(plain);
    expect(ways(forCollator({ ...fields, backingGroup: 0, coreIndex: 2 }))).toEqual({
      ...plain,
      backingGroup: 0,
      coreIndex: 2,
    });
  });

  it('knows regular chunks alone without group and core, also where the session maps', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1, 2, 5]] });
    const outcome = record(world, forCollator({ ...fields, receipt: world.candidate.receipt }));
    expect(outcome).toEqual(['regular_chunks']);
    expect(world.network.dataAsked()).toEqual([]);
  });

  it('F-36: reads no store where there is none, and logs no error about it', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    record(world, forCollator({ ...fields, receipt: world.candidate.receipt }));
    expect(world.log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('F-36: reads no data of a store that there is', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: (one) =>
        new FakeStore().putAvailableData(one.candidateHash, encodeAvailableData(one.data)),
    });
    expect(record(world, forCollator({ ...fields, receipt: world.candidate.receipt }))).toEqual([
      'regular_chunks',
    ]);
  });

  it('F-30, F-31: gets the PoV when its author has vanished with all backers', async () => {
    const backers = [1, 2];
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [backers],
      behaviour: ({ index }) => (backers.includes(index) ? 'hang' : 'good'),
    });
    const { candidate } = world;
    const outcome = world.run(
      forCollator({ ...fields, receipt: candidate.receipt, backingGroup: 0 }),
    );
    expect(outcome.recovered?.data.pov).toEqual(candidate.data.pov);
    expect(codeOf(outcome.error)).toBeUndefined();
  });
});

/** Strategies of one recovery, in order. */
function record(world: RecoveryWorld, request: RecoveryRequest): readonly string[] {
  const started: string[] = [];
  world.recovery.recover(request).subscribe((event) => {
    if (event.type === 'strategy_started') {
      started.push(event.strategy);
    }
  });
  world.scheduler.flush();
  return started;
}
