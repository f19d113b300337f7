/**
 * @module
 * The base of all typed errors and the two unions that the synchronous floors throw.
 * Expected answers of peers are values, not errors; misuse is a `TypeError` or `RangeError`.
 */

/** Numbers and words needed to act on an error. Never bytes that a peer chose. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | undefined>>;

/** Base of every typed error of this package; callers test {@link hasCode}, not `instanceof`. */
export abstract class AvailabilityError<Code extends string> extends Error {
  /** Name of the area that failed. */
  abstract override readonly name: string;
  /** What went wrong, one of the area's codes. */
  readonly code: Code;
  /** Numbers needed to act. */
  readonly details: ErrorDetails;

  /** @param cause - The error below, when there is one. */
  constructor(code: Code, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/**
 * Why the erasure code refused its input. The spellings are those of the reference crate in
 * snake_case (erasure spec §2).
 *
 * - `too_many_validators`: more than 65,536.
 * - `not_enough_validators`: fewer than 2.
 * - `bad_payload`: encoding of an empty payload.
 * - `uneven_length`: a chunk of odd length.
 * - `chunk_index_out_of_bounds`: a chunk index at or above the number of validators.
 * - `not_enough_chunks`: fewer distinct chunks than the code needs.
 * - `unknown_reconstruction`: the first chunk is empty.
 * - `non_uniform_chunks`: the chunks differ in length.
 */
export type ErasureErrorCode =
  | 'too_many_validators'
  | 'not_enough_validators'
  | 'bad_payload'
  | 'uneven_length'
  | 'chunk_index_out_of_bounds'
  | 'not_enough_chunks'
  | 'unknown_reconstruction'
  | 'non_uniform_chunks';

/** The erasure code refused its input. */
export class ErasureError extends AvailabilityError<ErasureErrorCode> {
  override readonly name = 'ErasureError';
}

/**
 * Why foreign bytes did not decode.
 *
 * - `unexpected_end`: the value needs more bytes than there are.
 * - `non_canonical_compact`: a compact integer in a longer form than needed.
 * - `out_of_range`: a number or length above its limit.
 * - `unknown_variant`: a discriminant that names no variant.
 * - `bad_proof_bounds`: a proof with 0 or more than 8 nodes, or a node of 0 or more than 612 bytes.
 * - `bad_length`: a value of fixed size came with another size.
 * - `bad_hex`: text that is no hex string.
 */
export type CodecErrorCode =
  | 'unexpected_end'
  | 'non_canonical_compact'
  | 'out_of_range'
  | 'unknown_variant'
  | 'bad_proof_bounds'
  | 'bad_length'
  | 'bad_hex';

/** Foreign bytes did not decode; `details.offset` is where. Decoders throw nothing else. */
export class CodecError extends AvailabilityError<CodecErrorCode> {
  override readonly name = 'CodecError';
}

/** Whether an error carries this code. Works across copies of the package, unlike `instanceof`. */
export function hasCode<Code extends string>(
  error: unknown,
  code: Code,
): error is Error & { readonly code: Code } {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Whether an error belongs to this area, e.g. `CodecError`. Works across copies of the package. */
export function isErrorOf<Name extends string>(
  error: unknown,
  name: Name,
): error is AvailabilityError<string> & { readonly name: Name } {
  return error instanceof Error && error.name === name && 'code' in error && 'details' in error;
}

/** Ends an impossible branch, so that a new union member fails to compile. */
export function unreachable(value: never): never {
  throw new TypeError(`unreachable value: ${String(value)}`);
}
