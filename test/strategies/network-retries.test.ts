import { describe, expect, it } from 'vitest';
import type { RequestErrorCode } from '../../src/recovery/ports.ts';
import { retryRule } from '../../strategies/network-retries.ts';

const CODES: Readonly<Record<RequestErrorCode, 'never' | number>> = {
  not_connected: 0,
  dial_failed: 'never',
  unsupported_protocol: 'never',
  refused: 250,
  timeout: 0,
  truncated: 0,
  reset: 0,
  connection_closed: 0,
  too_large: 'never',
  bad_prefix: 'never',
  cancelled: 0,
};

describe('retryRule', () => {
  it.each(Object.entries(CODES))('by_code: %s may be repeated after %s', (code, after) => {
    const rule = retryRule(code, 'by_code');
    expect(rule.type === 'never' ? 'never' : rule.delayMs).toBe(after);
  });

  it.each(Object.keys(CODES))('alike: %s may be repeated at once', (code) => {
    expect(retryRule(code, 'alike')).toEqual({ type: 'after', delayMs: 0 });
  });

  it.each(['no_answer', 'source_failed', 'constructor', '__proto__'])(
    'counts %s, which is no code of a request, like any other network error',
    (code) => {
      expect(retryRule(code, 'by_code')).toEqual({ type: 'after', delayMs: 0 });
    },
  );
});
