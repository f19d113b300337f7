/**
 * @module
 * Child of `loopback.bench.ts`: a node that recovers over sockets, by one strategy at a time.
 */

import type { PeerLocation, Recovery, StrategyType } from '../../src/index.ts';
import { type AvailabilityNode, openNode } from '../../src/node.ts';
import { ourWork, workersFor } from '../our-jobs.ts';
import { answerParent } from '../support/child.ts';
import { loopbackRequest, loopbackSession, readLoopbackWorld } from '../support/loopback-world.ts';

/** Recovers so many times by a strategy; the connections of one question serve the next ones too. */
export type ClientQuestion = {
  readonly path: string;
  readonly locations: readonly PeerLocation[];
  readonly strategy: StrategyType;
  readonly recoveries: number;
  readonly threads: number;
};

/** What the recoveries took. */
export type ClientAnswer = {
  /** Of each recovery, in order. */
  readonly wallMs: readonly number[];
  /** CPU time of this process, all threads, for all of them. */
  readonly cpuSeconds: number;
};

/** Recoveries so far, by all strategies: the next candidate is never the one whose result was kept. */
let done = 0;

let open: { readonly node: AvailabilityNode; readonly recovery: Recovery } | undefined;

answerParent(async (question: ClientQuestion): Promise<ClientAnswer> => {
  const { path, locations, strategy, recoveries, threads } = question;
  const world = readLoopbackWorld(path);
  const directory = loopbackSession(world, locations);
  if (open === undefined) {
    const { genesisHash, candidates } = world;
    const { validatorCount } = candidates;
    const node = await openNode({ genesisHash, directory, validatorCount });
    // One result is kept, and candidates take turns: each recovery goes to the network.
    const recovery = node.createRecovery({ ...ourWork(workersFor(threads)) }, { cacheEntries: 1 });
    await recovery.start();
    open = { node, recovery };
  }
  const wallMs: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < recoveries; i += 1) {
    const start = performance.now();
    const { from } = await open.recovery.recoverData(loopbackRequest(world, done, strategy));
    done += 1;
    wallMs.push(performance.now() - start);
    if (from !== strategy) {
      throw new Error(`recovered by ${from}, not by ${strategy}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuSeconds: (user + system) / 1e6 };
});
