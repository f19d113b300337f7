/**
 * @module
 * The words that events, account and metrics share. Spelled as upstream spells them, where it does.
 */

/** The ways to get the data; also the metric label, spelled as upstream spells it. */
export type StrategyType = 'full_from_backers' | 'systematic_chunks' | 'regular_chunks';

/** Every strategy type, in the order in which the default plan tries them. */
export const STRATEGY_TYPES: readonly StrategyType[] = [
  'full_from_backers',
  'systematic_chunks',
  'regular_chunks',
];

/** What is asked for: one chunk, or the full data. */
export type AttemptKind = 'chunk' | 'available_data';

/**
 * What one attempt brought. `canceled` (upstream's spelling) is counted under `error` in metrics.
 * `success` for full data means that it passed the check.
 */
export type AnswerType =
  | 'success'
  | 'no_such_chunk'
  | 'no_such_data'
  | 'timeout'
  | 'invalid'
  | 'error'
  | 'canceled';

/**
 * Why a strategy ended.
 *
 * - `recovered`: it has the data.
 * - `sources_exhausted`: what is held, on the way and still to be asked is less than needed.
 * - `nobody_to_ask`: there was no source at the start.
 * - `too_large`: a backer announced more than the size limit.
 * - `out_of_time`: the strategy's share of time is over.
 * - `not_decodable`: the proven chunks do not decode.
 * - `check_failed`: the decoded data is not what was committed to.
 */
export type StrategyEndReason =
  | 'recovered'
  | 'sources_exhausted'
  | 'nobody_to_ask'
  | 'too_large'
  | 'out_of_time'
  | 'not_decodable'
  | 'check_failed';

/** Who supplied the result: a strategy, our own store, or an earlier recovery. */
export type RecoveredFrom = StrategyType | 'store' | 'cache';
