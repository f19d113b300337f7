//! Jobs of one crate alone: the code, or the hash. Inputs that a crate takes by value are copied before the
//! clock starts.

use crate::case::Case;
use crate::clock::{timed, timed_with, Times};
use reed_solomon_novelpoly::{CodeParams, ReedSolomon, WrappedShard};

/// BLAKE2b-256, one message at a time, as a node hashes.
pub fn hash(bytes: &[u8]) -> [u8; 32] {
    let digest = blake2b_simd::Params::new().hash_length(32).hash(bytes);
    digest.as_bytes().try_into().expect("asked for 32 bytes")
}

/// Hex digest over the digests of all parts.
pub fn digest_of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let digests = parts
        .into_iter()
        .flat_map(|part| hash(part.as_ref()))
        .collect::<Vec<_>>();
    hash(&digests)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn coder(case: &Case) -> ReedSolomon {
    CodeParams::derive_parameters(case.validators, case.recovery_threshold)
        .expect("the case has been encoded with these numbers")
        .make_encoder()
}

fn encode(case: &Case, repetitions: usize) -> (Times, String) {
    let coder = coder(case);
    let (times, chunks) = timed(repetitions, || {
        coder
            .encode::<WrappedShard>(&case.payload)
            .expect("the payload is not empty")
    });
    (
        times,
        digest_of(chunks.into_iter().map(WrappedShard::into_inner)),
    )
}

fn hash_all(case: &Case, repetitions: usize) -> (Times, String) {
    let (times, digests) = timed(repetitions, || {
        case.chunks.iter().map(|c| hash(c)).collect::<Vec<_>>()
    });
    (times, digest_of(digests))
}

fn decode(case: &Case, repetitions: usize, indices: &[usize]) -> (Times, String) {
    let coder = coder(case);
    let shards = || {
        let mut shards = vec![None; case.validators];
        for &i in indices {
            shards[i] = Some(WrappedShard::new(case.chunks[i].clone()));
        }
        shards
    };
    let (times, padded) = timed_with(repetitions, shards, |s| {
        coder.reconstruct(s).expect("enough good shards")
    });
    (times, digest_of([&padded[..case.payload.len()]]))
}

fn reassemble(case: &Case, repetitions: usize) -> (Times, String) {
    let coder = coder(case);
    let systematic = &case.chunks[..case.systematic_threshold];
    let shards = || {
        systematic
            .iter()
            .map(|c| WrappedShard::new(c.clone()))
            .collect::<Vec<_>>()
    };
    let (times, padded) = timed_with(repetitions, shards, |s| {
        coder
            .reconstruct_from_systematic(s)
            .expect("all systematic shards")
    });
    (times, digest_of([&padded[..case.payload.len()]]))
}

/// `reed-solomon-simd`, another code of the same shape: how fast native vectors are. Its bytes are its own, so
/// there is no digest to compare.
fn simd_encode(case: &Case, repetitions: usize) -> (Times, String) {
    let k = case.systematic_threshold;
    let bytes = case.chunks[0].len();
    let mut encoder = reed_solomon_simd::ReedSolomonEncoder::new(k, case.validators - k, bytes)
        .expect("supported");
    let (times, _) = timed(repetitions, || {
        for chunk in &case.chunks[..k] {
            encoder.add_original_shard(chunk).expect("of this length");
        }
        let result = encoder.encode().expect("all are there");
        result
            .recovery_iter()
            .map(|parity| usize::from(parity[0]))
            .sum::<usize>()
    });
    (times, String::new())
}

fn simd_decode(case: &Case, repetitions: usize) -> (Times, String) {
    let k = case.systematic_threshold;
    let parity = reed_solomon_simd::encode(k, case.validators - k, &case.chunks[..k])
        .expect("as simd_encode");
    let picked = case.pick(k);
    let bytes = case.chunks[0].len();
    let mut decoder = reed_solomon_simd::ReedSolomonDecoder::new(k, case.validators - k, bytes)
        .expect("supported");
    let (times, _) = timed(repetitions, || {
        for &i in &picked {
            let added = if i < k {
                decoder.add_original_shard(i, &case.chunks[i])
            } else {
                decoder.add_recovery_shard(i - k, &parity[i - k])
            };
            added.expect("of this length");
        }
        let result = decoder.decode().expect("enough are there");
        result
            .restored_original_iter()
            .map(|(_, row)| usize::from(row[0]))
            .sum::<usize>()
    });
    (times, String::new())
}

/// Times and digest, or nothing when the name is none of these.
pub fn run(job: &str, case: &Case, repetitions: usize) -> Option<(Times, String)> {
    let k = case.systematic_threshold;
    Some(match job {
        "encode" => encode(case, repetitions),
        "hash" => hash_all(case, repetitions),
        "decode_k" => decode(case, repetitions, &case.pick(k)),
        "decode_f1" => decode(case, repetitions, &case.pick(case.recovery_threshold)),
        "decode_one_missing" => decode(case, repetitions, &case.without_first(1)),
        "decode_sixteen_missing" => decode(case, repetitions, &case.without_first(16)),
        "reassemble" => reassemble(case, repetitions),
        "simd_encode" => simd_encode(case, repetitions),
        "simd_decode" => simd_decode(case, repetitions),
        _ => return None,
    })
}
