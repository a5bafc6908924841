//! Finite universes whose cases are numbers: products of named dimensions, and
//! sequences over an alphabet up to a length. Nothing here knows what is checked.

/// A finite set of cases, each reached by its number.
///
/// A shard of a universe is a range of numbers, and a counterexample is
/// replayed by its number alone.
pub trait Universe {
    /// The number of cases.
    fn len(&self) -> u64;

    /// The case with this number, as one digit per place.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Universe::len).
    fn case(&self, index: u64) -> Vec<usize>;

    /// The case in words a person can read.
    fn words(&self, case: &[usize]) -> String;

    /// True when there is no case at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// All choices of one value from each of several named dimensions.
///
/// The last dimension varies fastest. A product of no dimension has one case.
#[derive(Clone, Debug, Default)]
pub struct Product {
    dimensions: Vec<(String, Vec<String>)>,
}

impl Product {
    /// The product of no dimension.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a dimension; `values` are its values in words, in order.
    ///
    /// # Panics
    /// When the dimension has no value: nothing would ever be checked.
    #[must_use]
    pub fn with<V: ToString>(mut self, name: &str, values: impl IntoIterator<Item = V>) -> Self {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        assert!(!values.is_empty(), "dimension {name} has no value");
        self.dimensions.push((name.to_owned(), values));
        self
    }
}

impl Universe for Product {
    fn len(&self) -> u64 {
        self.dimensions
            .iter()
            .try_fold(1_u64, |product, (_, values)| {
                product.checked_mul(values.len() as u64)
            })
            .expect("a product has fewer than 2^64 cases")
    }

    fn case(&self, index: u64) -> Vec<usize> {
        assert!(index < self.len(), "the product has no case {index}");
        let mut rest = index;
        let mut digits: Vec<usize> = self
            .dimensions
            .iter()
            .rev()
            .map(|(_, values)| digit(&mut rest, values.len()))
            .collect();
        digits.reverse();
        digits
    }

    fn words(&self, case: &[usize]) -> String {
        let parts: Vec<String> = self
            .dimensions
            .iter()
            .zip(case)
            .map(|((name, values), &digit)| format!("{name} {}", values[digit]))
            .collect();
        parts.join(", ")
    }
}

/// All sequences of symbols from no symbol up to a greatest length.
///
/// Shorter sequences come first, and within one length the last symbol varies
/// fastest. So the first counterexample is a shortest one, and a case keeps its
/// number when the bound grows.
#[derive(Clone, Debug)]
pub struct Sequences {
    alphabet: Vec<String>,
    /// `starts[n]` is the number of the first sequence of length `n`; one entry
    /// more than there are lengths, so the last is the number of all cases.
    starts: Vec<u64>,
}

/// What a step of [`Sequences::walk`] leads to.
pub enum Branch<S> {
    /// The state after one more symbol.
    Live(S),
    /// A state that no further symbol leaves: the whole subtree is counted at once.
    Absorbed(S),
}

impl Sequences {
    /// Sequences over `alphabet` (its symbols in words) of at most `length` symbols.
    ///
    /// # Panics
    /// When the alphabet is empty or there are 2^64 cases or more.
    #[must_use]
    pub fn new<W: ToString>(alphabet: impl IntoIterator<Item = W>, length: u64) -> Self {
        let alphabet: Vec<String> = alphabet.into_iter().map(|word| word.to_string()).collect();
        let width = alphabet.len() as u64;
        assert!(width > 0, "the alphabet is empty");
        let mut starts = vec![0_u64];
        let mut level = 1_u64;
        for n in 0..=length {
            let next = starts[starts.len() - 1].checked_add(level);
            starts.push(next.unwrap_or_else(|| too_long(width, length)));
            if n < length {
                level = level
                    .checked_mul(width)
                    .unwrap_or_else(|| too_long(width, length));
            }
        }
        Self { alphabet, starts }
    }

    /// The greatest length.
    #[must_use]
    pub fn length(&self) -> usize {
        self.starts.len() - 2
    }

    /// Visits every sequence once, depth first, each from its parent's state.
    ///
    /// `step` gives the state after one more symbol; `visit` takes a state and
    /// how many sequences it stands for: one, or a whole subtree below an
    /// absorbing state. The counts sum to [`len`](Universe::len).
    pub fn walk<S>(
        &self,
        start: &S,
        step: &mut impl FnMut(&S, usize) -> Branch<S>,
        visit: &mut impl FnMut(&S, u64),
    ) {
        visit(start, 1);
        self.descend(start, self.length(), step, visit);
    }

