//! Reads `roster.csv`: the students and their submissions.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use agon_config::{Deadline, Misuse, Moment};
use agon_printable::{clean, escape};
use agon_programs::program::display_path;

use super::sheet;
use super::written_time::TimeSource;

/// A student in the roster.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Student {
    /// The student's id in the learning system.
    pub(super) id: String,
    /// The name.
    pub(super) name: String,
    /// The address.
    pub(super) mail: String,
    /// The name of the account, if the roster has such a column.
    pub(super) login: String,
    /// The name of the student's group, if the roster has such a column.
    pub(super) group: String,
    /// The date of this student alone, if the roster has such a column.
    pub(super) due: Option<Deadline>,
    /// When the submission that counts was handed in, if it is known.
    pub(super) submitted: Option<Moment>,
    /// Where that was read.
    pub(super) submitted_from: TimeSource,
    /// The path of the submission that counts; of a team with its first student.
    pub(super) submissions: Vec<String>,
    /// What the lines of the roster say; of a team with its first student.
    pub(super) lines: Vec<RosterLine>,
    /// The index of the first student of the team; the student's own index without a team.
    pub(super) team: usize,
    /// The student's first line, from 1.
    pub(super) line: u64,
}

/// A line of the roster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RosterLine {
    /// Its number, from 1.
    pub(super) line: u64,
    /// The path of a submission, as written; empty if nothing was handed in.
    pub(super) path: String,
    /// When it was handed in.
    pub(super) submitted: Option<Moment>,
    /// What counts for the student, as written.
    pub(super) used: String,
}

/// The columns of a roster.
const COLUMNS: [&str; 9] = ["id", "name", "mail", "submission", "login", "submitted", "group", "due", "use"];
/// The columns that may be missing; without a download of all submissions not the first of them.
const OPTIONAL: [&str; 6] = ["submission", "login", "submitted", "group", "due", "use"];
/// What stands between the students of a team, in each cell.
pub(super) const BETWEEN: char = ';';

/// Reads a roster. A student may have several lines, with a submission on each. A line may have
/// several students, who are a team: their ids, names and addresses are separated by semicolons.
/// Its column `submission` may be missing if `has_download`. Other columns are ignored; a remark
/// names them.
///
/// # Errors
/// [`Misuse`], which names the file, the line and the column.
pub(super) fn read(
    text: &str,
    path: &Path,
    has_download: bool,
) -> anyhow::Result<(Vec<Student>, Option<String>)> {
    let shown = display_path(path);
    let wrong = |line: u64, why: String| Misuse::error(format!("{shown}: line {line}: {why}"));
    let (text, separator) = sheet::opened(text);
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).delimiter(separator).from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
    let is = |name: &str, column: &&str| name.eq_ignore_ascii_case(column);
    let unknown =
        head.iter().filter(|name| !name.is_empty() && !COLUMNS.iter().any(|column| is(name, column)));
    let ignored: Vec<String> = unknown.map(|name| escape(name.as_bytes(), 60)).collect();
    let known = format!("the columns are {}", COLUMNS.join(", "));
    let mut places = [None; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        *place = sheet::place_of(&head, column)
            .map_err(|why| Misuse::misread(&format!("{shown}: line 1"), &why))?;
        let is_needed = !OPTIONAL[usize::from(!has_download)..].contains(&column);
        if place.is_none() && is_needed {
            let what = format!("{shown}: line 1: column {column} is missing");
            return Err(Misuse::hinted(
                what,
                match column {
                    "submission" => "add it, or give all submissions with --submissions".to_owned(),
                    _ => known,
                },
            ));
        }
    }
    let mut students: Vec<Student> = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            let why = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
                    "has {len} cells, and the first line has {expected_len}; write a cell that has a comma in quotes"
                ),
                _ => error.to_string(),
            };
            wrong(line, why)
        })?;
        let line = row.position().map_or(1, csv::Position::line);
        if row.iter().all(str::is_empty) {
            continue; // Excel writes such rows below the last one
        }
        let cells = places.map(|place| place.and_then(|place| row.get(place)).unwrap_or_default());
        add(&mut students, cells, line).map_err(|why| wrong(line, why))?;
    }
    if students.is_empty() {
        return Err(Misuse::hinted(
            format!("{shown}: line 1: there is no student in it"),
            "write a line for each student below",
        ));
    }
    let columns = if ignored.len() == 1 { "column" } else { "columns" };
    let remark =
        (!ignored.is_empty()).then(|| format!("{shown}: {columns} {} ignored; {known}", ignored.join(", ")));
    Ok((students, remark))
}

