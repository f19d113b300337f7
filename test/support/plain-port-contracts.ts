/**
 * @module
 * What metrics sinks, loggers and runtimes guarantee: the ports that are plain calls.
 */

import { describe, expect, it } from 'vitest';
import type { Logger, MetricsSink, Runtime } from '../../src/recovery/ports.ts';

const LABELS = [undefined, {}, { type: 'regular_chunks' }, { 'odd "name"': 'odd\n"value"' }];

/** The suite for metrics sinks. */
export function metricsContract(name: string, make: () => MetricsSink): void {
  describe(`MetricsSink: ${name}`, () => {
    it('never throws and returns at once, whatever it is given', () => {
      const sink = make();
      for (const labels of LABELS) {
        for (const value of [undefined, 0, 1, 1e300, -1, Number.NaN]) {
          expect(sink.increment('a_total', labels, value)).toBeUndefined();
          expect(sink.observe('b_seconds', value ?? 0, labels)).toBeUndefined();
        }
      }
    });
  });
}

/** The suite for loggers. */
export function loggerContract(name: string, make: () => Logger): void {
  describe(`Logger: ${name}`, () => {
    it('never throws and returns at once, whatever the fields hold', () => {
      const logger = make();
      const round: Record<string, unknown> = {};
      round['self'] = round;
      const odd = {
        get broken(): never {
          throw new Error('a getter that throws');
        },
      };
      const fields = [undefined, {}, { n: 1n }, { cause: new Error('x') }, round, { odd }];
      for (const level of ['debug', 'info', 'warn', 'error'] as const) {
        for (const one of fields) {
          expect(logger[level]('event', one)).toBeUndefined();
        }
      }
    });
  });
}

/** A runtime and the lever of its clock. */
export type RuntimeUnderTest = {
  readonly runtime: Runtime;
  /** Lets time pass. */
  pass(ms: number): void;
};

/** The suite for runtimes. */
export function runtimeContract(name: string, make: () => RuntimeUnderTest): void {
  describe(`Runtime: ${name}`, () => {
    it('runs work once, not before its time, in the order of the times', () => {
      const { runtime, pass } = make();
      const ran: [string, number][] = [];
      const startMs = runtime.scheduler.now();
      for (const [what, delay] of [
        ['late', 300],
        ['early', 100],
        ['same', 100],
      ] as const) {
        runtime.scheduler.schedule(
          () => ran.push([what, runtime.scheduler.now() - startMs]),
          delay,
        );
      }
      pass(99);
      expect(ran).toEqual([]);
      pass(1);
      expect(ran).toEqual([
        ['early', 100],
        ['same', 100],
      ]);
      pass(1_000);
      expect(ran.slice(2)).toEqual([['late', 300]]);
    });

    it('does not run work that was taken back', () => {
      const { runtime, pass } = make();
      let count = 0;
      const work = runtime.scheduler.schedule(() => {
        count += 1;
      }, 10);
      pass(5);
      work.unsubscribe();
      pass(100);
      expect(count).toBe(0);
    });

    it('has a clock that moves with the time that passes', () => {
      const { runtime, pass } = make();
      const startMs = runtime.scheduler.now();
      pass(250);
      expect(runtime.scheduler.now() - startMs).toBe(250);
    });

    it('draws 32-bit words', () => {
      const { random } = make().runtime;
      const words = Array.from({ length: 200 }, () => random.nextU32());
      expect(
        words.filter((word) => !(Number.isInteger(word) && word >= 0 && word < 2 ** 32)),
      ).toEqual([]);
      expect(new Set(words).size).toBeGreaterThan(190);
    });
  });
}
