/**
 * @module
 * Erasure work by the plain codec and commitment, on the calling thread. Slow, and the oracle: what it
 * says about a candidate stands.
 */

import { defer, type Observable, of } from 'rxjs';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { Chunk } from '../primitives/chunk.ts';
import {
  type ErasureWork,
  NO_WORK,
  type RecoveryWork,
  type WorkDescription,
  type WorkSubject,
  type WorkTally,
} from './erasure-work.ts';

const DESCRIPTION: WorkDescription = { engine: 'scalar', reason: 'option', threads: 0 };

/** Work by `coding.plain`: synchronous, without memory of its own, each question answered for itself. */
export function plainWork(): ErasureWork {
  return { description: DESCRIPTION, open: openPlain };
}

function openPlain({ coding, erasureRoot, validatorCount }: WorkSubject): RecoveryWork {
  const { codec, commitment } = coding.plain;
  let tally = NO_WORK;
  let isClosed = false;
  const answer = <T>(make: () => T): Observable<T> =>
    defer(() => {
      if (isClosed) {
        throw new Error('the work of this recovery is closed');
      }
      return of(make());
    });
  const verified = (chunk: Chunk): VerifyChunkAnswer => {
    const own = ownChunk(chunk);
    const load = [own.bytes, ...own.proof].reduce((sum, { length }) => sum + length, 0);
    tally = added(tally, { load, hashedChunks: 1 });
    return commitment.verifyChunk({ erasureRoot, chunk: own, validatorCount });
  };
  return {
    verify: (chunk) => answer(() => verified(chunk)),
    verifyAll: (chunks) => answer(() => chunks.map(verified)),
    decode: ({ method, chunks }) =>
      answer(() => {
        const payload = codec[method](chunks, validatorCount);
        tally = { ...tally, path: 'plain' };
        return { payload, path: 'plain' };
      }),
    erasureRoot: (payload) =>
      answer(() => {
        const root = commitment.root(codec.encodeChunks(payload, validatorCount));
        tally = added(tally, { load: 0, hashedChunks: validatorCount });
        return root;
      }),
    get tally() {
      return tally;
    },
    close: () => {
      isClosed = true;
    },
  };
}

function added(
  tally: WorkTally,
  { load, hashedChunks }: { readonly load: number; readonly hashedChunks: number },
): WorkTally {
  return {
    ...tally,
    copiedBytes: { ...tally.copiedBytes, load: tally.copiedBytes.load + load },
    hashedChunks: tally.hashedChunks + hashedChunks,
  };
}

/** A copy in memory that whoever handed the chunk in can't reach; not `slice`: a `Buffer`'s is a view. */
function ownChunk({ bytes, chunkIndex, proof }: Chunk): Chunk {
  return {
    bytes: new Uint8Array(bytes),
    chunkIndex,
    proof: proof.map((node) => new Uint8Array(node)),
  };
}
