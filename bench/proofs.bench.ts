/**
 * @module
 * Checking chunks as they arrive: one consumer that takes all that waits, against 2, 4 and 8 consumers that
 * share the same arrivals out among them. Arrivals come in bursts by a fixed draw, on a clock that work alone
 * moves on; timed is the work: copying chunks into the kernel's memory, hashing them, checking proofs. The
 * consumers take turns on one thread and share one proof book: more threads would change when batches are
 * taken, not how full they are.
 */

import { expect, test } from 'vitest';
import { hashNodesOn, hashStrings } from '../src/coding/node-hasher.ts';
import { ProofBook } from '../src/commitment/proof-book.ts';
import { chooseEngine, createContext, KernelMemory } from '../src/erasure/kernel/index.ts';
import { HASH_BYTES, hashReady } from '../src/primitives/hash.ts';
import { type Fixture, fixture } from './support/fixture.ts';
import { alternate, median, minimum } from './support/rounds.ts';
import { PATIENCE_MS, roundsOr } from './support/settings.ts';
import { plainTable, short } from './support/table.ts';

const MIB = 2 ** 20;
const PAYLOAD_BYTES = 2.5 * MIB;
const VALIDATORS = 1000;
const CONSUMERS = [1, 2, 4, 8];

/** Bursts have 1 to so many chunks; the next follows within a millisecond. */
const MAX_BURST = 64;

/** A chunk that arrived, and when, in ms. */
type Arrival = { readonly index: number; readonly atMs: number };

/** The k first of shuffled chunks, in bursts: every run has the same. */
function arrivals({ systematicThreshold }: Fixture): readonly Arrival[] {
  let state = 12_345;
  const draw = (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const all: Arrival[] = [];
  let atMs = 0;
  while (all.length < systematicThreshold) {
    const burst = 1 + draw(MAX_BURST);
    for (let i = 0; i < burst && all.length < systematicThreshold; i += 1) {
      // 619 has no factor in common with the number of validators, so no chunk comes twice.
      all.push({ index: (all.length * 619) % VALIDATORS, atMs });
    }
    atMs += draw(1000) / 1000;
  }
  return all;
}

/** What one run of all arrivals was. */
type Run = { readonly busyMs: number; readonly lastMs: number; readonly batches: number[] };

/** Lets the consumers take turns until everything is checked; `check` does the work of one batch. */
function consume(
  all: readonly Arrival[],
  consumers: number,
  check: (indices: readonly number[]) => void,
): Run {
  const queues = Array.from({ length: consumers }, (_, turn) =>
    all.filter((_arrival, i) => i % consumers === turn),
  );
  const batches: number[] = [];
  let nowMs = 0;
  let busyMs = 0;
  for (let left = all.length, idle = 0, turn = 0; left > 0; turn = (turn + 1) % consumers) {
    const queue = queues[turn] ?? [];
    const ready = queue.filter(({ atMs }) => atMs <= nowMs);
    if (ready.length === 0) {
      idle += 1;
      if (idle === consumers) {
        nowMs = Math.min(...queues.flat().map(({ atMs }) => atMs));
        idle = 0;
      }
      continue;
    }
    idle = 0;
    queue.splice(0, ready.length);
    const start = performance.now();
    check(ready.map(({ index }) => index));
    const ms = performance.now() - start;
    nowMs += ms;
    busyMs += ms;
    batches.push(ready.length);
    left -= ready.length;
  }
  return { busyMs, lastMs: nowMs, batches };
}

test(`proofs n=${VALIDATORS} size=2.5MiB`, { timeout: PATIENCE_MS }, async () => {
  await hashReady();
  const { id } = chooseEngine();
  const memory =
    id === 'scalar' ? undefined : new KernelMemory({ isShared: false, maxBytes: 16 * MIB });
  const context = id === 'scalar' || memory === undefined ? undefined : createContext(memory, id);
  if (context === undefined) {
    console.log('proofs: no kernel on this host');
    return;
  }
  const made = fixture(PAYLOAD_BYTES, VALIDATORS);
  const all = arrivals(made);
  const hash = hashStrings(context);
  const hashNodes = hashNodesOn(context);
  const runs = new Map<number, Run[]>(CONSUMERS.map((consumers) => [consumers, []]));
  const job = (consumers: number): void => {
    const book = new ProofBook(made.erasureRoot, VALIDATORS, hashNodes);
    const check = (indices: readonly number[]): void => {
      const chunks = indices.flatMap((index) => made.chunks[index] ?? []);
      const digests = hash(chunks.map(({ bytes }) => bytes));
      const batch = chunks.map((chunk, i) => ({
        chunk,
        digest: digests.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1)),
      }));
      expect(book.verify(batch).every(({ type }) => type === 'verified')).toBe(true);
    };
    runs.get(consumers)?.push(consume(all, consumers, check));
  };
  const jobs = CONSUMERS.map((consumers) => [String(consumers), () => job(consumers)] as const);
  await alternate(Object.fromEntries(jobs), roundsOr(31));
  console.log(plainTable([HEAD, ...[...runs].map(([consumers, all]) => rowOf(consumers, all))]));
});

const HEAD = [
  'consumers',
  'batches',
  'median batch',
  'largest',
  'work ms',
  'last answer ms',
  'sizes',
];

/** A row of the table: the run with the least work. */
function rowOf(consumers: number, all: readonly Run[]): string[] {
  const busyMs = minimum(all.map((run) => run.busyMs));
  const best = all.find((run) => run.busyMs === busyMs);
  const batches = best?.batches ?? [];
  return [
    String(consumers),
    String(batches.length),
    String(median(batches)),
    String(Math.max(...batches)),
    short(busyMs),
    short(minimum(all.map(({ lastMs }) => lastMs))),
    batches.join(' '),
  ];
}
