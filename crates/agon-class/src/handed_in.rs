//! The names that learning systems give to submissions when a teacher downloads all of them at
//! once.

use std::path::Path;

use yaml_rust2::{Yaml, YamlLoader};

/// A learning system, by its form of a download.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LearningSystem {
    Canvas,
    Moodle,
    Brightspace,
    Gradescope,
    /// A folder or archive of the teacher's own: each entry is named after its student.
    Plain,
}

impl LearningSystem {
    /// Its name, for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            LearningSystem::Canvas => "Canvas",
            LearningSystem::Moodle => "Moodle",
            LearningSystem::Brightspace => "Brightspace",
            LearningSystem::Gradescope => "Gradescope",
            LearningSystem::Plain => "the names of its entries",
        }
    }
}

/// What a download says of a person.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PersonHint {
    /// An id, a login or an address in the roster, perhaps.
    pub(super) ids: Vec<String>,
    /// The name.
    pub(super) names: Vec<String>,
    /// What remains of the name if its beginning is that of a group, the longest first.
    pub(super) shorter_names: Vec<String>,
    /// Whether the name says more: the ids are numbers of the system's own.
    pub(super) is_by_name: bool,
}

/// One entry of a download.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HandedIn {
    /// Those who have handed it in.
    pub(super) people: Vec<PersonHint>,
    /// The name of the file as the student knows it; `None` for a folder.
    pub(super) file: Option<String>,
    /// Whether the system has marked it as late.
    pub(super) is_late: bool,
    /// When it was handed in, if the name tells: year, month, day, and minute of the day.
    pub(super) when: Option<[u32; 4]>,
}

/// Reads the name of an entry as a system writes it.
pub(super) fn read(system: LearningSystem, name: &str, is_folder: bool) -> Option<HandedIn> {
    match system {
        LearningSystem::Canvas if !is_folder => canvas(name),
        LearningSystem::Moodle => moodle(name, is_folder),
        LearningSystem::Brightspace => brightspace(name, is_folder),
        LearningSystem::Plain => Some(plain(name, is_folder)),
        LearningSystem::Canvas | LearningSystem::Gradescope => None,
    }
}

/// `doejane_LATE_12345_678910_file-1.zip`: the name without blanks, the number of the student, the
/// number of the file, and the file with the number of the attempt.
fn canvas(name: &str) -> Option<HandedIn> {
    let parts: Vec<&str> = name.split('_').collect();
    let number =
        (1..parts.len().checked_sub(2)?).find(|at| is_number(parts[*at]) && is_number(parts[at + 1]))?;
    let mut who = parts[..number].to_vec();
    let is_late = who.len() > 1 && who.last() == Some(&"LATE");
    if is_late {
        who.pop();
    }
    let (ids, names) = (vec![parts[number].to_owned()], vec![who.concat()]);
    Some(HandedIn {
        people: vec![PersonHint { ids, names, is_by_name: true, ..PersonHint::default() }],
        file: Some(without_attempt(&parts[number + 2..].join("_"))),
        is_late,
        when: None,
    })
}

/// `Main-2.java` was `Main.java` when it was handed in for the third time.
fn without_attempt(file: &str) -> String {
    let (stem, ending) = match file.find('.') {
        Some(at) if at > 0 => file.split_at(at),
        _ => (file, ""),
    };
    match stem.rsplit_once('-') {
        Some((stem, attempt)) if !stem.is_empty() && is_number(attempt) && attempt.len() < 3 => {
            format!("{stem}{ending}")
        }
        _ => file.to_owned(),
    }
}

/// `Jane Doe_12345_assignsubmission_file_` is a folder, and the beginning of a file's name where
/// the teacher asked for no folders. The number is one of the course, not of the student. In a
/// course with groups the name of the group comes first: `Team A-Jane
/// Doe_12345_assignsubmission_file_`.
fn moodle(name: &str, is_folder: bool) -> Option<HandedIn> {
    let (who, rest) = name.split_once("_assignsubmission_file")?;
    let (who, number) = who.rsplit_once('_')?;
    if !is_number(number) {
        return None;
    }
    let file = rest.strip_prefix('_').unwrap_or(rest);
    Some(HandedIn {
        people: vec![PersonHint {
            names: vec![who.to_owned()],
            shorter_names: who.match_indices('-').map(|(at, _)| who[at + 1..].to_owned()).collect(),
            ..PersonHint::default()
        }],
        file: (!is_folder).then(|| file.to_owned()),
        is_late: false,
        when: None,
    })
}

