import { EMPTY, throwError } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ErasureWork } from '../../src/coding/erasure-work.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { FakeStore } from '../support/fake-store.ts';
import { type WorkChanges, workWith } from '../support/fake-work.ts';
import { RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

beforeAll(hashReady);

describe('the work of one recovery', () => {
  /** A world that notes when work is opened and closed. */
  async function notingWorld(options: Partial<WorldOptions> = {}, changes: WorkChanges = {}) {
    const notes: string[] = [];
    const { description, open } = workWith(changes);
    const work: ErasureWork = {
      description,
      open: (subject) => {
        const { erasureRoot, validatorCount } = subject;
        notes.push(`open ${toHex(erasureRoot).slice(2, 10)} ${validatorCount}`);
        const opened = open(subject);
        return {
          ...opened,
          get tally() {
            return opened.tally;
          },
          close: () => {
            notes.push('close');
            opened.close();
          },
        };
      },
    };
    const ports = (): { work: ErasureWork } => ({ work });
    const world = await RecoveryWorld.open({ validatorCount: 7, ports, ...options });
    const root = toHex(world.candidate.erasureRoot).slice(2, 10);
    return { world, notes, once: [`open ${root} 7`, 'close'] };
  }

  it.each<[string, Partial<WorldOptions>]>([
    ['in data', {}],
    ['in invalid', { kind: 'no_codeword' }],
    ['in unavailable', { behaviour: () => 'no_such' }],
  ])('is closed when it ends %s', async (_end, options) => {
    const { world, notes, once } = await notingWorld(options);
    world.run();
    expect(notes).toEqual(once);
  });

  it('is closed in the turn in which the last caller leaves', async () => {
    const { world, notes, once } = await notingWorld({ behaviour: () => 'hang' });
    const callers = [0, 1].map(() => record(world.recovery.recover(world.request())));
    callers[0]?.subscription.unsubscribe();
    expect(notes).toEqual(once.slice(0, 1));
    callers[1]?.subscription.unsubscribe();
    expect(notes).toEqual(once);
  });

  it('is closed when the instance is stopped, and not opened without a session', async () => {
    const { world, notes, once } = await notingWorld({ behaviour: () => 'hang' });
    world.run({ sessionIndex: 10, strategies: [] });
    record(world.recovery.recover(world.request()));
    await world.recovery.stop();
    expect(notes).toEqual([...once, ...once]);
    const other = await notingWorld({ directory: { session: () => EMPTY } });
    other.world.run();
    expect(other.notes).toEqual([]);
  });

  it('that can not be opened is a local fault; that can not be closed, a warning', async () => {
    const broken = (): never => {
      throw new Error('no memory');
    };
    const work: ErasureWork = { ...workWith({}), open: broken };
    const { world } = await notingWorld({ ports: () => ({ work }) });
    expect(world.run().error).toMatchObject({
      code: 'local_fault',
      details: { reason: 'work_failed' },
    });
    const closing = await notingWorld({}, { close: broken });
    expect(closing.world.run().recovered?.data).toEqual(closing.world.candidate.data);
    expect(closing.world.log.names()).toContain('work_close_failed');
  });

  it('that fails to verify is a local fault, for chunks of peers and for our own', async () => {
    const cause = new Error('a worker died');
    const { world } = await notingWorld({}, { verify: () => throwError(() => cause) });
    expect(world.run().error).toMatchObject({ code: 'local_fault', cause });
    expect(world.network.open).toBe(0);
    const store = new FakeStore();
    const own = await notingWorld(
      {
        ownValidatorIndex: 3,
        behaviour: () => 'hang',
        store: ({ candidateHash, chunks, mapping }) =>
          store.putChunk(candidateHash, 3, chunks[mapping.chunkByValidator()[3]!]!),
      },
      { verify: () => throwError(() => cause) },
    );
    expect(own.world.run().error).toMatchObject({ code: 'local_fault', cause });
    expect(store.dropped).toEqual([]);
    expect(own.world.network.asked).toEqual([]);
  });
});
