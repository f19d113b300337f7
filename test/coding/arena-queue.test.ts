/**
 * @module
 * Jobs wait for memory in order and never fail for want of it; what can be done without goes first.
 */

import { describe, expect, it } from 'vitest';
import {
  type Arena,
  ArenaQueue,
  ArenaTooSmallError,
  type Evictable,
  type Lease,
} from '../../src/coding/arena-queue.ts';

/** An arena of so many bytes without fragments: only the sum counts. */
class CountingArena implements Arena {
  readonly #capBytes: number;
  readonly #taken = new Map<number, number>();
  #next = 64;
  usedBytes = 0;

  constructor(capBytes: number) {
    this.#capBytes = capBytes;
  }

  take(byteCount: number): number | undefined {
    if (this.usedBytes + byteCount > this.#capBytes) {
      return undefined;
    }
    const address = this.#next;
    this.#next += 64;
    this.#taken.set(address, byteCount);
    this.usedBytes += byteCount;
    return address;
  }

  give(address: number): void {
    this.usedBytes -= this.#taken.get(address) ?? 0;
    this.#taken.delete(address);
  }
}

/** Keeps one spare region. */
function holder(queue: ArenaQueue, byteCount: number): Evictable & { isInUse: boolean } {
  let address = queue.takeSpare(byteCount);
  const self = {
    isInUse: false,
    evict: () => {
      if (address === undefined) {
        return 'nothing' as const;
      }
      if (self.isInUse) {
        return 'in_use' as const;
      }
      const given = address;
      address = undefined;
      queue.giveSpare(given);
      return 'given' as const;
    },
  };
  queue.addHolder(self);
  return self;
}

/** Collects leases by name as they come. */
function asker(queue: ArenaQueue): {
  ask(name: string, bytes: number, owner?: Evictable): () => void;
  readonly leases: Map<string, Lease>;
  readonly errors: unknown[];
} {
  const leases = new Map<string, Lease>();
  const errors: unknown[] = [];
  return {
    leases,
    errors,
    ask: (name, bytes, owner) => {
      const request = { byteCount: () => bytes, ...(owner === undefined ? {} : { owner }) };
      const asking = queue.lease(request).subscribe({
        next: (lease) => leases.set(name, lease),
        error: (error: unknown) => errors.push(error),
      });
      return () => asking.unsubscribe();
    },
  };
}

describe('ArenaQueue', () => {
  it('gives a lease at once where there is room', () => {
    const arena = new CountingArena(100);
    const { ask, leases } = asker(new ArenaQueue(arena));
    ask('a', 60);
    expect([...leases.keys()]).toEqual(['a']);
    expect(arena.usedBytes).toBe(60);
  });

  it('serves in the order of asking, and lets no small job pass a large one', () => {
    const queue = new ArenaQueue(new CountingArena(100));
    const { ask, leases } = asker(queue);
    ask('first', 80);
    ask('large', 90);
    ask('small', 10);
    expect([...leases.keys()]).toEqual(['first']);
    expect(queue.waitingCount).toBe(2);
    leases.get('first')?.release();
    expect([...leases.keys()]).toEqual(['first', 'large', 'small']);
    expect(queue.waitingCount).toBe(0);
  });

  it('takes a release once', () => {
    const arena = new CountingArena(100);
    const { ask, leases } = asker(new ArenaQueue(arena));
    ask('a', 60);
    ask('b', 40);
    leases.get('a')?.release();
    leases.get('a')?.release();
    expect(arena.usedBytes).toBe(40);
  });

  it('lets who unsubscribes leave the queue, and serves who stood behind', () => {
    const queue = new ArenaQueue(new CountingArena(100));
    const { ask, leases } = asker(queue);
    ask('first', 60);
    const leave = ask('large', 90);
    ask('small', 10);
    leave();
    expect([...leases.keys()]).toEqual(['first', 'small']);
  });

  it('refuses what no waiting can give room to, and goes on', () => {
    const { ask, leases, errors } = asker(new ArenaQueue(new CountingArena(100)));
    ask('never', 101);
    ask('small', 10);
    expect(errors[0]).toBeInstanceOf(ArenaTooSmallError);
    expect([...leases.keys()]).toEqual(['small']);
  });

  it('evicts spare memory for a job, the latest first and no more than needed', () => {
    const arena = new CountingArena(100);
    const queue = new ArenaQueue(arena);
    holder(queue, 30);
    const late = holder(queue, 30);
    const { ask } = asker(queue);
    ask('a', 60);
    expect(arena.usedBytes).toBe(90);
    expect(late.evict()).toBe('nothing');
  });

  it("evicts the job's own spare memory last", () => {
    const arena = new CountingArena(100);
    const queue = new ArenaQueue(arena);
    const other = holder(queue, 30);
    const own = holder(queue, 30);
    const { ask, leases } = asker(queue);
    ask('a', 60, own);
    expect(other.evict()).toBe('nothing');
    ask('b', 10, own);
    expect([...leases.keys()]).toEqual(['a', 'b']);
    expect(own.evict()).toBe('given');
  });

  it('waits for spare memory in use, and looks again when its use ends', () => {
    const queue = new ArenaQueue(new CountingArena(100));
    const busy = holder(queue, 60);
    busy.isInUse = true;
    const { ask, leases, errors } = asker(queue);
    ask('a', 60);
    expect(leases.size + errors.length).toBe(0);
    busy.isInUse = false;
    queue.retry();
    expect([...leases.keys()]).toEqual(['a']);
  });

  it('gives no spare memory while jobs wait', () => {
    const queue = new ArenaQueue(new CountingArena(100));
    const { ask } = asker(queue);
    ask('a', 60);
    ask('b', 60);
    expect(queue.takeSpare(10)).toBeUndefined();
  });

  it('serves all who wait when each releases in the turn in which it is served', () => {
    const queue = new ArenaQueue(new CountingArena(100));
    const { ask, leases } = asker(queue);
    ask('first', 100);
    let served = 0;
    for (let i = 0; i < 10_000; i += 1) {
      queue.lease({ byteCount: () => 100 }).subscribe((lease) => {
        served += 1;
        lease.release();
      });
    }
    leases.get('first')?.release();
    expect(served).toBe(10_000);
  });
});
