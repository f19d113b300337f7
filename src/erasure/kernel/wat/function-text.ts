/**
 * @module
 * Writes WebAssembly text: typed values, and one function at a time by statements. It knows the
 * instructions that kernels use and nothing of codes or hashes. For the generator only, never shipped.
 */

/** Types of locals. */
export type ValueType = 'i32' | 'i64' | 'v128';

/** An expression of one type. Used twice, it is computed twice: see {@link Body.let}. */
export type Value<T extends ValueType> = { readonly type: T; readonly text: string };

/** A parameter or local: an expression that reads it, and a name to set it by. */
export type Local<T extends ValueType> = Value<T> & { readonly name: string };

/** What an i32 instruction takes; numbers become constants. */
export type I32 = Value<'i32'> | number;
/** A 64-bit value. */
export type I64 = Value<'i64'>;
/** A 128-bit value. */
export type V128 = Value<'v128'>;

/** One function, ready for {@link moduleText}. */
export type FunctionText = {
  /** Name of the export. */
  readonly name: string;
  readonly text: string;
};

/** An expression from its text: the way to an instruction that has no helper here. */
export function value<T extends ValueType>(type: T, text: string): Value<T> {
  return { type, text };
}

function i32Text(operand: I32): string {
  return typeof operand === 'number' ? `(i32.const ${operand})` : operand.text;
}

function operation(name: string, ...operands: readonly I32[]): Value<'i32'> {
  return value('i32', `(i32.${name} ${operands.map(i32Text).join(' ')})`);
}

/** i32 sum. */
export const add = (a: I32, b: I32): Value<'i32'> => operation('add', a, b);
/** i32 difference. */
export const sub = (a: I32, b: I32): Value<'i32'> => operation('sub', a, b);
/** i32 product. */
export const mul = (a: I32, b: I32): Value<'i32'> => operation('mul', a, b);
/** i32 shift left. */
export const shl = (a: I32, b: I32): Value<'i32'> => operation('shl', a, b);
/** i32 shift right, zeros come in. */
export const shr = (a: I32, b: I32): Value<'i32'> => operation('shr_u', a, b);
/** i32 AND. */
export const and32 = (a: I32, b: I32): Value<'i32'> => operation('and', a, b);
/** i32 XOR. */
export const xor32 = (a: I32, b: I32): Value<'i32'> => operation('xor', a, b);
/** 1 when `a < b`, unsigned. */
export const less = (a: I32, b: I32): Value<'i32'> => operation('lt_u', a, b);
/** 1 when equal. */
export const same = (a: I32, b: I32): Value<'i32'> => operation('eq', a, b);
/** 1 when 0. */
export const isZero = (a: I32): Value<'i32'> => operation('eqz', a);

/** `a` where the condition is not 0, else `b`; both are computed, and there is no branch. */
export function select(a: I32, b: I32, condition: I32): Value<'i32'> {
  return value('i32', `(select ${i32Text(a)} ${i32Text(b)} ${i32Text(condition)})`);
}

/** Reads a byte at `address + offset`. */
export function load8(address: I32, offset = 0): Value<'i32'> {
  return value('i32', `(i32.load8_u offset=${offset} ${i32Text(address)})`);
}

/** Reads 16 bits, little-endian. */
export function load16(address: I32, offset = 0): Value<'i32'> {
  return value('i32', `(i32.load16_u offset=${offset} ${i32Text(address)})`);
}

/** Reads 32 bits, little-endian. */
export function load32(address: I32, offset = 0): Value<'i32'> {
  return value('i32', `(i32.load offset=${offset} ${i32Text(address)})`);
}

/** Reads 64 bits, little-endian. */
export function load64(address: I32, offset = 0): Value<'i64'> {
  return value('i64', `(i64.load offset=${offset} ${i32Text(address)})`);
}

/** Reads 16 bytes. */
export function loadV(address: I32, offset = 0): Value<'v128'> {
  return value('v128', `(v128.load offset=${offset} ${i32Text(address)})`);
}

/** A vector instruction with vector operands, such as `i64x2.add`. */
export function vector(name: string, ...operands: readonly V128[]): Value<'v128'> {
  return value('v128', `(${name} ${operands.map(({ text }) => text).join(' ')})`);
}

/** XOR of vectors, left to right. */
export function xor(first: V128, ...rest: readonly V128[]): Value<'v128'> {
  return rest.reduce((sum, next) => vector('v128.xor', sum, next), first);
}

/** AND of two vectors. */
export const and = (a: V128, b: V128): Value<'v128'> => vector('v128.and', a, b);

/** A vector shift by a constant or an i32, such as `i16x8.shr_u`. */
export function shift(name: string, a: V128, by: I32): Value<'v128'> {
  return value('v128', `(${name} ${a.text} ${i32Text(by)})`);
}

/** `i8x16.shuffle`: byte `i` of the result is byte `lanes[i]` of `a` (0-15) or of `b` (16-31). */
export function shuffle(lanes: readonly number[], a: V128, b: V128): Value<'v128'> {
  return value('v128', `(i8x16.shuffle ${lanes.join(' ')} ${a.text} ${b.text})`);
}

/** Statements of one function. Blocks are nested by callbacks, which add to the same function. */
export class Body {
  readonly #locals: string[] = [];
  readonly #statements: string[] = [];
  #count = 0;

