//! Chance that is the same on every machine: `SplitMix64` and what is drawn from it.

/// A stream of numbers that its seed decides.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    /// The stream of a seed; `kind` keeps two uses of one seed apart.
    pub(super) fn new(seed: u64, kind: u8) -> Self {
        Self(seed ^ u64::from(kind) << 56)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; zero where the bound is zero.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * (bound as u128);
        // The upper half of the product is below `bound`, so it fits.
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// One of the entries of a list that is not empty.
    pub(super) fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    /// `percent` of `places` places, rounded to the nearest, half upwards: which
    /// ones are taken, each choice of that size alike.
    pub(super) fn share(&mut self, percent: u8, places: usize) -> Vec<bool> {
        let mut wanted = (places * usize::from(percent) + 50) / 100;
        (0..places)
            .map(|place| {
                let taken = self.below(places - place) < wanted;
                wanted -= usize::from(taken);
                taken
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_generator() {
        // The first outputs of SplitMix64 for the seed 1234567.
        let mut chance = Chance::new(1_234_567, 0);
        assert_eq!(chance.next(), 6_457_827_717_110_365_317);
        assert_eq!(chance.next(), 3_203_168_211_198_807_973);
        assert_eq!(chance.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn a_share_has_exactly_its_size() {
        for percent in [0, 1, 10, 33, 50, 99, 100] {
            for places in [0, 1, 7, 150, 1000] {
                let taken = Chance::new(5, 1).share(percent, places);
                let count = taken.iter().filter(|taken| **taken).count();
                assert_eq!(taken.len(), places);
                assert_eq!(count, (places * usize::from(percent) + 50) / 100);
            }
        }
    }

    #[test]
    fn every_place_can_be_taken() {
        let mut ever = [false; 10];
        for seed in 0..200 {
            for (place, taken) in Chance::new(seed, 1).share(10, 10).iter().enumerate() {
                ever[place] |= taken;
            }
        }
        assert_eq!(ever, [true; 10]);
    }
}
