//! Finds the student that a learning system names, by id, login, address, name or group. What fits
//! nobody or several is a doubt, never a guess.

use agon_printable::clean;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::handed_in::PersonHint;
use super::roster::Student;

/// The students whom a hint means: their indices in the roster, and how they were found. Several
/// are a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FoundPeople {
    /// The students.
    pub(super) students: Vec<usize>,
    /// What has fitted.
    pub(super) how: &'static str,
}

/// Why it is not known whom a hint means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Doubt {
    /// In words.
    pub(super) why: String,
    /// Who may be meant.
    pub(super) candidates: Vec<usize>,
}

/// Found by both.
pub(super) const ID_AND_NAME: &str = "id and name";
/// Found by the name alone.
pub(super) const NAME: &str = "name";
/// Found by the column `group`.
pub(super) const GROUP: &str = "group";

/// Words that people add to a name in the name of a file.
const BESIDE_NAMES: [&str; 31] = [
    "agent",
    "ai",
    "abgabe",
    "archive",
    "assignment",
    "bot",
    "code",
    "copy",
    "engine",
    "exercise",
    "final",
    "fixed",
    "game",
    "handin",
    "homework",
    "hw",
    "kopie",
    "main",
    "new",
    "player",
    "program",
    "project",
    "solution",
    "source",
    "src",
    "submission",
    "t",
    "task",
    "update",
    "v",
    "version",
];
/// Words of which a group is called, as no person is.
const OF_GROUPS: [&str; 8] = ["team", "group", "gruppe", "groupe", "grupo", "gruppo", "section", "lab"];

/// The students whom a hint means.
///
/// # Errors
/// It is nobody, or it may be several.
pub(super) fn find(
    hint: &PersonHint,
    students: &[Student],
    groups: GroupsOfNames,
) -> Result<FoundPeople, Doubt> {
    let finder = PersonFinder { hint, students, groups };
    let of_id = finder.by_ids(&hint.ids);
    let of_name = finder.by_names(&hint.names);
    match (&of_id[..], &of_name[..]) {
        ([], []) => finder.otherwise(),
        ([], names) => finder.of_name(names),
        ([id], []) => Ok(one(*id, "id")),
        (ids, []) => Err(finder.several(ids)),
        (ids, names) => {
            let both: Vec<usize> = ids.iter().copied().filter(|index| names.contains(index)).collect();
            match both[..] {
                [only] => Ok(one(only, ID_AND_NAME)),
                [] => Err(Doubt {
                    why: format!(
                        "has the id of {}, but the name of {}",
                        finder.told(ids),
                        finder.told(names)
                    ),
                    candidates: ids.iter().chain(names).copied().collect(),
                }),
                _ => Err(finder.several(&both)),
            }
        }
    }
}

fn one(index: usize, how: &'static str) -> FoundPeople {
    FoundPeople { students: vec![index], how }
}

/// The groups in the names of a download, beside those of the roster.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum GroupsOfNames {
    /// There are none, or nobody has looked.
    #[default]
    Unknown,
    /// The group of somebody is the one of the roster, so another one contradicts it.
    Fit,
    /// Nobody's group is the one of the roster, which means other groups.
    Differ,
}

impl GroupsOfNames {
    /// Compares the groups of all people in a download with those of the roster.
    pub(super) fn of<'a>(hints: impl Iterator<Item = &'a PersonHint>, students: &[Student]) -> Self {
        let mut all = GroupsOfNames::Unknown;
        if students.iter().all(|student| student.group.is_empty()) {
            return all;
        }
        for hint in hints {
            let finder = PersonFinder { hint, students, groups: all };
            for (group, rest) in hint.in_groups.iter().filter(|(group, _)| is_called_as_a_group(group)) {
                let found = finder.by_names(std::slice::from_ref(rest));
                let mut own = found.iter().map(|index| &*students[*index].group);
                if own.clone().any(|own| is_same_group(own, group)) {
                    return GroupsOfNames::Fit;
                }
                if own.any(|own| !own.is_empty()) {
                    all = GroupsOfNames::Differ;
                }
            }
        }
        all
    }
}

