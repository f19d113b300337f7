/**
 * @module
 * Hosts that lack something, as arguments of Node: flags of its own where there are such, else code that
 * takes a thing away before anything of the library is loaded.
 */

import type { WorkWarning } from '../../src/coding/kernel-host.ts';
import type { PoolWarning } from '../../src/coding/pool/pool-options.ts';
import type { EngineId } from '../../src/erasure/kernel/index.ts';

/** What a host lacks, and what is to come of that where two workers are asked for. */
export type Handicap = {
  readonly name: string;
  /** Arguments before the program's path. */
  readonly args: readonly string[];
  /** The engine that does the work. */
  readonly engine: EngineId;
  /** What `engine()` says, where a fault shows only later. */
  readonly detected?: EngineId;
  readonly threads: number;
  /** What the work tells, once. */
  readonly warnings: readonly (WorkWarning | PoolWarning)[];
};

/** An argument that runs a few statements first. */
const first = (code: string): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(code)}`,
];

/** Lets `WebAssembly.validate` refuse what contains an instruction, as a host that lacks it does. */
const refusing = (...bytes: readonly number[]): readonly string[] =>
  first(`
    const { validate } = WebAssembly;
    const has = (module) => Buffer.from(module).includes(Buffer.from([${bytes.join()}]));
    WebAssembly.validate = (module) => !has(module) && validate(module);
  `);

/** `i8x16.relaxed_swizzle` and `i8x16.swizzle` behind the prefix of vector instructions. */
const RELAXED_SWIZZLE = [0xfd, 0x80, 0x02];
const SWIZZLE = [0xfd, 0x0e];

/** Puts a class in the place of Node's worker. */
const replacedWorker = (body: string): readonly string[] =>
  first(`
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    threads.Worker = ${body};
    syncBuiltinESMExports();
  `);

/** A host that lacks nothing. */
export const SOUND: Handicap = {
  name: 'nothing',
  args: [],
  engine: 'simd_relaxed',
  threads: 2,
  warnings: [],
};

const PLAIN = { engine: 'scalar', threads: 0, warnings: ['no_kernel'] } as const;

/** Hosts without a SIMD engine, or with the plain one only. */
export const LESS_ENGINE: readonly Handicap[] = [
  { name: 'WebAssembly', args: first('delete globalThis.WebAssembly;'), ...PLAIN },
  { name: 'SIMD', args: first('WebAssembly.validate = () => false;'), ...PLAIN },
  { name: 'byte swizzles', args: refusing(...SWIZZLE), ...PLAIN },
  {
    name: 'relaxed SIMD',
    args: refusing(...RELAXED_SWIZZLE),
    engine: 'simd',
    threads: 2,
    warnings: [],
  },
  {
    name: 'permission to compile',
    args: first(`
      const { CompileError } = WebAssembly;
      WebAssembly.Module = class { constructor() { throw new CompileError('no'); } };
    `),
    ...PLAIN,
  },
  {
    name: 'memory for WebAssembly',
    args: first("WebAssembly.Memory = class { constructor() { throw new RangeError('no'); } };"),
    ...PLAIN,
    detected: 'simd_relaxed',
  },
  {
    name: 'memory beyond 1 MiB',
    args: ['--wasm-max-mem-pages=16'],
    ...PLAIN,
    detected: 'simd_relaxed',
  },
];

const WITHOUT_THREADS = {
  engine: 'simd_relaxed',
  threads: 0,
  warnings: ['threads_unavailable'],
} as const;

/** Hosts without workers, or with workers that are of little use. */
export const LESS_THREADS: readonly Handicap[] = [
  {
    name: 'shared memory',
    args: first(`
      delete globalThis.SharedArrayBuffer;
      const { Memory } = WebAssembly;
      WebAssembly.Memory = class extends Memory {
        constructor(limits) {
          if (limits.shared) throw new TypeError('shared memory is not available');
          super(limits);
        }
      };
    `),
    engine: 'simd_relaxed',
    threads: 2,
    warnings: ['no_shared_memory'],
  },
  {
    name: 'a constructor of workers that does not throw',
    args: replacedWorker("class { constructor() { throw new Error('no worker here'); } }"),
    ...WITHOUT_THREADS,
  },
  {
    name: 'permission for workers',
    args: ['--permission', '--allow-fs-read=*'],
    ...WITHOUT_THREADS,
  },
];
