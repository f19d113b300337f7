import { describe, expect, it } from 'vitest';
import { CODING_V1 } from '../../src/coding/coding.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { RenewedWork } from '../../src/coding/renewed-work.ts';

describe('RenewedWork', () => {
  it('makes nothing before it is used, one thing until it is closed, and another after that', () => {
    const notes: string[] = [];
    const subject = {
      coding: CODING_V1([]),
      erasureRoot: new Uint8Array(32),
      validatorCount: 7,
    };
    const work = new RenewedWork(() => {
      notes.push('made');
      return { ...plainWork(), close: () => notes.push('closed') };
    });
    work.close();
    expect(notes).toEqual([]);
    expect(work.description.engine).toBe('scalar');
    work.open(subject).close();
    work.open(subject).close();
    work.close();
    work.close();
    expect(notes).toEqual(['made', 'closed']);
    work.open(subject).close();
    expect(notes).toEqual(['made', 'closed', 'made']);
  });
});
