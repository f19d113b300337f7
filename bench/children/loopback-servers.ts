/**
 * @module
 * Child of `loopback.bench.ts`: every validator of a session as a libp2p node on loopback, all in this process,
 * each with its chunk of every candidate in memory, those of the backing group with the whole data.
 */

import { lastValueFrom } from 'rxjs';
import * as ar from '../../src/index.ts';
import { type AvailabilityNode, openNode } from '../../src/node.ts';
import { answerParent } from '../support/child.ts';
import {
  type LoopbackWorld,
  loopbackMapping,
  loopbackSession,
  readLoopbackWorld,
} from '../support/loopback-world.ts';

/** `start`: opens the nodes; the answer is a location per validator. `cpu`: seconds since the start. */
export type ServersQuestion =
  | { readonly type: 'start'; readonly path: string }
  | { readonly type: 'cpu' };

const LOOPBACK = '/ip4/127.0.0.1/tcp/0';

/** They all live on one address. */
const MANY_CONNECTIONS = 1_000_000;

async function startOne(world: LoopbackWorld, validator: number): Promise<AvailabilityNode> {
  const { candidates, genesisHash, backers } = world;
  const node = await openNode({
    genesisHash,
    directory: loopbackSession(world, []),
    listen: [LOOPBACK],
    store: 'memory',
    inboundConnectionThreshold: MANY_CONNECTIONS,
  });
  const { store } = node;
  if (store === undefined) {
    throw new Error('a node that was opened with a store has one');
  }
  const { validatorCount, chunkBytes, proofs, payload, receipts, erasureRoot } = candidates;
  const mapping = loopbackMapping(validatorCount);
  const chunkIndex = mapping.chunkOf(ar.validatorIndex(validator));
  const chunk = { chunkIndex, bytes: chunkBytes[chunkIndex]!, proof: proofs[chunkIndex]! };
  const { value: data } = ar.decodeAvailableData(payload);
  for (const receipt of receipts) {
    const common = {
      candidateHash: ar.candidateHashOf(ar.candidateReceipt(receipt)),
      erasureRoot,
      validatorCount,
    };
    const validatorIndex = ar.validatorIndex(validator);
    const stored = backers.includes(validator)
      ? store.storeAvailableData({ ...common, data, mapping })
      : store.storeChunk({ ...common, validatorIndex, chunk });
    await lastValueFrom(stored, { defaultValue: undefined });
  }
  return node;
}

answerParent(async (question: ServersQuestion) => {
  if (question.type === 'cpu') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const world = readLoopbackWorld(question.path);
  const nodes: AvailabilityNode[] = [];
  for (let v = 0; v < world.candidates.validatorCount; v += 1) {
    nodes.push(await startOne(world, v));
  }
  return nodes.map(({ libp2p, multiaddrs }) => ({
    peerId: libp2p.peerId.toString(),
    addresses: [...multiaddrs],
  }));
});
