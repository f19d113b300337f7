/**
 * @module
 * A yamux end that a test steers frame by frame, on a real socket behind real noise. It answers
 * pings, grants windows, and does nothing else on its own: no honest muxer sends what the fixtures of
 * network spec §9 need.
 */

import { type MessageStream, type StreamMuxer, TypedEventEmitter } from '@libp2p/interface';
import { createLibp2p, type Libp2p } from 'libp2p';
import { encodeFrame, FrameCollector } from '../../protocol/framing.ts';
import { libp2pSettings } from '../../protocol/node-settings.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';

/** Opens a stream, or asks for a pong. */
const SYN = 1;
/** Acknowledges a stream, or is a pong. */
const ACK = 2;
/** Half-closes a stream. */
export const FIN = 4;
/** Resets a stream. */
export const RST = 8;

const DATA = 0;
const WINDOW_UPDATE = 1;
const PING = 2;
const HEADER_BYTES = 12;
/** Window that both ends assume for a new stream. */
const INITIAL_WINDOW = 262_144;

/** One frame as it came. */
export type RawFrame = {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly length: number;
  readonly data: Uint8Array;
};

/** How a raw end behaves on its own. */
export type RawOptions = {
  /** Extra window granted when a stream opens, on top of 256 KiB. Default 16 MiB. */
  readonly grant?: number;
  /** Whether received data is granted again. Default true. */
  readonly regrant?: boolean;
};

/** One stream of a raw connection. */
export class RawStream {
  readonly id: number;
  readonly #connection: RawConnection;
  readonly #options: RawOptions;
  #bytes: Uint8Array = new Uint8Array(0);
  #waiters: (() => void)[] = [];
  /** Every frame that came for this stream, in order. */
  readonly frames: RawFrame[] = [];
  /** Bytes that the other end may still send. Negative once it has overrun its window. */
  window: number = INITIAL_WINDOW;
  /** The smallest value that {@link window} has had. */
  lowestWindow: number = INITIAL_WINDOW;

  constructor(connection: RawConnection, id: number, options: RawOptions) {
    this.#connection = connection;
    this.id = id;
    this.#options = options;
  }

  /** How many frames carried this flag. */
  count(flag: number): number {
    return this.frames.filter((frame) => (frame.flags & flag) !== 0).length;
  }

  /** Sizes of the data frames received. */
  get dataFrameSizes(): number[] {
    return this.frames.filter((frame) => frame.type === DATA).map((frame) => frame.length);
  }

  /** Sends one data frame. */
  write(data: Uint8Array, flags = 0): void {
    this.#connection.sendFrame(DATA, flags, this.id, data.length, data);
  }

  /** Sends a window update; with a flag and 0 it is a pure signal. */
  signal(flags: number, delta = 0): void {
    this.#connection.sendFrame(WINDOW_UPDATE, flags, this.id, delta);
  }

  /** Announces a data frame of a length and sends none of it. */
  announce(length: number): void {
    this.#connection.sendFrame(DATA, 0, this.id, length, new Uint8Array(0));
  }

  /** Grants more window. */
  grant(delta: number): void {
    this.window += delta;
    this.signal(0, delta);
  }

  /** Takes a frame from the connection. */
  accept(frame: RawFrame): void {
    this.frames.push(frame);
    if (frame.type === DATA) {
      this.window -= frame.length;
      this.lowestWindow = Math.min(this.lowestWindow, this.window);
      this.#bytes = concatBytes([this.#bytes, frame.data]);
      if (this.#options.regrant !== false) {
        this.grant(frame.length);
      }
    }
    for (const wake of this.#waiters.splice(0)) {
      wake();
    }
  }

  /** Resolves once the condition holds; looked at after every frame. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  /** Resolves once a frame with this flag has come. */
  async untilFlag(flag: number): Promise<void> {
    await this.until(() => this.count(flag) > 0);
  }