/// Adds the students of a line, or a submission of students who are there already.
fn add(students: &mut Vec<Student>, cells: [&str; COLUMNS.len()], line: u64) -> Result<(), String> {
    let [ids, names, mails, submission, logins, submitted, group, due, used] = cells;
    let submitted = match submitted {
        "" => None,
        text => Some(text.parse::<Moment>().map_err(|why| format!("column submitted: {text:?}: {why}"))?),
    };
    let due = match due {
        "" => None,
        text => Some(text.parse::<Deadline>().map_err(|why| format!("column due: {text:?}: {why}"))?),
    };
    let parts = |cell: &str| cell.split(BETWEEN).map(clean_part).collect::<Vec<String>>();
    let mut ids = parts(ids);
    ids.retain(|id| !id.is_empty());
    if ids.is_empty() {
        return Err("column id: is empty; every student needs one".to_owned());
    }
    // The cells of one student are as they are written: a name may have a semicolon.
    let of_each = |column: &str, cell: &str| -> Result<Vec<String>, String> {
        let found = if ids.len() == 1 { vec![clean_part(cell)] } else { parts(cell) };
        match found.len() {
            count if count == ids.len() => Ok(found),
            _ if cell.is_empty() => Ok(vec![String::new(); ids.len()]),
            count => Err(format!(
                "column {column}: has {count} {}, but the team of column id has {}",
                if count == 1 { "part" } else { "parts" },
                ids.len()
            )),
        }
    };
    let (names, mails, logins) =
        (of_each("name", names)?, of_each("mail", mails)?, of_each("login", logins)?);
    let first = students.len();
    let known: Vec<Option<usize>> =
        ids.iter().map(|id| students.iter().position(|student| student.id == *id)).collect();
    let team = match known[0] {
        Some(known) => students[known].team,
        None => first,
    };
    for (known, (id, name)) in known.iter().zip(ids.iter().zip(&names)) {
        let Some(known) = known else { continue };
        let (shown, before) = (escape(id.as_bytes(), 60), &students[*known]);
        if before.name != *name {
            return Err(format!("column id: {shown} is the id of another student on line {}", before.line));
        }
        let size = students.iter().filter(|student| student.team == before.team).count();
        if before.team != team || size != ids.len() {
            return Err(format!("column id: {shown} is in another team on line {}", before.line));
        }
    }
    if let Some(unknown) = known.iter().position(Option::is_none).filter(|_| team < first) {
        let unknown = escape(ids[unknown].as_bytes(), 60);
        return Err(format!("column id: {unknown} is not in the team on line {}", students[team].line));
    }
    if team == first {
        for (((id, name), mail), login) in ids.iter().zip(names).zip(mails).zip(logins) {
            if students[first..].iter().any(|student| student.id == *id) {
                return Err(format!("column id: {} is listed twice", escape(id.as_bytes(), 60)));
            }
            let (id, group) = (id.clone(), clean_part(group));
            students.push(Student { id, name, mail, login, group, team, line, ..Student::default() });
        }
    }
    for student in students.iter_mut().filter(|student| student.team == team) {
        match (student.due, due) {
            (Some(one), Some(other)) if one != other => {
                return Err(format!(
                    "column due: is another date than on line {}; write one date for the student",
                    student.line
                ));
            }
            _ => student.due = student.due.or(due),
        }
    }
    // A path is used as written; the other cells are only shown and compared.
    let (path, used) = (submission.to_owned(), used.to_owned());
    students[team].lines.push(RosterLine { line, path, submitted, used });
    Ok(())
}

/// Checks that what the roster names is there. A wrong path is the teacher's mistake, for which no
/// student gets a grade.
///
/// # Errors
/// [`Misuse`], which names the first path that does not exist, and the lines of the others.
pub(super) fn all_exist(students: &[Student], path: &Path) -> anyhow::Result<()> {
    let home = path.parent().unwrap_or(Path::new("."));
    let lines = students.iter().flat_map(|student| &student.lines);
    let named = lines.filter(|line| !line.path.is_empty());
    // A link that leads nowhere is there: its student has handed it in.
    let is_gone = |path: &Path| {
        fs::symlink_metadata(path)
            .is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
    };
    let mut gone: Vec<(u64, &str)> = named
        .filter(|line| is_gone(&home.join(&line.path)))
        .map(|line| (line.line, line.path.as_str()))
        .collect();
    gone.sort_unstable();
    let Some(((line, name), others)) = gone.split_first() else { return Ok(()) };
    let others: Vec<String> = others.iter().map(|(line, _)| line.to_string()).collect();
    let others = match others.len() {
        0 => String::new(),
        1 => format!("; nor does that of line {}", others[0]),
        _ => format!("; nor do those of lines {}", others.join(", ")),
    };
    let (shown, name) = (display_path(path), escape(name.as_bytes(), 200));
    Err(Misuse::hinted(
        format!("{shown}: line {line}: column submission: {name} does not exist{others}"),
        "mend the path; an empty cell means that nothing was handed in",
    ))
}

