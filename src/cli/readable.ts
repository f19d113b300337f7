/**
 * @module
 * Numbers as people read them: three digits and a unit. Nothing that is there is rounded to nothing.
 */

/** A number of things: `1 chunk`, `2 chunks`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** A size. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = 0;
  // 1023.5 is the least that three digits would write as 1024.
  while (value >= (unit === 0 ? 1024 : 1023.5) && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${value} B` : `${fixedDigits(value)} ${units[unit]}`;
}

/** A time, given in milliseconds. */
export function readableMs(ms: number): string {
  if (ms <= 0) {
    return '0 ms';
  }
  if (ms < 0.001) {
    return 'under 1 µs';
  }
  if (ms < 1) {
    return `${threeDigits(ms * 1_000)} µs`;
  }
  if (ms < 1_000) {
    return `${threeDigits(ms)} ms`;
  }
  if (ms < 59_950) {
    return `${threeDigits(ms / 1_000)} s`;
  }
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Three digits, or all before the point where there are more, without zeros at the end. */
function threeDigits(value: number): string {
  return String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** The same with its zeros, so that columns of sizes stay as wide as they are. */
function fixedDigits(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : value.toPrecision(3);
}
