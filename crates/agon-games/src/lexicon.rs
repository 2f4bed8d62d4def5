//! The valid words, found by the letters they are made of.
//!
//! A [`Lexicon`] is read from the bytes of a word list; the caller checks the file's size against
//! [`Lexicon::MAX_BYTES`] first. Words with the same letters are stored together under the sum of
//! their letters' weights. So a line of cells is looked up while it grows, with one addition per
//! cell.

use std::fmt;
use std::sync::{Arc, OnceLock};

use agon_printable::{escape, without_mark};

/// Words, indexed by their letters.
pub struct Lexicon {
    /// Every valid word, in the order of the list, each ended by a newline.
    text: Arc<Vec<u8>>,
    /// The offset in `text` of each word; the words of one group are adjacent, in the order of the
    /// list.
    starts: Vec<u32>,
    /// One group for each set of letters, by rising weight.
    groups: Vec<Group>,
    /// The first group whose weight has these top bits, and an end entry.
    directory: Vec<u32>,
    /// The shift that leaves the top bits of a weight.
    shift: u32,
    longest: usize,
    skipped: usize,
    by_letters: OnceLock<Arc<Vec<u8>>>,
}

/// The words made of the same letters.
#[derive(Clone, Copy)]
struct Group {
    weight: Weight,
    /// The index of its first word in `starts`. It ends where the next group begins.
    first: u32,
    /// The number of letters of its words.
    letters: u8,
}

/// The sum of the weights of some letters, in any order.
///
/// Two different sets of letters may have the same weight, so words found by weight are then
/// compared letter by letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Weight(u64);

impl Weight {
    /// The weight of no letters.
    pub const NOTHING: Weight = Weight(0);

    /// This weight plus one letter `a` to `z`. For other bytes the weight is arbitrary.
    #[must_use]
    pub fn with(self, letter: u8) -> Self {
        Weight(self.0.wrapping_add(WEIGHTS[usize::from(letter & 31)]))
    }

    /// The weight of these letters.
    pub fn of(letters: &[u8]) -> Self {
        letters.iter().fold(Weight::NOTHING, |weight, &letter| weight.with(letter))
    }
}

/// A random number for each letter, the same in every run (splitmix64 from 1).
const WEIGHTS: [u64; 32] = {
    let mut weights = [0; 32];
    let mut state = 1u64;
    let mut i = 0;
    while i < weights.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        weights[i] = z ^ (z >> 31);
        i += 1;
    }
    weights
};

/// Why a word list cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LexiconError {
    /// The list has no line.
    #[error("the word list is empty; give one word per line")]
    Empty,
    /// The list has lines, but no valid word.
    #[error(
        "none of the {lines} lines of the word list is a valid word, the first is line {first}, \
         \"{text}\"; give one word per line, three or more lower-case letters a to z"
    )]
    NoWord {
        /// How many lines are not blank.
        lines: usize,
        /// The number of the first of them, from 1.
        first: usize,
        /// Its text, escaped and cut.
        text: String,
    },
    /// The bytes are not text.
    #[error(
        "line {line} of the word list holds a NUL byte, so it is not plain text (perhaps UTF-16); \
         save it as UTF-8, one word per line"
    )]
    Binary {
        /// The line of the first NUL byte, from 1.
        line: usize,
    },
    /// The list is larger than [`Lexicon::MAX_BYTES`].
    #[error(
        "the word list has {bytes} bytes, more than the {} that are read; give a shorter one",
        Lexicon::MAX_BYTES
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

impl Lexicon {
    /// The most bytes of a word list: 64 MiB, some sixty times a large English one.
    pub const MAX_BYTES: u64 = 64 << 20;

    /// The most letters of a word: no line on any board is longer. Longer words are not valid.
    pub const MAX_WORD: usize = 64;

