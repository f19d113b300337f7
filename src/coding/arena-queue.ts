/**
 * @module
 * Hands out memory of the arena, so that jobs wait for room and never fail for want of it. What kernels
 * do with the memory is not known here.
 */

import { Observable } from 'rxjs';

/** The part of `KernelMemory` that is needed here. */
export type Arena = {
  /** A region at a multiple of 64, or undefined when the cap would be passed. */
  take(byteCount: number): number | undefined;
  /** Takes a region back; its address must be one that `take` gave. */
  give(address: number): void;
};

/** Memory on loan. */
export type Lease = {
  /** Where the region starts, a multiple of 64. It holds garbage. */
  readonly address: number;
  readonly byteCount: number;
  /** Gives it back, once; later calls do nothing. */
  release(): void;
};

/**
 * Keeps memory that it can do without: copies of what is elsewhere too.
 *
 * **Guarantees.** `evict` gives all of it back at once, or nothing while it is in use.
 */
export interface Evictable {
  /** @returns What came of it; of memory `in_use` its user says when it ends: {@link ArenaQueue.retry}. */
  evict(): 'given' | 'nothing' | 'in_use';
}

/** What a job asks for. */
export type LeaseRequest = {
  /** Bytes needed, as of this moment: fewer when what `owner` keeps can be used. */
  readonly byteCount: () => number;
  /** Whose memory is not taken away for this job unless nothing else helps. */
  readonly owner?: Evictable;
};

/** No room, however long one waits. */
export class ArenaTooSmallError extends Error {
  override readonly name = 'ArenaTooSmallError';
}

type Waiting = LeaseRequest & { serve(lease: Lease): void; refuse(error: Error): void };

/**
 * One queue for one arena, first come, first served: a small job does not pass a large one, so nobody
 * starves and the order of results is the order of asking. What may be evicted is evicted for the first
 * in the queue, the latest comer's first: it has the longest way to go.
 *
 * A job takes all its memory as one lease and holds nothing else while it waits, so there is no deadlock.
 */
export class ArenaQueue {
  readonly #arena: Arena;
  readonly #waiting: Waiting[] = [];
  readonly #holders = new Set<Evictable>();
  #leases = 0;
  #isServing = false;
  #closedBy: Error | undefined;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Jobs that wait for room. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Makes somebody's memory evictable, until {@link ArenaQueue.removeHolder}. */
  addHolder(holder: Evictable): void {
    this.#holders.add(holder);
  }

  /** The holder has given back what it had. */
  removeHolder(holder: Evictable): void {
    this.#holders.delete(holder);
  }

  /**
   * A region that the taker counts as evictable, if there is room and no job waits.
   *
   * @returns Its address; {@link ArenaQueue.giveSpare} takes it back.
   */
  takeSpare(byteCount: number): number | undefined {
    return this.#waiting.length > 0 ? undefined : this.#arena.take(byteCount);
  }

  /** Takes a region of {@link ArenaQueue.takeSpare} back. */
  giveSpare(address: number): void {
    this.#arena.give(address);
    this.#serve();
  }

  /**
   * A lease as soon as it is this job's turn and there is room; at once where there is. The taker
   * releases it. Unsubscribing before it came leaves the queue; one that came is not released by it.
   *
   * Errors with {@link ArenaTooSmallError} when all memory together is too small, and with what
   * {@link ArenaQueue.close} was given.
   */
  lease(request: LeaseRequest): Observable<Lease> {
    return new Observable((subscriber) => {
      if (this.#closedBy !== undefined) {
        subscriber.error(this.#closedBy);
        return;
      }
      const waiting: Waiting = {
        ...request,
        serve: (lease) => {
          if (subscriber.closed) {
            lease.release();
          } else {
            subscriber.next(lease);
            subscriber.complete();
          }
        },
        refuse: (error) => subscriber.error(error),
      };
      this.#waiting.push(waiting);
      subscriber.add(() => {
        const place = this.#waiting.indexOf(waiting);
        if (place >= 0) {
          this.#waiting.splice(place, 1);
          this.#serve();
        }
      });
      this.#serve();
    });
  }

  /**
   * Refuses all that wait, and whoever comes later: room may never come, where memory is held by somebody
   * who does not give it back. What is on loan stays so until it is released.
   */
  close(error: Error): void {
    this.#closedBy ??= error;
    for (const waiting of this.#waiting.splice(0)) {
      waiting.refuse(error);
    }
  }

  /** Memory came free, or what was in use may be evicted. */
  retry(): void {
    this.#serve();
  }

  /** Serves whom it can. Not reentrant: who is served may release at once, and the loop goes on. */
  #serve(): void {
    if (this.#isServing) {
      return;
    }
    this.#isServing = true;
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        const lease = this.#take(first);
        if (lease === 'later') {
          return;
        }
        this.#waiting.shift();
        if (lease === 'never') {
          first.refuse(new ArenaTooSmallError(`no room for ${first.byteCount()} bytes`));
        } else {
          first.serve(lease);
        }
      }
    } finally {
      this.#isServing = false;
    }
  }

  #take({ byteCount, owner }: LeaseRequest): Lease | 'later' | 'never' {
    const others = [...this.#holders].filter((holder) => holder !== owner).reverse();
    const victims = owner === undefined ? others : [...others, owner];
    let isInUse = this.#leases > 0;
    let wanted = byteCount();
    let address = this.#arena.take(wanted);
    for (const victim of victims) {
      if (address !== undefined) {
        break;
      }
      const outcome = victim.evict();
      isInUse ||= outcome === 'in_use';
      if (outcome === 'given') {
        wanted = byteCount();
        address = this.#arena.take(wanted);
      }
    }
    if (address === undefined) {
      return isInUse ? 'later' : 'never';
    }
    return this.#leased(address, wanted);
  }

  #leased(address: number, byteCount: number): Lease {
    let isReleased = false;
    this.#leases += 1;
    return {
      address,
      byteCount,
      release: () => {
        if (!isReleased) {
          isReleased = true;
          this.#leases -= 1;
          this.#arena.give(address);
          this.#serve();
        }
      },
    };
  }
}