  /** Reads exactly this many bytes. */
  async read(count: number): Promise<Uint8Array> {
    await this.until(() => this.#bytes.length >= count);
    const taken = this.#bytes.slice(0, count);
    this.#bytes = this.#bytes.slice(count);
    return taken;
  }

  /** Bytes received and not read. */
  get unread(): number {
    return this.#bytes.length;
  }

  /** Reads one length-prefixed message. */
  async readMessage(limit: number = 33_554_432): Promise<Uint8Array> {
    const frame = new FrameCollector(limit);
    for (;;) {
      const step = frame.push(await this.read(1));
      if (step.type === 'message') {
        return step.message;
      }
      if (step.type === 'fault') {
        throw new Error(step.code);
      }
      if (this.unread > 1) {
        const rest = frame.push(await this.read(this.unread));
        if (rest.type === 'message') {
          return rest.message;
        }
      }
    }
  }

  /** Reads one line of a negotiation, without its newline. */
  async readLine(): Promise<string> {
    const length = (await this.read(1))[0] ?? 0;
    // Protocol names of a chain are 77 bytes and more, but below 128.
    return Buffer.from(await this.read(length))
      .toString()
      .trimEnd();
  }

  /** Answers a negotiation: takes the first name that is known, says `na` to the others. */
  async acceptProtocol(isKnown: (name: string) => boolean = () => true): Promise<string> {
    this.write(line(await this.readLine()));
    for (;;) {
      const name = await this.readLine();
      if (isKnown(name)) {
        this.write(line(name));
        return name;
      }
      this.write(line('na'));
    }
  }

  /** Negotiates a name as the one who opened the stream. */
  async selectProtocol(name: string): Promise<void> {
    this.write(negotiation(name));
    await this.readLine();
    const answer = await this.readLine();
    if (answer !== name) {
      throw new Error(`negotiated ${answer}`);
    }
  }
}

/** The two lines that open a stream for a protocol. */
export function negotiation(name: string): Uint8Array {
  return concatBytes([line('/multistream/1.0.0'), line(name)]);
}

function line(text: string): Uint8Array {
  return encodeFrame(Buffer.from(`${text}\n`));
}

/** One connection of a raw end. */
export class RawConnection {
  readonly #transport: MessageStream;
  readonly #options: RawOptions;
  readonly #inbound: RawStream[] = [];
  readonly #waiters: ((stream: RawStream) => void)[] = [];
  #rest: Uint8Array = new Uint8Array(0);
  #nextId: number;
  #pong: () => void = () => {};
  /** All streams by id, also ended ones. */
  readonly streams: Map<number, RawStream> = new Map();

  constructor(transport: MessageStream, options: RawOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#nextId = transport.direction === 'outbound' ? 1 : 2;
    transport.addEventListener('message', (event) => {
      this.#take(event.data instanceof Uint8Array ? event.data : event.data.subarray());
    });
  }

  /** Whether the socket lives. */
  get isOpen(): boolean {
    return this.#transport.status === 'open';
  }

  /** Closes the socket without a word. */
  kill(): void {
    this.#transport.abort(new Error('the test kills the connection'));
  }

  /** Opens a stream: SYN, and the extra window. */
  open(): RawStream {
    const stream = this.#track(this.#nextId);
    this.#nextId += 2;
    stream.window += this.#grant;
    stream.signal(SYN, this.#grant);
    return stream;
  }

  /** The next stream that the other end opens. */
  async inbound(): Promise<RawStream> {
    const stream = this.#inbound.shift();
    return stream ?? (await new Promise((resolve) => this.#waiters.push(resolve)));
  }

  /** Says that no more streams are taken. */
  goAway(): void {
    this.sendFrame(3, 0, 0, 0);
  }

  /** Resolves when the other end has handled everything sent so far. */
  async ping(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#pong = resolve;
    });
    this.sendFrame(PING, SYN, 0, 7);
    await answered;
  }

  /** Sends any frame. */
  sendFrame(
    type: number,
    flags: number,
    streamId: number,
    length: number,
    data?: Uint8Array,
  ): void {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(type, 1);
    header.writeUInt16BE(flags, 2);
    header.writeUInt32BE(streamId, 4);
    header.writeUInt32BE(length, 8);
    if (this.isOpen) {
      this.#transport.send(data === undefined ? header : concatBytes([header, data]));
    }
  }

  get #grant(): number {
    return this.#options.grant ?? 16_777_216;
  }

