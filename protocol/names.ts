/**
 * @module
 * Names of the request protocols of one chain (recovery spec §1.1). The names identify; the bytes of
 * the messages are in `messages.ts`.
 */

import { toHex } from '../src/primitives/bytes.ts';
import { HASH_BYTES } from '../src/primitives/hash.ts';

/**
 * Every name under which the protocols go. A `Legacy` name is an alias of the modern one: same
 * bytes, proposed after it when dialing and accepted when listening. `chunkV2` has none.
 */
export type ProtocolNames = {
  readonly chunkV2: string;
  readonly chunkV1: string;
  readonly chunkV1Legacy: string;
  readonly availableData: string;
  readonly availableDataLegacy: string;
  readonly pov: string;
  readonly povLegacy: string;
};

/** What tells one chain from another on the wire. */
export type ChainId = {
  /** Hash of block 0, 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** Fork id of the chain specification, if it defines one; an empty one keeps its slash. */
  readonly forkId?: string | undefined;
};

/**
 * The names for one chain.
 *
 * @throws RangeError when the genesis hash is not 32 bytes.
 */
export function protocolNames(chain: ChainId): ProtocolNames {
  if (chain.genesisHash.length !== HASH_BYTES) {
    throw new RangeError(
      `genesisHash: expected ${HASH_BYTES} bytes, got ${chain.genesisHash.length}`,
    );
  }
  const fork = chain.forkId === undefined ? '' : `/${chain.forkId}`;
  const prefix = `/${toHex(chain.genesisHash)}${fork}`;
  return {
    chunkV2: `${prefix}/req_chunk/2`,
    chunkV1: `${prefix}/req_chunk/1`,
    chunkV1Legacy: '/polkadot/req_chunk/1',
    availableData: `${prefix}/req_available_data/1`,
    availableDataLegacy: '/polkadot/req_available_data/1',
    pov: `${prefix}/req_pov/1`,
    povLegacy: '/polkadot/req_pov/1',
  };
}
