//! Names of submissions as the six kinds of downloads write them, each with the student, the files
//! and the time that it means. A doubt is `?`.

use std::fs;
use std::path::Path;

use super::answers::Answers;
use super::claimed_files;
use super::claims::IntakeClaim;
use super::download;
use super::intake::{Intake, Matching};
use super::intake_questions::Asking;
use super::person_finder::GroupsOfNames;
use super::roster::{self, Student};

const ROSTER: &str = "id,name,mail,login,group\n\
    101,\"Doe, Jane\",jane.doe@x.edu,jdoe,\n\
    102,\"Müller, Jörg\",jm@x.edu,jmueller,\n\
    103,\"de la Cruz, Ana María\",am@x.edu,ana-cruz,\n\
    104,\"O'Brien, Seán\",so@x.edu,sobrien,\n\
    105,\"Roth, Lena Maria\",lr@x.edu,lroth,\n\
    106,\"Nguyễn, Thị Mai\",nm@x.edu,mai,\n\
    107,\"Li, Wei\",lw@x.edu,weili,\n\
    109,\"Smith, John\",s1@x.edu,jsmith1,\n\
    110,\"Smith, John\",s2@x.edu,jsmith2,\n\
    111,\"van den Berg, Piet\",pb@x.edu,berg,\n\
    112,\"Åsen, Øyvind\",oa@x.edu,asen,\n\
    113,\"Kim, Min-Jun\",mk@x.edu,mjkim,Red Team\n\
    114,\"Park, Seo-Yeon\",sp@x.edu,sypark,Red Team\n\
    115,\"Ivanova, Olga\",oi@x.edu,olga,\n\
    116,\"Weiß, Karl\",kw@x.edu,kweiss,\n\
    117,\"Петров, Иван\",ip@x.edu,petrov,\n\
    2,\"Short, Sam\",ss@x.edu,sam,\n";

/// An entry: its name, where a slash at the end says that it is a folder; the ids; the files under
/// which it is built; and the time.
type NameRow = (&'static str, &'static str, &'static str, &'static str);

const CANVAS: &[NameRow] = &[
    ("doejane_5001_90001_bot.zip", "101", "bot.zip", ""),
    ("mullerjorg_LATE_5002_90002_main-1.py", "102", "main.py", "late"),
    ("delacruzanamaria_5003_90003_Main-3.java", "103", "Main.java", ""),
    ("obriensean_5004_9999998_main.py", "104", "main.py", ""),
    ("obriensean_5004_10000003_main-1.py", "104", "", ""),
    ("smithjohn_5009_90009_a.py", "?", "", ""),
    ("redteam_11_90011_main.py", "113;114", "main.py", ""),
    ("weißkarl_5016_90016_my_bot_2.tar.gz", "116", "my_bot_2.tar.gz", ""),
    ("ivanovaolga_5015_90015_main.py", "?", "", ""),
    ("ivanovaolga_5025_90025_main.py", "?", "", ""),
    ("strangerann_101_90017_bot.zip", "?", "", ""),
    ("asenoyvind_5012_90018_level-100.c", "112", "level-100.c", ""),
];

const MOODLE: &[NameRow] = &[
    ("Jane Doe_7001_assignsubmission_file_/", "101", "", ""),
    ("Jörg Müller_7002_assignsubmission_file_/", "102", "", ""),
    ("Ana María de la Cruz_7003_assignsubmission_file_bot.zip", "103", "bot.zip", ""),
    ("Anna-Lena Maria Roth_7004_assignsubmission_file_/", "?", "", ""),
    ("Team 4-Olga Ivanova_7005_assignsubmission_file_/", "115", "", ""),
    ("Red Team-Min-Jun Kim_7006_assignsubmission_file_/", "113", "", ""),
    ("Seo-Yeon Park_7007_assignsubmission_file_/", "114", "", ""),
    ("Karl Weiß_7008_assignsubmission_onlinetext_/", "", "", ""),
    ("Piet van den Berg_1001_assignsubmission_file_/", "?", "", ""),
    ("Piet van den Berg_1002_assignsubmission_file_/", "?", "", ""),
    ("Иван Петров_7009_assignsubmission_file_main_v2.py", "117", "main_v2.py", ""),
];