    fn descend<S>(
        &self,
        state: &S,
        remaining: usize,
        step: &mut impl FnMut(&S, usize) -> Branch<S>,
        visit: &mut impl FnMut(&S, u64),
    ) {
        let Some(below) = remaining.checked_sub(1) else {
            return;
        };
        for symbol in 0..self.alphabet.len() {
            match step(state, symbol) {
                Branch::Live(next) => {
                    visit(&next, 1);
                    self.descend(&next, below, step, visit);
                }
                // A subtree of this depth has as many nodes as all sequences of that length.
                Branch::Absorbed(next) => visit(&next, self.starts[below + 1]),
            }
        }
    }
}

impl Universe for Sequences {
    fn len(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    fn case(&self, index: u64) -> Vec<usize> {
        assert!(index < self.len(), "there is no sequence {index}");
        // The last start that is not behind the number.
        let length = self.starts.partition_point(|&start| start <= index) - 1;
        let mut rest = index - self.starts[length];
        let mut digits: Vec<usize> = (0..length)
            .map(|_| digit(&mut rest, self.alphabet.len()))
            .collect();
        digits.reverse();
        digits
    }

    fn words(&self, case: &[usize]) -> String {
        if case.is_empty() {
            return "nothing".to_owned();
        }
        let parts: Vec<&str> = case.iter().map(|&s| self.alphabet[s].as_str()).collect();
        parts.join(", ")
    }
}

/// Takes the last digit to the base `width` off `rest`.
fn digit(rest: &mut u64, width: usize) -> usize {
    let width = width as u64;
    let digit = *rest % width;
    *rest /= width;
    usize::try_from(digit).expect("a digit is below a width that is a usize")
}

fn too_long(width: u64, length: u64) -> u64 {
    panic!("{width} symbols up to length {length} are 2^64 sequences or more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_counts_with_the_last_dimension_fastest() {
        let product = Product::new()
            .with("form", ["plain", "padded"])
            .with("count", 0..3);
        assert_eq!(product.len(), 6);
        assert_eq!(product.case(0), [0, 0]);
        assert_eq!(product.case(4), [1, 1]);
        assert_eq!(product.words(&product.case(4)), "form padded, count 1");
    }

    #[test]
    fn sequences_come_shortest_first_and_each_once() {
        let sequences = Sequences::new(["a", "b", "c"], 3);
        assert_eq!(sequences.len(), 1 + 3 + 9 + 27);
        assert_eq!(sequences.words(&sequences.case(0)), "nothing");
        assert_eq!(sequences.case(3), [2]);
        assert_eq!(sequences.case(4), [0, 0]);
        assert_eq!(sequences.words(&sequences.case(39)), "c, c, c");
        let all: Vec<Vec<usize>> = (0..sequences.len()).map(|i| sequences.case(i)).collect();
        assert!(
            all.windows(2)
                .all(|pair| (pair[0].len(), &pair[0]) < (pair[1].len(), &pair[1]))
        );
    }

    #[test]
    fn a_case_keeps_its_number_when_the_bound_grows() {
        let short = Sequences::new(["a", "b"], 2);
        let long = Sequences::new(["a", "b"], 5);
        assert!((0..short.len()).all(|i| short.case(i) == long.case(i)));
    }

    #[test]
    fn a_walk_with_absorbing_states_counts_every_sequence() {
        let sequences = Sequences::new(["a", "b", "stop"], 4);
        let (mut all, mut absorbed, mut visits) = (0, 0, 0);
        sequences.walk(
            &false,
            &mut |_, symbol| match symbol {
                2 => Branch::Absorbed(true),
                _ => Branch::Live(false),
            },
            &mut |&stopped, cases| {
                visits += 1;
                all += cases;
                if stopped {
                    absorbed += cases;
                }
            },
        );
        assert_eq!(all, sequences.len());
        // Without a stop there are 1 + 2 + 4 + 8 + 16 sequences.
        assert_eq!(all - absorbed, 31);
        assert!(visits < all);
    }

    #[test]
    #[should_panic(expected = "2^64 sequences or more")]
    fn a_length_beyond_counting_is_refused() {
        let _ = Sequences::new(["a", "b"], 64);
    }
}
