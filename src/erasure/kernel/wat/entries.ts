/**
 * @module
 * Loops over lists in memory.
 */

import { add, type Body, type Local, less, load32, mul } from './function-text.ts';

type Address = Local<'i32'>;

/** Runs the body for each entry of a list, with the entry's words in locals. */
export function eachEntry(
  f: Body,
  list: { readonly list: Address; readonly count: Address; readonly words: number },
  body: (words: readonly Address[]) => void,
): void {
  const entryBytes = 4 * list.words;
  const end = f.let(add(list.list, mul(list.count, entryBytes)));
  const words = Array.from({ length: list.words }, () => f.local('i32'));
  f.while(
    () => less(list.list, end),
    () => {
      words.forEach((word, i) => {
        f.set(word, load32(list.list, 4 * i));
      });
      body(words);
      f.advance(list.list, entryBytes);
    },
  );
}
