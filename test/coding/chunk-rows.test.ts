/**
 * @module
 * Rows are taken in blocks, kept by chunk index, taken away as a whole and given back once.
 */

import { describe, expect, it } from 'vitest';
import { ArenaQueue } from '../../src/coding/arena-queue.ts';
import { type ChunkRow, ChunkRows } from '../../src/coding/chunk-rows.ts';
import { KernelMemory } from '../../src/erasure/kernel/index.ts';

const SIZE = { chunkBytes: 100, stride: 128, maxRows: 70 };

function newRows(): { rows: ChunkRows; memory: KernelMemory; queue: ArenaQueue } {
  const memory = new KernelMemory({ isShared: false, maxBytes: 1024 * 1024 });
  const queue = new ArenaQueue(memory);
  return { rows: new ChunkRows(queue, SIZE), memory, queue };
}

function takeAll(rows: ChunkRows): ChunkRow[] {
  const taken: ChunkRow[] = [];
  for (let row = rows.take(); row !== undefined; row = rows.take()) {
    taken.push(row);
  }
  return taken;
}

describe('ChunkRows', () => {
  it('takes nothing before a row is wanted', () => {
    expect(newRows().memory.usedBytes).toBe(0);
  });

  it('hands out as many rows as it may, of which none touches another', () => {
    const { rows } = newRows();
    const taken = takeAll(rows);
    expect(taken).toHaveLength(SIZE.maxRows);
    const parts = taken
      .flatMap(({ row, digest }) => [
        { from: row, to: row + SIZE.stride },
        { from: digest, to: digest + 32 },
      ])
      .sort((a, b) => a.from - b.from);
    parts.slice(1).forEach((part, i) => {
      expect(part.from).toBeGreaterThanOrEqual(parts[i]?.to ?? 0);
    });
    expect(taken.every(({ row }) => row % 64 === 0)).toBe(true);
  });

  it('hands a row that was given back out again', () => {
    const { rows } = newRows();
    const [first] = takeAll(rows);
    rows.give(first!);
    expect(rows.take()).toEqual(first);
    expect(rows.take()).toBeUndefined();
  });

  it('keeps the first row of an index, and gives a second one back', () => {
    const { rows } = newRows();
    const [first, second] = takeAll(rows);
    rows.keep(7, first!);
    rows.keep(7, second!);
    expect(rows.rowOf(7)).toEqual(first);
    expect(rows.take()).toEqual(second);
  });

  it('loses everything at once when it is evicted, and may begin again', () => {
    const { rows, memory } = newRows();
    rows.keep(7, takeAll(rows)[0]!);
    expect(rows.evict()).toBe('given');
    expect(rows.rowOf(7)).toBeUndefined();
    expect(memory.usedBytes).toBe(0);
    expect(rows.evict()).toBe('nothing');
    expect(takeAll(rows)).toHaveLength(SIZE.maxRows);
  });

  it('is not evicted while somebody uses it, and serves who waits for it afterwards', () => {
    const { rows, queue, memory } = newRows();
    takeAll(rows);
    const ends = [rows.use(), rows.use()];
    expect(rows.evict()).toBe('in_use');
    let isServed = false;
    queue.lease({ byteCount: () => 1024 * 1024 - 20_000 }).subscribe(() => {
      isServed = true;
    });
    ends[0]?.();
    ends[0]?.();
    expect(isServed).toBe(false);
    ends[1]?.();
    expect(isServed).toBe(true);
    expect(memory.usedBytes).toBeGreaterThan(1_000_000);
  });

  it('gives everything back when it is closed, but not before its use ends', () => {
    const { rows, memory } = newRows();
    takeAll(rows);
    const end = rows.use();
    rows.close();
    expect(memory.usedBytes).toBeGreaterThan(0);
    end();
    rows.close();
    expect(memory.usedBytes).toBe(0);
    expect(rows.take()).toBeUndefined();
  });
});