    /// Reads a word list: one word per line, ended by `\n` or `\r\n`.
    ///
    /// Valid words have three to [`Lexicon::MAX_WORD`] letters `a` to `z`. Case is not folded, so
    /// names are left out. Other lines are counted in [`Lexicon::skipped`], except blank ones. A
    /// repeated word is taken once.
    ///
    /// # Errors
    /// A [`LexiconError`] if no valid word is left, if the bytes are not text, or if there are too
    /// many.
    pub fn parse(bytes: &[u8]) -> Result<Self, LexiconError> {
        if bytes.len() as u64 > Self::MAX_BYTES {
            return Err(LexiconError::TooLarge { bytes: bytes.len() as u64 });
        }
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
            return Err(LexiconError::Binary { line });
        }
        let bytes = without_mark(bytes);
        let mut text = Vec::with_capacity(bytes.len() + 1);
        let mut words = Vec::new();
        let mut skipped = 0;
        let mut first_skipped = None;
        for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            if !counts(line) {
                skipped += 1;
                first_skipped.get_or_insert((number, line));
                continue;
            }
            words.push(Word {
                weight: Weight::of(line),
                start: narrow(text.len()),
                letters: narrow_len(line),
            });
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        if words.is_empty() {
            return Err(match first_skipped {
                None => LexiconError::Empty,
                Some((first, line)) => LexiconError::NoWord { lines: skipped, first, text: escape(line, 40) },
            });
        }
        Ok(Self::index(text, words, skipped))
    }

    /// Groups words with the same letters and builds the index.
    fn index(text: Vec<u8>, mut words: Vec<Word>, skipped: usize) -> Self {
        let longest = words.iter().map(|word| usize::from(word.letters)).max().unwrap_or(0);
        words.sort_unstable_by(|a, b| {
            let by_letters = || sorted(a.of(&text)).cmp(&sorted(b.of(&text)));
            a.weight.cmp(&b.weight).then_with(by_letters).then_with(|| a.start.cmp(&b.start))
        });

        let mut starts = Vec::with_capacity(words.len());
        let mut groups = Vec::new();
        for group in words.chunk_by(|a, b| a.weight == b.weight && same_letters(a.of(&text), b.of(&text))) {
            groups.push(Group {
                weight: group[0].weight,
                first: narrow(starts.len()),
                letters: group[0].letters,
            });
            push_distinct(group, &text, &mut starts);
        }
        groups.shrink_to_fit();

        // About one group per entry, so that a look-up reads one entry and one or two groups.
        let bits = groups.len().next_power_of_two().trailing_zeros().max(1);
        let shift = u64::BITS - bits;
        let mut directory = vec![0u32; (1 << bits) + 1];
        for group in &groups {
            directory[top(group.weight, shift) + 1] += 1;
        }
        for i in 1..directory.len() {
            directory[i] += directory[i - 1];
        }
        let text = Arc::new(text);
        Lexicon { text, starts, groups, directory, shift, longest, skipped, by_letters: OnceLock::new() }
    }

    /// The number of different words.
    #[allow(clippy::len_without_is_empty)] // one without words cannot be made
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of letters of the longest word.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// How many lines of the word list are not valid words: names, `it's`, words of two letters.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Whether this word is in the list.
    pub fn contains(&self, word: &[u8]) -> bool {
        self.made_of(word, Weight::of(word)).any(|other| other == word)
    }

    /// Whether a word is made of exactly these letters, whose weight is `weight`.
    pub fn has(&self, letters: &[u8], weight: Weight) -> bool {
        self.group(letters, weight).is_some()
    }

    /// The words made of exactly these letters, whose weight is `weight`, in the order of the list.
    pub fn made_of(&self, letters: &[u8], weight: Weight) -> impl Iterator<Item = &[u8]> {
        self.group(letters, weight).into_iter().flat_map(|index| self.of_group(index))
    }

    /// The words of a group, in the order of the list.
    fn of_group(&self, index: usize) -> impl Iterator<Item = &[u8]> {
        let group = self.groups[index];
        let end = self.groups.get(index + 1).map_or(self.starts.len(), |next| next.first as usize);
        let starts = &self.starts[group.first as usize..end];
        starts.iter().map(move |&start| self.word(start, group.letters.into()))
    }

    /// The valid words, in the order of the list, one per line.
    pub fn text(&self) -> Arc<Vec<u8>> {
        self.text.clone()
    }

    /// The same words by their letters, `aelpp apple appel`: the sorted letters, then the words
    /// made of them. The lines are in alphabetical order. Computed on the first call.
    pub fn by_letters(&self) -> Arc<Vec<u8>> {
        let make = || {
            let first = |group: &Group| self.word(self.starts[group.first as usize], group.letters.into());
            let mut order: Vec<(u64, usize)> =
                (0..).zip(&self.groups).map(|(at, group)| (beginning(first(group)), at)).collect();
            order.sort_unstable_by(|(a, one), (b, other)| {
                // Twelve letters are equal.
                let by_letters =
                    || sorted(first(&self.groups[*one])).cmp(&sorted(first(&self.groups[*other])));
                a.cmp(b).then_with(by_letters)
            });
            let mut text = Vec::with_capacity(2 * self.text.len());
            for (_, at) in order {
                let letters = usize::from(self.groups[at].letters);
                text.extend_from_slice(&sorted(first(&self.groups[at]))[..letters]);
                for word in self.of_group(at) {
                    text.push(b' ');
                    text.extend_from_slice(word);
                }
                text.push(b'\n');
            }
            Arc::new(text)
        };
        self.by_letters.get_or_init(make).clone()
    }

    fn group(&self, letters: &[u8], weight: Weight) -> Option<usize> {
        let at = top(weight, self.shift);
        let (from, to) = (self.directory[at] as usize, self.directory[at + 1] as usize);
        (from..to).find(|&index| {
            let group = self.groups[index];
            group.weight == weight
                && usize::from(group.letters) == letters.len()
                && same_letters(self.word(self.starts[group.first as usize], letters.len()), letters)
        })
    }

    fn word(&self, start: u32, letters: usize) -> &[u8] {
        &self.text[start as usize..start as usize + letters]
    }
}

