//! The names that learning systems give to submissions when a teacher downloads all of them at
//! once.

use std::path::Path;

use yaml_rust2::{Yaml, YamlLoader};

use super::written_time::{self, WrittenTime};

/// A learning system, by its form of a download.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LearningSystem {
    Canvas,
    Moodle,
    Brightspace,
    Gradescope,
    /// A folder of repositories, each named after the assignment and a login.
    GithubClassroom,
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
            LearningSystem::GithubClassroom => "GitHub Classroom",
            LearningSystem::Plain => "the names of its entries",
        }
    }
}

/// What a download says of a person.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PersonHint {
    /// An id, a login or an address in the roster, perhaps.
    pub(super) ids: Vec<String>,
    /// The number of the person in the system. It may be an id of the roster, but says nothing
    /// without the name: a system numbers its people as it likes.
    pub(super) number: Option<String>,
    /// The name.
    pub(super) names: Vec<String>,
    /// The name if its beginning is that of a group: the group, and what remains; the longest name
    /// first.
    pub(super) in_groups: Vec<(String, String)>,
    /// The words of the name of a file that may hold an id or a name among others.
    pub(super) words: Vec<String>,
}

impl PersonHint {
    /// A person with this name, in a system that numbers its people.
    fn numbered(name: &str, number: &str) -> Self {
        PersonHint { names: vec![name.to_owned()], number: Some(number.to_owned()), ..PersonHint::default() }
    }
}

/// One entry of a download.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HandedIn {
    /// Those who have handed it in.
    pub(super) people: Vec<PersonHint>,
    /// The name of the file as the student knows it; `None` for a folder.
    pub(super) file: Option<String>,
    /// The number of the file, if the system counts files.
    pub(super) attachment: Option<u64>,
    /// Whether the system has marked it as late.
    pub(super) is_late: bool,
    /// When it was handed in, if it is told.
    pub(super) when: WrittenTime,
}

impl HandedIn {
    /// Something that these people have handed in at an unknown time.
    pub(super) fn by(people: Vec<PersonHint>, file: Option<String>) -> Self {
        HandedIn { people, file, attachment: None, is_late: false, when: WrittenTime::Missing }
    }
}

/// Reads the name of an entry as a system writes it.
pub(super) fn read(system: LearningSystem, name: &str, is_folder: bool) -> Option<HandedIn> {
    match system {
        LearningSystem::Canvas if !is_folder => canvas(name),
        LearningSystem::Moodle => moodle(name, is_folder),
        LearningSystem::Brightspace => brightspace(name, is_folder),
        LearningSystem::Plain => Some(plain(name, is_folder)),
        LearningSystem::Canvas | LearningSystem::Gradescope | LearningSystem::GithubClassroom => None,
    }
}

/// What a file is called in the first system whose names are like its name.
pub(super) fn of_any_system(name: &str) -> HandedIn {
    use LearningSystem::{Brightspace, Canvas, Moodle, Plain};
    let found = [Canvas, Moodle, Brightspace, Plain].into_iter().find_map(|system| read(system, name, false));
    found.unwrap_or_else(|| HandedIn::by(Vec::new(), None))
}

/// `doejane_LATE_12345_678910_file-1.zip`: the name of the student or of the group without blanks,
/// its number, the number of the file, and the file. Canvas adds a number to the name of a file
/// that was handed in before.
fn canvas(name: &str) -> Option<HandedIn> {
    let parts: Vec<&str> = name.split('_').collect();
    let number =
        (1..parts.len().checked_sub(2)?).find(|at| is_number(parts[*at]) && is_number(parts[at + 1]))?;
    let mut who = parts[..number].to_vec();
    let is_late = who.len() > 1 && who.last() == Some(&"LATE");
    if is_late {
        who.pop();
    }
    Some(HandedIn {
        attachment: parts[number + 1].parse().ok(),
        is_late,
        ..HandedIn::by(
            vec![PersonHint::numbered(&who.concat(), parts[number])],
            Some(parts[number + 2..].join("_")),
        )
    })
}

/// `Main-2.java` may have been `Main.java` when it was handed in for the third time.
pub(super) fn without_attempt(file: &str) -> Option<String> {
    let (stem, ending) = match file.find('.') {
        Some(at) if at > 0 => file.split_at(at),
        _ => (file, ""),
    };
    let (stem, attempt) = stem.rsplit_once('-')?;
    (!stem.is_empty() && is_number(attempt) && attempt.len() < 3).then(|| format!("{stem}{ending}"))
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
    let in_groups = who.match_indices('-').map(|(at, _)| (who[..at].to_owned(), who[at + 1..].to_owned()));
    let person = PersonHint { in_groups: in_groups.collect(), ..PersonHint::numbered(who, number) };
    // The name of the file is the student's: what it says of a time proves nothing.
    Some(HandedIn::by(vec![person], (!is_folder).then(|| file.to_owned())))
}