struct PersonFinder<'a> {
    hint: &'a PersonHint,
    students: &'a [Student],
    groups: GroupsOfNames,
}

impl PersonFinder<'_> {
    fn indices(&self, fits: &dyn Fn(&Student) -> bool) -> Vec<usize> {
        (0..self.students.len()).filter(|index| fits(&self.students[*index])).collect()
    }

    /// Those with one of these ids, logins or addresses.
    fn by_ids(&self, ids: &[String]) -> Vec<usize> {
        let ids: Vec<String> = ids.iter().map(|id| id.trim().to_lowercase()).collect();
        self.indices(&|student| {
            let mut own = [&student.id, &student.login, &student.mail].map(|own| own.to_lowercase()).to_vec();
            // The part of an address before the @ is often the login.
            own.extend(own[2].split('@').next().map(str::to_owned));
            own.iter().any(|own| !own.is_empty() && ids.contains(own))
        })
    }

    fn by_names(&self, names: &[String]) -> Vec<usize> {
        let names: Vec<String> = names.iter().flat_map(|name| as_written(name)).collect();
        self.indices(&|student| {
            let own = spellings(&student.name);
            names.iter().any(|name| own.contains(name))
        })
    }

    /// Those of a group that is called so in the roster.
    fn by_group(&self, name: &str) -> Vec<usize> {
        let name = letters(name);
        self.indices(&|student| !name.is_empty() && letters(&student.group) == name)
    }

    /// Found by the name: the number of the system decides between those who are called so.
    fn of_name(&self, names: &[usize]) -> Result<FoundPeople, Doubt> {
        let of_number = self.by_ids(&self.hint.number.iter().cloned().collect::<Vec<_>>());
        let both: Vec<usize> = names.iter().copied().filter(|index| of_number.contains(index)).collect();
        match (&both[..], names) {
            ([only], _) => Ok(one(*only, ID_AND_NAME)),
            (_, [only]) => Ok(one(*only, NAME)),
            _ => Err(self.several(names)),
        }
    }

    /// Neither an id nor a name fits as a whole.
    fn otherwise(&self) -> Result<FoundPeople, Doubt> {
        for name in &self.hint.names {
            let group = self.by_group(name);
            if !group.is_empty() {
                return Ok(FoundPeople { students: group, how: GROUP });
            }
        }
        if !self.hint.words.is_empty() {
            return self.of_words();
        }
        for (group, rest) in &self.hint.in_groups {
            let found = self.by_names(std::slice::from_ref(rest));
            if found.is_empty() {
                continue;
            }
            let is_own = |index: &&usize| is_same_group(&self.students[**index].group, group);
            let members: Vec<usize> = found.iter().filter(is_own).copied().collect();
            let is_known = !members.is_empty();
            let fitting = if is_known { members } else { found };
            return match fitting[..] {
                [only] if self.is_of_another_group(only, group) => Err(Doubt {
                    why: format!(
                        "is of {} and of the group {} by its name, but in the roster {} is of the group {}",
                        self.told(&[only]),
                        clean(group),
                        self.told(&[only]),
                        self.students[only].group
                    ),
                    candidates: fitting,
                }),
                [only] if is_known || is_called_as_a_group(group) => Ok(one(only, NAME)),
                [only] => Err(Doubt {
                    why: format!(
                        "may be {} of a group called {group}, or another person whose name begins so",
                        self.told(&[only])
                    ),
                    candidates: fitting,
                }),
                _ => Err(self.several(&fitting)),
            };
        }
        let of_number = self.by_ids(&self.hint.number.iter().cloned().collect::<Vec<_>>());
        if !of_number.is_empty() {
            let number = self.hint.number.as_deref().unwrap_or_default();
            return Err(Doubt {
                why: format!("has the number {number} as {} has, but another name", self.told(&of_number)),
                candidates: of_number,
            });
        }
        let candidates = self.near();
        Err(Doubt { why: "matches nobody in the roster".to_owned(), candidates })
    }

    /// Whether the roster says another group of a student than a download.
    fn is_of_another_group(&self, student: usize, group: &str) -> bool {
        let own = &self.students[student].group;
        let is_known = self.students.iter().any(|other| is_same_group(&other.group, group));
        let can_be_compared = self.groups == GroupsOfNames::Fit || is_known;
        !own.is_empty() && !is_same_group(own, group) && can_be_compared && is_called_as_a_group(group)
    }

    /// A name among other words, or an id.
    fn of_words(&self) -> Result<FoundPeople, Doubt> {
        let words: Vec<String> = self.hint.words.iter().flat_map(|word| parts(word)).collect();
        let of_words = self.with_all_words(&words);
        let is_short = |word: &str| word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        // A short number behind other words is that of an attempt or of a task.
        let ids: Vec<String> = (self.hint.words.iter().enumerate())
            .filter(|(at, word)| *at == 0 || !is_short(word))
            .map(|(_, word)| word.clone())
            .collect();
        let of_id = self.by_ids(&ids);
        // An id is no name; a login may be one, and so may the beginning of an address.
        let is_id = |index: usize| {
            let student = &self.students[index];
            let has_own = |word: &String| {
                word.eq_ignore_ascii_case(&student.id) && !parts(&student.name).contains(&bare(word))
            };
            ids.iter().any(has_own)
        };
        match (&of_id[..], &of_words[..]) {
            ([only], []) if is_id(*only) => Ok(one(*only, "id")),
            ([id], [only]) if id == only && is_id(*only) => Ok(one(*only, ID_AND_NAME)),
            ([], [only]) => self.with_other_words(*only, &words, NAME),
            ([id], [only]) if id == only => self.with_other_words(*only, &words, NAME),
            ([only], []) => self.with_other_words(*only, &words, "login"),
            ([], []) => {
                Err(Doubt { why: "matches nobody in the roster".to_owned(), candidates: self.near() })
            }
            _ => {
                let mut all: Vec<usize> = of_id.iter().chain(&of_words).copied().collect();
                all.sort_unstable();
                all.dedup();
                Err(self.several(&all))
            }
        }
    }

    /// A student whose whole name or login is among these words, if the others say nothing of a
    /// person.
    fn with_other_words(
        &self,
        student: usize,
        words: &[String],
        how: &'static str,
    ) -> Result<FoundPeople, Doubt> {
        let Student { name, login, mail, .. } = &self.students[student];
        let own: Vec<String> = [name, login, mail].into_iter().flat_map(|own| parts(own)).collect();
        let others: Vec<&str> = words
            .iter()
            .filter(|word| !own.contains(word) && !is_beside_a_name(word))
            .map(String::as_str)
            .collect();
        if others.is_empty() {
            return Ok(one(student, how));
        }
        Err(Doubt {
            why: format!("may be {}, but has also {:?}", self.told(&[student]), others.join(" ")),
            candidates: vec![student],
        })
    }

    /// Those whose whole name of at least two words is among these words; only those with the most
    /// words.
    fn with_all_words(&self, words: &[String]) -> Vec<usize> {
        let count = |student: &Student| {
            let own = parts(&student.name);
            if own.len() > 1 && own.iter().all(|word| words.contains(word)) { own.len() } else { 0 }
        };
        let most = self.students.iter().map(count).max().unwrap_or_default();
        if most == 0 { Vec::new() } else { self.indices(&|student| count(student) == most) }
    }

    /// Those with a longer word of their name in one of the names.
    fn near(&self) -> Vec<usize> {
        let names: Vec<String> =
            (self.hint.names.iter().chain(&self.hint.ids)).map(|name| letters(name)).collect();
        let is_near = |word: &String| word.len() > 3 && names.iter().any(|name| name.contains(word.as_str()));
        self.indices(&|student| parts(&student.name).iter().any(is_near))
    }

    fn several(&self, found: &[usize]) -> Doubt {
        Doubt { why: format!("fits several students: {}", self.told(found)), candidates: found.to_vec() }
    }

    fn told(&self, found: &[usize]) -> String {
        let ids: Vec<&str> = found.iter().map(|index| self.students[*index].id.as_str()).collect();
        ids.join(", ")
    }
}

