/**
 * @module
 * All peers of the demo: starts them, ends them, and keeps what they log.
 */

import type { AuthorityId } from '../../primitives/ids.ts';
import { authorityId } from '../../primitives/ids.ts';
import type { PeerLocation } from '../../recovery/ports.ts';
import { PeerChild, type PeerChildOptions, type ServedLine } from './peer-child.ts';
import { authorityName, configPathOf, type World } from './world.ts';

/** A request as the peer of a validator logged it. */
export type ServedRecord = { readonly validator: number; readonly line: ServedLine };

/** Receives news of peers. */
export type TroupeListener = {
  /** A peer's process was started. */
  readonly onSpawned: (peer: PeerChild) => void;
  /** A peer's process has ended, by itself or by a signal. */
  readonly onExited: PeerChildOptions['onExited'];
  /** A peer listens. */
  readonly onStarted: (peer: PeerChild) => void;
  /** A peer logged a request. */
  readonly onServed: (record: ServedRecord) => void;
};

/** The peers of one demo. {@link Troupe.close} leaves none running, whatever happened before. */
export class Troupe {
  /** Where each validator's peer is; changes when a peer is started again. */
  readonly locations: Map<AuthorityId, PeerLocation> = new Map();
  /** What the peers logged since {@link Troupe.forget}. */
  readonly served: ServedRecord[] = [];
  readonly #world: World;
  readonly #compileCache: string;
  readonly #listener: TroupeListener;
  readonly #peers = new Map<number, PeerChild>();
  readonly #all: PeerChild[] = [];
  #isClosed = false;

  /** Starts nothing. */
  constructor(world: World, compileCache: string, listener: TroupeListener) {
    this.#world = world;
    this.#compileCache = compileCache;
    this.#listener = listener;
  }

  /** Starts the peers of these validators, all at once. */
  async start(
    validators: readonly number[],
    signal: AbortSignal,
    lies: boolean = false,
  ): Promise<void> {
    await Promise.all(validators.map((validator) => this.#startOne(validator, signal, lies)));
  }

  /** Kills these peers. */
  async kill(validators: readonly number[]): Promise<void> {
    await Promise.all(validators.map(async (validator) => this.#peers.get(validator)?.kill()));
  }

  /** Freezes the process of one peer. */
  stop(validator: number): void {
    this.#peers.get(validator)?.stop();
  }

  /** Closes one peer in an orderly way. */
  async closeOne(validator: number): Promise<void> {
    await this.#peers.get(validator)?.close();
  }

  /** Ends every peer that was ever started. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#all.map((peer) => peer.close()));
  }

  /** Drops what the peers logged so far. */
  forget(): void {
    this.served.length = 0;
  }

  async #startOne(validator: number, signal: AbortSignal, lies: boolean): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    const peer = new PeerChild({
      validator,
      configPath: configPathOf(this.#world.folder, validator),
      lies,
      compileCache: this.#compileCache,
      onServed: (line) => {
        const record = { validator, line };
        this.served.push(record);
        this.#listener.onServed(record);
      },
      onExited: this.#listener.onExited,
    });
    this.#listener.onSpawned(peer);
    this.#all.push(peer);
    this.#peers.set(validator, peer);
    await peer.started(signal);
    this.locations.set(authorityId(authorityName(validator)), {
      peerId: peer.peerId,
      addresses: [peer.multiaddr],
    });
    this.#listener.onStarted(peer);
  }
}
