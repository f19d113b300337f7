import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/cli/peer-process.ts';

describe('isLoopback', () => {
  it.each([
    ['/ip4/127.0.0.1/tcp/0', true],
    ['/ip4/127.9.9.9/tcp/30333', true],
    ['/ip6/::1/tcp/0', true],
    ['/ip4/0.0.0.0/tcp/0', false],
    ['/ip4/12.7.0.1/tcp/0', false],
    ['/ip4/192.0.2.1/tcp/30333', false],
    ['/ip6/::/tcp/0', false],
    ['/ip6/::1:1/tcp/0', false],
    ['/dns4/localhost/tcp/0', false],
    ['/', false],
  ])('says of %s: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
