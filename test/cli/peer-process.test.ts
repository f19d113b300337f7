import { describe, expect, it } from 'vitest';
import { isLoopback, listenFaults } from '../../src/cli/peer-process.ts';

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

describe('listenFaults', () => {
  const failed = (...lines: string[]): Error =>
    Object.assign(new Error(`Some configured addresses failed:\n${lines.join('\n')}`), {
      name: 'UnsupportedListenAddressesError',
    });
  const stack = '      at Server.setupListenHandle (node:net:1940:16)';

  it('says of every address, in words, what the system says', () => {
    const error = failed(
      '\n  /ip4/127.0.0.1/tcp/7: Error: listen EADDRINUSE: address already in use 127.0.0.1:7',
      stack,
      '\n  /ip4/203.0.113.7/tcp/1: Error: listen EADDRNOTAVAIL: address not available',
      '\n  /dns4/nowhere/tcp/1: Error: getaddrinfo ENOTFOUND nowhere',
      stack,
    );
    expect(listenFaults(error)).toBe(
      'cannot listen on /ip4/127.0.0.1/tcp/7: address in use; ' +
        'cannot listen on /ip4/203.0.113.7/tcp/1: no address of this machine; ' +
        'cannot listen on /dns4/nowhere/tcp/1: getaddrinfo ENOTFOUND nowhere',
    );
  });

  it.each([[new Error('/ip4/127.0.0.1/tcp/7: EADDRINUSE')], [failed()], ['text']])(
    'says nothing of %s',
    (error) => {
      expect(listenFaults(error)).toBeUndefined();
    },
  );
});
