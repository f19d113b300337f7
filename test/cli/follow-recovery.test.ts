import { EMPTY, NEVER, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  eventJson,
  failuresOf,
  followRecovery,
  outcomeJson,
} from '../../src/cli/follow-recovery.ts';
import { makeCandidate } from '../../src/cli/make-candidate.ts';
import { Progress } from '../../src/cli/progress.ts';
import { createRecovery } from '../../src/create-recovery.ts';
import { authorityId } from '../../src/primitives/ids.ts';
import type { RecoveryAccount } from '../../src/recovery/account.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { ChunkSource } from '../../src/recovery/ports.ts';

const CANDIDATE = makeCandidate({
  pov: new Uint8Array(100).fill(1),
  parentHead: new Uint8Array(),
  validatorCount: 4,
  paraId: 1,
  sessionIndex: 1,
  coreIndex: 0,
  scheme: 'identity',
  version: 'v2',
});

const NAME = '/x/req_chunk/2';
const HONEST: ChunkSource = {
  askChunk: ({ validatorIndex }) => {
    const { chunk } = CANDIDATE.chunks[validatorIndex]!;
    return of({ type: 'chunk' as const, chunk, protocol: NAME, bytes: 50 });
  },
};

async function follow(
  chunkSource: ChunkSource,
  signal: AbortSignal,
): Promise<{ events: RecoveryEvent[]; outcome: Awaited<ReturnType<typeof followRecovery>> }> {
  await using recovery = createRecovery({
    directory: {
      session: (index) =>
        of({
          index,
          validators: [0, 1, 2, 3].map((v) => authorityId(`validator-${v}`)),
          groups: [],
          nodeFeatures: [],
        }),
      locate: () => EMPTY,
    },
    chunkSource,
    dataSource: { askData: () => EMPTY },
  });
  await recovery.start();
  const events: RecoveryEvent[] = [];
  const request = { receipt: CANDIDATE.receipt.bytes, sessionIndex: 1 };
  const onEvent = (event: RecoveryEvent): number => events.push(event);
  return { events, outcome: await followRecovery({ recovery, request, signal, onEvent }) };
}

describe('followRecovery', () => {
  it('passes every event on and gives the result', async () => {
    const { events, outcome } = await follow(HONEST, new AbortController().signal);
    expect(outcome.type).toBe('recovered');
    expect(events[0]!.type).toBe('started');
    expect(events.at(-1)!.type).toBe('recovered');
    expect(outcomeJson(outcome)).toMatchObject({ outcome: 'recovered', povBytes: 100 });
  });

  it('ends cancelled, with the account, when the signal aborts', async () => {
    const controller = new AbortController();
    const silent: ChunkSource = {
      askChunk: () => {
        queueMicrotask(() => controller.abort());
        return NEVER;
      },
    };
    const { outcome } = await follow(silent, controller.signal);
    expect(outcomeJson(outcome)).toMatchObject({
      outcome: 'cancelled',
      account: { totals: { succeeded: 0 } },
    });
  });

  it('leaves misuse an error', async () => {
    await using recovery = createRecovery({
      directory: { session: () => EMPTY, locate: () => EMPTY },
      chunkSource: HONEST,
      dataSource: { askData: () => EMPTY },
    });
    await recovery.start();
    const request = { receipt: CANDIDATE.receipt.bytes, sessionIndex: -1 };
    const { signal } = new AbortController();
    await expect(
      followRecovery({ recovery, request, signal, onEvent: () => {} }),
    ).rejects.toBeInstanceOf(RangeError);
  });
});

describe('eventJson', () => {
  it('puts size and hash in the place of the data', async () => {
    const { events } = await follow(HONEST, new AbortController().signal);
    const json = eventJson(events.at(-1)!);
    expect(json).toMatchObject({ type: 'recovered', povBytes: 100 });
    expect(json).not.toHaveProperty('data');
  });
});

describe('failuresOf', () => {
  it('groups sources by reason, in natural order, without those that only were not needed', () => {
    const attempts = [
      { source: 'validator-10', answer: 'error', code: 'dial_failed' },
      { source: 'validator-2', answer: 'error', code: 'dial_failed' },
      { source: 'validator-3', answer: 'no_such_chunk' },
      { source: 'validator-3', answer: 'success' },
      { source: 'validator-4', answer: 'invalid', code: 'chunk_hash_mismatch' },
      { source: 'validator-5', answer: 'canceled', code: 'not_needed' },
      { source: 'validator-2', answer: 'canceled', code: 'not_needed' },
      { source: 'validator-6', answer: 'success' },
    ];
    expect([...failuresOf({ attempts } as unknown as RecoveryAccount)]).toEqual([
      ['dial_failed', ['validator-2', 'validator-10']],
      ['no_such_chunk', ['validator-3']],
      ['chunk_hash_mismatch', ['validator-4']],
      ['given_up', ['validator-5']],
    ]);
  });
});

describe('Progress', () => {
  const shown = async (isTerminal: boolean): Promise<string> => {
    let text = '';
    const progress = new Progress(
      {
        isTerminal,
        writeOut: () => {},
        writeErr: (more) => {
          text += more;
        },
        listenForInterrupt: () => ({ signal: new AbortController().signal, dispose: () => {} }),
        inputEnded: () => Promise.resolve(),
      },
      'recovery',
    );
    const { events } = await follow(HONEST, new AbortController().signal);
    for (const event of events) {
      progress.show(event);
    }
    progress.end();
    return text;
  };

  it('writes a line per step where nobody redraws', async () => {
    const lines = (await shown(false)).trimEnd().split('\n');
    expect(lines[0]).toBe('recovery: regular_chunks  (asked 0, done 0, chunks 0, 0 B)');
    expect(lines.at(-1)).toContain('recovered from regular_chunks');
    expect(lines.length).toBeGreaterThan(3);
  });

  it('redraws one line on a terminal and clears it at the end', async () => {
    const text = await shown(true);
    expect(text).not.toContain('\n');
    expect(text.endsWith('\r\u001b[K')).toBe(true);
  });
});