impl fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lexicon of {} words", self.len())
    }
}

/// A word during the construction of the index.
struct Word {
    weight: Weight,
    start: u32,
    letters: u8,
}

impl Word {
    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..usize::from(self.letters)]
    }
}

fn counts(line: &[u8]) -> bool {
    (3..=Lexicon::MAX_WORD).contains(&line.len()) && line.iter().all(u8::is_ascii_lowercase)
}

/// Adds the words of one group, each once, in the order of the list.
fn push_distinct(group: &[Word], text: &[u8], starts: &mut Vec<u32>) {
    let from = starts.len();
    let letters = usize::from(group[0].letters);
    let word = |start: u32| &text[start as usize..][..letters];
    starts.extend(group.iter().map(|word| word.start));
    if group.len() == 1 {
        return;
    }
    // By word and then by place, so that the first of equal words stays.
    let mut distinct = starts.split_off(from);
    distinct.sort_unstable_by(|&a, &b| word(a).cmp(word(b)).then(a.cmp(&b)));
    distinct.dedup_by(|a, b| word(*a) == word(*b));
    distinct.sort_unstable();
    starts.append(&mut distinct);
}

/// The first twelve of the sorted letters as a number of the same order.
fn beginning(letters: &[u8]) -> u64 {
    sorted(letters)[..12].iter().fold(0, |number, letter| number << 5 | u64::from(letter & 31))
}

/// The sorted letters, filled up with zeros.
fn sorted(letters: &[u8]) -> [u8; Lexicon::MAX_WORD] {
    let mut key = [0; Lexicon::MAX_WORD];
    key[..letters.len()].copy_from_slice(letters);
    key[..letters.len()].sort_unstable();
    key
}

fn same_letters(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut counts = [0i8; 256];
    for (&a, &b) in a.iter().zip(b) {
        counts[usize::from(a)] += 1;
        counts[usize::from(b)] -= 1;
    }
    counts == [0; 256]
}

fn top(weight: Weight, shift: u32) -> usize {
    (weight.0 >> shift) as usize
}

fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).expect("a word list has less than 4 GiB")
}