/// Whether a word in the name of a file says nothing of a person: a number, or what people add.
fn is_beside_a_name(word: &str) -> bool {
    let bare = word.trim_matches(|letter: char| letter.is_ascii_digit());
    bare.is_empty() || BESIDE_NAMES.contains(&bare)
}

/// Whether a text is surely the name of a group: it has a number, or a word as `Team`.
fn is_called_as_a_group(text: &str) -> bool {
    let begins = |word: &String| OF_GROUPS.iter().any(|group| word.starts_with(group));
    text.contains(|letter: char| letter.is_ascii_digit()) || parts(text).iter().any(begins)
}

/// Whether two texts name one group: `Team 3` and `3` do.
fn is_same_group(one: &str, other: &str) -> bool {
    let bare = |text: &str| {
        let is_word = |word: &String| OF_GROUPS.contains(&word.as_str());
        let mut all = parts(text);
        if !all.iter().all(is_word) {
            all.retain(|word| !is_word(word));
        }
        all.concat()
    };
    let one = bare(one);
    !one.is_empty() && one == bare(other)
}

/// The words of a name, in small letters without accents.
fn parts(name: &str) -> Vec<String> {
    let bare = bare(name);
    bare.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The letters and digits of a name, small and without accents.
fn letters(name: &str) -> String {
    parts(name).concat()
}

/// A text in small letters without accents.
fn bare(text: &str) -> String {
    let plain = |letter: char| -> Option<&'static str> {
        Some(match letter {
            'ß' => "ss",
            'ø' => "o",
            'æ' => "ae",
            'œ' => "oe",
            'ł' => "l",
            'đ' | 'ð' => "d",
            'þ' => "th",
            'ı' => "i",
            _ => return None,
        })
    };
    let small = text.nfd().filter(|letter| !is_combining_mark(*letter)).collect::<String>().to_lowercase();
    let mut all = String::new();
    for letter in small.nfd().filter(|letter| !is_combining_mark(*letter)) {
        match plain(letter) {
            Some(plain) => all.push_str(plain),
            None => all.push(letter),
        }
    }
    all
}

