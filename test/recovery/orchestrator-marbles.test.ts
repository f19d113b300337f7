import {
  asyncScheduler,
  catchError,
  EMPTY,
  map,
  type Observable,
  of,
  type SchedulerLike,
} from 'rxjs';
import { describe, it } from 'vitest';
import { createRecovery } from '../../src/create-recovery.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { ChunkReply, SessionInfo } from '../../src/recovery/ports.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { authorityAt } from '../support/fake-network.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { codeOf } from '../support/recovery-world.ts';

const candidate = testCandidate({ validatorCount: 2 });
const session: SessionInfo = {
  index: 10,
  validators: [authorityAt(0), authorityAt(1)],
  groups: [],
  nodeFeatures: [false, false, true],
};
const chunk: ChunkReply = {
  type: 'chunk',
  chunk: candidate.chunks[0]!,
  protocol: 'test/req_chunk/2',
  bytes: 1,
};
const request: RecoveryRequest = {
  receipt: candidate.receipt,
  sessionIndex: 10,
  coreIndex: candidate.coreIndex,
};

/** What the ports answer in one test. */
type Answers = {
  readonly session$?: Observable<SessionInfo>;
  readonly chunk$?: Observable<ChunkReply>;
  readonly request?: Partial<RecoveryRequest>;
};

/** One letter per event; an error is the first letter of its code, in upper case, and ends the row. */
const LETTERS: Readonly<Record<RecoveryEvent['type'], string>> = {
  started: 's',
  joined: 'j',
  warning: 'w',
  strategy_started: 'g',
  attempt_started: 'a',
  attempt_finished: 'f',
  attempt_late: 'l',
  chunk_held: 'h',
  decoding: 'd',
  checking: 'c',
  strategy_ended: 'e',
  recovered: 'r',
};

/** Runs a marble test on a recovery that was started before; its clock is the test's. */
async function withRecovery(
  run: (helpers: MarbleHelpers & { letters(answers?: Answers): Observable<string> }) => void,
): Promise<void> {
  let scheduler: SchedulerLike = asyncScheduler;
  let answers: Answers = {};
  const recovery = createRecovery({
    directory: { session: () => answers.session$ ?? of(session), locate: () => EMPTY },
    chunkSource: { askChunk: () => answers.chunk$ ?? of(chunk) },
    dataSource: { askData: () => EMPTY },
    runtime: {
      get scheduler() {
        return scheduler;
      },
      random: new ChaCha8(new Uint8Array(32)),
    },
  });
  await recovery.start();
  marbles((helpers) => {
    scheduler = helpers.scheduler;
    const letters = (given: Answers = answers): Observable<string> => {
      answers = given;
      return recovery.recover({ ...request, ...given.request }).pipe(
        map(({ type }) => LETTERS[type]),
        catchError((error: unknown) => of((codeOf(error) ?? '?').slice(0, 1).toUpperCase())),
      );
    };
    run({ ...helpers, letters });
  });
}

describe('Recovery.recover, frame by frame', () => {
  it('waits for the session, then for the chunk, and leaves each when it has its one value', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const session$ = cold('--s--s|', { s: session });
      const sessionSubs = '  ^-!    ';
      const chunk$ = cold('    ----c---c|', { c: chunk });
      const chunkSubs = '    --^---!';
      const expected = '     s-(ga)(fhdcer|)';
      expectObservable(letters({ session$, chunk$ })).toBe(expected);
      expectSubscriptions(session$.subscriptions).toBe(sessionSubs);
      expectSubscriptions(chunk$.subscriptions).toBe(chunkSubs);
    }));

  it('leaves a session that never comes in the frame in which its caller leaves', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const session$ = cold<SessionInfo>('-----');
      const subs = '                       ^---!';
      expectObservable(letters({ session$ }), subs).toBe('s----');
      expectSubscriptions(session$.subscriptions).toBe(subs);
    }));

  it('ends when the session completes empty, and when it errors', () =>
    withRecovery(({ cold, letters, expectObservable, flush }) => {
      const empty$ = cold<SessionInfo>(' ---|');
      expectObservable(letters({ session$: empty$ })).toBe('s--(L|)');
      flush();
    }).then(() =>
      withRecovery(({ cold, letters, expectObservable }) => {
        const broken$ = cold<SessionInfo>('---#');
        expectObservable(letters({ session$: broken$ })).toBe('s--(L|)');
      }),
    ));

  it('ends an endless session by timeoutMs, since a directory has no deadline of its own', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const session$ = cold<SessionInfo>('-----');
      expectObservable(letters({ session$, request: { timeoutMs: 4 } })).toBe('s---(U|)');
      expectSubscriptions(session$.subscriptions).toBe('^---!');
    }));

  it('leaves a chunk that never comes in the frame in which its caller leaves', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const chunk$ = cold<ChunkReply>('-----');
      expectObservable(letters({ chunk$ }), '^----!').toBe('(sga)');
      expectSubscriptions(chunk$.subscriptions).toBe('      ^----!');
    }));

  it('says that a silent attempt is late after the soft timeout, and takes its answer still', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const chunk$ = cold('      1200ms c', { c: chunk });
      const chunkSubs = '      ^ 1199ms !';
      const expected = '       (sga) 995ms l 199ms (fhdcer|)';
      expectObservable(letters({ chunk$ })).toBe(expected);
      expectSubscriptions(chunk$.subscriptions).toBe(chunkSubs);
    }));

  it('goes on for the second caller when the first leaves', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const chunk$ = cold('          ------c', { c: chunk });
      const chunkSubs = '          ^-----!';
      expectObservable(letters({ chunk$ }), '^--!    ').toBe('(sga)');
      expectObservable(letters({ chunk$ }), '-^      ').toBe('-j----(fhdcer|)');
      expectSubscriptions(chunk$.subscriptions).toBe(chunkSubs);
    }));

  it('ends for each caller at its own deadline', () =>
    withRecovery(({ cold, letters, expectObservable, expectSubscriptions }) => {
      const chunk$ = cold<ChunkReply>('----------');
      const hasty = { chunk$, request: { timeoutMs: 5 } };
      const patient = { chunk$, request: { timeoutMs: 8 } };
      expectObservable(letters(hasty)).toBe('         (sga)(U|)');
      expectObservable(letters(patient), '-^').toBe('-j-------(U|)');
      expectSubscriptions(chunk$.subscriptions).toBe('^--------!');
    }));
});