/// `123-456 - Jane Doe - Sep 3, 2026 1159 PM` is a folder, or with ` - file.zip` a file. The
/// numbers are the system's own: of the person, and of the assignment.
fn brightspace(name: &str, is_folder: bool) -> Option<HandedIn> {
    let (numbers, rest) = name.split_once(" - ")?;
    let (one, other) = numbers.split_once('-')?;
    if !is_number(one) || !is_number(other) {
        return None;
    }
    let dated = rest.match_indices("- ").find_map(|(at, _)| {
        let (when, behind) = written_time::at_the_beginning(&rest[at + 2..])?;
        Some((&rest[..at], when, behind))
    });
    let (who, when, behind) = dated.unwrap_or_else(|| undated(rest, is_folder));
    // Some schools have the student's number before the name.
    let parts: Vec<String> = who.split(" - ").map(|part| part.trim().to_owned()).collect();
    let file = behind.trim_start_matches([' ', '-']).to_owned();
    let number = Some(one.to_owned());
    let person = PersonHint { ids: parts.clone(), names: parts, number, ..PersonHint::default() };
    Some(HandedIn { when, ..HandedIn::by(vec![person], (!is_folder).then_some(file)) })
}

/// The name, the time and the file of an entry without a date that is understood.
fn undated(rest: &str, is_folder: bool) -> (&str, WrittenTime, &str) {
    let mut at = 0;
    let placed = |part: &'_ str| {
        let start = at;
        at += part.len() + 3;
        start
    };
    let starts: Vec<usize> = rest.split(" - ").map(placed).collect();
    let parts: Vec<(usize, &str)> = starts.into_iter().zip(rest.split(" - ")).collect();
    // The last part is the file, which may look like a date.
    let most = if is_folder || parts.len() < 2 { parts.len() } else { parts.len() - 1 };
    match parts[..most].iter().skip(1).find(|(_, part)| written_time::looks_like_a_date(part)) {
        Some((start, part)) => (
            rest[..*start].trim_end_matches(" - "),
            WrittenTime::Unread((*part).to_owned()),
            &rest[start + part.len()..],
        ),
        None => {
            let file = rest.rsplit_once(" - ").map_or("", |(_, file)| file);
            (parts[0].1, WrittenTime::Missing, file)
        }
    }
}

/// An entry named after its student: `11.zip`, `jdoe`, `Doe, Jane.tar.gz`, `11_engine.zip`.
fn plain(name: &str, is_folder: bool) -> HandedIn {
    let stem = match name.find('.') {
        Some(at) if !is_folder && at > 0 && !name[..at].contains('@') => &name[..at],
        _ => name,
    };
    let person = PersonHint {
        ids: vec![name.to_owned(), stem.to_owned()],
        names: vec![stem.to_owned()],
        words: stem.split(['_', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect(),
        ..PersonHint::default()
    };
    HandedIn {
        when: written_time::in_name(name),
        ..HandedIn::by(vec![person], (!is_folder).then(|| name.to_owned()))
    }
}

/// The names of entries that GitHub Classroom gives: the assignment, a hyphen and a login. `None`
/// if these names are no such names: one is a login itself, or at most half of them begin with the
/// same assignment, or fewer than two of these end with one of the logins.
pub(super) fn classroom(names: &[String], logins: &[&str]) -> Option<String> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        if logins.iter().any(|login| login.to_lowercase() == lower) {
            return None;
        }
        for login in logins.iter().filter(|login| !login.is_empty()) {
            let Some(begin) = lower.strip_suffix(&login.to_lowercase()) else { continue };
            let Some(begin) = begin.strip_suffix('-').filter(|begin| !begin.is_empty()) else { continue };
            let Some(begin) = name.get(..begin.len()) else { continue };
            match found.iter_mut().find(|(other, _)| *other == begin) {
                Some((_, count)) => *count += 1,
                None => found.push((begin, 1)),
            }
        }
    }
    // Of equals the shortest: a login may have a hyphen.
    let found = found.iter().filter(|(_, count)| *count > 1);
    let best = found.max_by_key(|(begin, count)| (*count, std::cmp::Reverse(begin.len())))?;
    let begins = |name: &&String| name.strip_prefix(best.0).is_some_and(|rest| rest.starts_with('-'));
    (names.iter().filter(begins).count() * 2 > names.len()).then(|| best.0.to_owned())
}