const BRIGHTSPACE: &[NameRow] = &[
    ("11-77 - Jane Doe - Sep 3, 2026 1159 PM/", "101", "", "2026-09-03T23:59"),
    ("12-77 - Jörg Müller - 10 September, 2026 905 AM/", "102", "", "2026-09-10T09:05"),
    (
        "13-77 - Ana María de la Cruz - Sep 4, 2026 1205 AM - my bot.zip",
        "103",
        "my bot.zip",
        "2026-09-04T00:05",
    ),
    ("14-77 - Seán O'Brien- September 13, 2026 1201 PM - a - b.py", "104", "a - b.py", "2026-09-13T12:01"),
    ("15-77 - 107 - Wei Li - 4 Sept. 2026 1530/", "107", "", "2026-09-04T15:30"),
    ("16-77 - Øyvind Åsen - 3 oktober 2026 2105/", "112", "", "2026-10-03T21:05"),
    ("17-77 - John Smith - Sep 3, 2026 1159 PM/", "?", "", "2026-09-03T23:59"),
    ("18-77 - Karl Weiss - 3-9-2026 1159 PM - x.py", "116", "x.py", "?"),
    ("19-77 - 110 - John Smith - Sep 5, 2026 800 AM/", "110", "", "2026-09-05T08:00"),
    ("20-77 - Zed Stranger - Sep 3, 2026 1159 PM/", "?", "", "2026-09-03T23:59"),
];

const GITHUB: &[NameRow] = &[
    ("connect4-jdoe/", "101", "", ""),
    ("connect4-ana-cruz/", "103", "", ""),
    ("connect4-jsmith1/", "109", "", ""),
    ("connect4-JSmith2/", "110", "", ""),
    ("connect4-red-team/", "113;114", "", ""),
    ("connect4-stranger/", "?", "", ""),
    ("connect4-cruz/", "?", "", ""),
    ("connect4-mai/", "106", "", ""),
];

const PLAIN: &[NameRow] = &[
    ("101.zip", "101", "101.zip", ""),
    ("jmueller/", "102", "", ""),
    ("de la Cruz, Ana María.tar.gz", "103", "de la Cruz, Ana María.tar.gz", ""),
    ("sobrien_bot.zip", "104", "sobrien_bot.zip", ""),
    ("nm@x.edu/", "106", "", ""),
    ("Wei Li 2.zip", "107", "Wei Li 2.zip", ""),
    ("John Smith.zip", "?", "", ""),
    ("Given Family 2.zip", "?", "", ""),
    (
        "Piet van den Berg-2026-11-20T2359.zip",
        "111",
        "Piet van den Berg-2026-11-20T2359.zip",
        "2026-11-20T23:59",
    ),
    ("Olga Ivanova Petrova.zip", "?", "", ""),
    ("116_final_v2.zip", "116", "116_final_v2.zip", ""),
    ("2.zip", "2", "2.zip", ""),
    ("Red Team.zip", "113;114", "Red Team.zip", ""),
];

/// Gradescope says in a file who has handed in what: ids, names, addresses, and the time.
const GRADESCOPE: &[(&str, &[&str], &str, &str)] = &[
    ("submission_1", &["Jane Doe|101|jane.doe@x.edu"], "101", "2026-09-03T21:59Z"),
    ("submission_2", &["J. M.||jm@x.edu"], "102", "2026-09-03T22:10Z"),
    ("submission_3", &["Ana de la Cruz|103|"], "103", "2026-09-03T22:11Z"),
    ("submission_4", &["Sean OBrien|104|", "Li Wei|107|"], "104;107", "2026-09-03T22:12Z"),
    ("submission_5", &["John Smith||s1@x.edu"], "109", "2026-09-03T22:13Z"),
    ("submission_6", &["John Smith||"], "?", "2026-09-03T22:14Z"),
    ("submission_7", &["Karl Weiß|102|"], "?", "2026-09-03T22:15Z"),
    ("submission_8", &["Olga Ivanova|115|", "Zed|999|z@x.edu"], "?", "2026-09-03T22:16Z"),
];

