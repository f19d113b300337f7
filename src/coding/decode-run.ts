/**
 * @module
 * One decode on the arena: its memory, its rows, the trie for the root, and what is read afterwards.
 */

import type { Observable } from 'rxjs';
import { hashTrie } from '../commitment/trie-build.ts';
import { type TrieLayout, trieLayout } from '../commitment/trie-layout.ts';
import { type ReadyJob, runOnLease } from './arena-job.ts';
import type { ChunkRows } from './chunk-rows.ts';
import { type CodeLayout, codeLayout, RegionCutter } from './code-layout.ts';
import { type DecodeWork, decodeJob, decodeSpace, freshPositions } from './decode-job.ts';
import type { Decoded, DecodeQuestion } from './erasure-work.ts';
import { type ChunkKeeper, HeldChunk } from './held-chunk.ts';
import type { ResultCopy } from './job-runner.ts';
import type { KernelHost } from './kernel-host.ts';
import { choosePath, type PathCost } from './planner.ts';
import type { ReceivedChunks } from './received-chunks.ts';
import { type JobSettings, kernelOption } from './row-groups.ts';
import type { Job, Stage } from './tasks.ts';
import { leafAddresses, trieMemory } from './trie-memory.ts';
import type { WorkCounter } from './work-counter.ts';

/** What is to be decoded, and what is known of its chunks. */
export type DecodeInput = {
  readonly validatorCount: number;
  readonly received: ReceivedChunks;
  readonly wantsRoot: boolean;
  /** Rows that hold some of the chunks; undefined where none does. */
  readonly rows: ChunkRows | undefined;
  /** Where the payload goes, if it fits there. */
  readonly into: DecodeQuestion['into'];
  /** Whose held chunks have their proven hashes with them. */
  readonly keeper: ChunkKeeper;
};

/** Decodes by the kernel. Cold; one value. Errors with `ArenaTooSmallError` where the arena is. */
export function decodeOnArena(
  host: KernelHost,
  input: DecodeInput,
  counter: WorkCounter,
): Observable<Decoded> {
  const run = new DecodeRun(host, input, counter);
  const request = { byteCount: () => run.byteCount };
  const { rows } = input;
  return runOnLease(host, rows === undefined ? request : { ...request, owner: rows }, (address) =>
    run.begin(address),
  );
}

/** The addresses of a run's parts, and of each used row. */
type Places = {
  readonly payload: number;
  /** Start of the trie's nodes. */
  readonly nodes: number;
  readonly rows: Uint32Array;
};

class DecodeRun {
  readonly #host: KernelHost;
  readonly #input: DecodeInput;
  readonly #counter: WorkCounter;
  readonly #layout: CodeLayout;
  readonly #settings: JobSettings;
  readonly #choice: PathCost;
  readonly #trie: TrieLayout | undefined;