/// The entry of GitHub Classroom with this name, for this assignment.
pub(super) fn of_classroom(assignment: &str, name: &str, is_folder: bool) -> HandedIn {
    let login = name.strip_prefix(assignment).and_then(|rest| rest.strip_prefix('-')).unwrap_or(name);
    let login = if is_folder { login } else { login.split('.').next().unwrap_or(login) };
    // A team has a name of its own.
    let (ids, names) = (vec![login.to_owned()], vec![login.to_owned()]);
    let person = PersonHint { ids, names, ..PersonHint::default() };
    HandedIn::by(vec![person], (!is_folder).then(|| name.to_owned()))
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
        let when = text_of(about, "created_at")
            .map_or(WrittenTime::Missing, |text| written_time::of_gradescope(&text));
        // Only the name of a folder beside the file is followed.
        let folder = Path::new(folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((folder, HandedIn { when, ..HandedIn::by(people, None) }));
    }
    Ok(found)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who, number, file, mark and time of an entry.
    fn told(system: LearningSystem, name: &str, is_folder: bool) -> Option<String> {
        let HandedIn { people, file, is_late, when, attachment } = read(system, name, is_folder)?;
        let person = &people[0];
        let late = if is_late { " late" } else { "" };
        let when = match when {
            WrittenTime::Missing => String::new(),
            WrittenTime::At(moment) => {
                format!(" {}", moment.0.with_timezone(&chrono::Local).format("%Y-%m-%dT%H:%M"))
            }
            WrittenTime::Unread(text) => format!(" ?{text}"),
        };
        let attachment = attachment.map(|number| format!(" {number}")).unwrap_or_default();
        let number = person.number.clone().unwrap_or_default();
        Some(format!(
            "{} {number}{attachment} {}{late}{when}",
            person.names.join("|"),
            file.unwrap_or_default()
        ))
    }

    #[test]
    fn the_names_of_each_system_are_read() {
        use LearningSystem::{Brightspace, Canvas, Moodle};
        for (system, name, is_folder, words) in [
            (Canvas, "doejane_12345_678910_file-1.zip", false, "doejane 12345 678910 file-1.zip"),
            (
                Canvas,
                "doejane_LATE_12345_678910_my_bot.tar.gz",
                false,
                "doejane 12345 678910 my_bot.tar.gz late",
            ),
            (Canvas, "redteam_11_100_main.py", false, "redteam 11 100 main.py"),
            (Moodle, "Jane Doe_123_assignsubmission_file_", true, "Jane Doe 123 "),
            (Moodle, "Jane Doe_123_assignsubmission_file", true, "Jane Doe 123 "),
            (Moodle, "Jane_Doe_123_assignsubmission_file_a_b.zip", false, "Jane_Doe 123 a_b.zip"),
            (Brightspace, "12-34 - Jane Doe - Sep 3, 2026 1159 PM", true, "Jane Doe 12  2026-09-03T23:59"),
            (
                Brightspace,
                "12-34 - N01 - Jane Doe- September 13, 2026 1201 AM - my bot.zip",
                false,
                "N01|Jane Doe 12 my bot.zip 2026-09-13T00:01",
            ),
            (
                Brightspace,
                "12-34 - Jane Doe - 10 September, 2026 905 AM - x - y.py",
                false,
                "Jane Doe 12 x - y.py 2026-09-10T09:05",
            ),
            (Brightspace, "12-34 - Anna-Lena Roe - 2026 - x.py", false, "Anna-Lena Roe 12 x.py"),
            (
                Brightspace,
                "12-34 - Anna-Lena Roe - 3/9/2026 1159 PM - x.py",
                false,
                "Anna-Lena Roe 12 x.py ?3/9/2026 1159 PM",
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
    fn a_number_behind_a_name_is_an_attempt_unless_it_is_long() {
        assert_eq!(without_attempt("Main-12.java").as_deref(), Some("Main.java"));
        assert_eq!(without_attempt("bot-1.tar.gz").as_deref(), Some("bot.tar.gz"));
        for name in ["level-100.c", "-1.c", "main.c", "a-b.c"] {
            assert_eq!(without_attempt(name), None, "{name}");
        }
    }

    #[test]
    fn an_assignment_of_github_classroom_is_what_its_names_have_in_common() {
        let names = ["my-bot-jane-doe", "my-bot-ric", "my-bot-stranger"].map(str::to_owned);
        let logins = ["jane-doe", "doe", "ric", ""];
        assert_eq!(classroom(&names, &logins).as_deref(), Some("my-bot"));
        let ids = |name: &str| of_classroom("my-bot", name, true).people[0].ids.clone();
        assert_eq!(ids("my-bot-jane-doe"), ["jane-doe"]);
        assert_eq!(classroom(&["jane-doe".to_owned(), "ric".to_owned()], &logins), None);
    }

    #[test]
    fn the_submitters_of_gradescope_are_read() {
        let text = "---\nsubmission_1:\n  :submitters:\n  - :name: Solo Student\n    :sid: '100'\n    :email: solo@x.edu\n  \
                    :created_at: 2026-09-03 23:59:00.000000000 -07:00\n  :score: 1.0\n../submission_2:\n  :submitters:\n  - :name: \"One: Pair\"\n    :sid: 200\n    :email: one@x.edu\n  \
                    - :name: Two\n    :email: two@x.edu\n";
        let found = gradescope(text).unwrap();
        assert_eq!(found[0].0, "submission_1");
        assert_eq!(found[0].1.people[0].ids, ["100", "solo@x.edu"]);
        assert_eq!(found[0].1.when.moment(), Some("2026-09-04T06:59Z".parse().unwrap()));
        assert_eq!(found[1].1.when, WrittenTime::Missing);
        assert_eq!((found[1].0.as_str(), found[1].1.people.len()), ("submission_2", 2));
        assert_eq!(found[1].1.people[0].names, ["One: Pair"]);
        assert!(gradescope("- [").is_err() && gradescope("hello").is_err());
    }
}
