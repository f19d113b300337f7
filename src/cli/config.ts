/**
 * @module
 * Loads the config file of `import`, `serve` and `recover`. Every message names the key.
 */

import { dirname, resolve } from 'node:path';
import { peerIdFromString } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import { nodeFeaturesFromText } from '../codec/node-features.ts';
import type { WorkOptions } from '../create-recovery.ts';
import type { AuthorityId } from '../primitives/ids.ts';
import { authorityId, validatorIndex } from '../primitives/ids.ts';
import type { MappingOption, PeerLocation, SessionInfo } from '../recovery/ports.ts';
import {
  CONFIG_SCHEMA,
  type RawConfig,
  type RawSettings,
  type RawValidator,
} from './config-schema.ts';
import { misuse } from './failure.ts';
import { readJson } from './files.ts';
import { tryBytesOfHex } from './hex.ts';
import { assertSchema } from './schema.ts';

/** A config file, checked and resolved. */
export type Config = {
  readonly genesisHash: Uint8Array;
  readonly forkId: string | undefined;
  /** Multiaddresses to listen on; empty when the file names none. */
  readonly listen: readonly string[];
  /** Absolute path of the LevelDB folder, `memory`, or nothing. */
  readonly store: string | undefined;
  /** Absolute path of the file with the secret. */
  readonly identity: string | undefined;
  readonly session: SessionInfo;
  readonly locations: ReadonlyMap<AuthorityId, PeerLocation>;
  readonly settings: RawSettings;
  /** With what recoveries are worked out. */
  readonly work: WorkOptions;
};

/** Reads and checks a config file. Paths in it are relative to its folder. */
export async function loadConfig(path: string): Promise<Config> {
  return parseConfig(await readJson(path), path);
}

/** Checks a parsed config file. @param path - For messages, and the base of relative paths. */
export function parseConfig(value: unknown, path: string): Config {
  const raw = assertSchema<RawConfig>(CONFIG_SCHEMA, value, { path, what: 'a config' });
  const folder = dirname(resolve(path));
  const { session, locations } = readSession(raw, path);
  return {
    genesisHash: bytes32(raw.genesisHash),
    forkId: raw.forkId,
    listen: readListen(raw.listen, path),
    store:
      raw.store === undefined || raw.store === 'memory' ? raw.store : resolve(folder, raw.store),
    identity: raw.identity === undefined ? undefined : resolve(folder, raw.identity),
    session,
    locations,
    settings: raw.settings ?? {},
    work: {
      ...(raw.engine === undefined ? {} : { engine: raw.engine }),
      ...(raw.workers === undefined ? {} : { workers: raw.workers }),
      ...(raw.arenaBytes === undefined ? {} : { arenaBytes: raw.arenaBytes }),
    },
  };
}

function readListen(listen: RawConfig['listen'], path: string): readonly string[] {
  const list = listen === undefined ? [] : typeof listen === 'string' ? [listen] : listen;
  for (const [i, address] of list.entries()) {
    assertTcp(address, `${path}: ${typeof listen === 'string' ? 'listen' : `listen[${i}]`}`);
  }
  return list;
}

function readSession(
  raw: RawConfig,
  path: string,
): { session: SessionInfo; locations: ReadonlyMap<AuthorityId, PeerLocation> } {
  const { index, validators, groups, ownValidatorIndex } = raw.session;
  const locations = new Map<AuthorityId, PeerLocation>();
  const authorities = validators.map((entry, i) =>
    entry === null ? null : readValidator(entry, i, locations, path),
  );
  assertIndices(groups.flat(), validators.length, `${path}: session.groups`);
  if (ownValidatorIndex !== undefined) {
    assertIndices([ownValidatorIndex], validators.length, `${path}: session.ownValidatorIndex`);
  }
  const mapping = readMapping(raw.mapping, path);
  return {
    session: {
      index,
      validators: authorities,
      groups,
      nodeFeatures: nodeFeaturesFromText(raw.session.nodeFeatures),
      ...(ownValidatorIndex === undefined
        ? {}
        : { ownValidatorIndex: validatorIndex(ownValidatorIndex) }),
      ...(mapping === undefined ? {} : { mapping }),
    },
    locations,
  };
}

/** Without `authorityId` a validator is its own authority, also where several share a peer. */
function readValidator(
  entry: RawValidator,
  index: number,
  locations: Map<AuthorityId, PeerLocation>,
  path: string,
): AuthorityId {
  const place = `${path}: session.validators[${index}]`;
  try {
    peerIdFromString(entry.peerId);
  } catch (error: unknown) {
    throw misuse(`${place}.peerId: not a peer id`, error);
  }
  for (const [i, address] of entry.addresses.entries()) {
    assertMultiaddr(address, `${place}.addresses[${i}]`);
  }
  const authority = authorityId(entry.authorityId ?? `validator-${index}`);
  const known = locations.get(authority);
  if (known !== undefined && known.peerId !== entry.peerId) {
    throw misuse(`${place}.authorityId: another entry has it with another peer`);
  }
  locations.set(authority, {
    peerId: entry.peerId,
    addresses: [...new Set([...(known?.addresses ?? []), ...entry.addresses])],
  });
  return authority;
}

function readMapping(mapping: RawConfig['mapping'], path: string): MappingOption | undefined {
  if (mapping === undefined) {
    return undefined;
  }
  const { scheme, seed } = mapping;
  if ((scheme === 'chacha8') !== (seed !== undefined)) {
    throw misuse(`${path}: mapping.seed: needed with the scheme chacha8, and only there`);
  }
  return seed === undefined ? { scheme } : { scheme, seed: bytes32(seed) };
}

function assertIndices(indices: readonly number[], validatorCount: number, place: string): void {
  const wrong = indices.find((index) => index >= validatorCount);
  if (wrong !== undefined) {
    throw misuse(`${place}: ${wrong} is no index into ${validatorCount} validators`);
  }
}

function assertMultiaddr(text: string, place: string): void {
  try {
    multiaddr(text);
  } catch (error: unknown) {
    throw misuse(`${place}: not a multiaddress`, error);
  }
}

/** Nothing else is listened on (network spec §5.1). */
function assertTcp(text: string, place: string): void {
  assertMultiaddr(text, place);
  if (
    !multiaddr(text)
      .getComponents()
      .some(({ name }) => name === 'tcp')
  ) {
    throw misuse(`${place}: expected a TCP address, such as /ip4/127.0.0.1/tcp/0`);
  }
}

/** Bytes of a text that the schema has found to be 32 bytes of hex. */
function bytes32(text: string): Uint8Array {
  const bytes = tryBytesOfHex(text);
  if (bytes?.length !== 32) {
    throw misuse('expected 32 bytes of hex');
  }
  return bytes;
}
