/**
 * @module
 * The end of the current turn of the event loop: after everything that this turn brought was handled,
 * before the loop waits again. No clock: nothing here is early or late.
 */

/** Calls back once at the end of the turn, unless the returned function was called before. */
export type EndOfTurn = (callback: () => void) => () => void;

/** What a host offers for it: the first where there is Node, the second in browsers. */
export type TurnHost = {
  /** Calls back after the turn's events. */
  readonly setImmediate?: (callback: () => void) => unknown;
  /** A message to oneself is such an event too. */
  readonly MessageChannel?: new () => ChannelToSelf;
};

/** Two ports of one channel, as far as they are used. */
export type ChannelToSelf = {
  /** Where the message comes out. */
  readonly port1: {
    /** Called at the end of the turn. */
    onmessage: (() => void) | null;
  };
  /** Where it goes in. */
  readonly port2: {
    /** Sends it. */
    readonly postMessage: (message: null) => void;
  };
};

/**
 * The end of turns on a host. Where it has neither of the two, the end of the turn's microtasks, which
 * gives a caller nothing but order.
 */
export function endOfTurnOn(host: TurnHost): EndOfTurn {
  const waiting = new Set<() => void>();
  /** One by one, so that what throws does not take the others with it. */
  const next = (): void => {
    const [callback] = waiting;
    if (callback !== undefined) {
      waiting.delete(callback);
      callback();
    }
  };
  const wake = wakerOf(host, next);
  return (callback) => {
    const once = (): void => callback();
    waiting.add(once);
    wake();
    return () => void waiting.delete(once);
  };
}

/**
 * Asks the host to call `next` once, at the end of the turn, each time it is called. The host's function is
 * that of this moment: a test that fakes timers later neither stops what goes on nor is kept for afterwards.
 */
function wakerOf(host: TurnHost, next: () => void): () => void {
  const { setImmediate, MessageChannel } = host;
  if (setImmediate !== undefined) {
    return () => void setImmediate(next);
  }
  if (MessageChannel === undefined) {
    return () => void Promise.resolve().then(next);
  }
  let channel: InstanceType<typeof MessageChannel> | undefined;
  return () => {
    if (channel === undefined) {
      channel = new MessageChannel();
      channel.port1.onmessage = next;
    }
    channel.port2.postMessage(null);
  };
}

/** The end of turns on this host. */
export const endOfTurn: EndOfTurn = endOfTurnOn(globalThis as unknown as TurnHost);