  constructor(host: KernelHost, input: DecodeInput, counter: WorkCounter) {
    const { received, validatorCount, wantsRoot } = input;
    this.#host = host;
    this.#input = input;
    this.#counter = counter;
    this.#layout = codeLayout(validatorCount, received.chunkBytes);
    const one = { ...this.#layout, used: received.used, wantsRoot };
    const { costMs } = choosePath(one, host.settings(0).costs, host.forcePath);
    this.#settings = host.settings(costMs);
    this.#choice = choosePath(one, this.#settings.costs, host.forcePath);
    this.#trie = wantsRoot ? trieLayout(validatorCount) : undefined;
  }

  /** Bytes of the lease as of this moment: with room for the rows that the arena does not hold. */
  get byteCount(): number {
    const { received, rows } = this.#input;
    const region = new RegionCutter();
    region.part(this.#layout.payloadSpace);
    region.part(this.#trie?.regionBytes ?? 0);
    for (const position of received.used) {
      if (rows?.rowOf(position) === undefined) {
        region.part(this.#layout.stride);
      }
    }
    decodeSpace(this.#shape, region, this.#settings);
    return region.byteCount;
  }

  begin(address: number): ReadyJob<Decoded> {
    const { rows, wantsRoot } = this.#input;
    const region = new RegionCutter(address);
    const payload = region.part(this.#layout.payloadSpace);
    const nodes = region.part(this.#trie?.regionBytes ?? 0);
    const places: Places = { payload, nodes, rows: this.#loadRows(region) };
    const leaves = this.#trie && leafAddresses(this.#trie, this.#host.context, nodes);
    const work: DecodeWork = {
      ...this.#choice,
      ...this.#shape,
      rows: places.rows,
      payload,
      ...(leaves === undefined ? {} : { digests: leaves }),
    };
    const job = decodeJob(work, region, this.#settings);
    const hashing = leaves === undefined ? [] : this.#useDigests(places.rows, leaves);
    this.#counter.add({
      path: this.#choice.path,
      hashedChunks: wantsRoot ? freshPositions(this.#shape).length : 0,
    });
    const endUse = rows?.use();
    return {
      job: {
        ...job,
        stages: [...job.stages, hashing],
        ...this.#regions(places),
        ...(this.#into === undefined && this.#input.into !== 'arena'
          ? { result: { address: payload, bytes: this.#layout.payloadBytes } }
          : {}),
      },
      finish: (copy) => this.#finish(places, copy),
      ...(endUse === undefined ? {} : { onIdle: endUse }),
    };
  }

  get #shape(): Pick<DecodeWork, 'layout' | 'used'> &
    Pick<PathCost, 'path'> & { wantsRoot: boolean } {
    const { received, wantsRoot } = this.#input;
    return { layout: this.#layout, used: received.used, path: this.#choice.path, wantsRoot };
  }

  /** Address of each used row; what the arena does not hold is copied into the lease. */
  #loadRows(region: RegionCutter): Uint32Array {
    const { received, rows } = this.#input;
    const memory = this.#host.context.bytes();
    const addresses = new Uint32Array(received.used.length);
    let load = 0;
    received.used.forEach((position, i) => {
      const held = rows?.rowOf(position)?.row;
      if (held !== undefined) {
        addresses[i] = held;
        return;
      }
      const address = region.part(this.#layout.stride);
      const bytes = received.chunks[i]?.bytes ?? new Uint8Array();
      memory.set(bytes, address);
      load += bytes.length;
      addresses[i] = address;
    });
    this.#counter.add({ load });
    return addresses;
  }

  /**
   * Writes known hashes of the used chunks into the trie; the tasks make the others. What is encoded again
   * all the same is hashed again, and that hash counts.
   */
  #useDigests(rows: Uint32Array, leaves: Uint32Array): Stage {
    const { received, keeper } = this.#input;
    const memory = this.#host.context.bytes();
    const fresh = new Set(freshPositions(this.#shape));
    const unknown: number[] = [];
    let reusedHashes = 0;
    received.used.forEach((position, i) => {
      if (fresh.has(position)) {
        return;
      }
      const chunk = received.chunks[i];
      if (HeldChunk.isOf(keeper, chunk) && chunk.hasDigest) {
        reusedHashes += 1;
        chunk.writeDigest(memory, leaves[position] ?? 0);
      } else {
        unknown.push(i);
      }
    });
    this.#counter.add({ reusedHashes, hashedChunks: unknown.length });
    if (unknown.length === 0) {
      return [];
    }
    const job = {
      rows: Uint32Array.from(unknown, (i) => rows[i] ?? 0),
      bytes: received.chunkBytes,
      digests: Uint32Array.from(unknown, (i) => leaves[received.used[i] ?? 0] ?? 0),
      ...kernelOption(this.#settings),
    };
    return [{ type: 'hash_rows', job }];
  }

  /** What workers without our memory are sent, and send back. */
  #regions({ rows, payload, nodes }: Places): Pick<Job, 'inputs' | 'outputs'> {
    if (!this.#host.needsRegions) {
      return {};
    }
    const { chunkBytes, payloadBytes } = this.#layout;
    const bytes = this.#trie?.regionBytes ?? 0;
    const trie = bytes === 0 ? [] : [{ address: nodes, bytes }];
    return {
      inputs: [...Array.from(rows, (address) => ({ address, bytes: chunkBytes })), ...trie],
      outputs: [{ address: payload, bytes: payloadBytes }, ...trie],
    };
  }

  /** The part of the asker's memory for the payload, if that fits. */
  get #into(): Uint8Array | undefined {
    const { into } = this.#input;
    const { payloadBytes } = this.#layout;
    return into instanceof Uint8Array && into.length >= payloadBytes
      ? into.subarray(0, payloadBytes)
      : undefined;
  }

  #finish({ payload, nodes }: Places, copy: ResultCopy | undefined): Decoded {
    const { context } = this.#host;
    const root = this.#trie && hashTrie(this.#trie, trieMemory(context), nodes);
    const { payloadBytes } = this.#layout;
    const there = context.bytes().subarray(payload, payload + payloadBytes);
    const own = this.#input.into === 'arena' ? there : this.#takeOut(there, copy);
    const { path } = this.#choice;
    return root === undefined ? { payload: own, path } : { payload: own, codewordRoot: root, path };
  }

  /** The payload in memory of the asker, or of its own: there already if a worker has copied it. */
  #takeOut(payload: Uint8Array, copy: ResultCopy | undefined): Uint8Array {
    this.#counter.add({ result: payload.length });
    const own = this.#into ?? copy ?? new Uint8Array(payload.length);
    if (own !== copy) {
      own.set(payload);
    }
    return own;
  }
}
