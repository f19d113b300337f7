/**
 * @module
 * Chance that makes the shuffles come out in a wanted order, so that a recorded run can be replayed
 * exactly. Without orders it is a seeded generator.
 */

import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import type { Random } from '../../src/primitives/random.ts';

/** See the module. */
export class SteeredRandom implements Random {
  private words: number[] = [];
  private readonly free: Random;

  /** @param seed - Of what is drawn beyond the wanted orders. */
  constructor(seed: number) {
    this.free = new ChaCha8(new Uint8Array(32).fill(seed % 256));
  }

  /** The next shuffles are of these lists and are to give these orders; earlier wishes are forgotten. */
  steer(
    shuffles: readonly { readonly from: readonly number[]; readonly to: readonly number[] }[],
  ): void {
    this.words = shuffles.flatMap(({ from, to }) => wordsFor(from, to));
  }

  /** See the port. */
  nextU32(): number {
    return this.words.shift() ?? this.free.nextU32();
  }
}

/** The words that make `shuffle` turn one order into the other. */
function wordsFor(from: readonly number[], to: readonly number[]): readonly number[] {
  const items = [...from];
  const words: number[] = [];
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = items.indexOf(to[i] ?? Number.NaN);
    if (j < 0 || j > i) {
      throw new RangeError(`to: expected an order of ${from.join(' ')}, got ${to.join(' ')}`);
    }
    // The smallest word whose product with the bound has j as its high half.
    words.push(Math.ceil((j * 2 ** 32) / (i + 1)));
    [items[i], items[j]] = [items[j] as number, items[i] as number];
  }
  return words;
}
