/**
 * @module
 * Which engine does the arithmetic on this host: found out once, by asking whether the host can run
 * a tiny module, or forced by the caller. All engines give the same bytes.
 */

import { type WasmHost, webAssembly } from './web-assembly.ts';

/** The engines, best first. A host that has one has all that follow. */
export const ENGINE_IDS = ['simd_relaxed', 'simd', 'scalar'] as const;

/**
 * Name of an engine, also its metric label: the kernel with relaxed SIMD, the kernel with plain SIMD,
 * the engine in TypeScript.
 */
export type EngineId = (typeof ENGINE_IDS)[number];

/** An engine and why it is this one. */
export type EngineChoice = {
  readonly id: EngineId;
  /**
   * `detected`: the best that the host has. `option`, `environment`: what the caller forced.
   * `fallback`: the caller forced `wanted`, which the host lacks.
   */
  readonly reason: 'detected' | 'option' | 'environment' | 'fallback';
  /** What was forced in vain. */
  readonly wanted?: EngineId;
};

/** Whether the host can run a module. */
export type Validate = (bytes: Uint8Array<ArrayBuffer>) => boolean;

/** Up to the body of the one function of the two modules below: `(memory 1) (func …)`. */
const MODULE_HEAD = [
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02,
  0x01, 0x00, 0x05, 0x03, 0x01, 0x00, 0x01, 0x0a,
];

/** `memory.fill` of nothing, then two `v128.load` from 0. */
const BODY_HEAD = [
  0x00, 0x41, 0x00, 0x41, 0x00, 0x41, 0x00, 0xfc, 0x0b, 0x00, 0x41, 0x00, 0xfd, 0x00, 0x04, 0x00,
  0x41, 0x00, 0xfd, 0x00, 0x04, 0x00,
];

/** `drop`, `end`. */
const BODY_END = [0x1a, 0x0b];

/** A module whose one function runs one vector instruction of two operands. */
function probe(instruction: readonly number[]): Uint8Array<ArrayBuffer> {
  const body = [...BODY_HEAD, ...instruction, ...BODY_END];
  return Uint8Array.from([...MODULE_HEAD, body.length + 2, 1, body.length, ...body]);
}

/** `i8x16.relaxed_swizzle`. */
const RELAXED_PROBE = probe([0xfd, 0x80, 0x02]);

/** `i8x16.swizzle`. */
const SIMD_PROBE = probe([0xfd, 0x0e]);

/** The best engine of a host that can run what `validate` accepts. */
export function engineOf(validate: Validate): EngineId {
  if (!validate(SIMD_PROBE)) {
    return 'scalar';
  }
  return validate(RELAXED_PROBE) ? 'simd_relaxed' : 'simd';
}

/** Whether a host can run a module and lets us: a content security policy may forbid to compile. */
function canRun(host: WasmHost, bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    return host.validate(bytes) && new host.Module(bytes) !== undefined;
  } catch {
    return false;
  }
}

let detected: EngineId | undefined;

/** The best engine of this host. The host is asked once. */
export function detectEngine(): EngineId {
  const host = webAssembly();
  detected ??= host === undefined ? 'scalar' : engineOf((bytes) => canRun(host, bytes));
  return detected;
}

/** Whether a text names an engine. */
export function isEngineId(text: string): text is EngineId {
  return ENGINE_IDS.some((id) => id === text);
}

/**
 * The engine to use.
 *
 * @param forced - What the caller wants; the best of the host when absent. Of an engine that the host
 *   lacks the next one down is taken.
 * @param by - Who forced it.
 * @param best - The best engine of the host.
 */
export function chooseEngine(
  forced?: EngineId,
  by: 'option' | 'environment' = 'option',
  best: EngineId = detectEngine(),
): EngineChoice {
  if (forced === undefined) {
    return { id: best, reason: 'detected' };
  }
  return ENGINE_IDS.indexOf(forced) < ENGINE_IDS.indexOf(best)
    ? { id: best, reason: 'fallback', wanted: forced }
    : { id: forced, reason: by };
}
