/**
 * @module
 * The house plan as data, and what breaks it. A new folder is put on a floor here, in the change
 * that makes it.
 */

import { isBuiltin } from 'node:module';
import ts from 'typescript';
import { packageOf, resolveImport, type SourceFile, walk } from './source-tree.ts';

/** A folder or file of the plan. */
export type Place = {
  readonly path: string;
  /** Imports go to lower floors, or stay in the place. */
  readonly floor: number;
  /** Whether Node's API and globals may be used. */
  readonly hasNode?: true;
  /** Packages that may be imported; a trailing `*` stands for any rest. Absent: any but libp2p. */
  readonly packages?: readonly string[];
};

/** Packages that make up the network stack. */
export const LIBP2P: readonly string[] = [
  'libp2p',
  '@libp2p/*',
  '@chainsafe/libp2p-*',
  '@multiformats/*',
  'it-*',
];

/** The floors, lowest first. */
export const PLACES: readonly Place[] = [
  { path: 'src/primitives/', floor: 0, packages: ['@polkadot/util-crypto'] },
  { path: 'src/codec/', floor: 1, packages: [] },
  { path: 'src/erasure/', floor: 1, packages: [] },
  { path: 'src/commitment/', floor: 1, packages: [] },
  { path: 'src/mapping/', floor: 1, packages: [] },
  { path: 'src/coding/', floor: 2, packages: ['rxjs', 'lru-cache'] },
  { path: 'src/recovery/', floor: 3, packages: ['rxjs', 'lru-cache'] },
  { path: 'strategies/', floor: 4, packages: ['rxjs'] },
  { path: 'protocol/', floor: 4, hasNode: true, packages: ['rxjs', ...LIBP2P] },
  { path: 'src/store/', floor: 4, hasNode: true },
  { path: 'src/callers/', floor: 5, packages: ['rxjs', 'lru-cache'] },
  { path: 'src/create-recovery.ts', floor: 6, packages: ['rxjs'] },
  { path: 'src/index.ts', floor: 6, packages: [] },
  { path: 'src/node.ts', floor: 6, hasNode: true, packages: ['*'] },
  { path: 'src/node-zstd.ts', floor: 6, hasNode: true, packages: [] },
  { path: 'src/cli/', floor: 6, hasNode: true, packages: ['*'] },
];

/** Floor where things are wired: its places may import one another. */
const WIRING_FLOOR = 6;

/** Globals of Node and clocks; floors 0 and 1 know the language only. */
const NODE_GLOBALS: ReadonlySet<string> = new Set(['Buffer', 'process', 'global', 'require']);
const CLOCK_GLOBALS: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'performance',
  'globalThis',
]);

/** Why a file may not be as it is, in words, each starting with its path. */
export function faultsOf(file: SourceFile, places: readonly Place[] = PLACES): readonly string[] {
  const place = placeOf(file.path, places);
  if (place === undefined) {
    return [`${file.path}: is on no floor`];
  }
  const faults = [
    ...file.imports.map(({ specifier }) => importFault(file.path, place, specifier, places)),
    ...globalFaults(file, place),
    ...(file.path.endsWith('/index.ts') ? [reexportFault(file)] : []),
    file.text.startsWith('/**\n * @module') ? undefined : 'does not start with a @module comment',
    /(^|\/)(utils?|helpers?|misc|common)\.ts$/.test(file.path)
      ? 'has a name that says nothing'
      : undefined,
  ];
  return faults.filter((fault) => fault !== undefined).map((fault) => `${file.path}: ${fault}`);
}

/** What is wrong about one import, if anything. */
function importFault(
  from: string,
  place: Place,
  specifier: string,
  places: readonly Place[],
): string | undefined {
  if (!specifier.startsWith('.')) {
    return isBuiltin(specifier)
      ? place.hasNode === true
        ? undefined
        : `uses the Node API ${specifier}`
      : mayUse(place, packageOf(specifier))
        ? undefined
        : `imports the package ${specifier}`;
  }
  if (!specifier.endsWith('.ts')) {
    return `imports ${specifier} without .ts`;
  }
  const to = resolveImport(from, specifier);
  const target = placeOf(to, places);
  if (target === undefined) {
    return `imports ${to}, which is on no floor`;
  }
  if (target === place) {
    return undefined;
  }
  if (target.floor > place.floor) {
    return `imports upward: ${to}`;
  }
  if (target.floor === place.floor && place.floor !== WIRING_FLOOR) {
    return `imports sideways: ${to}`;
  }
  const isErasure = target.path === 'src/erasure/';
  if (isErasure !== to.endsWith('/index.ts') && target.path.endsWith('/')) {
    return isErasure ? `reaches past the index of erasure: ${to}` : `imports an index: ${to}`;
  }
  return undefined;
}

/** The place of a path, if it has one. */
function placeOf(path: string, places: readonly Place[]): Place | undefined {
  return places.find((place) =>
    place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path,
  );
}

function mayUse(place: Place, name: string): boolean {
  const isIn = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
  return place.packages === undefined ? !isIn(LIBP2P) : isIn(place.packages);
}

function globalFaults(file: SourceFile, place: Place): readonly string[] {
  const faults: string[] = [];
  walk(file.ast, (node) => {
    if (ts.isIdentifier(node) && !isNameOfMember(node)) {
      const isBanned =
        (place.hasNode !== true && NODE_GLOBALS.has(node.text)) ||
        (place.floor < 2 && CLOCK_GLOBALS.has(node.text));
      if (isBanned) {
        faults.push(`uses the global ${node.text}`);
      }
    }
    return true;
  });
  return faults;
}

/** Whether an identifier names a member (`x.process`, `{ process: 1 }`) and so no global. */
function isNameOfMember(node: ts.Identifier): boolean {
  const parent = node.parent;
  return (
    (ts.isPropertyAccessExpression(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent)) &&
    parent.name === node
  );
}

function reexportFault(file: SourceFile): string | undefined {
  return file.ast.statements.every(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  )
    ? undefined
    : 'does more than re-export';
}

/** Whether a module waits while it is loaded, so that `require()` of it fails. */
export function hasTopLevelAwait(file: SourceFile): boolean {
  let isFound = false;
  walk(file.ast, (node) => {
    isFound ||=
      ts.isAwaitExpression(node) ||
      (ts.isForOfStatement(node) && node.awaitModifier !== undefined) ||
      (ts.isVariableDeclarationList(node) && isAwaitUsing(node));
    return !isFound && !ts.isFunctionLike(node);
  });
  return isFound;
}

function isAwaitUsing(node: ts.VariableDeclarationList): boolean {
  const flag: number = ts.NodeFlags.AwaitUsing;
  return (Number(node.flags) & flag) === flag;
}

/** The files that are loaded with one of them, itself included, as far as they are given. */
export function loadedWith(entry: string, files: ReadonlyMap<string, SourceFile>): Set<string> {
  const seen = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (file !== undefined && !seen.has(path)) {
      seen.add(path);
      const next = file.imports.filter(
        (site) => !site.isTypeOnly && site.specifier.startsWith('.'),
      );
      open.push(...next.map((site) => resolveImport(file.path, site.specifier)));
    }
  }
  return seen;
}
