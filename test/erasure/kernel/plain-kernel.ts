/**
 * @module
 * The kernel's functions as their documentation reads, symbol by symbol, on any memory. Slow; the
 * reference for what each function does, and a kernel for hosts without SIMD in tests.
 */

import { multiply } from '../../../src/erasure/field.ts';
import type { KernelExports } from '../../../src/erasure/kernel/kernel.ts';
import { PRODUCT_BYTES, PRODUCTS } from '../../../src/erasure/kernel/memory-map.ts';
import { multiplyTower, toTower } from '../../../src/erasure/kernel/tower-field.ts';

/** All functions but the hashes. */
type PlainKernel = Omit<KernelExports, 'hashPair' | 'hashPairs' | 'hashHybrid'>;

/** A kernel on the memory that `bytes` shows. */
export function plainKernel(bytes: () => Uint8Array): PlainKernel {
  const word = (address: number): number => {
    const b = bytes();
    return (
      (b[address]! | (b[address + 1]! << 8) | (b[address + 2]! << 16) | (b[address + 3]! << 24)) >>>
      0
    );
  };
  /** Work rows: symbols in tower form. */
  const get = (row: number, w: number, c: number): number =>
    bytes()[row + c]! | (bytes()[row + w + c]! << 8);
  const set = (row: number, w: number, c: number, value: number): void => {
    bytes()[row + c] = value & 255;
    bytes()[row + w + c] = value >> 8;
  };
  /** Byte rows: big-endian symbols. */
  const getBytes = (at: number): number => (bytes()[at]! << 8) | bytes()[at + 1]!;
  const setBytes = (at: number, symbol: number): void => {
    bytes()[at] = symbol >> 8;
    bytes()[at + 1] = symbol & 255;
  };
  const layer = (
    [base, stride, w, m, size, position]: readonly number[],
    butterfly: (a: number, b: number, twiddle: number) => [number, number],
  ): void => {
    const half = 1 << m!;
    for (let block = 0; block < size!; block += 2 * half) {
      const twiddle = toTower((position! + block) >> m!);
      for (let i = block; i < block + half; i += 1) {
        const [a, b] = [base! + i * stride!, base! + (i + half) * stride!];
        for (let c = 0; c < w!; c += 1) {
          const [x, y] = butterfly(get(a, w!, c), get(b, w!, c), twiddle);
          set(a, w!, c, x);
          set(b, w!, c, y);
        }
      }
    }
  };
  const combine =
    (outputs: number) =>
    (work: number, w: number, k: number, coefficients: number, out: number): void => {
      for (let o = 0; o < outputs; o += 1) {
        for (let c = 0; c < w; c += 1) {
          let sum = 0;
          for (let row = 0; row < k; row += 1) {
            const at = coefficients + 12 * (row * outputs + o);
            const low = (word(at) - PRODUCTS) / PRODUCT_BYTES;
            const high = low ^ ((word(at + 8) - PRODUCTS) / PRODUCT_BYTES);
            if (PRODUCTS + PRODUCT_BYTES * multiply(high, 0x80) !== word(at + 4)) {
              throw new Error(`coefficients: row ${row} names tables that do not belong together`);
            }
            sum ^= multiplyTower(low | (high << 8), get(work + 2 * w * row, w, c));
          }
          set(out + 2 * w * o, w, c, sum);
        }
      }
    };
  const kernel: PlainKernel = {
    clear: (address, count) => void bytes().fill(0, address, address + count),
    copy: (to, from, count) => void bytes().copyWithin(to, from, from + count),
    copyList: (list, count) => {
      for (let at = list; at < list + 12 * count; at += 12) {
        kernel.copy(word(at + 4), word(at), word(at + 8));
      }
    },
    equal: (a, b, count) => {
      const [left, right] = [bytes().subarray(a, a + count), bytes().subarray(b, b + count)];
      return Number(left.every((byte, i) => byte === right[i]));
    },
    addRows: (target, source, count) => {
      for (let i = 0; i < count; i += 1) {
        bytes()[target + i]! ^= bytes()[source + i]!;
      }
    },
    forwardLayer: (...job) =>
      layer(job, (a, b, twiddle) => {
        const x = a ^ multiplyTower(twiddle, b);
        return [x, b ^ x];
      }),
    inverseLayer: (...job) =>
      layer(job, (a, b, twiddle) => [a ^ multiplyTower(twiddle, a ^ b), a ^ b]),
    forwardLayers2: (base, stride, w, m, size, position) => {
      kernel.forwardLayer(base, stride, w, m + 1, size, position);
      kernel.forwardLayer(base, stride, w, m, size, position);
    },
    inverseLayers2: (base, stride, w, m, size, position) => {
      kernel.inverseLayer(base, stride, w, m, size, position);
      kernel.inverseLayer(base, stride, w, m + 1, size, position);
    },
    fanOut: (source, coset1, coset2, coset3, halfBytes) => {
      [coset1, coset2, coset3].forEach((coset, i) => {
        kernel.topLayer(source, coset, halfBytes, 2 * i + 2);
      });
    },
    topLayer: (source, target, halfBytes, twiddle) => {
      kernel.copy(target, source, 2 * halfBytes);
      for (let at = target; at < target + halfBytes; at += 1) {
        bytes()[at]! ^= multiply(twiddle, bytes()[at + halfBytes]!);
        bytes()[at + halfBytes]! ^= bytes()[at]!;
      }
    },
    addTopLayers: (source, target, quarterBytes, twiddle) => {
      const copy = bytes().slice(source, source + 4 * quarterBytes);
      const quarter = (i: number): Uint8Array =>
        bytes().subarray(source + i * quarterBytes, source + (i + 1) * quarterBytes);
      const butterfly = (a: Uint8Array, b: Uint8Array, factor: number): void =>
        a.forEach((left, i) => {
          b[i]! ^= left;
          a[i] = left ^ multiply(factor, b[i]!);
        });
      butterfly(quarter(0), quarter(1), twiddle);
      butterfly(quarter(2), quarter(3), twiddle ^ 2);
      butterfly(quarter(0), quarter(2), twiddle >> 1);
      butterfly(quarter(1), quarter(3), twiddle >> 1);
      kernel.addRows(target, source, 4 * quarterBytes);
      bytes().set(copy, source);
    },
    addDerivative: (base, rowBytes, size) => {
      for (let i = 1; i < size; i += 1) {
        const width = (i & -i) * rowBytes;
        kernel.addRows(base + i * rowBytes - width, base + i * rowBytes, width);
      }
    },
    addScaled: (target, source, w, low, high) => {
      for (let c = 0; c < w; c += 1) {
        const product = multiplyTower(low | (high << 8), get(source, w, c));
        set(target, w, c, get(target, w, c) ^ product);
      }
    },
    scalePlanes: (list, count, w) => {
      for (let at = list; at < list + 16 * count; at += 16) {
        for (let c = 0; c < w; c += 1) {
          const factor = word(at + 8) | (word(at + 12) << 8);
          set(word(at + 4), w, c, multiplyTower(factor, get(word(at), w, c)));
        }
      }
    },
    combineRows1: combine(1),
    combineRows2: combine(2),
    combineRows4: combine(4),
    planesFromPayload: (payload, rowBytes, work, w, k, rows, stride) => {
      for (let row = 0; row < k; row += 1) {
        for (let c = 0; c < w; c += 1) {
          const symbol = getBytes(payload + c * rowBytes + 2 * row);
          set(work + 2 * w * row, w, c, toTower(symbol));
          if (rows !== 0) {
            setBytes(rows + row * stride + 2 * c, symbol);
          }
        }
      }
    },
    payloadFromPlanes: (payload, rowBytes, work, w, k) => {
      for (let row = 0; row < k; row += 1) {
        for (let c = 0; c < w; c += 1) {
          setBytes(payload + c * rowBytes + 2 * row, toTower(get(work + 2 * w * row, w, c)));
        }
      }
    },
    rowsFromPayload: (payload, rowBytes, list, columns, k) => {
      for (let row = 0; row < k; row += 1) {
        for (let c = 0; c < columns; c += 1) {
          setBytes(word(list + 4 * row) + 2 * c, getBytes(payload + c * rowBytes + 2 * row));
        }
      }
    },
    payloadFromRows: (payload, rowBytes, list, columns, k) => {
      for (let row = 0; row < k; row += 1) {
        for (let c = 0; c < columns; c += 1) {
          setBytes(payload + c * rowBytes + 2 * row, getBytes(word(list + 4 * row) + 2 * c));
        }
      }
    },
    planesFromRows: (list, count, offset, w) => {
      for (let at = list; at < list + 8 * count; at += 8) {
        for (let c = 0; c < w; c += 1) {
          set(word(at + 4), w, c, toTower(getBytes((word(at) + offset + 2 * c) >>> 0)));
        }
      }
    },
    scaledPlanesFromRows: (list, count, offset, w) => {
      for (let at = list; at < list + 16 * count; at += 16) {
        const factor = word(at + 8) | (word(at + 12) << 8);
        for (let c = 0; c < w; c += 1) {
          const symbol = toTower(getBytes((word(at) + offset + 2 * c) >>> 0));
          set(word(at + 4), w, c, multiplyTower(factor, symbol));
        }
      }
    },
    rowsFromPlanes: (work, w, count, rows, stride) => {
      for (let row = 0; row < count; row += 1) {
        for (let c = 0; c < w; c += 1) {
          setBytes(rows + row * stride + 2 * c, toTower(get(work + 2 * w * row, w, c)));
        }
      }
    },
    rowsFromPlanesList: (list, count, offset, w) => {
      for (let at = list; at < list + 8 * count; at += 8) {
        for (let c = 0; c < w; c += 1) {
          setBytes((word(at + 4) + offset + 2 * c) >>> 0, toTower(get(word(at), w, c)));
        }
      }
    },
    rowsFromLastLayer: (work, w, count, rows, stride, position) => {
      const copy = bytes().slice(work, work + 4 * w * Math.ceil(count / 2));
      kernel.forwardLayer(work, 2 * w, w, 0, 2 * Math.ceil(count / 2), position);
      kernel.rowsFromPlanes(work, w, count, rows, stride);
      bytes().set(copy, work);
    },
    rowsFromLastLayerList: (list, count, offset, w, discard) => {
      for (let at = list; at < list + 16 * count; at += 16) {
        const row = word(at);
        const copy = bytes().slice(row, row + 4 * w);
        kernel.forwardLayer(row, 2 * w, w, 0, 2, word(at + 12));
        for (const [planes, to] of [
          [row, word(at + 4)],
          [row + 2 * w, word(at + 8)],
        ] as const) {
          kernel.rowsFromPlanes(planes, w, 1, to === 0 ? discard : (to + offset) >>> 0, 0);
        }
        bytes().set(copy, row);
      }
    },
  };
  return kernel;
}
