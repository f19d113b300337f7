import type { Subscription } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Admission, type Ticket } from '../../src/recovery/admission.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';

/** Enters under a name; names are noted when they are let in, errors as `name!reason`. */
function entrance(admission: Admission): {
  readonly noted: string[];
  enter(name: string, deadlineMs?: number, then?: () => void): Subscription & { ticket: Ticket };
} {
  const noted: string[] = [];
  return {
    noted,
    enter(name, deadlineMs = Number.POSITIVE_INFINITY, then = () => {}) {
      const ticket = { deadlineMs };
      const subscription = admission.enter(ticket).subscribe({
        next: () => {
          noted.push(name);
          then();
        },
        error: (error: unknown) =>
          noted.push(`${name}!${(error as RecoveryError).details['reason']}`),
      });
      return Object.assign(subscription, { ticket });
    },
  };
}

describe('Admission', () => {
  it('lets in as many as may run, and the next when one leaves', () => {
    const { noted, enter } = entrance(new Admission(2, 9));
    const first = enter('a');
    enter('b');
    enter('c');
    expect(noted).toEqual(['a', 'b']);
    first.unsubscribe();
    expect(noted).toEqual(['a', 'b', 'c']);
  });

  it('lets in by deadline, equal ones in order of arrival, also when one becomes earlier', () => {
    const { noted, enter } = entrance(new Admission(1, 9));
    let running = enter('a');
    const [late, soon, never, raised] = [
      enter('late', 90),
      enter('soon', 10),
      enter('x'),
      enter('y'),
    ];
    raised.ticket.deadlineMs = 20;
    for (const next of [soon, raised, late, never]) {
      running.unsubscribe();
      running = next;
    }
    expect(noted).toEqual(['a', 'soon', 'y', 'late', 'x']);
  });

  it('refuses one more than may wait, as overloaded', () => {
    const { noted, enter } = entrance(new Admission(1, 1));
    enter('a');
    enter('b');
    enter('c');
    expect(noted).toEqual(['a', 'c!overloaded']);
  });

  it('admits at once where nobody may wait', () => {
    const { noted, enter } = entrance(new Admission(1, 0));
    enter('a').unsubscribe();
    enter('b');
    expect(noted).toEqual(['a', 'b']);
  });

  it('forgets who stops waiting', () => {
    const { noted, enter } = entrance(new Admission(1, 1));
    const first = enter('a');
    enter('b').unsubscribe();
    enter('c');
    first.unsubscribe();
    expect(noted).toEqual(['a', 'c']);
  });

  it('lets thousands in that leave inside their turn, without a deep stack', () => {
    const { noted, enter } = entrance(new Admission(1, 20_000));
    const first = enter('first');
    const places: Subscription[] = [];
    for (let i = 0; i < 20_000; i += 1) {
      places.push(enter('x', i, () => places[i]?.unsubscribe()));
    }
    first.unsubscribe();
    expect(noted.length).toBe(20_001);
  });

  it('goes on with more that wait than a call takes arguments', () => {
    const { noted, enter } = entrance(new Admission(1, 300_000));
    const first = enter('a');
    for (let i = 0; i < 200_000; i += 1) {
      enter(`${i}`, 200_000 - i);
    }
    first.unsubscribe();
    expect(noted).toEqual(['a', '199999']);
  });
});