  /** A new local, 0 at first. */
  local<T extends ValueType>(type: T): Local<T> {
    const name = `$${type.charAt(0)}${this.#count}`;
    this.#count += 1;
    this.#locals.push(`(local ${name} ${type})`);
    return { type, name, text: `(local.get ${name})` };
  }

  /** A new local that holds what the expression gives at this place. */
  let<T extends ValueType>(expression: Value<T>): Local<T> {
    const local = this.local(expression.type);
    this.set(local, expression);
    return local;
  }

  /** {@link Body.let} of a 32-bit value, which may be a number. */
  let32(expression: I32): Local<'i32'> {
    return this.let(value('i32', i32Text(expression)));
  }

  /** Sets a local. */
  set<T extends ValueType>(local: Local<T>, expression: Value<T>): void {
    this.do(`(local.set ${local.name} ${expression.text})`);
  }

  /** Sets a 32-bit local; numbers are allowed. */
  set32(local: Local<'i32'>, expression: I32): void {
    this.do(`(local.set ${local.name} ${i32Text(expression)})`);
  }

  /** `local += step`. */
  advance(local: Local<'i32'>, step: I32): void {
    this.set(local, add(local, step));
  }

  /** Writes 16 bytes at `address + offset`. */
  storeV(address: I32, vector128: V128, offset = 0): void {
    this.do(`(v128.store offset=${offset} ${i32Text(address)} ${vector128.text})`);
  }

  /** Writes 32 bits, little-endian. */
  store32(address: I32, word: I32, offset = 0): void {
    this.do(`(i32.store offset=${offset} ${i32Text(address)} ${i32Text(word)})`);
  }

  /** Writes the low 16 bits of a word, little-endian. */
  store16(address: I32, word: I32, offset = 0): void {
    this.do(`(i32.store16 offset=${offset} ${i32Text(address)} ${i32Text(word)})`);
  }

  /** Writes 64 bits, little-endian. */
  store64(address: I32, word: I64, offset = 0): void {
    this.do(`(i64.store offset=${offset} ${i32Text(address)} ${word.text})`);
  }

  /** Runs the body once and again as long as the condition holds after it. */
  repeat(body: () => void, condition: () => Value<'i32'>): void {
    const label = `$L${this.#count}`;
    this.#count += 1;
    this.do(`(loop ${label}`);
    body();
    this.do(`(br_if ${label} ${condition().text}))`);
  }

  /** Runs the body as long as the condition holds before it: maybe never. */
  while(condition: () => Value<'i32'>, body: () => void): void {
    this.if(condition(), () => {
      this.repeat(body, condition);
    });
  }

  /** Runs one branch. */
  if(condition: Value<'i32'>, then: () => void, otherwise?: () => void): void {
    this.do(`(if ${condition.text} (then`);
    then();
    this.do(otherwise === undefined ? '))' : ') (else');
    if (otherwise !== undefined) {
      otherwise();
      this.do('))');
    }
  }

  /** Ends the function; the value is that of a function with a result. */
  return(result?: I32): void {
    this.do(`(return ${result === undefined ? '' : i32Text(result)})`);
  }

  /** A statement from its text. */
  do(text: string): void {
    this.#statements.push(text);
  }

  /** All locals and statements so far. */
  text(): string {
    return `${this.#locals.join(' ')}\n${this.#statements.join('\n')}`;
  }
}

/**
 * A function that is exported under its name.
 *
 * @param parameters - Names of i32 parameters, in order.
 * @param write - Adds the statements. What it returns is the result of the function, if any.
 */
export function functionText<const Names extends readonly string[]>(
  name: string,
  parameters: Names,
  write: (f: Body, p: { readonly [N in Names[number]]: Local<'i32'> }) => I32 | undefined,
): FunctionText {
  const body = new Body();
  const locals = Object.fromEntries(
    parameters.map((parameter) => {
      const local = { type: 'i32', name: `$${parameter}`, text: `(local.get $${parameter})` };
      return [parameter, local];
    }),
  ) as { readonly [N in Names[number]]: Local<'i32'> };
  const result = write(body, locals);
  const head = parameters.map((parameter) => `(param $${parameter} i32)`).join(' ');
  const type = result === undefined ? '' : ' (result i32)';
  const end = result === undefined ? '' : `\n${i32Text(result)}`;
  return {
    name,
    text: `(func (export "${name}") ${head}${type} ${body.text()}${end})`,
  };
}

/** Bytes that a module writes into its memory when it is instantiated. */
export type DataSegment = { readonly address: number; readonly bytes: Uint8Array };

/** Bytes in the notation of text strings: `\hh` for each. */
function dataText({ address, bytes }: DataSegment): string {
  const text = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  return `(data (i32.const ${address}) "${text}")`;
}

/**
 * A module that imports its memory as `env.memory`, of any size up to 4 GiB.
 *
 * @param isShared - Whether the memory is one that threads share.
 */
export function moduleText(
  functions: readonly FunctionText[],
  data: readonly DataSegment[],
  isShared: boolean,
): string {
  const memory = `(import "env" "memory" (memory 1 65536${isShared ? ' shared' : ''}))`;
  const parts = [memory, ...data.map(dataText), ...functions.map(({ text }) => text)];
  return `(module\n${parts.join('\n')}\n)\n`;
}
