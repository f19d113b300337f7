/**
 * What needs types or knows RxJS; formatting, import order and fast rules are Biome's. A rule that
 * is switched off says why.
 */

import { defineConfig, globalIgnores } from 'eslint/config';
import rxjs from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

const LIBRARY = ['src/**/*.ts', 'strategies/**/*.ts', 'protocol/**/*.ts'];
const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];
const CLOCKS = 'Time and chance are arguments: use the scheduler and the random of Runtime.';
/** RxJS functions that fall back to the real clock when no scheduler is named. */
const TIMED =
  'timer|interval|delay|debounceTime|throttleTime|auditTime|sampleTime|bufferTime|windowTime|timeout|timeoutWith|timestamp|timeInterval';

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'bin/']),
  {
    files: [...LIBRARY, ...TESTS, '*.config.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, rxjs.configs.strict],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^rxjs/(?!testing$)', message: 'Import from rxjs.' }] },
      ],
      'rxjs-x/no-ignored-subscribe': 'error',
      // `_name` says that a value is not needed; tsc reports the others.
      '@typescript-eslint/no-unused-vars': 'off',
      // Interfaces of ports return promises that a synchronous fake need not await.
      '@typescript-eslint/require-await': 'off',
      // Where one value is due an empty stream is a fault, and EmptyError says so.
      'rxjs-x/no-ignored-default-value': 'off',
      // An error that was caught is `unknown` and may be thrown on as it is.
      'rxjs-x/throw-error': ['error', { allowThrowingAny: false, allowThrowingUnknown: true }],
    },
  },
  {
    files: LIBRARY,
    rules: {
      'rxjs-x/no-ignored-subscription': 'error',
    },
  },
  {
    files: LIBRARY,
    ignores: ['src/cli/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'setImmediate', 'performance'].map((name) => ({
          name,
          message: CLOCKS,
        })),
      ],
      'no-restricted-properties': [
        'error',
        ...[
          ['Date', 'now'],
          ['Math', 'random'],
          ['AbortSignal', 'timeout'],
          ...['setTimeout', 'setInterval', 'performance'].map((name) => ['globalThis', name]),
        ].map(([object, property]) => ({ object, property, message: CLOCKS })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name=Date][arguments.length=0]',
          message: CLOCKS,
        },
        {
          selector: 'ImportDeclaration[source.value=/^(node:)?(timers|perf_hooks)/]',
          message: CLOCKS,
        },
        {
          selector: `CallExpression[callee.name=/^(${TIMED})$/]:not(:has(Identifier[name=/scheduler$/i]))`,
          message: CLOCKS,
        },
      ],
    },
  },
  {
    // Reads of typed arrays whose bound the line above proves.
    files: ['src/erasure/**/*.ts', 'src/mapping/**/*.ts', 'src/coding/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: TESTS,
    rules: {
      // A test knows what it put in, and hands wrong things in on purpose.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // `expect(object.method)` and `expect.any(...)` are how matchers are written.
      '@typescript-eslint/unbound-method': 'off',
      // A test of cancelling subscribes by hand and throws strangers.
      'rxjs-x/no-nested-subscribe': 'off',
      'rxjs-x/no-floating-observables': 'off',
      'rxjs-x/throw-error': 'off',
      // An error that nobody takes fails the run anyway.
      'rxjs-x/no-ignored-error': 'off',
      // Messages of assertions show whatever was drawn.
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
);
