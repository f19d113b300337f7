/**
 * @module
 * The codec and the messages against the vectors made by the reference's types.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Checks } from '../vectors/runner.ts';
import { scaleRunner } from '../vectors/runners/scale.ts';

describe('scale.json', () => {
  it('holds on the API', () => {
    const url = new URL('../vectors/scale.json', import.meta.url);
    const checks = new Checks();
    scaleRunner(JSON.parse(readFileSync(url, 'utf8')), checks);
    expect(checks.failed).toEqual([]);
    expect(checks.count).toBeGreaterThan(400);
  });
});
