import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertRuntime } from '../../protocol/runtime-check.ts';
import { createAvailabilityPeer } from '../../protocol/service.ts';
import { openNode } from '../../src/node.ts';
import { directoryOf } from './peers.ts';

const init = { genesisHash: new Uint8Array(32), directory: directoryOf(new Map()) };

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('assertRuntime', () => {
  it('takes the runtime of the tests', () => {
    expect(assertRuntime).not.toThrow();
  });

  it('refuses one without what libp2p needs to dial, before anything is opened', async () => {
    // A Promise as Node 20 has it.
    class OldPromise<T> extends Promise<T> {}
    Reflect.defineProperty(OldPromise, 'withResolvers', { value: undefined });
    vi.stubGlobal('Promise', OldPromise);
    expect(assertRuntime).toThrow(/^runtime: Node 22\.18 or newer/);
    expect(() => createAvailabilityPeer({} as never, init)).toThrow(TypeError);
    await expect(openNode({ ...init, store: 'memory' })).rejects.toThrow(TypeError);
  });
});
