/**
 * @module
 * Which engine does the work of the code on this host, as callers ask for it: forced by name, by the
 * environment, or found out.
 */

import { HEX_TRIE_COMMITMENT } from '../commitment/commitment.ts';
import { codecOn } from '../erasure/index.ts';
import {
  chooseEngine,
  ENGINE_IDS,
  type EngineChoice,
  type EngineId,
  isEngineId,
} from '../erasure/kernel/index.ts';
import type { CodingParts } from './coding.ts';
import { FAST_HEX_TRIE } from './fast-commitment.ts';
import { hostVariable } from './host-globals.ts';

/** Variable of the environment that names an engine, where no option does. */
export const ENGINE_VARIABLE = 'AVAILABILITY_ENGINE';

/**
 * The engine that does the work here, and why: the one named by `forced`, else by the environment, else
 * the best that the host has. Of an engine that the host lacks, the next one down is taken, and
 * `reason` is `fallback`. All engines give the same bytes.
 *
 * @throws RangeError for a name that is no engine's.
 */
export function engine(forced?: EngineId): EngineChoice {
  if (forced !== undefined) {
    return chooseEngine(engineNamed('engine', forced), 'option');
  }
  const variable = hostVariable(ENGINE_VARIABLE);
  return variable === undefined || variable === ''
    ? chooseEngine()
    : chooseEngine(engineNamed(ENGINE_VARIABLE, variable), 'environment');
}

function engineNamed(name: string, text: string): EngineId {
  if (!isEngineId(text)) {
    throw new RangeError(`${name}: expected ${ENGINE_IDS.join(', ')}, got ${JSON.stringify(text)}`);
  }
  return text;
}

/** Code and commitment of live networks on one engine, on the calling thread. See {@link codecOn}. */
export function codingOn(id: EngineId): CodingParts {
  return {
    codec: codecOn(id),
    commitment: id === 'scalar' ? HEX_TRIE_COMMITMENT : FAST_HEX_TRIE,
  };
}
