/**
 * @module
 * Entry `./node`: a peer and a recovery with everything wired: libp2p over TCP, noise and yamux, and an
 * embedded LevelDB store; and Node's own zstd for PoVs.
 */

import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { createLibp2p, type Libp2p } from 'libp2p';
import { lastValueFrom } from 'rxjs';
import { libp2pSettings } from '../protocol/node-settings.ts';
import { assertRuntime } from '../protocol/runtime-check.ts';
import {
  type AvailabilityPeer,
  type AvailabilityPeerInit,
  createAvailabilityPeer,
} from '../protocol/service.ts';
import type { ErasureWork } from './coding/erasure-work.ts';
import {
  createRecovery,
  type RecoveryPorts,
  type WorkOptions,
  workFor,
} from './create-recovery.ts';
import { hashReady } from './primitives/hash.ts';
import type { Recovery } from './recovery/orchestrator.ts';
import type { RecoverySettings } from './recovery/settings.ts';
import type { AvailabilityStore } from './store/availability-store.ts';
import { memoryStore, openLevelStore } from './store/open.ts';

export { decompressZstd } from './node-zstd.ts';

/** What a node is made of. */
export type NodeOptions = Omit<AvailabilityPeerInit, 'store'> &
  WorkOptions & {
    /** Multiaddresses to listen on; default: none, the node only asks. */
    readonly listen?: readonly string[];
    /** Secret of the ed25519 identity, 32 bytes; default: a fresh one. */
    readonly identity?: Uint8Array;
    /**
     * A folder for LevelDB or `memory`, opened and closed by the node; or a store of the caller's, which
     * stays open. Default: no store.
     */
    readonly store?: string | AvailabilityStore;
    /** Validators of the session: sets how many connections are kept. Default 1,000. */
    readonly validatorCount?: number;
    /** Inbound connections per second and address; raise it where all peers share one address. */
    readonly inboundConnectionThreshold?: number;
  };

/** A running node. */
export interface AvailabilityNode extends AsyncDisposable {
  readonly libp2p: Libp2p;
  readonly peer: AvailabilityPeer;
  readonly store: AvailabilityStore | undefined;
  /** Where others reach us, each with our peer id. */
  readonly multiaddrs: readonly string[];
  /**
   * Makes a recovery on this node's sources and store. The caller starts and stops it; where the node is
   * stopped first, what still runs in it ends with `stopped`. All that are given no work, work option or
   * runtime of their own share the workers and the memory of the node.
   */
  createRecovery(ports?: Partial<RecoveryPorts>, settings?: Partial<RecoverySettings>): Recovery;
  /** Ends all requests, closes the connections and the store that the node opened. */
  stop(): Promise<void>;
}

/**
 * Opens the store, starts libp2p and the peer.
 *
 * @throws StoreError `store_locked`, `store_unavailable`; libp2p's error when it can't listen; RangeError
 *   for a work option out of its range. Nothing stays open after a failure.
 */
export async function openNode(options: NodeOptions): Promise<AvailabilityNode> {
  const { identity, listen, validatorCount, inboundConnectionThreshold, ...rest } = options;
  const { workers: _workers, engine: _engine, arenaBytes: _arenaBytes, ...init } = rest;
  assertRuntime();
  const work = workFor(options, options.logger === undefined ? {} : { logger: options.logger });
  await hashReady();
  const cleanUp = new CleanUp();
  cleanUp.defer(async () => work.close?.());
  try {
    const store = await openStore(options, cleanUp);
    const libp2p = await createLibp2p({
      ...libp2pSettings({
        ...(identity === undefined
          ? {}
          : { privateKey: await generateKeyPairFromSeed('Ed25519', identity) }),
        ...(listen === undefined ? {} : { listen }),
        ...(validatorCount === undefined ? {} : { validatorCount }),
        ...(inboundConnectionThreshold === undefined ? {} : { inboundConnectionThreshold }),
        ...(options.logger === undefined ? {} : { logger: options.logger }),
      }),
      start: false,
    });
    const { store: _store, ...peerInit } = init;
    const peer = createAvailabilityPeer(libp2p, {
      ...peerInit,
      ...(store === undefined ? {} : { store }),
    });
    // Handlers are there before the first connection can be.
    cleanUp.defer(async () => libp2p.stop());
    await peer.start();
    cleanUp.defer(() => peer.stop());
    await libp2p.start();
    return nodeOf({ libp2p, peer, store, work, options, cleanUp });
  } catch (error: unknown) {
    try {
      await cleanUp.run();
    } catch (cleanUpError: unknown) {
      options.logger?.warn('clean_up_failed', { cause: cleanUpError });
    }
    throw error;
  }
}

function nodeOf(parts: {
  readonly libp2p: Libp2p;
  readonly peer: AvailabilityPeer;
  readonly store: AvailabilityStore | undefined;
  readonly work: ErasureWork;
  readonly options: NodeOptions;
  readonly cleanUp: CleanUp;
}): AvailabilityNode {
  const { libp2p, peer, store, work, options, cleanUp } = parts;
  const stop = (): Promise<void> => cleanUp.run();
  return {
    libp2p,
    peer,
    store,
    get multiaddrs() {
      return libp2p.getMultiaddrs().map((address) => address.toString());
    },
    createRecovery: (ports = {}, settings = {}) => {
      const recovery = createRecovery(
        {
          directory: options.directory,
          chunkSource: peer.chunks,
          dataSource: peer.data,
          ...(store === undefined ? {} : { store }),
          ...(options.logger === undefined ? {} : { logger: options.logger }),
          ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
          ...workOptionsOf(options),
          ...(hasOwnWork(ports) ? {} : { work }),
          ...ports,
        },
        settings,
      );
      // Before the peer under it is stopped: its sources would only say that nobody can be asked.
      cleanUp.defer(() => recovery.stop());
      return recovery;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function workOptionsOf({ workers, engine, arenaBytes }: WorkOptions): WorkOptions {
  return {
    ...(workers === undefined ? {} : { workers }),
    ...(engine === undefined ? {} : { engine }),
    ...(arenaBytes === undefined ? {} : { arenaBytes }),
  };
}

function hasOwnWork({ work, runtime, ...options }: Partial<RecoveryPorts>): boolean {
  return (
    work !== undefined || runtime !== undefined || Object.keys(workOptionsOf(options)).length > 0
  );
}

async function openStore(
  { store, logger, metrics }: NodeOptions,
  cleanUp: CleanUp,
): Promise<AvailabilityStore | undefined> {
  if (typeof store !== 'string') {
    return store;
  }
  const settings = {
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const opened =
    store === 'memory'
      ? memoryStore(settings)
      : await lastValueFrom(openLevelStore(store, settings));
  cleanUp.defer(async () => {
    await lastValueFrom(opened.close(), { defaultValue: undefined });
  });
  return opened;
}

/** What has to be undone, last first. */
class CleanUp {
  private readonly steps: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;

  /** Adds a step. */
  defer(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /**
   * Carries out every step, also after one that fails; the first failure is thrown at the end. Whoever
   * asks again waits for the same end.
   */
  run(): Promise<void> {
    this.running ??= this.runSteps();
    return this.running;
  }

  private async runSteps(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      try {
        await step();
      } catch (error: unknown) {
        failures.push(error);
      }
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  }
}