/// `123-456 - Jane Doe - Sep 3, 2026 1159 PM` is a folder, or with ` - file.zip` a file. The
/// numbers are the system's own.
fn brightspace(name: &str, is_folder: bool) -> Option<HandedIn> {
    let (numbers, rest) = name.split_once(" - ")?;
    let (one, other) = numbers.split_once('-')?;
    if !is_number(one) || !is_number(other) {
        return None;
    }
    let dated = rest.match_indices("- ").find_map(|(at, _)| {
        let (when, behind) = date(&rest[at + 2..])?;
        Some((&rest[..at], Some(when), behind))
    });
    let (who, when, behind) = match dated {
        Some(dated) => dated,
        None => (rest.split(" - ").next()?, None, rest.rsplit_once(" - ").map_or("", |(_, file)| file)),
    };
    // Some schools have the student's number before the name.
    let parts: Vec<String> = who.split(" - ").map(|part| part.trim().to_owned()).collect();
    let file = behind.trim_start_matches([' ', '-']).to_owned();
    Some(HandedIn {
        people: vec![PersonHint { ids: parts.clone(), names: parts, ..PersonHint::default() }],
        file: (!is_folder).then_some(file),
        is_late: false,
        when,
    })
}

/// Reads `Sep 3, 2026 1159 PM` at the beginning of a text. Returns the rest too.
fn date(text: &str) -> Option<([u32; 4], &str)> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut rest = text;
    let mut word = || {
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind;
        word
    };
    let month = word().get(..3)?.to_lowercase();
    let month = u32::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let day = word().trim_end_matches(',').parse().ok()?;
    let year = word().trim_end_matches(',').parse().ok()?;
    let digits: String = word().chars().filter(char::is_ascii_digit).collect();
    let time: u32 = digits.parse().ok()?;
    let noon = match word() {
        "AM" => 0,
        "PM" => 12,
        _ => return None,
    };
    Some(([year, month, day, (time / 100 % 12 + noon) * 60 + time % 100], rest))
}

/// An entry named after its student: `11.zip`, `jdoe`, `Doe, Jane.tar.gz`, `11_engine.zip`.
fn plain(name: &str, is_folder: bool) -> HandedIn {
    let stem = match name.find('.') {
        Some(at) if !is_folder && at > 0 && !name[..at].contains('@') => &name[..at],
        _ => name,
    };
    let mut ids = vec![name.to_owned(), stem.to_owned()];
    ids.extend(stem.split(['_', ' ']).map(str::to_owned));
    HandedIn {
        people: vec![PersonHint { ids, names: vec![stem.to_owned()], ..PersonHint::default() }],
        file: (!is_folder).then(|| name.to_owned()),
        is_late: false,
        when: None,
    }
}

