/**
 * @module
 * Names of the protocols: legacy aliases, fork ids, misuse.
 */

import { describe, expect, it } from 'vitest';
import { protocolNames } from '../../protocol/names.ts';

const GENESIS = new Uint8Array(32).fill(0xab);

describe('protocolNames', () => {
  it('keeps the slash of an empty fork id and leaves out an absent one', () => {
    const hex = 'ab'.repeat(32);
    expect(protocolNames({ genesisHash: GENESIS }).chunkV2).toBe(`/${hex}/req_chunk/2`);
    expect(protocolNames({ genesisHash: GENESIS, forkId: '' }).pov).toBe(`/${hex}//req_pov/1`);
    expect(protocolNames({ genesisHash: GENESIS, forkId: 'abc' }).availableData).toBe(
      `/${hex}/abc/req_available_data/1`,
    );
  });

  it('has an alias without chain for every protocol but version 2', () => {
    const names = protocolNames({ genesisHash: GENESIS, forkId: 'abc' });
    expect([names.chunkV1Legacy, names.availableDataLegacy, names.povLegacy]).toEqual([
      '/polkadot/req_chunk/1',
      '/polkadot/req_available_data/1',
      '/polkadot/req_pov/1',
    ]);
  });

  it('refuses a genesis hash of another size', () => {
    expect(() => protocolNames({ genesisHash: new Uint8Array(31) })).toThrow(
      new RangeError('genesisHash: expected 32 bytes, got 31'),
    );
  });
});
