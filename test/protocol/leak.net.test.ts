/**
 * @module
 * Nothing is left of requests, however they end: no stream, no listener, no timer, no slot.
 */

import type { Connection } from '@libp2p/interface';
import {
  asyncScheduler,
  lastValueFrom,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, encodePrefix } from '../../protocol/framing.ts';
import { encodeChunkResponseV2 } from '../../protocol/messages.ts';
import { authorityId } from '../../src/primitives/ids.ts';
import {
  chunkOf,
  chunkQuestion,
  directoryOf,
  locationOf,
  type RunningPeer,
  SERVER,
  startPeer,
} from './peers.ts';
import {
  FIN,
  type RawConnection,
  type RawPeer,
  type RawStream,
  RST,
  startRawPeer,
} from './raw-yamux.ts';

const FRAME = encodeFrame(encodeChunkResponseV2(chunkOf(1, 2_000)));
const ROUNDS = 1_000;

/** Ways in which the raw end treats a request that was negotiated; in turn. */
const WAYS: readonly ((stream: RawStream) => void)[] = [
  (stream) => stream.write(FRAME, FIN),
  (stream) => {
    stream.write(FRAME);
    stream.signal(RST);
  },
  (stream) => stream.signal(FIN),
  (stream) => stream.signal(RST),
  (stream) => stream.write(FRAME.subarray(0, 500), FIN),
  (stream) => stream.write(encodePrefix(999_999_999)),
  (stream) => stream.write(Uint8Array.of(0x80, 0)),
  (stream) => stream.write(Uint8Array.of(0), FIN),
  // Silent: the deadline ends it.
  () => {},
  // An answer whose stream is never ended.
  (stream) => stream.write(FRAME),
];

/** The real clock, counting the actions that have neither run nor been taken back. */
class CountingScheduler implements SchedulerLike {
  pending = 0;

  now(): number {
    return asyncScheduler.now();
  }

  schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription {
    let isPending = true;
    const done = (): void => {
      this.pending -= isPending ? 1 : 0;
      isPending = false;
    };
    this.pending += 1;
    const action = asyncScheduler.schedule<T>(
      function (this: SchedulerAction<T>, given?: T) {
        done();
        work.call(this, given);
      },
      delay,
      state,
    );
    action.add(done);
    return action;
  }
}

const scheduler = new CountingScheduler();
let raw: RawPeer;
let client: RunningPeer;

beforeAll(async () => {
  raw = await startRawPeer();
  const locations = new Map([[SERVER, locationOf(raw.node)]]);
  client = await startPeer(
    {
      directory: directoryOf(locations),
      scheduler,
      limits: { chunkDeadlineMs: 600, lingerMs: 100, requestStartsPerTurn: 50 },
    },
    false,
  );
});

afterAll(async () => {
  await client.stop();
  await raw.stop();
});

/** Serves every stream of a connection in turn, in all the ways. */
function serveInAllWays(connection: RawConnection, served: { count: number }): void {
  const loop = async (): Promise<void> => {
    for (;;) {
      const stream = await connection.inbound();
      const way = WAYS[served.count % WAYS.length]!;
      served.count += 1;
      const serve = async (): Promise<void> => {
        await stream.acceptProtocol();
        await stream.readMessage();
        way(stream);
      };
      void serve();
    }
  };
  void loop();
}

/** Listeners of one kind on a connection's own emitter. */
function listenersOf(connection: Connection): number {
  const emitter = connection as unknown as { listenerCount(type: string): number };
  return emitter.listenerCount('close');
}

describe('Requester', () => {
  it(`leaves nothing behind after ${ROUNDS} requests that end in ten ways, or are cancelled`, async () => {
    await client.node.dial(raw.node.getMultiaddrs());
    const [connection] = client.node.getConnections();
    const listenersBefore = listenersOf(connection!);
    const served = { count: 0 };
    serveInAllWays(await raw.connection(), served);
    const codes = new Map<string, number>();
    const note = (code: string): void => void codes.set(code, (codes.get(code) ?? 0) + 1);
    for (let round = 0; round < ROUNDS / 100; round += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => {
          const authority = i % 20 === 7 ? authorityId('unknown') : SERVER;
          const reply$ = client.peer.chunks.askChunk(chunkQuestion(1, authority));
          if (i % 20 === 13) {
            note('unsubscribed');
            const subscription = reply$.subscribe({ error: () => {} });
            return new Promise<void>((resolve) =>
              setImmediate(() => {
                subscription.unsubscribe();
                resolve();
              }),
            );
          }
          return lastValueFrom(reply$).then(
            (reply) => note(reply.type),
            (error: unknown) => note(String((error as { code: unknown }).code)),
          );
        }),
      );
    }
    expect([...codes.keys()].sort()).toEqual([
      'bad_prefix',
      'chunk',
      'dial_failed',
      'refused',
      'reset',
      'timeout',
      'too_large',
      'truncated',
      'unexpected_end',
      'unsubscribed',
    ]);
    await expect.poll(() => client.peer.openCount).toBe(0);
    await expect.poll(() => connection!.streams.length).toBe(0);
    expect(connection!.status).toBe('open');
    expect(listenersOf(connection!)).toBe(listenersBefore);
    // The pacer's next turn is the only thing that may still be scheduled.
    expect(scheduler.pending).toBeLessThanOrEqual(1);
  });
});
