/**
 * @module
 * The scalar engine, held to the contract of engines.
 */

import { describe, expect, it } from 'vitest';
import { scalarEngine } from '../../src/erasure/index.ts';
import { coarseEngine } from './coarse-engine.ts';
import { describeEngine } from './engine-contract.ts';

describeEngine('scalar', scalarEngine);
describeEngine('coarse', coarseEngine);

describe('scalarEngine', () => {
  it('keeps its memory when it is large enough, and grows it when it is not', () => {
    const engine = scalarEngine();
    const memory = engine.workspace(100);
    expect(engine.workspace(50)).toBe(memory);
    expect(engine.workspace(101).length).toBeGreaterThanOrEqual(101);
  });
});
