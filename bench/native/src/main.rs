//! Runs the reference crates on deterministic payloads for `bench/native.ts`, which alternates it with ours.
//!
//! One JSON question per line on stdin, one JSON answer per line on stdout, until stdin ends:
//!
//! ```text
//! {"job":"producer","payloadBytes":10485760,"validators":1000,"repetitions":1}
//! {"job":"producer","payloadBytes":10485760,"validators":1000,"wallMs":[415.2],"cpuMs":[414.8],"digest":"…"}
//! ```
//!
//! `cpuMs` is the time of the thread, which does not count waiting for a busy core. A question that cannot be
//! answered gets `{"error":"…"}`. The process stays alive, so that its heap and caches are warm as a node's are.

mod case;
mod clock;
mod single;
mod whole;

use case::Case;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What a driver asks for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Question {
    job: String,
    payload_bytes: usize,
    validators: usize,
    repetitions: usize,
}

/// Times of each repetition in milliseconds, and a digest of what the last one gave.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    job: &'a str,
    payload_bytes: usize,
    validators: usize,
    wall_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
    digest: String,
}

#[derive(Serialize)]
struct Refusal {
    error: String,
}

/// Answers one line. `kept` is the case of the line before: drivers stay with one for many questions.
fn answer(line: &str, kept: &mut Option<Case>) -> Result<String, String> {
    let question: Question = serde_json::from_str(line).map_err(|e| e.to_string())?;
    let Question {
        job,
        payload_bytes,
        validators,
        repetitions,
    } = &question;
    if !kept
        .as_ref()
        .is_some_and(|c| c.is_for(*payload_bytes, *validators))
    {
        *kept = None;
        *kept = Some(Case::new(*payload_bytes, *validators)?);
    }
    let case = kept.as_ref().ok_or("no case")?;
    let repetitions = (*repetitions).max(1);
    let (times, digest) = single::run(job, case, repetitions)
        .or_else(|| whole::run(job, case, repetitions))
        .ok_or_else(|| format!("no such job: {job}"))?;
    serde_json::to_string(&Answer {
        job,
        payload_bytes: *payload_bytes,
        validators: *validators,
        wall_ms: times.wall_ms,
        cpu_ms: times.cpu_ms,
        digest,
    })
    .map_err(|e| e.to_string())
}

fn main() -> std::io::Result<()> {
    let mut kept = None;
    for line in std::io::stdin().lock().lines() {
        let text = match answer(&line?, &mut kept) {
            Ok(text) => text,
            Err(error) => serde_json::to_string(&Refusal { error })?,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}
