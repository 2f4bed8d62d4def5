//! Finds the student that a learning system names, by id, login, address or name.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::handed_in::PersonHint;
use super::roster::Student;

/// The student whom a hint means: the index in the roster, and how it was found.
///
/// # Errors
/// Why it is nobody, in words.
pub(super) fn find(hint: &PersonHint, students: &[Student]) -> Result<(usize, &'static str), String> {
    let ids: Vec<String> = hint.ids.iter().map(|id| id.trim().to_lowercase()).collect();
    let by_id = |student: &Student| {
        let mut own = [&student.id, &student.login, &student.mail].map(|own| own.to_lowercase()).to_vec();
        // The part of an address before the @ is often the login.
        own.extend(own[2].split('@').next().map(str::to_owned));
        own.iter().any(|own| !own.is_empty() && ids.contains(own))
    };
    let by_names = |names: &[String], student: &Student| {
        let own = spellings(&student.name);
        names.iter().any(|name| spellings(name).iter().any(|name| own.contains(name)))
    };
    let indices = |fits: &dyn Fn(&Student) -> bool| -> Vec<usize> {
        (0..students.len()).filter(|index| fits(&students[*index])).collect()
    };
    let of_id = indices(&by_id);
    let mut of_name = indices(&|student| by_names(&hint.names, student));
    for shorter in &hint.shorter_names {
        if of_name.is_empty() {
            of_name = indices(&|student| by_names(std::slice::from_ref(shorter), student));
        }
    }
    let of_both: Vec<usize> = of_id.iter().copied().filter(|index| of_name.contains(index)).collect();
    let ordered = if hint.is_by_name {
        [(of_both, "id and name"), (of_name, "name"), (of_id, "id")]
    } else {
        [(of_both, "id and name"), (of_id, "id"), (of_name, "name")]
    };
    match ordered.into_iter().find(|(found, _)| !found.is_empty()) {
        None => Err("matches nobody in the roster".to_owned()),
        Some((found, how)) => match found[..] {
            [only] => Ok((only, how)),
            _ => {
                let ids: Vec<&str> = found.iter().map(|index| students[*index].id.as_str()).collect();
                Err(format!("fits several students: {}", ids.join(", ")))
            }
        },
    }
}

/// The spellings of a name that are compared. Only letters count. The words come in each order that
/// keeps the surname or the given names together. Letters with an accent are kept, written without
/// it, or left out.
fn spellings(name: &str) -> Vec<String> {
    // A Mac writes accents as characters of their own.
    let name: String = name.nfc().collect::<String>().to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut all = Vec::new();
    for first in 0..words.len() {
        let turned: String = words[first..].iter().chain(&words[..first]).copied().collect();
        let bare: String = turned.nfd().filter(|c| !is_combining_mark(*c)).collect();
        let ascii: String = turned.chars().filter(char::is_ascii).collect();
        all.extend([turned, bare, ascii]);
    }
    all.retain(|spelling| !spelling.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster() -> Vec<Student> {
        let student = |id: &str, name: &str, mail: &str, login: &str| Student {
            submitted: None,
            id: id.to_owned(),
            name: name.to_owned(),
            mail: mail.to_owned(),
            login: login.to_owned(),
            submissions: Vec::new(),
            named_on: Vec::new(),
            team: 0,
            line: 2,
        };
        vec![
            student("11", "Doe, Jane", "jane@x.edu", "jd7"),
            student("12", "Ana María de la Cruz", "am@x.edu", ""),
            student("13", "Jörg Müller", "jm@x.edu", ""),
            student("14", "Roe, Ric", "r1@x.edu", ""),
            student("15", "Ric Roe", "r2@x.edu", ""),
        ]
    }

    #[test]
    fn a_student_is_found_by_any_spelling_of_what_the_roster_has() {
        for (ids, name, by_name, found) in [
            ("11", "", false, 0),
            ("JD7", "", false, 0),
            ("Jane@X.edu", "", false, 0),
            ("", "doejane", false, 0),
            ("", "Jane Doe", false, 0),
            ("", "delacruzanamaria", false, 1),
            ("", "De La Cruz, Ana Mari\u{301}a", false, 1),
            ("", "mullerjorg", false, 2),
            ("", "mllerjrg", false, 2),
            ("15", "roeric", true, 4),
            ("14", "doejane", true, 0),
            ("14", "doejane", false, 3),
            ("14", "stranger", true, 3),
        ] {
            let hint = PersonHint {
                ids: vec![ids.to_owned()],
                names: vec![name.to_owned()],
                is_by_name: by_name,
                ..PersonHint::default()
            };
            assert_eq!(find(&hint, &roster()).map(|(index, _)| index), Ok(found), "{ids} {name}");
        }
        let hint = |name: &str| PersonHint { names: vec![name.to_owned()], ..PersonHint::default() };
        assert!(find(&hint("Zed"), &roster()).unwrap_err().contains("nobody"));
        assert!(find(&hint("Ric Roe"), &roster()).unwrap_err().contains("several students: 14, 15"));
    }
}
