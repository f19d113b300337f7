/**
 * @module
 * The package's own TypeScript, parsed file by file: what each imports, and the constructs that the
 * architecture forbids. Reads syntax only; types are the compiler's business.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The checkout. */
export const ROOT: string = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Folders whose files are the library. */
export const SOURCE_FOLDERS: readonly string[] = ['src', 'strategies', 'protocol'];

/** One import, re-export, dynamic import or `import()` type. */
export type ImportSite = {
  readonly specifier: string;
  /** Whether nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
};

/** One parsed file; `path` is relative to the checkout, with forward slashes. */
export type SourceFile = {
  readonly path: string;
  readonly text: string;
  readonly ast: ts.SourceFile;
  readonly imports: readonly ImportSite[];
};

/** Parses one file. */
export function parseSource(path: string, text: string): SourceFile {
  const ast = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  return { path, text, ast, imports: importsOf(ast) };
}

/** Every TypeScript file below some folders of the checkout, parsed, in order of path. */
export function readSources(folders: readonly string[]): readonly SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
        .filter((path) => path.endsWith('.ts')),
    )
    .sort()
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** Path of the file that a relative specifier names, relative to the checkout. */
export function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

/** Package of a bare specifier: `@libp2p/tcp/x` is `@libp2p/tcp`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Calls `see` for a node and all below it; `see` returns false to stay out of a node. */
export function walk(node: ts.Node, see: (node: ts.Node) => boolean): void {
  if (see(node)) {
    node.forEachChild((child) => walk(child, see));
  }
}

function importsOf(ast: ts.SourceFile): readonly ImportSite[] {
  const found: ImportSite[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean): void => {
    if (specifier !== undefined && ts.isStringLiteral(specifier)) {
      found.push({ specifier: specifier.text, isTypeOnly });
    }
  };
  walk(ast, (node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeImport(node));
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeExport(node));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    return true;
  });
  return found;
}

/** `import type { A }`. With `verbatimModuleSyntax`, `import { type A }` is still loaded. */
function isTypeImport(node: ts.ImportDeclaration): boolean {
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function isTypeExport(node: ts.ExportDeclaration): boolean {
  return node.isTypeOnly;
}