/// A name of a download as it may stand in the roster: as it is, and without accents.
fn as_written(name: &str) -> Vec<String> {
    let own: String = name.nfc().collect::<String>().to_lowercase();
    let own: String = own.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let mut all = vec![own, letters(name)];
    all.retain(|spelling| !spelling.is_empty());
    all
}

/// The spellings of a name of the roster that a download may have. Only letters count. The words
/// come in each order that keeps the surname or the given names together. Letters with an accent
/// are kept, written without it or as two letters, or left out.
fn spellings(name: &str) -> Vec<String> {
    // A Mac writes accents as characters of their own.
    let name: String = name.nfc().collect::<String>().to_lowercase();
    let words: Vec<&str> =
        name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut all = Vec::new();
    for first in 0..words.len() {
        let turned: String = words[first..].iter().chain(&words[..first]).copied().collect();
        let in_two = turned.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('å', "aa");
        let ascii: String = turned.chars().filter(char::is_ascii).collect();
        // A name of other letters is not what is left of it.
        let is_mostly_ascii = ascii.len() * 2 > turned.chars().count();
        all.extend([bare(&turned), bare(&in_two), turned]);
        all.extend(is_mostly_ascii.then_some(ascii));
    }
    all.retain(|spelling| !spelling.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster() -> Vec<Student> {
        let student = |id: &str, name: &str, mail: &str, login: &str, group: &str| Student {
            id: id.to_owned(),
            name: name.to_owned(),
            mail: mail.to_owned(),
            login: login.to_owned(),
            group: group.to_owned(),
            ..Student::default()
        };
        vec![
            student("11", "Doe, Jane", "jane@x.edu", "jd7", ""),
            student("12", "Ana María de la Cruz", "am@x.edu", "", ""),
            student("13", "Jörg Müller", "jm@x.edu", "", "Red Team"),
            student("14", "Roe, Ric", "r1@x.edu", "", "Red Team"),
            student("15", "Ric Roe", "r2@x.edu", "", ""),
            student("16", "Lena Maria Roth", "", "", "Blue"),
            student("2", "Øyvind Åsen", "", "", ""),
        ]
    }

    fn of(ids: &str, number: &str, name: &str) -> PersonHint {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        PersonHint {
            ids: some(ids).into_iter().collect(),
            number: some(number),
            names: some(name).into_iter().collect(),
            ..PersonHint::default()
        }
    }

    #[test]
    fn a_student_is_found_by_any_spelling_of_what_the_roster_has() {
        for (ids, number, name, found) in [
            ("11", "", "", 0),
            ("JD7", "", "", 0),
            ("Jane@X.edu", "", "", 0),
            ("", "", "doejane", 0),
            ("", "", "Jane Doe", 0),
            ("", "", "delacruzanamaria", 1),
            ("", "", "De La Cruz, Ana Mari\u{301}a", 1),
            ("", "", "mullerjorg", 2),
            ("", "", "muellerjoerg", 2),
            ("", "", "mllerjrg", 2),
            ("", "", "Asen, Oyvind", 6),
            ("", "15", "roeric", 4),
            ("", "14", "doejane", 0),
            ("14", "", "stranger", 3),
        ] {
            let found_now =
                find(&of(ids, number, name), &roster(), GroupsOfNames::Unknown).map(|found| found.students);
            assert_eq!(found_now, Ok(vec![found]), "{ids} {number} {name}");
        }
        assert_eq!(find(&of("", "", "redteam"), &roster(), GroupsOfNames::Unknown).unwrap().students, [2, 3]);
    }

    #[test]
    fn what_fits_nobody_or_several_is_a_doubt_with_those_who_may_be_meant() {
        for (ids, number, name, words, candidates) in [
            ("", "", "Zed", "nobody", &[][..]),
            ("", "", "Ric Roe", "several students: 14, 15", &[3, 4]),
            ("14", "", "doejane", "has the id of 14, but the name of 11", &[3, 0]),
            // A system numbers its people as it likes.
            ("", "14", "stranger", "has the number 14 as 14 has, but another name", &[3]),
            ("", "", "Jane Mary Doe-Smith", "nobody", &[]),
            ("", "", "Janet Cruz", "nobody", &[0, 1]),
            // Two names that are equal without their accents are not equal.
            ("", "", "Mäller, Jörg", "nobody", &[2]),
        ] {
            let doubt = find(&of(ids, number, name), &roster(), GroupsOfNames::Unknown).unwrap_err();
            assert!(doubt.why.contains(words), "{name}: {doubt:?}");
            if !candidates.is_empty() {
                assert_eq!(doubt.candidates, candidates, "{name}");
            }
        }
    }

    #[test]
    fn the_beginning_of_a_name_is_a_group_only_if_it_is_called_so() {
        let in_group = |group: &str, rest: &str| PersonHint {
            names: vec![format!("{group}-{rest}")],
            in_groups: vec![(group.to_owned(), rest.to_owned())],
            ..PersonHint::default()
        };
        for group in ["Team A", "Gruppe", "G7", "blue"] {
            assert_eq!(
                find(&in_group(group, "Lena Maria Roth"), &roster(), GroupsOfNames::Unknown)
                    .unwrap()
                    .students,
                [5],
                "{group}"
            );
        }
        // Anna-Lena Maria Roth is somebody else.
        let doubt =
            find(&in_group("Anna", "Lena Maria Roth"), &roster(), GroupsOfNames::Unknown).unwrap_err();
        assert!(doubt.why.contains("may be 16 of a group called Anna"), "{doubt:?}");
    }

    #[test]
    fn a_group_that_contradicts_the_one_of_the_roster_is_a_doubt() {
        let mut students = roster();
        (students[0].group, students[6].group) = ("Team A".to_owned(), "2".to_owned());
        let in_group = |group: &str, rest: &str| PersonHint {
            names: vec![format!("{group}-{rest}")],
            in_groups: vec![(group.to_owned(), rest.to_owned())],
            ..PersonHint::default()
        };
        let (fits, differs) = (in_group("Group 2", "Øyvind Åsen"), in_group("Team 9", "Jane Doe"));
        let of = |all: &[&PersonHint]| GroupsOfNames::of(all.iter().copied(), &students);
        assert_eq!(of(&[&differs, &fits]), GroupsOfNames::Fit);
        assert_eq!(of(&[&differs]), GroupsOfNames::Differ);
        assert_eq!(
            of(&[&in_group("Team 9", "Ana María de la Cruz"), &in_group("Ann", "Zed")]),
            GroupsOfNames::Unknown
        );
        let found = |hint: &PersonHint, groups| find(hint, &students, groups).map(|found| found.students);
        assert_eq!(found(&fits, GroupsOfNames::Fit), Ok(vec![6]));
        assert_eq!(found(&differs, GroupsOfNames::Differ), Ok(vec![0]));
        let words = "by its name, but in the roster 11 is of the group Team A";
        // Either the others fit, or the group is there with others.
        for (hint, groups) in
            [(&differs, GroupsOfNames::Fit), (&in_group("Group 2", "Jane Doe"), GroupsOfNames::Differ)]
        {
            let doubt = found(hint, groups).unwrap_err();
            assert!(doubt.why.ends_with(words) && doubt.candidates == [0], "{doubt:?}");
        }
        // Who has no group in the roster contradicts none.
        assert_eq!(found(&in_group("Team A", "Ana María de la Cruz"), GroupsOfNames::Fit), Ok(vec![1]));
    }

    #[test]
    fn a_number_in_the_name_of_a_file_does_not_beat_a_full_name() {
        let words = |name: &str| PersonHint {
            ids: vec![name.to_owned()],
            names: vec![name.to_owned()],
            words: name.split(['_', ' ']).map(str::to_owned).collect(),
            ..PersonHint::default()
        };
        for (name, found) in [
            ("Jane Doe 2", 0),
            ("doe_jane_v2", 0),
            ("11_engine", 0),
            ("engine_11", usize::MAX),
            ("jd7 final", 0),
            ("2_bot", 6),
            ("2 Asen Oyvind", 6),
        ] {
            let students = find(&words(name), &roster(), GroupsOfNames::Unknown)
                .map_or(vec![usize::MAX], |found| found.students);
            assert_eq!(students, [found], "{name}");
        }
        // Neither is student 2.
        assert!(find(&words("Given Family 2"), &roster(), GroupsOfNames::Unknown).is_err());
        // The address of Jane Doe begins with jane.
        assert!(
            find(&words("jane_smith_bot"), &roster(), GroupsOfNames::Unknown)
                .unwrap_err()
                .why
                .contains("has also \"smith\"")
        );
        assert!(
            find(&words("Jane Doe Smith"), &roster(), GroupsOfNames::Unknown)
                .unwrap_err()
                .why
                .contains("but has also \"smith\"")
        );
        assert!(
            find(&words("2 Jane Doe"), &roster(), GroupsOfNames::Unknown)
                .unwrap_err()
                .why
                .contains("several students: 11, 2")
        );
    }
}
