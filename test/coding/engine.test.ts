import { afterEach, describe, expect, it, vi } from 'vitest';
import { ENGINE_VARIABLE, engine } from '../../src/coding/engine.ts';
import { codecOn, PLAIN_CODEC_V1 } from '../../src/erasure/index.ts';
import { detectEngine, ENGINE_IDS, type EngineId } from '../../src/erasure/kernel/index.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('engine', () => {
  it('is the best of the host, where nothing is forced', () => {
    for (const variable of [undefined, '']) {
      vi.stubEnv(ENGINE_VARIABLE, variable);
      expect(engine()).toEqual({ id: detectEngine(), reason: 'detected' });
    }
  });

  it('is what the environment names, and what the option names before that', () => {
    vi.stubEnv(ENGINE_VARIABLE, 'scalar');
    expect(engine()).toEqual({ id: 'scalar', reason: 'environment' });
    expect(engine(detectEngine())).toEqual({ id: detectEngine(), reason: 'option' });
  });

  it('refuses a name that is no engine, and says where it stands', () => {
    vi.stubEnv(ENGINE_VARIABLE, 'gpu');
    expect(() => engine()).toThrow(
      new RangeError('AVAILABILITY_ENGINE: expected simd_relaxed, simd, scalar, got "gpu"'),
    );
    expect(() => engine('gpu' as EngineId)).toThrow(
      new RangeError('engine: expected simd_relaxed, simd, scalar, got "gpu"'),
    );
  });
});

describe('codecOn', () => {
  it('gives the same chunks on every engine, and one codec each', () => {
    const payload = Uint8Array.from({ length: 1_000 }, (_, i) => i);
    for (const id of ENGINE_IDS.slice(ENGINE_IDS.indexOf(detectEngine()))) {
      expect(codecOn(id).encodeChunks(payload, 40), id).toEqual(
        PLAIN_CODEC_V1.encodeChunks(payload, 40),
      );
      expect(codecOn(id), id).toBe(codecOn(id));
    }
    expect(codecOn('scalar')).toBe(PLAIN_CODEC_V1);
  });
});
