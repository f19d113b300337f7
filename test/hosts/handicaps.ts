/**
 * @module
 * Hosts that lack something, as arguments of Node: flags of its own where there are such, else code that
 * takes a thing away before anything of the library is loaded.
 */

/** What a host lacks. */
export type Handicap = {
  readonly name: string;
  /** Arguments before the program's path. */
  readonly args: readonly string[];
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

const replacedWorker = (body: string): readonly string[] =>
  first(`
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const { Worker } = threads;
    threads.Worker = ${body};
    syncBuiltinESMExports();
  `);

/** A host that lacks nothing. */
export const SOUND: Handicap = { name: 'nothing', args: [] };

/** Hosts without a SIMD engine, or with the plain one only. */
export const LESS_ENGINE = {
  noWebAssembly: { name: 'WebAssembly', args: first('delete globalThis.WebAssembly;') },
  jitless: { name: 'a compiler (--jitless)', args: ['--jitless'] },
  noSimd: {
    name: 'SIMD',
    args: first('WebAssembly.validate = () => false;'),
  },
  noSwizzle: { name: 'byte swizzles', args: refusing(...SWIZZLE) },
  noRelaxedSimd: { name: 'relaxed SIMD', args: refusing(...RELAXED_SWIZZLE) },
  noCompile: {
    name: 'leave to compile (policy)',
    args: first(`
      WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('refused by policy'); } };
    `),
  },
  noMemory: {
    name: 'memory for the arena',
    args: first(`
      WebAssembly.Memory = class { constructor() { throw new RangeError('could not allocate memory'); } };
    `),
  },
  smallMemory: {
    name: 'memory beyond 1 MiB (--wasm-max-mem-pages)',
    args: ['--wasm-max-mem-pages=16'],
  },
} as const satisfies Readonly<Record<string, Handicap>>;

/** Hosts without workers, or with workers that are of little use. */
export const LESS_THREADS = {
  noSharedMemory: {
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
  },
  workerThrows: {
    name: 'leave to start a worker (constructor throws)',
    args: replacedWorker("class { constructor() { throw new Error('no worker here'); } }"),
  },
  workerEnds: {
    name: 'workers that live (end at start)',
    args: replacedWorker(
      "class extends Worker { constructor(_, o) { super('process.exit(7)', { ...o, eval: true }); } }",
    ),
  },
  permission: {
    name: 'leave to start a worker (--permission)',
    args: ['--permission', '--allow-fs-read=*'],
  },
} as const satisfies Readonly<Record<string, Handicap>>;
