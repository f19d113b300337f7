/**
 * @module
 * The demo's world on disk: a candidate, an identity and a store per validator, and what each holds.
 * Nothing runs here.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastValueFrom, map, toArray } from 'rxjs';
import { candidateHashOf } from '../../codec/candidate.ts';
import type { CandidateHash } from '../../primitives/ids.ts';
import { authorityId, validatorIndex } from '../../primitives/ids.ts';
import type { SessionInfo } from '../../recovery/ports.ts';
import { chunkKey } from '../../store/layout.ts';
import { openLevelDatastore, openLevelStore } from '../../store/open.ts';
import { CliError } from '../failure.ts';
import { hexOf } from '../hex.ts';
import { peerIdOfSecret } from '../identity-file.ts';
import { flipMiddle } from '../lying-store.ts';
import { type MadeCandidate, makeCandidate } from '../make-candidate.ts';
import { POLKADOT_GENESIS } from '../options.ts';
import { completed, soleValue } from '../settle.ts';
import { storeEverything, storeOnlyOf } from '../store-candidate.ts';
import { type Cast, castDemo } from './cast.ts';
import { derive } from './seeds.ts';

/** What the demo was asked for. */
export type WorldOptions = {
  readonly folder: string;
  readonly validatorCount: number;
  readonly pov: Uint8Array;
  readonly scheme: 'rfc47' | 'chacha8';
  readonly seed: string;
};

/** The world of one demo. */
export type World = {
  readonly folder: string;
  readonly seed: string;
  readonly cast: Cast;
  readonly candidate: MadeCandidate;
  readonly candidateHash: CandidateHash;
  readonly session: SessionInfo;
  /** By validator index. */
  readonly peerIds: readonly string[];
};

/** Para id of the demo's candidate; any would do. */
const PARA_ID = 2000;
/** Session of the demo; any would do. */
const SESSION_INDEX = 1;

/** Makes candidate, identities and configs. Everything follows from seed and data. */
export async function makeWorld(options: WorldOptions): Promise<World> {
  const { folder, validatorCount, pov, scheme, seed } = options;
  const mappingSeed = scheme === 'chacha8' ? derive(seed, 'mapping') : undefined;
  const canStop = process.platform !== 'win32';
  const cast = castDemo(validatorCount, { canStop, seed: mappingSeed });
  const candidate = makeCandidate({
    pov,
    parentHead: derive(seed, 'parent head'),
    validatorCount,
    paraId: PARA_ID,
    sessionIndex: SESSION_INDEX,
    coreIndex: cast.coreIndex,
    scheme,
    seed: mappingSeed,
    version: 'v2',
  });
  const peerIds: string[] = [];
  for (let v = 0; v < validatorCount; v += 1) {
    const secret = derive(seed, `identity ${v}`);
    peerIds.push(await peerIdOfSecret(secret));
    await writePeer(folder, v, secret, validatorCount);
  }
  return {
    folder,
    seed,
    cast,
    candidate,
    candidateHash: candidateHashOf(candidate.receipt),
    session: {
      index: SESSION_INDEX,
      validators: peerIds.map((_peerId, v) => authorityId(authorityName(v))),
      groups: cast.groups,
      // Bit 2 switches the chunk mapping on (recovery spec §3.1).
      nodeFeatures: [false, false, true],
      ownValidatorIndex: validatorIndex(cast.own),
      ...(mappingSeed === undefined ? {} : { mapping: { scheme, seed: mappingSeed } }),
    },
    peerIds,
  };
}

/** The name under which a validator appears in events and accounts. */
export function authorityName(validator: number): string {
  return `validator-${validator}`;
}

/** Where a validator's peer finds its config. */
export function configPathOf(folder: string, validator: number): string {
  return join(folder, `peer-${validator}`, 'config.json');
}

/** The store of the recovering validator itself: not that of its peer, which another process owns. */
export function ownStoreOf(folder: string): string {
  return join(folder, 'recoverer', 'store');
}

/**
 * Gives backers everything and every other validator its own chunk, as import does.
 *
 * @param beforeEach - May throw to end it.
 */
export async function distribute(world: World, beforeEach: () => void): Promise<void> {
  const { folder, cast, candidate, candidateHash } = world;
  const proven = {
    candidateHash,
    erasureRoot: candidate.erasureRoot,
    validatorCount: cast.validatorCount,
    data: candidate.data,
    chunks: candidate.chunks,
    mapping: cast.mapping,
  };
  await mkdir(join(folder, 'recoverer'));
  const places = candidate.chunks.map(({ validatorIndex: v }) => ({
    path: join(folder, `peer-${v}`, 'store'),
    owner: v,
    isBacker: cast.backers.includes(v),
  }));
  places.push({ path: ownStoreOf(folder), owner: validatorIndex(cast.own), isBacker: false });
  for (const { path, owner, isBacker } of places) {
    beforeEach();
    const store = await soleValue(openLevelStore(path));
    try {
      await (isBacker ? storeEverything(store, proven) : storeOnlyOf(store, proven, owner));
    } finally {
      await completed(store.close());
    }
  }
}

/** What the store of the recovering validator holds of the candidate. */
export async function ownHoldings({
  folder,
  candidateHash,
}: World): Promise<{ readonly validators: readonly number[]; readonly hasData: boolean }> {
  const store = await soleValue(openLevelStore(ownStoreOf(folder)));
  try {
    const chunks = await lastValueFrom(store.loadChunks(candidateHash).pipe(toArray()), {
      defaultValue: [],
    });
    const hasData = await lastValueFrom(
      store.loadAvailableData(candidateHash).pipe(map(() => true)),
      { defaultValue: false },
    );
    return { validators: chunks.map(({ validatorIndex: v }) => v), hasData };
  } finally {
    await completed(store.close());
  }
}

/** Flips one bit of the chunk that a validator's store holds. Its peer must not be running. */
export async function flipStoredByte(world: World, validator: number): Promise<void> {
  const store = await soleValue(
    openLevelDatastore(join(world.folder, `peer-${validator}`, 'store')),
  );
  try {
    const key = chunkKey(world.candidateHash, validatorIndex(validator));
    await store.put(key, flipMiddle(await store.get(key)));
  } catch (error: unknown) {
    throw new CliError('local_fault', `cannot damage the store of peer ${validator}`, {}, error);
  } finally {
    await store.close();
  }
}

async function writePeer(
  folder: string,
  validator: number,
  secret: Uint8Array,
  validatorCount: number,
): Promise<void> {
  const path = configPathOf(folder, validator);
  await mkdir(join(folder, `peer-${validator}`));
  await writeFile(join(folder, `peer-${validator}`, 'identity'), `${hexOf(secret)}\n`, {
    mode: 0o600,
  });
  const config = {
    genesisHash: POLKADOT_GENESIS,
    store: 'store',
    identity: 'identity',
    session: {
      index: SESSION_INDEX,
      nodeFeatures: '001',
      // A peer that only serves need not know the others.
      validators: Array.from({ length: validatorCount }, () => null),
      groups: [],
    },
  };
  await writeFile(path, JSON.stringify(config));
}
