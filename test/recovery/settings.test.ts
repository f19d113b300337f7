import { readFileSync } from 'node:fs';
import { EMPTY, NEVER, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import {
  type RecoverySettings,
  SIZE_LIMITS,
  STANDARD,
  UPSTREAM,
} from '../../src/recovery/settings.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';

/** The rows of the table of differences: option, reference's position, ours. */
function tableRows(): readonly (readonly [string, string, string])[] {
  const text = readFileSync(new URL('../../strategies/README.md', import.meta.url), 'utf8');
  const cell = '`([^`]*)`';
  const row = new RegExp(`^\\| ${cell} \\| ${cell} \\| ${cell} \\| \\S.*\\|$`, 'gm');
  return [...text.matchAll(row)].map((m) => [m[1] ?? '', m[2] ?? '', m[3] ?? '']);
}

/** A value as the table shows it. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

describe('the table of differences', () => {
  it('is STANDARD compared with UPSTREAM, in the order of the settings', () => {
    const options = Object.keys(STANDARD) as (keyof RecoverySettings)[];
    const differences = options
      .map((option) => [option, shown(UPSTREAM[option]), shown(STANDARD[option])] as const)
      .filter(([, upstream, standard]) => upstream !== standard);
    expect(tableRows()).toEqual(differences);
  });
});

describe('UPSTREAM', () => {
  it('has the constants of the reference', () => {
    // recovery spec §0.
    expect(UPSTREAM).toMatchObject({
      attempts: { systematic: 2, regular: 5 },
      parallelAttempts: 50,
      softTimeoutMs: 1_000,
      sizeLimitBytes: SIZE_LIMITS.conservative,
      cacheEntries: 16,
    });
    expect([SIZE_LIMITS.conservative, SIZE_LIMITS.relaxed]).toEqual([1_048_576, 4_194_304]);
  });
});

/** Full data in our own store, spoiled by a function of its bytes. */
function storeWith(spoil: (bytes: Uint8Array) => Uint8Array): (c: TestCandidate) => FakeStore {
  return ({ candidateHash, data }) =>
    new FakeStore().putAvailableData(candidateHash, spoil(encodeAvailableData(data)));
}

const flipped = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte));

describe('checkStoredData', () => {
  it.each([
    ['true', true, 'regular_chunks'],
    ['false', false, 'store'],
  ] as const)(
    '%s: data that a bad disk changed comes from %s',
    async (_name, checkStoredData, from) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        isMapped: false,
        settings: { checkStoredData },
        store: storeWith(flipped),
      });
      const { recovered } = world.run();
      expect(recovered?.from).toBe(from);
      const { blockData } = world.candidate.data.pov;
      expect(recovered?.data.pov.blockData.join() === blockData.join()).toBe(checkStoredData);
    },
  );

  it('false: bytes that are no value are dropped, and the network is asked', async () => {
    const store = new FakeStore();
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      settings: { checkStoredData: false },
      store: ({ candidateHash }) => store.putAvailableData(candidateHash, Uint8Array.of(7, 7)),
    });
    expect(world.run().recovered?.from).toBe('systematic_chunks');
    expect(store.dropped).toEqual([{ type: 'available_data' }]);
  });
});

describe('sessionMissing', () => {
  it.each([
    ['unavailable', 'unknown', EMPTY, 'session_missing'],
    ['unavailable', 'not to be had', throwError(() => new Error('offline')), 'directory_failed'],
    ['local_fault', 'unknown', EMPTY, 'session_missing'],
    ['local_fault', 'not to be had', throwError(() => new Error('offline')), 'directory_failed'],
  ] as const)(
    '%s: is how a session ends that is %s',
    async (sessionMissing, _how, answer$, reason) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        settings: { sessionMissing },
        directory: { session: () => answer$ },
      });
      expect(world.run().error).toMatchObject({ code: sessionMissing, details: { reason } });
      expect(world.metrics.counts.size).toBe(0);
    },
  );
});

describe('storeTimeoutMs', () => {
  const silent = (): FakeStore =>
    Object.assign(new FakeStore(), { loadAvailableData: () => NEVER });

  it('2,000: goes on to the network after 2 s', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, store: silent });
    expect(world.run().recovered).toMatchObject({ from: 'systematic_chunks', atMs: 2_000 });
  });

  it('null: waits as long as it takes', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: silent,
      settings: { storeTimeoutMs: null },
    });
    const { events, error } = world.run();
    expect([events.map(({ type }) => type), error]).toEqual([['started'], undefined]);
    expect(world.network.asked).toEqual([]);
  });
});
