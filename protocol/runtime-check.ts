/**
 * @module
 * Refuses a runtime on which libp2p starts and listens but fails every dial, so that an old Node does
 * not look like a network without peers.
 */

/**
 * Checks for what the libraries below us use without saying so.
 *
 * @throws TypeError on Node below 22.
 */
export function assertRuntime(): void {
  if (typeof Promise.withResolvers !== 'function') {
    throw new TypeError('runtime: Node 22.18 or newer is needed; Promise.withResolvers is missing');
  }
}
