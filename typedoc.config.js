/**
 * Documentation as a gate: every export has a comment and every link resolves, or the check fails.
 * Nothing is emitted.
 *
 * Fields of data are left out of the requirement: most are told by name and type, and a comment on
 * each would bury the ones that say something.
 */

/**
 * Finds the target of a link by its name in the whole project. The compiler reads what follows
 * `@throws` as a type and so hands no link to TypeDoc, which would search the same module only.
 */
function resolveByName(app) {
  app.converter.addUnknownSymbolResolver((reference, from) => {
    const path = reference.symbolReference?.path?.map((part) => part.path) ?? [];
    const name = path.at(-1);
    const owner = path.at(-2);
    const target = Object.values(from.project.reflections).find(
      (one) => one.name === name && (owner === undefined || one.parent?.name === owner),
    );
    return target && { target };
  });
}

/** @type {import('typedoc').TypeDocOptions} */
export default {
  entryPointStrategy: 'expand',
  entryPoints: ['src', 'strategies', 'protocol'],
  tsconfig: 'tsconfig.json',
  plugin: [resolveByName],
  readme: 'none',
  disableSources: true,
  // tsc is a gate of its own.
  skipErrorChecking: true,
  excludePrivate: true,
  validation: { notExported: false, invalidLink: true, notDocumented: true, invalidPath: false },
  requiredToBeDocumented: [
    'Variable',
    'Function',
    'Class',
    'Interface',
    'TypeAlias',
    'Method',
    'Accessor',
  ],
  logLevel: 'Warn',
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
};