fn students() -> Vec<Student> {
    roster::read(ROSTER, Path::new("roster.csv"), true).unwrap().0
}

fn decided(home: &Path) -> (Vec<IntakeClaim>, Intake) {
    let students = students();
    let logins: Vec<&str> = students.iter().map(|student| student.login.as_str()).collect();
    let claims = download::read(&home.join("in"), &home.join("out"), &logins).unwrap().claims;
    let table = home.join("intake.csv");
    let answers =
        Answers::read(&table, Path::new("roster.csv"), &students, &claims, &|_| String::new()).unwrap();
    let matching = Matching {
        groups: GroupsOfNames::default(),
        students: &students,
        claims: &claims,
        answers: &answers,
        asking: Asking {
            students: &students,
            claims: &claims,
            answers: &answers,
            private: Path::new(""),
            roster: Path::new("roster.csv"),
        },
        is_download: true,
        missing_is_none: true,
        waiting: Vec::new(),
        are_equal: &|_, _| false,
    };
    let intake = matching.decide();
    (claims, intake)
}

/// The ids that a row of the table has; `?` if somebody is asked.
fn ids_of(intake: &Intake, shown: &str) -> String {
    let students = students();
    let row = intake.rows.iter().find(|row| row.submission == shown).unwrap();
    let is_asked = intake.questions.iter().any(|question| question.what.starts_with(&format!("{shown}:")));
    let ids: Vec<&str> = row.students.iter().map(|index| students[*index].id.as_str()).collect();
    if is_asked { "?".to_owned() } else { ids.join(";") }
}

fn check(rows: &[NameRow]) -> usize {
    let home = tempfile::tempdir().unwrap();
    for (name, ..) in rows {
        let path = home.path().join("in").join(name.trim_end_matches('/'));
        if name.ends_with('/') {
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("main.py"), "").unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }
    let (claims, intake) = decided(home.path());
    for (name, ids, files, time) in rows {
        let name = name.trim_end_matches('/');
        // A file of a claim of several is in the row of the first.
        let at = claims.iter().position(|claim| claim.is_called(&claimed_files::shown(name)));
        let at = at.unwrap_or_else(|| panic!("{name}"));
        let claim = &claims[at];
        assert_eq!(
            ids_of(&intake, &claim.shown),
            *ids,
            "{name}: {:?} {:?}",
            intake.rows[at],
            intake.questions
        );
        if !files.is_empty() {
            let to = home.path().join("made").join(at.to_string());
            let folder = claim.gathered(None, &to).unwrap();
            let made: Vec<String> = fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            assert_eq!(made, [*files], "{name}");
        }
        assert_eq!(claim.is_late, *time == "late", "{name}");
        match *time {
            "" | "late" => assert_eq!(claim.time.moment(), None, "{name}"),
            "?" => assert!(matches!(claim.time, super::written_time::WrittenTime::Unread(_)), "{name}"),
            time => assert_eq!(claim.time.moment(), Some(time.parse().unwrap()), "{name}"),
        }
    }
    rows.len()
}

