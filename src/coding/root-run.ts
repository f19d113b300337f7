/**
 * @module
 * The erasure root of a payload on the arena; its chunks are not kept.
 */

import { defer, type Observable } from 'rxjs';
import { hashTrie } from '../commitment/trie-build.ts';
import { trieLayout } from '../commitment/trie-layout.ts';
import { runOnLease } from './arena-job.ts';
import { loadPayload, payloadLayout, RegionCutter } from './code-layout.ts';
import { digestsJob, digestsSpace } from './encode-job.ts';
import type { KernelHost } from './kernel-host.ts';
import { encodeCostMs } from './planner.ts';
import { leafAddresses, trieMemory } from './trie-memory.ts';
import type { WorkCounter } from './work-counter.ts';

/**
 * The root, 32 bytes of its own. Cold; one value.
 *
 * Errors with an {@link ErasureError} about the payload or the number of validators, or with
 * `ArenaTooSmallError`.
 *
 * @param payload - Read in the turn in which memory is there.
 */
export function rootOfPayload(
  host: KernelHost,
  { payload, validatorCount }: { readonly payload: Uint8Array; readonly validatorCount: number },
  counter: WorkCounter,
): Observable<Uint8Array> {
  return defer(() => {
    const layout = payloadLayout(validatorCount, payload.length);
    const whole = { from: 0, to: layout.columns };
    const settings = host.settings(encodeCostMs(host.settings(0).costs, layout, whole));
    const trie = trieLayout(validatorCount);
    const size = new RegionCutter();
    size.part(layout.payloadSpace);
    size.part(trie.regionBytes);
    digestsSpace(layout, size, settings);
    return runOnLease(host, { byteCount: () => size.byteCount }, (start) => {
      const region = new RegionCutter(start);
      const address = region.part(layout.payloadSpace);
      const nodes = region.part(trie.regionBytes);
      loadPayload(host.context.bytes(), payload, { address, layout });
      counter.add({ load: payload.length, hashedChunks: validatorCount });
      const digests = leafAddresses(trie, host.context, nodes);
      const job = digestsJob({ layout, payload: address, digests }, region, settings);
      const trieRegion = { address: nodes, bytes: trie.regionBytes };
      return {
        job: {
          ...job,
          inputs: [{ address, bytes: layout.payloadSpace }, trieRegion],
          outputs: [trieRegion],
        },
        finish: () => hashTrie(trie, trieMemory(host.context), nodes),
      };
    });
  });
}
