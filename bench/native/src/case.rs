//! What both sides of the comparison work on: the same payload, chunks, proofs and picks of chunks as
//! `bench/fixture.ts` makes.

use parity_scale_codec::Encode;
use polkadot_erasure_coding as erasure;
use polkadot_node_primitives::{AvailableData, BlockData, PoV, Proof};
use polkadot_primitives::{Hash, PersistedValidationData};
use std::sync::Arc;

/// Seeds of `bench/fixture.ts`.
const PAYLOAD_SEED: u32 = 0x9e37_79b9;
const PICK_SEED: u32 = 0x85eb_ca6b;

/// Marsaglia's xorshift with the shifts 13, 17, 5.
struct Xorshift(u32);

impl Xorshift {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

pub struct Case {
    pub validators: usize,
    /// f + 1.
    pub recovery_threshold: usize,
    /// k.
    pub systematic_threshold: usize,
    pub data: AvailableData,
    /// SCALE encoding of `data`.
    pub payload: Vec<u8>,
    pub chunks: Vec<Vec<u8>>,
    pub proofs: Vec<Proof>,
    pub root: Hash,
}

impl Case {
    pub fn new(payload_bytes: usize, validators: usize) -> Result<Self, String> {
        let data = available_data(payload_bytes)?;
        let payload = data.encode();
        let chunks = erasure::obtain_chunks_v1(validators, &data).map_err(|e| e.to_string())?;
        let branches = erasure::branches(&chunks);
        let root = branches.root();
        let proofs = branches.map(|(proof, _)| proof).collect();
        let recovery_threshold =
            erasure::recovery_threshold(validators).map_err(|e| e.to_string())?;
        let systematic_threshold =
            erasure::systematic_recovery_threshold(validators).map_err(|e| e.to_string())?;
        Ok(Case {
            validators,
            recovery_threshold,
            systematic_threshold,
            data,
            payload,
            chunks,
            proofs,
            root,
        })
    }

    pub fn is_for(&self, payload_bytes: usize, validators: usize) -> bool {
        self.payload.len() == payload_bytes && self.validators == validators
    }

    /// So many different chunk indices, ascending: the front of a shuffle.
    pub fn pick(&self, count: usize) -> Vec<usize> {
        let mut indices: Vec<usize> = (0..self.validators).collect();
        let mut random = Xorshift(PICK_SEED);
        for i in 0..count {
            let j = i + random.next() as usize % (self.validators - i);
            indices.swap(i, j);
        }
        indices.truncate(count);
        indices.sort_unstable();
        indices
    }

    /// The first k chunks but for the first `missing`, and as many of the parity chunks after them.
    pub fn without_first(&self, missing: usize) -> Vec<usize> {
        (missing..missing + self.systematic_threshold).collect()
    }
}

/// Available data whose encoding has exactly so many bytes, all of them random but for the last 41.
fn available_data(payload_bytes: usize) -> Result<AvailableData, String> {
    let mut random = Xorshift(PAYLOAD_SEED);
    let of = |block: Vec<u8>| AvailableData {
        pov: Arc::new(PoV {
            block_data: BlockData(block),
        }),
        validation_data: PersistedValidationData::default(),
    };
    let around = of(Vec::new()).encode().len();
    // The length before the block takes one, two or four bytes: of those, one fits.
    (0..4)
        .filter_map(|more| payload_bytes.checked_sub(around + more))
        .find(|&size| of(vec![0; size]).encode().len() == payload_bytes)
        .map(|size| of((0..size).map(|_| (random.next() >> 24) as u8).collect()))
        .ok_or_else(|| format!("payloadBytes: no available data has {payload_bytes} bytes"))
}
