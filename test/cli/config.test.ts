import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/cli/config.ts';
import { configDirectory } from '../../src/cli/config-directory.ts';
import { authorityId } from '../../src/primitives/ids.ts';
import { STANDARD } from '../../src/recovery/settings.ts';

const PEER = '12D3KooWMjb3mZz24JBnMeWEx99bi7qEuLPN7f8o53XsMTAmdS8d';
const OTHER = '12D3KooWKTrRdoc1nTvT4zAPRzc4rq6uGG8fKuVXYGK1LLiK42mV';
const ADDRESS = '/ip4/127.0.0.1/tcp/30333';

type Mutable = Record<string, unknown> & { session: Record<string, unknown> };

function config(): Mutable {
  return {
    genesisHash: '91'.repeat(32),
    session: {
      index: 3,
      nodeFeatures: '001',
      validators: [{ peerId: PEER, addresses: [ADDRESS] }, null, { peerId: PEER, addresses: [] }],
      groups: [[0, 1], [2]],
    },
  };
}

describe('parseConfig', () => {
  it('reads a session whose entries share a peer or are null', () => {
    const { session, locations } = parseConfig(config(), '/folder/config.json');
    expect(session).toEqual({
      index: 3,
      validators: ['validator-0', null, 'validator-2'],
      groups: [[0, 1], [2]],
      nodeFeatures: [false, false, true],
    });
    expect([...locations.values()]).toEqual([
      { peerId: PEER, addresses: [ADDRESS] },
      { peerId: PEER, addresses: [] },
    ]);
  });

  it('resolves paths against the folder of the file', () => {
    const read = parseConfig({ ...config(), store: 'store', identity: 'key' }, '/folder/c.json');
    expect([read.store, read.identity]).toEqual(['/folder/store', '/folder/key']);
    expect(parseConfig({ ...config(), store: 'memory' }, '/folder/c.json').store).toBe('memory');
  });

  it('takes raw node features, a mapping, an own index, listen as text or list', () => {
    const value = config();
    value.session['nodeFeatures'] = '0x05';
    value.session['ownValidatorIndex'] = 2;
    value['mapping'] = { scheme: 'chacha8', seed: '07'.repeat(32) };
    value['listen'] = '/ip4/0.0.0.0/tcp/0';
    const { session, listen } = parseConfig(value, 'c');
    expect(session.nodeFeatures.slice(0, 3)).toEqual([true, false, true]);
    expect(session.ownValidatorIndex).toBe(2);
    expect(session.mapping).toEqual({ scheme: 'chacha8', seed: new Uint8Array(32).fill(7) });
    expect(listen).toEqual(['/ip4/0.0.0.0/tcp/0']);
    expect(parseConfig({ ...value, listen: ['/ip4/0.0.0.0/tcp/0'] }, 'c').listen).toEqual(listen);
  });

  it('takes engine, workers and arena size; without them nothing is said', () => {
    expect(parseConfig(config(), 'c').work).toEqual({});
    const work = { engine: 'scalar', workers: 0, arenaBytes: 67_108_864 };
    expect(parseConfig({ ...config(), ...work }, 'c').work).toEqual(work);
  });

  it('takes every setting of recovery as it is by default', () => {
    const { settings } = parseConfig({ ...config(), settings: { ...STANDARD } }, 'c');
    expect(settings).toEqual(STANDARD);
    const retention = { unavailableMs: 1, finalizedMs: 2, pruneEveryMs: 3 };
    expect(parseConfig({ ...config(), settings: { retention } }, 'c').settings).toEqual({
      retention,
    });
  });

  const faults: [string, (value: Mutable) => void][] = [
    ['genesisHash', (value) => delete value['genesisHash']],
    ['genesisHash', (value) => (value['genesisHash'] = 'abcd')],
    ['unknown', (value) => (value['unknown'] = 1)],
    ['session', (value) => delete (value as Record<string, unknown>)['session']],
    ['session.index', (value) => (value.session['index'] = -1)],
    ['session.index', (value) => (value.session['index'] = 1.5)],
    ['session.nodeFeatures', (value) => (value.session['nodeFeatures'] = '012')],
    ['session.validators', (value) => (value.session['validators'] = [null])],
    ['session.validators[1]', (value) => (value.session['validators'] = [null, 7])],
    [
      'session.validators[1].peerId',
      (value) => (value.session['validators'] = [null, { peerId: 'x', addresses: [] }]),
    ],
    [
      'session.validators[0].addresses[0]',
      (value) => (value.session['validators'] = [{ peerId: PEER, addresses: ['x'] }, null]),
    ],
    [
      'session.validators[1].authorityId',
      (value) =>
        (value.session['validators'] = [
          { peerId: PEER, addresses: [], authorityId: 'a' },
          { peerId: OTHER, addresses: [], authorityId: 'a' },
        ]),
    ],
    ['session.groups', (value) => (value.session['groups'] = [[3]])],
    ['session.ownValidatorIndex', (value) => (value.session['ownValidatorIndex'] = 3)],
    ['listen: ', (value) => (value['listen'] = 'nowhere')],
    ['listen: ', (value) => (value['listen'] = '/ip4/127.0.0.1/udp/3')],
    ['listen: ', (value) => (value['listen'] = '/')],
    ['listen[1]: ', (value) => (value['listen'] = [ADDRESS, '/ip4/127.0.0.1'])],
    ['store', (value) => (value['store'] = 7)],
    ['engine', (value) => (value['engine'] = 'gpu')],
    ['workers', (value) => (value['workers'] = 65)],
    ['arenaBytes', (value) => (value['arenaBytes'] = 0)],
    ['mapping.scheme', (value) => (value['mapping'] = { scheme: 'other' })],
    ['mapping.seed', (value) => (value['mapping'] = { scheme: 'chacha8' })],
    ['mapping.seed', (value) => (value['mapping'] = { scheme: 'rfc47', seed: '07'.repeat(32) })],
    ['settings.softTimeoutMs', (value) => (value['settings'] = { softTimeoutMs: 0 })],
    ['settings.softTimeout', (value) => (value['settings'] = { softTimeout: 1 })],
    ['settings.attempts.regular', (value) => (value['settings'] = { attempts: { systematic: 1 } })],
  ];

  it.each(faults)('names the key %s', (key, damage) => {
    const value = config();
    damage(value);
    expect(() => parseConfig(value, 'config.json')).toThrow(`config.json: ${key}`);
  });

  it.each([[null], [7], [[]], ['text']])('refuses %j', (value) => {
    expect(() => parseConfig(value, 'config.json')).toThrow(/config\.json/);
  });
});

describe('configDirectory', () => {
  it('knows its session and its peers, and completes for others', async () => {
    const directory = configDirectory(parseConfig(config(), 'c'));
    const all = <T>(stream: import('rxjs').Observable<T>): Promise<T[]> =>
      lastValueFrom(stream.pipe(toArray()), { defaultValue: [] });
    expect((await all(directory.session(3))).length).toBe(1);
    expect(await all(directory.session(4))).toEqual([]);
    expect(await all(directory.locate(authorityId('validator-0')))).toEqual([
      { peerId: PEER, addresses: [ADDRESS] },
    ]);
    expect(await all(directory.locate(authorityId('validator-1')))).toEqual([]);
  });
});
