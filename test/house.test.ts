import { describe, expect, it } from 'vitest';

describe('the test runner', () => {
  it('runs on the Node of the dev dependency, whatever the host has', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
    expect(process.execPath).toMatch(/[\\/]node_modules[\\/]/);
  });
});
