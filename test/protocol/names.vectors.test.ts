/**
 * @module
 * Protocol names against the vectors made by the reference.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Checks } from '../vectors/runner.ts';
import { protocolNamesRunner } from '../vectors/runners/protocol-names.ts';

describe('protocol-names.json', () => {
  it('holds on the API', () => {
    const url = new URL('../vectors/protocol-names.json', import.meta.url);
    const checks = new Checks();
    protocolNamesRunner(JSON.parse(readFileSync(url, 'utf8')), checks);
    expect(checks.failed).toEqual([]);
    expect(checks.count).toBe(16);
  });
});
