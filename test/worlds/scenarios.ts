/**
 * @module
 * The rows of recovery spec §7.2 and §7.4 that were recorded: what each is about, and in a sentence what
 * the default preset does otherwise. The lines are in the recordings and in `standard-scenarios.json`.
 */

/** One row; its scenarios are those whose name begins with it. */
export type ScenarioRow = {
  readonly about: string;
  /** Absent: alike in both presets. */
  readonly standard?: string;
};

const FEWER = 'k chunks are enough, so batches are of k; V0 is ourselves and never asked';

/** By row. */
export const SCENARIO_ROWS: Readonly<Record<string, ScenarioRow>> = {
  R1: {
    about: 'recovers from chunks when no group is given',
    standard: `${FEWER}; an answer that was on the way when the systematic phase ended still counts`,
  },
  R2: { about: 'asks no backer for everything when only chunks are wanted', standard: FEWER },
  R3: {
    about: 'takes bad proofs for bad answers, never for a bad candidate',
    standard: `${FEWER}; a holder's answer still on the way is waited for`,
  },
  R4: {
    about: 'counts the same proven chunk from everybody once',
    standard: `${FEWER}; a holder's answer still on the way is waited for`,
  },
  R5: {
    about: 'is invalid where proven chunks are no codeword',
    standard: 'two of any kind decide, for k is 2',
  },
  R6: {
    about: 'is invalid where the PoV hash is another',
    standard: 'V0 is ourselves; f+1 chunks as recorded, for that is the check by PoV hash',
  },
  R7: { about: 'recovers from one backer of the group' },
  R8: { about: 'asks for chunks alone when the data is large', standard: FEWER },
  R9: { about: 'asks a backer for everything when the data is small', standard: 'V0 is not asked' },
  R10: {
    about: 'goes on to chunks when no backer has the data, and asks backers for them too',
    standard: FEWER,
  },
  R11: { about: 'stops in the turn in which the last caller leaves' },
  R12: {
    about: 'asks again after time-outs until everybody has answered',
    standard: `${FEWER}; a holder who had its two attempts and is on the way is not doubled`,
  },
  R13: {
    about: 'goes on when a whole batch stays silent',
    standard: `${FEWER}; each answer makes room for a request at once, not after a second`,
  },
  R14: {
    about: 'counts a dropped reply as a failure that may be repeated',
    standard: `${FEWER}; each answer makes room for a request at once`,
  },
  R15: { about: 'takes the data of our own store without asking anybody' },
  R16: { about: 'answers a second time from the results kept' },
  R17: { about: 'counts our own chunk and does not ask us for it', standard: FEWER },
  R18: {
    about: 'gives up systematic chunks when our own one is corrupt and no backer is known',
    standard: FEWER,
  },
  R19: {
    about: 'asks nobody again for a systematic chunk that came or was refused',
    standard: `${FEWER}; in reverse order the chunk of V4 is not lost`,
  },
  R20: { about: 'asks holders of the mapped chunks', standard: FEWER },
  R21: {
    about: 'bounds the attempts per validator: two, then five in all',
    standard: 'V0 is not asked; each answer makes room for the next request at once',
  },
  R22: { about: 'asks a backer for the chunk of a holder that failed' },
  R23: { about: 'understands the older protocol where nothing is mapped', standard: FEWER },
  R24: {
    about: 'cannot prove an answer without index where chunks are mapped',
    standard: `${FEWER}; a holder's answer still on the way is waited for`,
  },
  R25: { about: 'skips systematic chunks without a core', standard: FEWER },
  R26: { about: 'skips systematic chunks where nothing is mapped', standard: FEWER },
  X1: { about: 'lets two callers share one recovery' },
  X2: { about: 'keeps invalid, never unavailable', standard: FEWER },
  X3: { about: 'keeps sixteen results, the least recently used goes first', standard: FEWER },
  X4: { about: 'takes an estimate that equals the limit for large' },
  X5: { about: 'goes on to the next backer, then to chunks, after wrong data', standard: FEWER },
  X6: {
    about: 'takes answers of the older protocol where the mapping is the identity',
    standard: 'V0 holds a systematic chunk, is ourselves and has nothing: any two chunks instead',
  },
  X7: {
    about: 'repeats a refusal, not "no such chunk"',
    standard: `${FEWER}; each answer makes room at once; the second attempt keeps 250 ms distance`,
  },
  X8: {
    about: 'leaves three attempts after two in the systematic phase',
    standard: `${FEWER}; the holders are repeated in another order`,
  },
  X9: { about: 'ignores bytes after an answer' },
  X10: { about: 'refuses proofs out of bounds and takes those within', standard: FEWER },
};

/** The row of a scenario's name; `undefined` for a recording that is in no row. */
export function rowOf(name: string): string | undefined {
  return /^[RX]\d+/.exec(name)?.[0];
}
