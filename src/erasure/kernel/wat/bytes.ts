/**
 * @module
 * Kernel functions over plain bytes: clear, copy, compare, add, and the formal derivative, which is
 * nothing but additions.
 */

import type { FunctionMaker } from './build.ts';
import {
  add,
  and32,
  type FunctionText,
  functionText,
  type I32,
  less,
  load8,
  load32,
  loadV,
  mul,
  sub,
  value,
  xor,
  xor32,
} from './function-text.ts';

function copyText(to: I32, from: I32, bytes: I32): string {
  const text = (operand: I32): string => (typeof operand === 'number' ? '' : operand.text);
  return `(memory.copy ${text(to)} ${text(from)} ${text(bytes)})`;
}

const clear: FunctionText = functionText('clear', ['address', 'bytes'], (f, p) => {
  f.do(`(memory.fill ${p.address.text} (i32.const 0) ${p.bytes.text})`);
  return undefined;
});

const copy: FunctionText = functionText('copy', ['to', 'from', 'bytes'], (f, p) => {
  f.do(copyText(p.to, p.from, p.bytes));
  return undefined;
});

const copyList: FunctionText = functionText('copyList', ['list', 'count'], (f, p) => {
  const end = f.let(add(p.list, mul(p.count, 12)));
  f.while(
    () => less(p.list, end),
    () => {
      f.do(copyText(load32(p.list, 4), load32(p.list), load32(p.list, 8)));
      f.advance(p.list, 12);
    },
  );
  return undefined;
});

const equal: FunctionText = functionText('equal', ['a', 'b', 'bytes'], (f, p) => {
  const vectorsEnd = f.let(add(p.a, and32(p.bytes, -16)));
  const end = f.let(add(p.a, p.bytes));
  f.while(
    () => less(p.a, vectorsEnd),
    () => {
      const difference = xor(loadV(p.a), loadV(p.b));
      f.if(value('i32', `(v128.any_true ${difference.text})`), () => f.return(0));
      f.advance(p.a, 16);
      f.advance(p.b, 16);
    },
  );
  f.while(
    () => less(p.a, end),
    () => {
      f.if(xor32(load8(p.a), load8(p.b)), () => f.return(0));
      f.advance(p.a, 1);
      f.advance(p.b, 1);
    },
  );
  return 1;
});

const addRows: FunctionText = functionText('addRows', ['target', 'source', 'bytes'], (f, p) => {
  const end = f.let(add(p.target, p.bytes));
  f.while(
    () => less(p.target, end),
    () => {
      f.storeV(p.target, xor(loadV(p.target), loadV(p.source)));
      f.advance(p.target, 16);
      f.advance(p.source, 16);
    },
  );
  return undefined;
});

/**
 * Row `r` gains all rows `r + 2^j` for which bit `j` of `r` is clear (erasure spec §4.5 step 3: the sweep,
 * read by target). They lie above `r`, so going up all of them are still as they came, and each row is
 * written once instead of once for each bit: 0.74 of the sweep's time for 256 rows (alternating runs).
 */
const addDerivative: FunctionText = functionText(
  'addDerivative',
  ['base', 'rowBytes', 'size'],
  (f, p) => {
    const r = f.let32(0);
    const at = f.local('i32');
    const clearBits = f.local('i32');
    const row = f.let(p.base);
    const rowEnd = f.let(p.base);
    const offsets = [0, 16, 32, 48];
    const sums = offsets.map(() => f.local('v128'));
    f.while(
      () => less(r, p.size),
      () => {
        f.advance(rowEnd, p.rowBytes);
        f.repeat(
          () => {
            sums.forEach((sum, i) => {
              f.set(sum, loadV(row, offsets[i]));
            });
            f.set(clearBits, and32(xor32(r, -1), sub(p.size, 1)));
            f.while(
              () => clearBits,
              () => {
                const bit = and32(clearBits, sub(0, clearBits));
                f.set(at, add(row, mul(bit, p.rowBytes)));
                f.set(clearBits, and32(clearBits, sub(clearBits, 1)));
                sums.forEach((sum, i) => {
                  f.set(sum, xor(sum, loadV(at, offsets[i])));
                });
              },
            );
            sums.forEach((sum, i) => {
              f.storeV(row, sum, offsets[i]);
            });
            f.advance(row, 64);
          },
          () => less(row, rowEnd),
        );
        f.advance(r, 1);
      },
    );
    return undefined;
  },
);

/** All functions of this file. */
export const byteFunctions: FunctionMaker = () => [
  clear,
  copy,
  copyList,
  equal,
  addRows,
  addDerivative,
];