/// Reads the file `submission_metadata.yml` of a Gradescope download: the folders of submissions.
///
/// # Errors
/// It is no such file.
pub(super) fn gradescope(text: &str) -> Result<Vec<(String, HandedIn)>, String> {
    let read = YamlLoader::load_from_str(text).map_err(|error| format!("cannot be read: {error}"))?;
    let Some(all) = read.first().and_then(Yaml::as_hash) else {
        return Err("holds no submissions".to_owned());
    };
    // The keys are symbols of Ruby, which begin with a colon.
    let of = |of: &Yaml, key: &str| {
        let hash = of.as_hash()?;
        hash.get(&Yaml::String(format!(":{key}")))
            .or_else(|| hash.get(&Yaml::String(key.to_owned())))
            .cloned()
    };
    let text_of = |of_whom: &Yaml, key: &str| match of(of_whom, key) {
        Some(Yaml::String(text)) => Some(text),
        Some(Yaml::Integer(number)) => Some(number.to_string()),
        _ => None,
    };
    let mut found = Vec::new();
    for (folder, about) in all {
        let Some(folder) = folder.as_str() else { continue };
        let submitters = of(about, "submitters").and_then(Yaml::into_vec).unwrap_or_default();
        let person = |one: &Yaml| PersonHint {
            ids: [text_of(one, "sid"), text_of(one, "email")].into_iter().flatten().collect(),
            names: text_of(one, "name").into_iter().collect(),
            ..PersonHint::default()
        };
        let people = submitters.iter().map(person).collect();
        // Only the name of a folder beside the file is followed.
        let folder = Path::new(folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((folder, HandedIn { people, file: None, is_late: false, when: None }));
    }
    Ok(found)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids, names, file and mark of an entry.
    fn told(system: LearningSystem, name: &str, is_folder: bool) -> Option<String> {
        let HandedIn { people, file, is_late, when } = read(system, name, is_folder)?;
        let person = &people[0];
        let late = if is_late { " late" } else { "" };
        let when = when.map(|when| format!(" {when:?}")).unwrap_or_default();
        Some(format!("{:?} {:?} {}{late}{when}", person.ids, person.names, file.unwrap_or_default()))
    }

    #[test]
    fn the_names_of_each_system_are_read() {
        use LearningSystem::{Brightspace, Canvas, Moodle};
        for (system, name, is_folder, words) in [
            (Canvas, "doejane_12345_678910_file-1.zip", false, "[\"12345\"] [\"doejane\"] file.zip"),
            (
                Canvas,
                "doejane_LATE_12345_678910_my_bot.tar.gz",
                false,
                "[\"12345\"] [\"doejane\"] my_bot.tar.gz late",
            ),
            (Canvas, "roeric_1_2_Main-12.java", false, "[\"1\"] [\"roeric\"] Main.java"),
            (Canvas, "roeric_1_2_level-100.c", false, "[\"1\"] [\"roeric\"] level-100.c"),
            (Moodle, "Jane Doe_123_assignsubmission_file_", true, "[] [\"Jane Doe\"] "),
            (Moodle, "Jane Doe_123_assignsubmission_file", true, "[] [\"Jane Doe\"] "),
            (Moodle, "Jane_Doe_123_assignsubmission_file_a_b.zip", false, "[] [\"Jane_Doe\"] a_b.zip"),
            (
                Brightspace,
                "12-34 - Jane Doe - Sep 3, 2026 1159 PM",
                true,
                "[\"Jane Doe\"] [\"Jane Doe\"]  [2026, 9, 3, 1439]",
            ),
            (
                Brightspace,
                "12-34 - N01 - Jane Doe- September 13, 2026 1201 AM - my bot.zip",
                false,
                "[\"N01\", \"Jane Doe\"] [\"N01\", \"Jane Doe\"] my bot.zip [2026, 9, 13, 1]",
            ),
            (
                Brightspace,
                "12-34 - Anna-Lena Roe - 2026 - x.py",
                false,
                "[\"Anna-Lena Roe\"] [\"Anna-Lena Roe\"] x.py",
            ),
        ] {
            assert_eq!(told(system, name, is_folder).as_deref(), Some(words), "{name}");
        }
        for (system, name) in [
            (Canvas, "doejane_12345_text.html"),
            (Canvas, "readme.txt"),
            (Moodle, "Jane Doe_123_assignsubmission_onlinetext_"),
            (Brightspace, "index.html"),
            (Brightspace, "notes - a - b"),
        ] {
            assert_eq!(told(system, name, false), None, "{name}");
        }
    }

    #[test]
    fn the_submitters_of_gradescope_are_read() {
        let text = "---\nsubmission_1:\n  :submitters:\n  - :name: Solo Student\n    :sid: '100'\n    :email: solo@x.edu\n  \
                    :score: 1.0\n../submission_2:\n  :submitters:\n  - :name: \"One: Pair\"\n    :sid: 200\n    :email: one@x.edu\n  \
                    - :name: Two\n    :email: two@x.edu\n";
        let found = gradescope(text).unwrap();
        assert_eq!(found[0].0, "submission_1");
        assert_eq!(found[0].1.people[0].ids, ["100", "solo@x.edu"]);
        assert_eq!((found[1].0.as_str(), found[1].1.people.len()), ("submission_2", 2));
        assert_eq!(found[1].1.people[0].names, ["One: Pair"]);
        assert!(gradescope("- [").is_err() && gradescope("hello").is_err());
    }
}