fn narrow_len(word: &[u8]) -> u8 {
    u8::try_from(word.len()).expect("a word that counts has at most 64 letters")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(list: &str) -> Lexicon {
        Lexicon::parse(list.as_bytes()).unwrap()
    }

    fn made_of(lexicon: &Lexicon, letters: &str) -> Vec<String> {
        let letters = letters.as_bytes();
        let words = lexicon.made_of(letters, Weight::of(letters));
        words.map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()
    }

    #[test]
    fn words_are_found_by_their_letters_in_the_order_of_the_list() {
        let lexicon = lexicon("pot\nopt\napple\ntop\nappel\n");
        assert_eq!(made_of(&lexicon, "top"), ["pot", "opt", "top"]);
        assert_eq!(made_of(&lexicon, "lappe"), ["apple", "appel"]);
        assert_eq!(made_of(&lexicon, "to"), [""; 0]);
        assert_eq!(made_of(&lexicon, "toop"), [""; 0]);
        assert!(lexicon.contains(b"opt") && !lexicon.contains(b"pto"));
        assert_eq!((lexicon.len(), lexicon.longest(), lexicon.skipped()), (5, 5, 0));
    }

    #[test]
    fn what_is_no_word_is_skipped_and_counted() {
        let lexicon = lexicon("top\r\nTop\nto\nit's\n\ncafé\n top\ntop1\nnut");
        assert_eq!((lexicon.len(), lexicon.skipped()), (2, 6));
        assert_eq!(*lexicon.text(), b"top\nnut\n");
        let long = format!("{}\n{}\n", "a".repeat(64), "a".repeat(65));
        assert_eq!(Lexicon::parse(long.as_bytes()).unwrap().skipped(), 1);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_word() {
        let lexicon = lexicon("\u{feff}top\r\n\u{feff}nut\r\n");
        assert_eq!((&**lexicon.text(), lexicon.skipped()), (&b"top\n"[..], 1));
    }

    #[test]
    fn a_word_that_comes_twice_is_taken_once() {
        let lexicon = lexicon("top\npot\ntop\npot\n");
        assert_eq!(made_of(&lexicon, "opt"), ["top", "pot"]);
        assert_eq!(lexicon.len(), 2);
    }

    #[test]
    fn the_second_form_stands_by_letters() {
        let short = lexicon("top\napple\nabout\nappel\nopt\nape\n");
        assert_eq!(
            String::from_utf8(short.by_letters().to_vec()).unwrap(),
            "abotu about\naelpp apple appel\naep ape\nopt top opt\n"
        );
        // The order of long words hangs on letters far behind, and a short word stands first.
        let long = ["abcdefghijklmz", "abcdefghijklmny", "mlkjihgfedcba", "abcdefghijkl", "abcdefghijkl"];
        let keys: Vec<String> = String::from_utf8(lexicon(&long.join("\n")).by_letters().to_vec())
            .unwrap()
            .lines()
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect();
        assert_eq!(keys, ["abcdefghijkl", "abcdefghijklm", "abcdefghijklmny", "abcdefghijklmz"]);
    }

    #[test]
    fn handfuls_of_the_same_weight_are_told_apart() {
        // No two different sets of letters with one weight are known, so the test uses a wrong
        // weight.
        let lexicon = lexicon("top\nnut\n");
        assert!(!lexicon.has(b"nut", Weight::of(b"top")));
        assert!(lexicon.has(b"tun", Weight::of(b"nut")));
    }

    #[test]
    fn a_list_that_is_none_is_refused_with_its_line() {
        let error = |bytes: &[u8]| Lexicon::parse(bytes).unwrap_err();
        assert_eq!(error(b""), LexiconError::Empty);
        assert_eq!(error(b"\n\r\n\n"), LexiconError::Empty);
        assert_eq!(
            error(b"\nApple\nto\n"),
            LexiconError::NoWord { lines: 2, first: 2, text: "Apple".to_owned() }
        );
        assert_eq!(error(b"top\nnut\nt\0o\0p\0"), LexiconError::Binary { line: 3 });
        let large = vec![b'a'; (64 << 20) + 1];
        assert_eq!(error(&large), LexiconError::TooLarge { bytes: (64 << 20) + 1 });
    }
}
