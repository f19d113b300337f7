//! Wall time and CPU time of repetitions.

use std::time::Instant;

/// Milliseconds of each repetition.
pub struct Times {
    pub wall_ms: Vec<f64>,
    pub cpu_ms: Vec<f64>,
}

/// CPU time of this thread so far, in milliseconds.
fn thread_cpu_ms() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec that lives through the call.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the system has a clock for threads");
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Runs `job` so many times and gives the result of the last. Dropping a result is not timed.
pub fn timed<R>(repetitions: usize, mut job: impl FnMut() -> R) -> (Times, R) {
    timed_with(repetitions, || (), |()| job())
}

/// The same with an input that is made anew, untimed, for each repetition.
pub fn timed_with<S, R>(
    repetitions: usize,
    mut prepare: impl FnMut() -> S,
    mut job: impl FnMut(S) -> R,
) -> (Times, R) {
    let mut times = Times {
        wall_ms: Vec::new(),
        cpu_ms: Vec::new(),
    };
    let mut last = None;
    for _ in 0..repetitions {
        drop(last.take());
        let input = prepare();
        let (wall, cpu) = (Instant::now(), thread_cpu_ms());
        let result = job(input);
        times.cpu_ms.push(thread_cpu_ms() - cpu);
        times.wall_ms.push(wall.elapsed().as_secs_f64() * 1e3);
        last = Some(result);
    }
    (times, last.expect("at least one repetition"))
}
