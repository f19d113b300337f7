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
  isZero,
  less,
  load8,
  load32,
  loadV,
  mul,
  shl,
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
 * written once instead of once for each bit.
 */
const addDerivative: FunctionText = functionText(
  'addDerivative',
  ['base', 'rowBytes', 'size'],
  (f, p) => {
    const r = f.let32(0);
    const at = f.local('i32');
    const bit = f.local('i32');
    const sum = f.local('v128');
    const second = f.local('v128');
    const row = f.let(p.base);
    const rowEnd = f.let(p.base);
    f.while(
      () => less(r, p.size),
      () => {
        f.advance(rowEnd, p.rowBytes);
        f.repeat(
          () => {
            f.set(sum, loadV(row));
            f.set(second, loadV(row, 16));
            f.set32(bit, 1);
            f.while(
              () => less(bit, p.size),
              () => {
                f.if(isZero(and32(r, bit)), () => {
                  f.set(at, add(row, mul(bit, p.rowBytes)));
                  f.set(sum, xor(sum, loadV(at)));
                  f.set(second, xor(second, loadV(at, 16)));
                });
                f.set(bit, shl(bit, 1));
              },
            );
            f.storeV(row, sum);
            f.storeV(row, second, 16);
            f.advance(row, 32);
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
