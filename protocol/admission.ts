/**
 * @module
 * Who is served, and when. Decides before anything of a request is read, so that whoever is turned
 * away costs a stream and nothing else.
 */

import type { PeerLimits } from './limits.ts';
import { type Release, Slots } from './slots.ts';

/** What a request asks for; the limits differ. */
export type ServedKind = 'chunk' | 'available_data';

/** Admission to being served. */
export class Admission {
  readonly #limits: PeerLimits;
  readonly #slots: Readonly<Record<ServedKind, Slots>>;
  readonly #inProgress = new Map<string, number>();
  #pendingBytes = 0;

  /** Nobody is served yet. */
  constructor(limits: PeerLimits) {
    this.#limits = limits;
    this.#slots = {
      chunk: new Slots({
        running: limits.servedChunksPerPeer,
        waiting: limits.waitingChunksPerPeer,
      }),
      available_data: new Slots({
        running: limits.servedDataPerPeer,
        waiting: limits.waitingDataPerPeer,
      }),
    };
  }

  /** Requests in progress and answers reserved, over everything. For tests. */
  get openCount(): number {
    let sum = this.#pendingBytes;
    for (const count of this.#inProgress.values()) {
      sum += count;
    }
    return sum;
  }

  /**
   * Lets one request in, waiting for its turn where the peer has others being served.
   *
   * The global cap counts by `protocol`, the others by `kind` and `peer`.
   *
   * @returns `undefined` at once when the protocol is at its cap or the peer's queue is full.
   * @throws The signal's reason, when it is aborted while waiting.
   */
  async enter(
    request: { readonly protocol: string; readonly kind: ServedKind; readonly peer: string },
    signal: AbortSignal,
  ): Promise<Release | undefined> {
    const { protocol, kind, peer } = request;
    const count = this.#inProgress.get(protocol) ?? 0;
    if (count >= this.#limits.maxInProgressPerProtocol) {
      return undefined;
    }
    const slot = this.#slots[kind].take(peer, signal);
    if (slot === undefined) {
      return undefined;
    }
    this.#inProgress.set(protocol, count + 1);
    try {
      const release = await slot;
      return () => {
        release();
        this.#leave(protocol);
      };
    } catch (error: unknown) {
      this.#leave(protocol);
      throw error;
    }
  }

  /**
   * Makes room for the bytes of one answer.
   *
   * @returns A function that gives bytes back as they are written, and the rest when called without
   * a number; `undefined` when there is no room.
   */
  reserve(kind: ServedKind, bytes: number): ((written?: number) => void) | undefined {
    const { maxPendingBytes, maxPendingBytesForData } = this.#limits;
    const cap = kind === 'chunk' ? maxPendingBytes : maxPendingBytesForData;
    if (this.#pendingBytes + bytes > cap) {
      return undefined;
    }
    this.#pendingBytes += bytes;
    let rest = bytes;
    return (written = rest) => {
      rest -= written;
      this.#pendingBytes -= written;
    };
  }

  #leave(protocol: string): void {
    const count = (this.#inProgress.get(protocol) ?? 1) - 1;
    if (count === 0) {
      this.#inProgress.delete(protocol);
    } else {
      this.#inProgress.set(protocol, count);
    }
  }
}
