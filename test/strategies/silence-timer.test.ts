import { VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { SilenceTimer } from '../../strategies/silence-timer.ts';

/** A timer of 100 ms, and the times at which it called back. */
function timerWithLog(): {
  readonly scheduler: VirtualTimeScheduler;
  readonly timer: SilenceTimer;
  readonly calledAtMs: number[];
} {
  const scheduler = new VirtualTimeScheduler();
  const calledAtMs: number[] = [];
  const timer = new SilenceTimer(scheduler, 100, () => calledAtMs.push(scheduler.now()));
  return { scheduler, timer, calledAtMs };
}

describe('SilenceTimer', () => {
  it('does nothing before something was heard', () => {
    const { scheduler, calledAtMs } = timerWithLog();
    scheduler.flush();
    expect(calledAtMs).toEqual([]);
  });

  it('calls back once, after exactly that much silence', () => {
    const { scheduler, timer, calledAtMs } = timerWithLog();
    for (const at of [0, 30, 99, 199]) {
      scheduler.schedule(() => timer.hear(), at);
    }
    scheduler.flush();
    expect(calledAtMs).toEqual([299]);
  });

  it('may be heard again from its own call', () => {
    const scheduler = new VirtualTimeScheduler();
    const calledAtMs: number[] = [];
    const timer = new SilenceTimer(scheduler, 100, () => {
      calledAtMs.push(scheduler.now());
      if (calledAtMs.length < 3) {
        timer.hear();
      }
    });
    timer.hear();
    scheduler.flush();
    expect(calledAtMs).toEqual([100, 200, 300]);
  });

  it('leaves no timer behind when stopped, and can be used again', () => {
    const { scheduler, timer, calledAtMs } = timerWithLog();
    timer.hear();
    timer.stop();
    expect(scheduler.actions).toEqual([]);
    timer.hear();
    scheduler.flush();
    expect(calledAtMs).toEqual([100]);
  });

  it('keeps one timer, however often something is heard', () => {
    const { scheduler, timer } = timerWithLog();
    for (let i = 0; i < 1_000; i += 1) {
      timer.hear();
    }
    expect(scheduler.actions).toHaveLength(1);
  });
});
