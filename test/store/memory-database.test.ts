import fc from 'fast-check';
import { Key, type Query } from 'interface-datastore';
import { describe, expect, it } from 'vitest';
import { MemoryDatabase } from '../../src/store/memory-database.ts';
import { SEED, seeded } from '../support/seed.ts';

const part = fc.constantFrom('a', 'b', '00', '0f', 'ff');
const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const change = fc.tuple(key, fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined }));

function keysOf(database: MemoryDatabase, query: Query): string[] {
  const keys: string[] = [];
  for (const { key: found } of database.query(query) as Iterable<{ key: Key }>) {
    keys.push(found.toString());
  }
  return keys;
}

describe('MemoryDatabase', () => {
  it(seeded('holds what a sorted map of the same changes holds'), () => {
    const run = fc.property(fc.array(change, { maxLength: 40 }), key, (changes, prefix) => {
      const database = new MemoryDatabase();
      const model = new Map<string, Uint8Array>();
      for (const [name, value] of changes) {
        if (value === undefined) {
          database.delete(new Key(name));
          model.delete(name);
        } else {
          database.put(new Key(name), value);
          model.set(name, value);
        }
      }
      const names = [...model.keys()].sort();
      expect(keysOf(database, {})).toEqual(names);
      expect(keysOf(database, { prefix })).toEqual(names.filter((name) => name.startsWith(prefix)));
      expect(keysOf(database, { prefix: '/a/', limit: 2 })).toEqual(
        names.filter((name) => name.startsWith('/a/')).slice(0, 2),
      );
      for (const [name, value] of model) {
        expect(database.get(new Key(name))).toEqual(value);
      }
      expect(database.has(new Key(prefix))).toBe(model.has(prefix));
    });
    fc.assert(run, { seed: SEED, numRuns: 200 });
  });

  it('answers a query with what there was when it began', () => {
    const database = new MemoryDatabase();
    database.put(new Key('/a/1'), Uint8Array.of(1));
    database.put(new Key('/a/2'), Uint8Array.of(2));
    const found: string[] = [];
    for (const { key: name } of database.query({ prefix: '/a/' }) as Iterable<{ key: Key }>) {
      found.push(name.toString());
      database.delete(new Key('/a/2'));
      database.put(new Key('/a/3'), Uint8Array.of(3));
    }
    expect(found).toEqual(['/a/1', '/a/2']);
  });
});
