//! Whole jobs, by the calls that a node makes.
//!
//! Recovered data is checked as upstream does: each chunk by its proof and hash, and where a job says `checked`
//! (and for `checker`) the data by encoding it again and comparing roots.

use crate::case::Case;
use crate::clock::{timed, Times};
use crate::single::digest_of;
use parity_scale_codec::Encode;
use polkadot_erasure_coding as erasure;
use polkadot_node_primitives::{AvailableData, Proof};
use polkadot_primitives::{BlakeTwo256, HashT};

/// Chunks, their hashes, the root and all proofs.
fn produce(case: &Case) -> (Vec<Vec<u8>>, Vec<Proof>, Vec<u8>) {
    let chunks = erasure::obtain_chunks_v1(case.validators, &case.data).expect("can be encoded");
    let branches = erasure::branches(&chunks);
    let root = branches.root().as_bytes().to_vec();
    let proofs = branches.map(|(proof, _)| proof).collect();
    (chunks, proofs, root)
}

/// Root and all proofs of chunks that are there already.
fn commit(case: &Case) -> (Vec<Proof>, Vec<u8>) {
    let branches = erasure::branches(&case.chunks);
    let root = branches.root().as_bytes().to_vec();
    (branches.map(|(proof, _)| proof).collect(), root)
}

fn verify(case: &Case, indices: &[usize]) {
    for &i in indices {
        let proven = erasure::branch_hash(&case.root, &case.proofs[i], i).expect("a good proof");
        assert_eq!(proven, BlakeTwo256::hash(&case.chunks[i]));
    }
}

fn reconstruct(case: &Case, indices: &[usize]) -> AvailableData {
    let chunks = indices.iter().map(|&i| (&case.chunks[i][..], i));
    erasure::reconstruct_v1(case.validators, chunks.collect::<Vec<_>>()).expect("good chunks")
}

/// A node gives copies of its chunks away here, so the copy is part of the job.
fn reassemble(case: &Case) -> AvailableData {
    let copies = case.chunks[..case.systematic_threshold].to_vec();
    erasure::reconstruct_from_systematic_v1(case.validators, copies).expect("good chunks")
}

/// The check after recovery.
fn check_root(case: &Case, data: AvailableData) -> AvailableData {
    let chunks = erasure::obtain_chunks_v1(case.validators, &data).expect("can be encoded");
    assert_eq!(erasure::branches(&chunks).root(), case.root);
    data
}

/// What a recovery starts from, and how far it goes.
struct Recovery {
    indices: Vec<usize>,
    is_systematic: bool,
    is_checked: bool,
}

fn recovery(job: &str, case: &Case) -> Option<Recovery> {
    let (name, suffix) = match job.strip_suffix("_checked") {
        Some(name) => (name, true),
        None => (job, false),
    };
    let k = case.systematic_threshold;
    let (indices, is_checked) = match name {
        "checker" if !suffix => (case.pick(k), true),
        "systematic" => (case.without_first(0), suffix),
        "one_missing" => (case.without_first(1), suffix),
        "sixteen_missing" => (case.without_first(16), suffix),
        _ => return None,
    };
    Some(Recovery {
        indices,
        is_systematic: name == "systematic",
        is_checked,
    })
}

fn recover(case: &Case, repetitions: usize, recovery: &Recovery) -> (Times, String) {
    let (times, data) = timed(repetitions, || {
        verify(case, &recovery.indices);
        let data = if recovery.is_systematic {
            reassemble(case)
        } else {
            reconstruct(case, &recovery.indices)
        };
        if recovery.is_checked {
            check_root(case, data)
        } else {
            data
        }
    });
    // What was compared is part of the result.
    let root = recovery.is_checked.then(|| case.root.as_bytes().to_vec());
    (times, digest_of(std::iter::once(data.encode()).chain(root)))
}

fn digest_of_proofs(root: Vec<u8>, proofs: &[Proof]) -> Vec<Vec<u8>> {
    std::iter::once(root)
        .chain(proofs.iter().map(Encode::encode))
        .collect()
}

/// Times and digest, or nothing when the name is none of these.
pub fn run(job: &str, case: &Case, repetitions: usize) -> Option<(Times, String)> {
    match job {
        "producer" => {
            let (times, (chunks, proofs, root)) = timed(repetitions, || produce(case));
            let parts = digest_of_proofs(root, &proofs).into_iter().chain(chunks);
            Some((times, digest_of(parts)))
        }
        "commit" => {
            let (times, (proofs, root)) = timed(repetitions, || commit(case));
            Some((times, digest_of(digest_of_proofs(root, &proofs))))
        }
        "verify" => {
            let picked = case.pick(case.systematic_threshold);
            let (times, ()) = timed(repetitions, || verify(case, &picked));
            Some((times, digest_of([case.root.as_bytes()])))
        }
        _ => recovery(job, case).map(|found| recover(case, repetitions, &found)),
    }
}
