/**
 * @module
 * The part of the WebAssembly API that the kernel uses, with types of our own: the language's own
 * library does not declare it, and embedders should not need the types of the DOM.
 */

/** A memory: what a `WebAssembly.Memory` is to us. */
export interface WasmMemory {
  /** Its bytes. Another object after growth; the old one of a memory that is not shared is then empty. */
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  /**
   * Grows by pages of 64 KiB.
   *
   * @throws RangeError past its maximum, or when the host has no memory left.
   */
  grow(pages: number): number;
}

declare const moduleBrand: unique symbol;

/** A compiled module. It can be sent to workers. */
export interface WasmModule {
  readonly [moduleBrand]: true;
}

/** The API. */
export interface WasmHost {
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared?: boolean;
  }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { readonly env: { readonly memory: WasmMemory } },
  ) => { readonly exports: unknown };
  /** Whether the host can run a module. */
  readonly validate: (bytes: Uint8Array<ArrayBuffer>) => boolean;
}

declare const WebAssembly: WasmHost | undefined;

/** Bytes of a page of memory. */
export const PAGE_BYTES = 65_536;

/** The API of this host; undefined where it has none or a policy hides it. */
export function webAssembly(): WasmHost | undefined {
  return typeof WebAssembly === 'undefined' ? undefined : WebAssembly;
}

/**
 * The API of this host, where an engine has been chosen that needs it.
 *
 * @throws TypeError when there is none.
 */
export function requireWebAssembly(): WasmHost {
  const host = webAssembly();
  if (host === undefined) {
    throw new TypeError('WebAssembly: not available on this host; use the scalar engine');
  }
  return host;
}