fn clean_part(text: &str) -> String {
    clean(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(student: &Student) -> Vec<&str> {
        student.lines.iter().map(|line| line.path.as_str()).collect()
    }

    fn said(text: &str) -> String {
        read(text, Path::new("roster.csv"), false).unwrap_err().to_string()
    }

    #[test]
    fn a_roster_is_read_whatever_the_order_of_its_columns() {
        let text = "\u{feff}name,id,submission,mail\n\"Block, Jasen\",11,a.zip,j@x\nAda,12,,a@x\n\"Block, Jasen\",11,b.zip,j@x\n";
        let students = read(text, Path::new("roster.csv"), false).unwrap().0;
        assert_eq!(students.len(), 2);
        assert_eq!((students[0].id.as_str(), students[0].name.as_str()), ("11", "Block, Jasen"));
        assert_eq!(paths(&students[0]), ["a.zip", "b.zip"]);
        assert_eq!(paths(&students[1]), [""]);
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_column() {
        assert!(
            said("id,name,mail,submission\n1,A,a,x\n1,B,b,y\n")
                .contains("roster.csv: line 3: column id: 1 is")
        );
        assert!(said("id,name,mail,submission\n1,A,a,x\n,B,b,y\n").contains("line 3: column id: is empty"));
        let (students, remark) =
            read("id,Shoe,name,mail,submission,\n1,44,A,a,x,\n", Path::new("r.csv"), false).unwrap();
        assert_eq!((students[0].name.as_str(), students[0].lines.len()), ("A", 1));
        assert!(
            remark.is_some_and(|remark| remark.starts_with("r.csv: column Shoe ignored; the columns are id"))
        );
        assert!(said("id,name,mail\n").contains("column submission is missing"));
        assert!(said("id,name,mail,submission\n1,A\n").contains("line 2"));
        assert!(said("id,name,mail,submission\n").contains("no student"));
    }

    #[test]
    fn a_roster_of_a_european_spreadsheet_is_read() {
        let text = "\u{feff}ID;Name;Mail;Submission\r\n11;Block, Jasen;j@x;a.zip\r\n;;;\r\n";
        let students = read(text, Path::new("roster.csv"), false).unwrap().0;
        assert_eq!(students.len(), 1);
        assert_eq!((students[0].name.as_str(), paths(&students[0])), ("Block, Jasen", vec!["a.zip"]));
    }

    #[test]
    fn a_line_with_several_ids_is_a_team_with_one_submission() {
        let text = "id,name,mail,submission\n1;2,\"Doe, J; Roe, R\",j@x;r@x,a.zip\n3,C,c@x,c.zip\n1;2,\"Doe, J;Roe, R\",,b.zip\n";
        let students = read(text, Path::new("roster.csv"), false).unwrap().0;
        let told: Vec<(&str, &str, &str, usize)> = (students.iter())
            .map(|one| (one.id.as_str(), one.name.as_str(), one.mail.as_str(), one.team))
            .collect();
        assert_eq!(told, [("1", "Doe, J", "j@x", 0), ("2", "Roe, R", "r@x", 0), ("3", "C", "c@x", 2)]);
        assert_eq!(paths(&students[0]), ["a.zip", "b.zip"]);
        assert!(students[1].lines.is_empty());
        for (lines, words) in [
            ("1;2,A,a;b,x", "line 2: column name: has 1 part,"),
            ("1;1,A;A,,x", "1 is listed twice"),
            ("1;2,A;B,,x\n2;3,B;C,,y", "line 3: column id: 3 is not in the team on line 2"),
            ("1;2,A;B,,x\n2,B,,y", "2 is in another team on line 2"),
            ("1,A,,x\n1;2,A;B,,y", "1 is in another team on line 2"),
        ] {
            let why = said(&format!("id,name,mail,submission\n{lines}\n"));
            assert!(why.contains(words), "{lines}: {why}");
        }
    }

    #[test]
    fn groups_dates_and_what_counts_are_read() {
        let text = "id,name,mail,submission,group,due,use\n1,A,a,x,Red,2026-11-20,\n1,A,a,y,Red,,yes\n2,B,b,,,,excused\n";
        let students = read(text, Path::new("roster.csv"), false).unwrap().0;
        assert_eq!((students[0].group.as_str(), students[0].due.is_some()), ("Red", true));
        assert_eq!(
            (students[0].lines[1].used.as_str(), students[1].lines[0].used.as_str()),
            ("yes", "excused")
        );
        let why = said("id,name,mail,submission,due\n1,A,a,x,soon\n");
        assert!(why.contains("line 2: column due: \"soon\": it is not a date"), "{why}");
        let why = said("id,name,mail,submission,due\n1,A,a,x,2026-11-20\n1,A,a,y,2026-11-21\n");
        assert!(why.contains("line 3: column due: is another date than on line 2"), "{why}");
    }

    #[test]
    fn with_a_download_the_submissions_need_no_column() {
        let text = "id,name,mail,login\n1,A,a@x,aa\n";
        assert_eq!(read(text, Path::new("roster.csv"), true).unwrap().0[0].login, "aa");
        assert!(said(text).contains("column submission is missing"));
    }
}
