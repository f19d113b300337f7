/**
 * @module
 * Kernel functions over plain bytes: clear, copy, compare, add.
 */

import type { FunctionMaker } from './build.ts';
import { functionText } from './function-text.ts';

/** `clear(address, bytes)` and `copy(to, from, bytes)`. */
export const byteFunctions: FunctionMaker = () => [
  functionText('clear', ['address', 'bytes'], (f, { address, bytes }) => {
    f.do(`(memory.fill ${address.text} (i32.const 0) ${bytes.text})`);
  }),
  functionText('copy', ['to', 'from', 'bytes'], (f, { to, from, bytes }) => {
    f.do(`(memory.copy ${to.text} ${from.text} ${bytes.text})`);
  }),
];
