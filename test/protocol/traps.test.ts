/**
 * @module
 * The traps of network spec §2 that are about what the sources must not contain, and about the
 * versions they stand on. Those about behaviour are in the fixtures.
 *
 * Where each trap has its test: one large send, `onDrain`, windows: `responder-fixtures`; the end of
 * the stream on a data frame, reader limits, one byte per frame: `requester-fixtures` and
 * `requester`; early streams, stream limits, 512 streams, exceptions of handlers: `responder`;
 * streams left open, `close()` that rejects: `leak`; requester not registered: `requester`. Not
 * applicable here: frames of unbounded length (§5.3, only shown not to crash), wrappers that must
 * forward `drain` (there are none), lazy dialing (§3.5).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../protocol');

const SOURCES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
}

function version(name: string): number[] {
  const require = createRequire(import.meta.url);
  const folder = (require.resolve.paths(name) ?? []).map((path) =>
    join(path, name, 'package.json'),
  );
  for (const path of folder) {
    try {
      const found = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return found.version.split('.').map(Number);
    } catch {
      // Not in this one: look in the next folder up.
    }
  }
  throw new Error(`${name} is not installed`);
}

describe('protocol', () => {
  it('never uses what does not work: onDrain, async iteration, pause, the ready-made readers', () => {
    expect(filesWith(/\.onDrain\(/)).toEqual([]);
    expect(filesWith(/for await/)).toEqual([]);
    expect(filesWith(/\.pause\(/)).toEqual([]);
    expect(filesWith(/lpStream|byteStream|pbStream/)).toEqual([]);
  });

  it('leaves the initial window at the 256 KiB that both ends assume', () => {
    const [settings] = SOURCES.filter(({ name }) => name === 'node-settings.ts');
    expect(settings?.text).toContain('initialStreamWindowSize: 262_144');
    expect(filesWith(/initialStreamWindowSize/)).toEqual(['node-settings.ts']);
  });

  it('imports encryption and muxer in one file', () => {
    expect(filesWith(/libp2p-noise'|libp2p\/noise'|libp2p\/yamux'|libp2p-yamux'/)).toEqual([
      'node-settings.ts',
    ]);
  });

  it('stands on versions in which a remote cannot throw into a drain microtask', () => {
    const [utilsMajor = 0, utilsMinor = 0] = version('@libp2p/utils');
    expect(utilsMajor * 1_000 + utilsMinor).toBeGreaterThanOrEqual(7_004);
    const [major = 0, minor = 0, patch = 0] = version('libp2p');
    expect(major * 1_000_000 + minor * 1_000 + patch).toBeGreaterThanOrEqual(3_003_009);
  });
});
