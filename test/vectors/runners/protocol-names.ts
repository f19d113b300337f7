/**
 * @module
 * Runner of `protocol-names.json`: every name for a genesis hash and a fork id.
 */

import { protocolNames } from '../../../protocol/names.ts';
import { fromHex } from '../../../src/primitives/bytes.ts';
import type { Checks } from '../runner.ts';

type File = {
  readonly names: readonly {
    readonly genesis: string;
    readonly fork_id: string | null;
    readonly 'req_chunk/1': string;
    readonly 'req_chunk/2': string;
    readonly 'req_available_data/1': string;
    readonly 'req_pov/1': string;
  }[];
};

/** Compares each name of each case. */
export function protocolNamesRunner(content: unknown, checks: Checks): void {
  for (const { genesis, fork_id, ...expected } of (content as File).names) {
    const names = protocolNames({ genesisHash: fromHex(genesis), forkId: fork_id ?? undefined });
    const what = `${genesis} fork ${JSON.stringify(fork_id)}`;
    checks.equal(names.chunkV1, expected['req_chunk/1'], `${what}: req_chunk/1`);
    checks.equal(names.chunkV2, expected['req_chunk/2'], `${what}: req_chunk/2`);
    checks.equal(names.availableData, expected['req_available_data/1'], `${what}: available data`);
    checks.equal(names.pov, expected['req_pov/1'], `${what}: req_pov/1`);
  }
}
