import { describe, expect, it } from 'vitest';
import { desiredRegular, desiredSystematic, isUnavailable } from '../../strategies/predicates.ts';

describe('isUnavailable', () => {
  it.each([
    [0, 0, 0, 0],
    [2, 2, 2, 0],
    [3, 0, 10, 3],
    [3, 2, 0, 3],
    [3, 2, 10, 3],
    [0, 0, 10, 3],
    [0, 0, 3, 3],
    [1, 1, 1, 3],
  ])(
    'R44: goes on with %i held, %i on the way, %i queued for %i',
    (held, inFlight, queued, needed) => {
      expect(isUnavailable({ held, inFlight, queued }, needed)).toBe(false);
    },
  );

  it.each([
    [0, 0, 0, 3],
    [2, 3, 2, 10],
  ])(
    'R44: gives up with %i held, %i on the way, %i queued for %i',
    (held, inFlight, queued, needed) => {
      expect(isUnavailable({ held, inFlight, queued }, needed)).toBe(true);
    },
  );
});

describe('desiredRegular', () => {
  it.each([
    { held: 0, threshold: 34, responses: 0, errors: 0, wanted: 34 },
    { held: 0, threshold: 34, responses: 1, errors: 1, wanted: 34 },
    { held: 0, threshold: 52, responses: 1, errors: 1, wanted: 50 },
    { held: 1, threshold: 34, responses: 2, errors: 1, wanted: 34 },
    { held: 9, threshold: 34, responses: 10, errors: 1, wanted: 27 },
    { held: 9, threshold: 59, responses: 10, errors: 1, wanted: 50 },
    { held: 10, threshold: 34, responses: 10, errors: 0, wanted: 24 },
  ])(
    'R45: wants $wanted with $held of $threshold held, $errors errors in $responses answers',
    (row) => {
      const { held, threshold, responses, errors, wanted } = row;
      expect(desiredRegular(held, threshold, 50, { responses, errors })).toBe(wanted);
    },
  );

  it('wants nothing more once the threshold is passed', () => {
    expect(desiredRegular(40, 34, 50, { responses: 50, errors: 10 })).toBe(0);
  });
});

describe('desiredSystematic', () => {
  it.each([
    [0, 32, 32],
    [5, 32, 27],
    [200, 32, 0],
    [0, 100, 50],
    [50, 52, 2],
  ])('R46: with %i of %i held wants %i', (held, threshold, wanted) => {
    expect(desiredSystematic(held, threshold, 50)).toBe(wanted);
  });
});
