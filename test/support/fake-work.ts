/**
 * @module
 * Erasure work for tests: the plain one, with what a test wants to be otherwise.
 */

import { concatMap, delay, forkJoin, map, type Observable, timer } from 'rxjs';
import { CODING_V1, type Coding } from '../../src/coding/coding.ts';
import type {
  DecodeMethod,
  DecodeQuestion,
  ErasureWork,
  RecoveryWork,
  WorkSubject,
} from '../../src/coding/erasure-work.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import type { Runtime } from '../../src/recovery/ports.ts';

/** What a test does otherwise. `reassemble` and `reconstruct` give the payload of `decode`. */
export type WorkChanges = Partial<
  Pick<RecoveryWork, 'verify' | 'decode' | 'erasureRoot' | 'close'>
> & {
  readonly [Method in DecodeMethod]?: (question: DecodeQuestion) => Observable<Uint8Array>;
};

/** Work that does what `changes` say, and the rest plainly. */
export function workWith(
  changes: WorkChanges | ((plain: RecoveryWork) => WorkChanges),
): ErasureWork {
  const port = plainWork();
  return {
    description: port.description,
    open: (subject) => {
      const plain = port.open(subject);
      return changedWork(plain, typeof changes === 'function' ? changes(plain) : changes);
    },
  };
}

function changedWork(plain: RecoveryWork, changes: WorkChanges): RecoveryWork {
  const decode = changes.decode ?? plain.decode;
  return {
    verify: changes.verify ?? plain.verify,
    verifyAll: (chunks) => {
      const { verify } = changes;
      return verify === undefined || chunks.length === 0
        ? plain.verifyAll(chunks)
        : forkJoin(chunks.map((chunk) => verify(chunk)));
    },
    decode: (question) => {
      const changed = changes[question.method];
      return changed === undefined
        ? decode(question)
        : changed(question).pipe(map((payload) => ({ payload, path: 'plain' })));
    },
    erasureRoot: changes.erasureRoot ?? plain.erasureRoot,
    get tally() {
      return plain.tally;
    },
    close: changes.close ?? plain.close,
  };
}

/** The plain work of one recovery. */
export function openedPlain(
  subject: Partial<WorkSubject> & Pick<WorkSubject, 'validatorCount'>,
): RecoveryWork {
  const coding: Coding = CODING_V1([]);
  return plainWork().open({ coding, erasureRoot: new Uint8Array(32), ...subject });
}

/**
 * Work whose decoding and roots come `ms` later, through the scheduler; verdicts on chunks `verifyMs`
 * later, though on what the chunk was when it was asked about.
 */
export function slowWork({ scheduler }: Runtime, ms: number, verifyMs = 0): ErasureWork {
  const later = <T>(work$: Observable<T>): Observable<T> =>
    timer(ms, scheduler).pipe(concatMap(() => work$));
  return workWith((plain) => ({
    ...(verifyMs === 0
      ? {}
      : { verify: (chunk) => plain.verify(chunk).pipe(delay(verifyMs, scheduler)) }),
    decode: (question) => later(plain.decode(question)),
    erasureRoot: (payload) => later(plain.erasureRoot(payload)),
  }));
}

/**
 * Work that gives the root with the payload, as the port allows: never where a surplus chunk lies on
 * another codeword. All by plain code.
 */
export function rootedWork(): ErasureWork {
  const { description, open } = plainWork();
  return {
    description,
    open: (subject) => {
      const { coding, validatorCount } = subject;
      const { codec, commitment } = coding.plain;
      const plain = open(subject);
      return changedWork(plain, {
        decode: (question) =>
          plain.decode(question).pipe(
            map((decoded) => {
              const { payload } = decoded;
              const again = codec.encodeChunks(payload, validatorCount);
              const isOneCodeword = question.chunks.every(({ chunkIndex, bytes }) =>
                equalBytes(bytes, again[chunkIndex] ?? bytes.subarray(1)),
              );
              return question.wantsRoot && isOneCodeword
                ? { ...decoded, codewordRoot: commitment.root(again) }
                : decoded;
            }),
          ),
      });
    },
  };
}
