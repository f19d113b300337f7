/**
 * @module
 * From a payload to everything a backer hands out: all chunks, their hashes, the root and all proofs, made
 * in one memory. The chunks stay in the arena until they are let go, so nothing is copied that nobody wants.
 */

import { catchError, concatMap, defer, type Observable, throwError } from 'rxjs';
import { hashTrie, writeProofs } from '../commitment/trie-build.ts';
import { type TrieLayout, trieLayout } from '../commitment/trie-layout.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import { runReady } from './arena-job.ts';
import type { Lease } from './arena-queue.ts';
import { type CodeLayout, loadPayload, payloadLayout, RegionCutter } from './code-layout.ts';
import { produceJob } from './encode-job.ts';
import type { KernelHost } from './kernel-host.ts';
import { encodeCostMs } from './planner.ts';
import { leafAddresses, trieMemory } from './trie-memory.ts';

/** All chunks of a payload and their commitment. */
export type Production = {
  readonly validatorCount: number;
  readonly chunkBytes: number;
  /** 32 bytes of its own. */
  readonly erasureRoot: Uint8Array;
  /** Hashes of all chunks, 32 bytes each, by chunk index; own bytes. */
  readonly digests: Uint8Array;
  /**
   * SCALE proofs of all chunks: that of chunk `i` from `offsets[i]` to `offsets[i + 1]` of `bytes`, which is
   * a view like that of {@link Production.chunk} (a megabyte at n = 1000: as long to copy as to make).
   */
  readonly proofs: { readonly bytes: Uint8Array; readonly offsets: Uint32Array };
  /**
   * A view of a chunk in the arena: valid until the next call of anything of this work, since the memory
   * may move when it grows, and until {@link Production.release}.
   *
   * @throws RangeError for no chunk index, or after the release.
   */
  chunk(chunkIndex: number): Uint8Array;
  /**
   * Copies all chunks, one behind the other.
   *
   * @param into - At least `validatorCount * chunkBytes` long; made when absent.
   * @returns What was written to.
   */
  copyChunks(into?: Uint8Array): Uint8Array;
  /** Gives the chunks' memory back. Idempotent. */
  release(): void;
};

/**
 * Makes all chunks of a payload. Cold; one value, which holds memory until it is released; unsubscribing
 * before it came leaves nothing behind.
 *
 * Errors with an {@link ErasureError} about the payload or the number of validators, or with
 * `ArenaTooSmallError` when not all rows fit.
 *
 * @param payload - Read in the turn in which memory is there.
 */
export function produceOnArena(
  host: KernelHost,
  payload: Uint8Array,
  validatorCount: number,
): Observable<Production> {
  return defer(() => {
    const layout = payloadLayout(validatorCount, payload.length);
    const trie = trieLayout(validatorCount);
    const size = new RegionCutter();
    placesIn(size, layout, trie);
    return host.queue
      .lease({ byteCount: () => size.byteCount })
      .pipe(concatMap((lease) => produceOn(host, { lease, layout, trie, payload })));
  });
}

type Parts = {
  readonly lease: Lease;
  readonly layout: CodeLayout;
  readonly trie: TrieLayout;
  readonly payload: Uint8Array;
};

type Places = Readonly<Record<'payload' | 'nodes' | 'rows' | 'proofs' | 'digests', number>>;

function placesIn(region: RegionCutter, layout: CodeLayout, trie: TrieLayout): Places {
  return {
    payload: region.part(layout.payloadSpace),
    nodes: region.part(trie.regionBytes),
    rows: region.part(layout.validatorCount * layout.stride),
    proofs: region.part(trie.proofAt.at(-1) ?? 0),
    digests: region.part(HASH_BYTES * layout.validatorCount),
  };
}

function produceOn(
  host: KernelHost,
  { lease, layout, trie, payload }: Parts,
): Observable<Production> {
  let isDone = false;
  return defer(() => {
    const { context } = host;
    const places = placesIn(new RegionCutter(lease.address), layout, trie);
    loadPayload(context.bytes(), payload, { address: places.payload, layout });
    const digests = leafAddresses(trie, context, places.nodes);
    const whole = { from: 0, to: layout.columns };
    const settings = host.settings(encodeCostMs(host.settings(0).costs, layout, whole));
    const rows = { start: places.rows, stride: layout.stride, firstColumn: 0 };
    const job = produceJob({ layout, payload: places.payload, digests }, rows, settings);
    const nodes = { address: places.nodes, bytes: trie.regionBytes };
    const chunkRows = { address: places.rows, bytes: layout.validatorCount * layout.stride };
    return runReady(
      host.runner,
      {
        job: {
          ...job,
          inputs: [{ address: places.payload, bytes: layout.payloadSpace }, nodes],
          outputs: [chunkRows, nodes],
        },
        finish: () => {
          isDone = true;
          return production(host, { lease, layout, trie }, places);
        },
      },
      () => {
        if (!isDone) {
          lease.release();
        }
      },
    );
  }).pipe(
    catchError((error: unknown) => {
      lease.release();
      return throwError(() => error);
    }),
  );
}

/** Builds root and proofs, and hands out what there is. */
function production(
  { context }: KernelHost,
  { lease, layout, trie }: Omit<Parts, 'payload'>,
  places: Places,
): Production {
  const memory = trieMemory(context);
  const erasureRoot = hashTrie(trie, memory, places.nodes);
  const { validatorCount, chunkBytes } = layout;
  writeProofs(trie, memory, {
    nodes: places.nodes,
    proofs: places.proofs,
    from: 0,
    to: validatorCount,
  });
  const proofBytes = trie.proofAt.at(-1) ?? 0;
  const bytes = context.bytes();
  // Gathered in the arena: a view for each of a thousand hashes takes longer than all else here.
  const entries = new Uint32Array(3 * validatorCount);
  for (let i = 0; i < validatorCount; i += 1) {
    entries[3 * i] = places.nodes + (trie.digestAt[i] ?? 0);
    entries[3 * i + 1] = places.digests + HASH_BYTES * i;
    entries[3 * i + 2] = HASH_BYTES;
  }
  memory.copyList(entries);
  const digests = bytes.slice(places.digests, places.digests + HASH_BYTES * validatorCount);
  let isReleased = false;
  const view = (address: number, length: number): Uint8Array =>
    context.bytes().subarray(address, address + length);
  const chunk = (chunkIndex: number): Uint8Array => {
    if (isReleased || !(chunkIndex >= 0 && chunkIndex < validatorCount)) {
      throw new RangeError(
        `chunkIndex: expected 0 to ${validatorCount - 1} of what is not released, got ${chunkIndex}`,
      );
    }
    return view(places.rows + chunkIndex * layout.stride, chunkBytes);
  };
  return {
    validatorCount,
    chunkBytes,
    erasureRoot,
    digests,
    proofs: {
      get bytes() {
        if (isReleased) {
          throw new RangeError('proofs: released');
        }
        return view(places.proofs, proofBytes);
      },
      offsets: trie.proofAt.slice(),
    },
    chunk,
    copyChunks: (into = new Uint8Array(validatorCount * chunkBytes)) => {
      for (let i = 0; i < validatorCount; i += 1) {
        into.set(chunk(i), i * chunkBytes);
      }
      return into;
    },
    release: () => {
      isReleased = true;
      lease.release();
    },
  };
}