  #track(id: number): RawStream {
    const stream = new RawStream(this, id, this.#options);
    this.streams.set(id, stream);
    return stream;
  }

  #take(bytes: Uint8Array): void {
    this.#rest = concatBytes([this.#rest, bytes]);
    for (;;) {
      const frame = this.#nextFrame();
      if (frame === undefined) {
        return;
      }
      this.#dispatch(frame);
    }
  }

  #nextFrame(): RawFrame | undefined {
    if (this.#rest.length < HEADER_BYTES) {
      return undefined;
    }
    const header = new DataView(this.#rest.buffer, this.#rest.byteOffset, HEADER_BYTES);
    const type = header.getUint8(1);
    const length = header.getUint32(8);
    const end = HEADER_BYTES + (type === DATA ? length : 0);
    if (this.#rest.length < end) {
      return undefined;
    }
    const frame = {
      type,
      flags: header.getUint16(2),
      streamId: header.getUint32(4),
      length,
      data: this.#rest.slice(HEADER_BYTES, end),
    };
    this.#rest = this.#rest.slice(end);
    return frame;
  }

  #dispatch(frame: RawFrame): void {
    if (frame.type === PING && frame.flags === SYN) {
      this.sendFrame(PING, ACK, 0, frame.length);
    }
    if (frame.type === PING && frame.flags === ACK) {
      this.#pong();
    }
    if (frame.streamId === 0) {
      return;
    }
    if ((frame.flags & SYN) === 0) {
      this.streams.get(frame.streamId)?.accept(frame);
      return;
    }
    const stream = this.#track(frame.streamId);
    stream.window += this.#grant;
    stream.signal(ACK, this.#grant);
    stream.accept(frame);
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#inbound.push(stream);
    } else {
      waiter(stream);
    }
  }
}

/** What libp2p sees of a raw connection: a muxer that has no streams. */
class RawMuxer extends TypedEventEmitter<Record<never, never>> {
  readonly protocol = '/yamux/1.0.0';
  readonly streams: never[] = [];
  status = 'open';

  createStream(): never {
    throw new Error('a raw muxer opens its streams itself');
  }

  async close(): Promise<void> {
    this.status = 'closed';
  }

  abort(): void {
    this.status = 'closed';
  }
}

/** A node whose every connection is steered by the test. */
export type RawPeer = {
  readonly node: Libp2p;
  /** The next connection, made or taken. */
  connection(): Promise<RawConnection>;
  stop(): Promise<void>;
};

/** Starts a raw end on loopback. */
export async function startRawPeer(options: RawOptions = {}): Promise<RawPeer> {
  const ready: RawConnection[] = [];
  const waiters: ((connection: RawConnection) => void)[] = [];
  const muxer = {
    protocol: '/yamux/1.0.0',
    createStreamMuxer: (transport: MessageStream): StreamMuxer => {
      const connection = new RawConnection(transport, options);
      const waiter = waiters.shift();
      if (waiter === undefined) {
        ready.push(connection);
      } else {
        waiter(connection);
      }
      return new RawMuxer() as unknown as StreamMuxer;
    },
  };
  const node = await createLibp2p({
    ...libp2pSettings({ listen: ['/ip4/127.0.0.1/tcp/0'], inboundConnectionThreshold: 1_000_000 }),
    streamMuxers: [() => muxer],
    connectionMonitor: { enabled: false },
  });
  return {
    node,
    connection: async () =>
      ready.shift() ?? (await new Promise((resolve) => waiters.push(resolve))),
    stop: async () => await node.stop(),
  };
}
