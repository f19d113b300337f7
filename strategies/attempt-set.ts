/**
 * @module
 * The attempts on the way: live ones hold a slot; late ones no longer do, but their answer is still
 * welcome (upstream: "undead"; recovery spec §4.6). Bookkeeping only, no streams.
 */

/** A set of attempts with two counts. Late attempts were all started before the live ones. */
export class AttemptSet<Attempt> {
  private readonly liveOnes = new Map<number, Attempt>();
  private readonly lateOnes = new Map<number, Attempt>();

  /** Attempts that hold a slot. */
  get live(): number {
    return this.liveOnes.size;
  }

  /** All attempts without an answer, late ones included. */
  get total(): number {
    return this.liveOnes.size + this.lateOnes.size;
  }

  /** Adds a live attempt. */
  push(attemptId: number, attempt: Attempt): void {
    this.liveOnes.set(attemptId, attempt);
  }

  /** Removes an attempt that has its answer. */
  take(attemptId: number): Attempt | undefined {
    const attempt = this.liveOnes.get(attemptId) ?? this.lateOnes.get(attemptId);
    this.liveOnes.delete(attemptId);
    this.lateOnes.delete(attemptId);
    return attempt;
  }

  /** Makes every live attempt late. Returns the ids that changed, in order of their start. */
  softCancel(): readonly number[] {
    const changed = [...this.liveOnes.keys()];
    for (const [attemptId, attempt] of this.liveOnes) {
      this.lateOnes.set(attemptId, attempt);
    }
    this.liveOnes.clear();
    return changed;
  }

  /** All attempts in order of their start. */
  all(): readonly Attempt[] {
    return [...this.lateOnes.values(), ...this.liveOnes.values()];
  }
}
