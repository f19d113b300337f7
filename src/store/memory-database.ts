/**
 * @module
 * A datastore in memory with the guarantees that LevelDB gives and `MemoryDatastore` does not: batches
 * are atomic, queries are of one moment and in the order of keys. For tests and short-lived peers.
 */

import { BaseDatastore } from 'datastore-core';
import type { Batch, Datastore, KeyQuery, Pair, Query } from 'interface-datastore';
import { Key } from 'interface-datastore';

type Tree = { value?: Uint8Array; readonly children: Map<string, Tree> };

/** Keys as a tree of their parts, so that a query touches what lies under its prefix only. */
export class MemoryDatabase extends BaseDatastore implements Datastore {
  readonly #root: Tree = newTree();

  /** Keeps a copy of the value. */
  override put(key: Key, value: Uint8Array): Key {
    let tree = this.#root;
    for (const part of partsOf(key)) {
      const child = tree.children.get(part) ?? newTree();
      tree.children.set(part, child);
      tree = child;
    }
    tree.value = value.slice();
    return key;
  }

  /** A copy of the value. */
  override get(key: Key): Uint8Array {
    const value = this.#find(partsOf(key))?.value;
    if (value === undefined) {
      throw Object.assign(new Error('not found'), { name: 'NotFoundError' });
    }
    return value.slice();
  }

  /** Whether a key has a value. */
  override has(key: Key): boolean {
    return this.#find(partsOf(key))?.value !== undefined;
  }

  /** Removes a key and the parts that nothing else needs. */
  override delete(key: Key): void {
    const parts = partsOf(key);
    const path: Tree[] = [this.#root];
    for (const part of parts) {
      const child = path.at(-1)?.children.get(part);
      if (child === undefined) {
        return;
      }
      path.push(child);
    }
    delete path.at(-1)?.value;
    for (let depth = parts.length; depth > 0; depth -= 1) {
      const tree = path[depth];
      if (tree === undefined || tree.value !== undefined || tree.children.size > 0) {
        return;
      }
      path[depth - 1]?.children.delete(parts[depth - 1] ?? '');
    }
  }

  /** A batch that is applied in one turn. */
  override batch(): Batch {
    const changes: (() => void)[] = [];
    return {
      put: (key, value) => {
        changes.push(() => this.put(key, value));
      },
      delete: (key) => {
        changes.push(() => this.delete(key));
      },
      commit: () => {
        for (const change of changes.splice(0)) {
          change();
        }
      },
    };
  }

  /** What `query` filters further: entries in ascending order of keys, as of the call. */
  override _all(query: Query): Generator<Pair> {
    const prefix = query.prefix ?? '/';
    const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
    const tree = this.#find(folder.split('/').slice(1));
    return each(tree === undefined ? [] : [...entriesOf(tree, folder)]);
  }

  /** As `_all`, without the values. */
  override _allKeys(query: KeyQuery): Generator<Key> {
    const { prefix } = query;
    return each([...this._all(prefix === undefined ? {} : { prefix })].map(({ key }) => key));
  }

  #find(parts: readonly string[]): Tree | undefined {
    let tree: Tree | undefined = this.#root;
    for (const part of parts) {
      tree = tree?.children.get(part);
    }
    return tree;
  }
}

function* entriesOf(tree: Tree, path: string): Generator<Pair> {
  if (tree.value !== undefined) {
    yield { key: new Key(path, false), value: tree.value.slice() };
  }
  for (const part of [...tree.children.keys()].sort()) {
    const child = tree.children.get(part);
    if (child !== undefined) {
      yield* entriesOf(child, `${path}/${part}`);
    }
  }
}

function* each<T>(items: readonly T[]): Generator<T> {
  yield* items;
}

function partsOf(key: Key): string[] {
  return key.toString().split('/').slice(1);
}

function newTree(): Tree {
  return { children: new Map() };
}
