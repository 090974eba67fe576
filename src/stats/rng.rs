//! The random numbers of the bootstrap, bit for bit the same in any language with 32-bit arithmetic.

use sha2::{Digest, Sha256};

/// Seed of a text: the first 8 bytes, little-endian, of its SHA-256; derived from the task set, never from results.
#[must_use]
pub fn seed_of(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).rev().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

/// SplitMix64, used only to spread a seed over the state of [`Xoshiro128`].
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// xoshiro128** 1.1 (Blackman and Vigna), seeded by two SplitMix64 outputs, low words first.
#[derive(Clone, Debug)]
pub struct Xoshiro128 {
    state: [u32; 4],
}

impl Xoshiro128 {
    /// The generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut split = SplitMix64(seed);
        let (a, b) = (split.next_u64(), split.next_u64());
        // Truncation to the low word is meant.
        Self { state: [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32] }
    }

    /// The four words of the state.
    #[must_use]
    pub fn state(&self) -> [u32; 4] {
        self.state
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        let [s0, s1, s2, s3] = self.state;
        let result = s1.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let (t2, t3) = (s2 ^ s0, s3 ^ s1);
        self.state = [s0 ^ t3, s1 ^ t2, t2 ^ (s1 << 9), t3.rotate_left(11)];
        result
    }

    /// A number below `n`, each equally likely: Lemire's multiply-shift with rejection; 0 when `n` is 0.
    ///
    /// A reader's script can follow in doubles while `n <= 2^21`.
    pub fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }
}
