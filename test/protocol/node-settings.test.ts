/**
 * @module
 * The settings of libp2p that a peer stands on, and where libp2p's own log goes.
 */

import { createLibp2p } from 'libp2p';
import { describe, expect, it } from 'vitest';
import { libp2pSettings } from '../../protocol/node-settings.ts';
import { NO_LOGGER } from '../../src/recovery/ports.ts';

describe('libp2pSettings', () => {
  it('keeps connections to twice the validators, and holds hosts to 50 connections a second', () => {
    const { connectionManager, connectionMonitor } = libp2pSettings({ validatorCount: 500 });
    expect(connectionManager).toMatchObject({
      maxConnections: 1_200,
      maxParallelDials: 32,
      maxIncomingPendingConnections: 256,
      inboundConnectionThreshold: 50,
    });
    expect(connectionMonitor).toEqual({ enabled: true, pingInterval: 60_000 });
    const loopback = libp2pSettings({ inboundConnectionThreshold: 1_000_000 });
    expect(loopback.connectionManager).toMatchObject({ inboundConnectionThreshold: 1_000_000 });
  });

  it('leaves room for others beside a host whose connections stay silent', () => {
    const {
      inboundConnectionThreshold: perSecond = 0,
      inboundUpgradeTimeout: timeoutMs = 10_000,
      maxIncomingPendingConnections: places = 0,
    } = libp2pSettings().connectionManager ?? {};
    // A window of the rate may begin anywhere, so that one more of them fits in.
    expect(perSecond * (timeoutMs / 1_000 + 1)).toBeLessThan(places);
  });

  it('sends what libp2p logs to debug, with its component, whatever its level', async () => {
    const lines: { event: string; component: unknown }[] = [];
    const logger = {
      ...NO_LOGGER,
      debug: (event: string, fields?: Readonly<Record<string, unknown>>) =>
        lines.push({ event, component: fields?.['component'] }),
    };
    const node = await createLibp2p(libp2pSettings({ logger }));
    await node.stop();
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines.map(({ event }) => event))).toContain('libp2p');
    expect(lines.every(({ component }) => typeof component === 'string')).toBe(true);
  });

  it('is silent without a logger', () => {
    const log = libp2pSettings().logger?.forComponent('any');
    expect(log?.enabled).toBe(false);
    expect(log?.newScope('scope').enabled).toBe(false);
  });
});