#[test]
fn the_names_of_six_kinds_of_downloads_have_the_right_student_file_and_time() {
    let mut count: usize = [CANVAS, MOODLE, BRIGHTSPACE, GITHUB, PLAIN].into_iter().map(check).sum();
    let home = tempfile::tempdir().unwrap();
    let mut about = "---\n".to_owned();
    for (folder, people, _, time) in GRADESCOPE {
        fs::create_dir_all(home.path().join("in/export").join(folder)).unwrap();
        about.push_str(&format!("{folder}:\n  :submitters:\n"));
        for person in *people {
            let [name, id, mail] = person.split('|').collect::<Vec<_>>()[..] else { panic!("{person}") };
            about.push_str(&format!("  - :name: \"{name}\"\n"));
            for (key, text) in [("sid", id), ("email", mail)] {
                if !text.is_empty() {
                    about.push_str(&format!("    :{key}: {text}\n"));
                }
            }
        }
        let time = time.trim_end_matches('Z').replace('T', " ");
        about.push_str(&format!("  :created_at: {time}:00.000000000 +00:00\n"));
    }
    fs::write(home.path().join("in/export/submission_metadata.yml"), about).unwrap();
    let (claims, intake) = decided(home.path());
    for (folder, _, ids, time) in GRADESCOPE {
        let claim = claims.iter().find(|claim| claim.shown == *folder).unwrap();
        assert_eq!(ids_of(&intake, folder), *ids, "{folder}: {:?}", intake.questions);
        assert_eq!(claim.time.moment(), Some(time.parse().unwrap()), "{folder}");
        count += 1;
    }
    assert!(count >= 60, "{count}");
}

/// A clean download of each system has no doubt, however large it is.
#[test]
fn a_clean_download_of_two_hundred_students_has_no_question() {
    const GIVEN: [&str; 20] = [
        "Ana", "Ben", "Chloé", "Dan", "Eva", "Finn", "Gül", "Hana", "Ian", "Jörg", "Kai", "Lea", "Max",
        "Nora", "Olaf", "Pia", "Quin", "Rosa", "Sean", "Tess",
    ];
    const FAMILY: [&str; 10] =
        ["Adams", "Bauer", "Çelik", "Diaz", "Eriksson", "Fischer", "O'Neil", "de la Cruz", "Li", "van Dam"];
    let people: Vec<(usize, &str, &str)> = (0..200).map(|n| (n, GIVEN[n % 20], FAMILY[n / 20])).collect();
    let roster: String = people
        .iter()
        .map(|(n, given, family)| format!("S{n:04},\"{family}, {given}\",s{n:04}@x.edu,login{n:04}\n"))
        .collect();
    let roster = format!("id,name,mail,login\n{roster}");
    let students = roster::read(&roster, Path::new("roster.csv"), true).unwrap().0;
    let logins: Vec<&str> = students.iter().map(|student| student.login.as_str()).collect();
    let flat = |text: &str| -> String {
        text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
    };
    type NameOf<'a> = &'a dyn Fn(usize, &str, &str) -> String;
    let systems: [NameOf<'_>; 5] = [
        &|n, given, family| format!("{}{}_{}_{}_bot-1.zip", flat(family), flat(given), 100 + n, 9000 + n),
        &|n, given, family| format!("{given} {family}_{}_assignsubmission_file_bot.zip", 100 + n),
        &|n, given, family| {
            format!("{}-7 - {given} {family} - {} September, 2026 905 AM - bot.zip", 100 + n, 1 + n % 28)
        },
        &|n, _, _| format!("cup-login{n:04}"),
        &|n, _, _| format!("S{n:04}.zip"),
    ];
    for (number, name) in systems.iter().enumerate() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("in")).unwrap();
        for (n, given, family) in &people {
            fs::write(home.path().join("in").join(name(*n, given, family)), "").unwrap();
        }
        let claims =
            download::read(&home.path().join("in"), &home.path().join("out"), &logins).unwrap().claims;
        let answers =
            Answers::read(&home.path().join("none"), Path::new("r"), &students, &claims, &|_| String::new())
                .unwrap();
        let matching = Matching {
            groups: GroupsOfNames::default(),
            students: &students,
            claims: &claims,
            answers: &answers,
            asking: Asking {
                students: &students,
                claims: &claims,
                answers: &answers,
                private: Path::new(""),
                roster: Path::new("roster.csv"),
            },
            is_download: true,
            missing_is_none: false,
            waiting: Vec::new(),
            are_equal: &|_, _| false,
        };
        let intake = matching.decide();
        assert!(intake.questions.is_empty(), "{number}: {:?}", intake.questions);
        for (index, at) in intake.counted.iter().enumerate() {
            let (n, given, family) = &people[index];
            assert!(claims[at.unwrap()].shown == name(*n, given, family), "{number} {index}");
        }
    }
}
