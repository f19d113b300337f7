/**
 * @module
 * The attempts on the way: live ones hold a slot; late ones no longer do, but their answer is still
 * welcome (upstream: "undead"; recovery spec §4.6). Bookkeeping only, no streams.
 */

/** A set of attempts with two counts. */
export class AttemptSet<Attempt> {
  private readonly attempts = new Map<number, { readonly attempt: Attempt; isLate: boolean }>();
  private liveCount = 0;

  /** Attempts that hold a slot. */
  get live(): number {
    return this.liveCount;
  }

  /** All attempts without an answer, late ones included. */
  get total(): number {
    return this.attempts.size;
  }

  /** Adds a live attempt. */
  push(attemptId: number, attempt: Attempt): void {
    this.attempts.set(attemptId, { attempt, isLate: false });
    this.liveCount += 1;
  }

  /** Removes an attempt that has its answer. */
  take(attemptId: number): Attempt | undefined {
    const entry = this.attempts.get(attemptId);
    if (entry === undefined) {
      return undefined;
    }
    this.attempts.delete(attemptId);
    this.liveCount -= entry.isLate ? 0 : 1;
    return entry.attempt;
  }

  /** Makes every live attempt late. Returns the ids that changed, in order of their start. */
  softCancel(): readonly number[] {
    const changed: number[] = [];
    for (const [attemptId, entry] of this.attempts) {
      if (!entry.isLate) {
        entry.isLate = true;
        changed.push(attemptId);
      }
    }
    this.liveCount = 0;
    return changed;
  }

  /** All attempts in order of their start. */
  all(): readonly Attempt[] {
    return [...this.attempts.values()].map((entry) => entry.attempt);
  }
}
