import { describe, expect, it } from 'vitest';
import { endOfTurn, endOfTurnOn } from '../../../src/coding/pool/end-of-turn.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const HOSTS = {
  setImmediate: { setImmediate },
  MessageChannel: { MessageChannel: openChannels() },
  neither: {},
};

/** Channels that the test's process need not wait for. */
function openChannels() {
  return class {
    readonly port1: { onmessage: (() => void) | null } = { onmessage: null };
    readonly port2 = { postMessage: () => void setImmediate(() => this.port1.onmessage?.()) };
  };
}

describe.each(Object.entries(HOSTS))('endOfTurnOn a host with %s', (_, host) => {
  it('calls back once, in order, after what runs at the moment', async () => {
    const end = endOfTurnOn(host);
    const log: string[] = [];
    end(() => log.push('a'));
    end(() => log.push('b'));
    log.push('now');
    await nextTurn();
    await nextTurn();
    expect(log).toEqual(['now', 'a', 'b']);
  });

  it('does not call what was cancelled, nor mind a late or second cancel', async () => {
    const end = endOfTurnOn(host);
    const log: string[] = [];
    const cancel = end(() => log.push('a'));
    const late = end(() => log.push('b'));
    cancel();
    cancel();
    await nextTurn();
    late();
    await nextTurn();
    expect(log).toEqual(['b']);
  });

  it('calls the same function as often as it was given', async () => {
    const end = endOfTurnOn(host);
    let count = 0;
    const add = (): void => {
      count += 1;
    };
    end(add);
    end(add);
    await nextTurn();
    await nextTurn();
    expect(count).toBe(2);
  });

  it('leaves what is asked for in a callback to another turn', async () => {
    const end = endOfTurnOn(host);
    const log: string[] = [];
    end(() => {
      end(() => log.push('inner'));
      log.push('outer');
    });
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(log).toEqual(['outer', 'inner']);
  });
});

describe('endOfTurn', () => {
  it('comes after the microtasks of the turn', async () => {
    const log: string[] = [];
    endOfTurn(() => log.push('end'));
    await Promise.resolve().then(() => log.push('microtask'));
    await nextTurn();
    expect(log).toEqual(['microtask', 'end']);
  });

  it('is not stopped by a callback that throws', async () => {
    const thrown: unknown[] = [];
    const queue: (() => void)[] = [];
    const end = endOfTurnOn({ setImmediate: (callback) => queue.push(callback) });
    const log: string[] = [];
    end(() => {
      throw new Error('a fault');
    });
    end(() => log.push('b'));
    for (const callback of queue) {
      try {
        callback();
      } catch (error: unknown) {
        thrown.push(error);
      }
    }
    expect(thrown).toHaveLength(1);
    expect(log).toEqual(['b']);
  });
});

describe('endOfTurnOn', () => {
  it('keeps to the timers that were there when it was made, whoever fakes them meanwhile', async () => {
    const host = { setImmediate };
    const end = endOfTurnOn(host);
    host.setImmediate = (() => undefined) as unknown as typeof setImmediate;
    const log: string[] = [];
    end(() => log.push('while they are faked'));
    host.setImmediate = setImmediate;
    end(() => log.push('afterwards'));
    await nextTurn();
    await nextTurn();
    expect(log).toEqual(['while they are faked', 'afterwards']);
  });
});
