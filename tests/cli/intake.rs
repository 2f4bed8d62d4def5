//! What students really hand in: archives of other systems, languages without an `engine.toml`, and
//! the downloads of learning systems.

use std::fs;

use super::archives::{UNIX, WINDOWS, zip};
use super::grading::class;
use super::home::{Home, Said, programs};
use super::support::not_tried;

const GRADE: &str = "grade tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";

fn grade(home: &Home, options: &str) -> Said {
    home.agon(GRADE.split(' ').chain(options.split_ascii_whitespace()))
}

/// The row of a student in grades.csv, by column.
pub(crate) fn row(home: &Home, id: &str) -> Vec<String> {
    let grades = home.read("grades/grades.csv");
    let mut rows = csv::Reader::from_reader(grades.as_bytes()).into_records().map(Result::unwrap);
    rows.find(|row| &row[0] == id).unwrap().iter().map(str::to_owned).collect()
}

/// Writes answers into the column `use` of intake.csv. Returns how many they are.
pub(crate) fn answer(home: &Home, of: impl Fn(&csv::StringRecord) -> Option<&'static str>) -> usize {
    let text = home.read("grades/intake.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(reader.headers().unwrap()).unwrap();
    let mut count = 0;
    for row in reader.records().map(Result::unwrap) {
        let mut cells: Vec<&str> = row.iter().collect();
        if let Some(answer) = of(&row) {
            *cells.last_mut().unwrap() = answer;
            count += 1;
        }
        writer.write_record(cells).unwrap();
    }
    home.put("grades/intake.csv", writer.into_inner().unwrap());
    count
}

/// A program that plays like agon-greedy, as a script.
fn script() -> Vec<u8> {
    format!("#!/bin/sh\nexec {} \"$@\"\n", programs().join("agon-greedy").display()).into_bytes()
}

#[test]
fn archives_of_a_mac_and_of_windows_are_read_as_their_students_meant_them() {
    let toml: &[u8] = b"command = [\"./run\"]\n";
    let home = class(
        "id,name,mail,submission\n1,Mac,,mac.zip\n2,Win,,win.zip\n3,Deep,,deep.zip\n4,Seven,,bot.7z\n5,Rar,,bot.zip\n6,Kotlin,,kt.zip\n\
         7,Empty,,empty\n8,Out,,out.zip\n9,Word,,essay.doc\n11,Toml,,toml.zip\n",
    );
    let script = script();
    home.put(
        "mac.zip",
        zip(
            UNIX,
            &[
                (b"My bot/engine.toml", toml),
                (b"My bot/run", &script),
                (b"My bot/.DS_Store", b"x"),
                (b"__MACOSX/My bot/._run", b"fork"),
                (b"__MACOSX/._My bot", b"fork"),
            ],
        ),
    );
    // Latin-1 and backslashes, and no bit that says what may be executed.
    home.put(
        "win.zip",
        zip(
            WINDOWS,
            &[
                (b"gr\xf6\xdfe\\engine.toml", toml),
                (b"gr\xf6\xdfe\\run", &script),
                (b"gr\xf6\xdfe\\Thumbs.db", b"x"),
            ],
        ),
    );
    let inner = zip(UNIX, &[(b"a/b/engine.toml", toml), (b"a/b/run", &script)]);
    home.put("deep.zip", zip(UNIX, &[(b"hand-in/report.pdf", b"%PDF"), (b"hand-in/code.zip", &inner)]));
    home.put("bot.7z", b"7z\xbc\xaf\x27\x1c....");
    home.put("bot.zip", b"Rar!\x1a\x07\x00....");
    // As a learning system gives a file out: in a folder.
    home.put("empty/bot.zip", zip(UNIX, &[]));
    home.put("toml.zip", zip(UNIX, &[(b"engine.toml", b"command = = 3\n"), (b"run", &script)]));
    home.put("essay.doc", "I could not do it.");
    home.put("out.zip", zip(UNIX, &[(b"../out.py", b"")]));
    home.put("kt.zip", zip(WINDOWS, &[(b"src/Main.kt", b"fun main() {}"), (b"read.me", b"hello")]));
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    for id in ["1", "2", "3"] {
        assert_ne!(row(&home, id)[6], "does not work", "{:?}", row(&home, id));
    }
    let files = |id: &str| {
        let folder = home.path(format!("results-engines/{}", row(&home, id)[3]));
        let mut versions = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let version = versions.find(|path| path.is_dir()).unwrap();
        let mut names: Vec<String> = fs::read_dir(version)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    for id in ["1", "2", "3"] {
        assert_eq!(files(id), ["engine.toml", "run"], "{id}");
    }
    for (id, kind) in [("4", "7z"), ("5", "rar")] {
        let words = format!("is a {kind} archive, which agon does not read; hand in a zip or tar.gz archive");
        assert!(row(&home, id)[7].contains(&words), "{:?}", row(&home, id));
        assert!(!row(&home, id)[7].contains("it is empty"), "{:?}", row(&home, id));
    }
    let why = &row(&home, "11")[7];
    assert!(why.starts_with("engine.toml: TOML parse error at line 1") && !why.contains('\n'), "{why}");
    let why = &row(&home, "7")[7];
    assert!(why.starts_with("nothing to build") && why.ends_with("; it is empty"), "{why}");
    let why = &row(&home, "8")[7];
    assert_eq!(why, "what was handed in has the path ../out.py, which leads out of it");
    let why = &row(&home, "6")[7];
    assert!(why.ends_with("inside are read.me, src/Main.kt"), "{why}");
    assert!(why.contains("no source in C, C++, Java, Go, Rust, JavaScript or Python"), "{why}");
    let here = home.path("").display().to_string();
    let grades = home.read("grades/grades.csv");
    assert!(!grades.contains(&here), "{grades}");
    // The same words at another time, from what is remembered.
    assert_eq!(row(&home, "9")[7].matches("; inside is engine").count(), 1, "{grades}");
    assert_eq!(grade(&home, "").code, Some(0));
    assert_eq!(home.read("grades/grades.csv"), grades);
}

#[test]
fn a_refused_engine_is_named_without_a_path_of_the_teachers_machine() {
    let home = class(
        "id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,bad.zip\n4,D,,text.zip\n5,E,,gone.zip\n",
    );
    home.put("bad.zip", zip(UNIX, &[(b"engine.toml", b"command = 3\n")]));
    home.put("text.zip", zip(WINDOWS, &[(b"engine.toml", b"command = [\"./run\"]\n"), (b"run", b"hello")]));
    home.put("gone.zip", zip(UNIX, &[(b"engine.toml", b"command = [\"./run\"]\nbuild = [\"true\"]\n")]));
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let here = home.path("").display().to_string();
    let here = here.trim_end_matches('/');
    for (id, words) in [("3", "engine.toml"), ("4", "run"), ("5", "run")] {
        let why = &row(&home, id)[7];
        assert!(why.contains(words) && !why.contains(here), "{id}: {why}");
    }
}

#[test]
fn the_downloads_of_learning_systems_find_their_students() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n");
    let toml: &[u8] = b"command = [\"./run\"]\n";
    let script = script();
    let bot = zip(UNIX, &[(b"bot/engine.toml", toml), (b"bot/run", &script)]);
    home.put(
        "roster.csv",
        "id,name,mail\nu1,\"Doe, Jane\",jane@x.edu\nu2,Jörg Müller,jm@x.edu\nu3,Ric Roe,roe@x.edu\n",
    );
    let canvas = zip(
        UNIX,
        &[
            (b"doejane_LATE_501_9001_bot-1.zip", &bot),
            (b"mullerjorg_502_9002_engine-2.toml", toml),
            (b"mullerjorg_502_9003_run", &script),
            (b"strangerann_777_9004_bot.zip", &bot),
        ],
    );
    let moodle = zip(
        UNIX,
        &[
            (b"Jane Doe_11_assignsubmission_file_/bot.zip", &bot),
            ("Jörg Müller_12_assignsubmission_file_/engine.toml".as_bytes(), toml),
            ("Jörg Müller_12_assignsubmission_file_/run".as_bytes(), &script),
            (b"Ann Stranger_13_assignsubmission_file_/bot.zip", &bot),
        ],
    );
    let brightspace = zip(
        WINDOWS,
        &[
            (b"index.html", b"<html>"),
            (b"1-9 - Jane Doe - Sep 3, 2026 1159 PM/bot.zip", &bot),
            (b"1-9 - Jane Doe - Sep 3, 2026 0200 PM/old.txt", b"not this one"),
            ("2-9 - Jörg Müller - Sep 2, 2026 900 AM/engine.toml".as_bytes(), toml),
            ("2-9 - Jörg Müller - Sep 2, 2026 900 AM/run".as_bytes(), &script),
            (b"3-9 - Ann Stranger - Sep 2, 2026 900 AM/bot.zip", &bot),
        ],
    );
    let yaml = "submission_1:\n  :submitters:\n  - :name: J. Doe\n    :sid: 'u1'\n    :email: jane@x.edu\nsubmission_2:\n  \
                :submitters:\n  - :name: JM\n    :email: jm@x.edu\nsubmission_3:\n  :submitters:\n  - :name: Ann Stranger\n";
    let gradescope = zip(
        UNIX,
        &[
            (b"assignment_7_export/submission_metadata.yml", yaml.as_bytes()),
            (b"assignment_7_export/submission_1/engine.toml", toml),
            (b"assignment_7_export/submission_1/run", &script),
            (b"assignment_7_export/submission_2/bot.zip", &bot),
            (b"assignment_7_export/submission_3/bot.zip", &bot),
        ],
    );
    let own = zip(
        UNIX,
        &[(b"u1.zip", &bot), (b"jm@x.edu/engine.toml", toml), (b"jm@x.edu/run", &script), (b"ann/x", b"")],
    );
    for (name, archive, system) in [
        ("canvas", canvas, "Canvas"),
        ("moodle", moodle, "Moodle"),
        ("brightspace", brightspace, "Brightspace"),
        ("gradescope", gradescope, "Gradescope"),
        ("own", own, "the names of its entries"),
    ] {
        let file = format!("{name}.zip");
        home.put(&file, archive);
        let said = grade(&home, &format!("--submissions {file} --out of-{name}"));
        // Nobody is graded while it is not known whose a submission is, or why there is none.
        assert_eq!(said.code, Some(2), "{name}: {}", said.all());
        assert!(!home.path(format!("of-{name}")).exists() && !home.path("grades/grades.csv").exists());
        let answered = answer(&home, |row| (row[1].is_empty() || row[0].is_empty()).then_some("none"));
        assert_eq!(answered, 2, "{name}: {}", said.all());
        let said = grade(&home, &format!("--submissions {file} --out of-{name}"));
        assert_eq!(said.code, Some(0), "{name}: {}", said.all());
        assert!(said.err().contains(&format!("submissions by {system}; ")), "{name}: {}", said.all());
        for id in ["u1", "u2"] {
            assert_ne!(row(&home, id)[6], "does not work", "{name}: {:?}", row(&home, id));
        }
        assert_eq!(row(&home, "u3")[7], "nothing was handed in", "{name}");
        assert_eq!(row(&home, "u3")[5], "", "{name}");
        assert!(said.err().contains("nothing was handed in by:\n  Ric Roe (u3)"), "{name}: {}", said.all());
        let list = home.read("grades/intake.csv");
        assert_eq!(list.contains(",late,matched"), name == "canvas", "{list}");
        assert_eq!(list.contains("another submission counts"), name == "brightspace", "{list}");
        fs::rename(home.path("grades"), home.path(format!("grades-{name}"))).unwrap();
    }
    home.put("none.zip", zip(UNIX, &[(b"x/a.c", b""), (b"y/b.c", b"")]));
    let said = grade(&home, "--submissions none.zip --out none");
    assert!(
        said.code == Some(2) && said.err().contains("none matches one student of the roster"),
        "{}",
        said.all()
    );
}

#[test]
fn a_download_with_groups_finds_each_member_and_says_what_it_leaves_out() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n");
    let bot = zip(UNIX, &[(b"engine.toml", b"command = [\"./run\"]\n"), (b"run", &script())]);
    home.put(
        "roster.csv",
        "id,name,mail,use\nu1;u2,Jonas Klein;Eva Lang-Roth,j@x;e@x,\nu3,Anna Blume,a@x,\nu4,Mia Sol,m@x,none\nu5,Mia Sol,n@x,none\n",
    );
    let moodle = zip(
        UNIX,
        &[
            (b"Team A-Jonas Klein_310_assignsubmission_file_/bot.zip", &bot),
            (b"Team A-Eva Lang-Roth_311_assignsubmission_file_/bot.zip", &bot),
            (b"Team-B-Anna Blume_312_assignsubmission_file_/bot.zip", &bot),
            (b"Team-B-Anna Blume_312_assignsubmission_onlinetext_/text.html", b"hello"),
        ],
    );
    home.put("moodle.zip", moodle);
    let said = grade(&home, "--submissions moodle.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    for id in ["u1", "u2", "u3"] {
        assert_ne!(row(&home, id)[6], "does not work", "{:?}", row(&home, id));
    }
    let list = home.read("grades/intake.csv");
    assert!(list.contains("onlinetext_,,,,\"is an online text, which is left out\""), "{list}");
    assert!(list.contains(",u1;u2,Jonas Klein;Eva Lang-Roth,,matched by name"), "{list}");
    let two = zip(UNIX, &[(b"Mia Sol_313_assignsubmission_file_/bot.zip", &bot)]);
    home.put("two.zip", two);
    let said = grade(&home, "--submissions two.zip --out two --to two-grades --missing none");
    let words = "1. Mia Sol_313_assignsubmission_file_: fits several students: u4, u5; in question: Mia Sol (u4), Mia Sol \
                 (u5)\n     answer: two-grades/intake.csv: line 2, column use: write u4 or u5, or none to leave it out";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

#[test]
fn a_team_has_one_engine_and_each_of_it_the_grade() {
    let home = class("id;name;mail;submission\n\"1;2\";\"Ada; Bo\";\"a@x;b@x\";in/one\n3;Cy;c@x;in/two\n");
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (one, two, three) = (row(&home, "1"), row(&home, "2"), row(&home, "3"));
    assert_eq!((one[1].as_str(), two[1].as_str(), two[2].as_str()), ("Ada", "Bo", "b@x"));
    assert_eq!(one[3..], two[3..]);
    assert_ne!(one[3], three[3]);
    assert_eq!(home.read("results/standings.csv").lines().count(), 3);
    let revealed = home.agon(["reveal", &one[3]]);
    assert!(revealed.out().contains("Ada") && revealed.out().contains("Bo"), "{}", revealed.all());
    // The team has parted: one keeps the alias.
    home.put("roster.csv", "id,name,mail,submission\n1,Ada,a@x,in/one\n2,Bo,b@x,in/two\n3,Cy,c@x,in/two\n");
    fs::remove_file(home.path("grades/grades.csv")).unwrap();
    let said = grade(&home, "--out later");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(row(&home, "1")[3], one[3]);
    assert_ne!(row(&home, "2")[3], one[3]);
}

/// Whether a program is on this machine; a part of a test that needs it is skipped otherwise.
fn is_here(program: &str) -> bool {
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|place| place.join(program).is_file());
    if !found {
        not_tried!("{program} is not on this machine");
    }
    found
}

#[test]
#[ignore = "slow"]
fn sources_in_each_language_are_built_and_started_without_an_engine_toml() {
    // Each answers with a line that names its language, and the tryout quotes it.
    let sources: [(&str, &str, &str, &str); 7] = [
        (
            "c",
            "cc",
            "bot.c",
            "#include <stdio.h>\nint main(void) { puts(\"lang c\"); fflush(stdout); getchar(); while (getchar() > 0); }\n",
        ),
        (
            "cpp",
            "c++",
            "src/bot.cpp",
            "#include <iostream>\nint main() { std::cout << \"lang cpp\" << std::endl; std::string s; while (std::getline(std::cin, s)); }\n",
        ),
        (
            "java",
            "javac",
            "Main.java",
            "public class Main { public static void main(String[] a) throws Exception { System.out.println(\"lang java\"); System.out.flush(); while (System.in.read() >= 0); } }\n",
        ),
        (
            "go",
            "go",
            "main.go",
            "package main\nimport (\"fmt\"; \"bufio\"; \"os\")\nfunc main() { fmt.Println(\"lang go\"); r := bufio.NewReader(os.Stdin); for { if _, e := r.ReadByte(); e != nil { return } } }\n",
        ),
        (
            "rust",
            "rustc",
            "main.rs",
            "fn main() { println!(\"lang rust\"); let mut s = String::new(); while std::io::stdin().read_line(&mut s).unwrap() > 0 {} }\n",
        ),
        ("js", "node", "index.js", "console.log('lang js'); process.stdin.resume();\n"),
        ("py", "python3", "src/main.py", "import sys\nprint('lang py', flush=True)\nsys.stdin.read()\n"),
    ];
    let here: Vec<_> = sources.iter().filter(|(_, program, ..)| is_here(program)).collect();
    let roster: String = here.iter().map(|(name, ..)| format!("{name},{name},,{name}.zip\n")).collect();
    let home = class(&format!("id,name,mail,submission\nx,X,,in/one\ny,Y,,in/two\n{roster}"));
    for (name, _, file, text) in &here {
        home.put(format!("{name}.zip"), zip(WINDOWS, &[(file.as_bytes(), text.as_bytes())]));
    }
    // Compilers and their runtimes take long on a busy machine.
    let patient = "--build-seconds 600 --startup 60 --st 60";
    let words =
        format!("grade tournament.toml --roster roster.csv --isolation limits {patient} --max-plies 2");
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for (name, ..) in here {
        let why = &row(&home, name)[7];
        assert!(why.contains(&format!("its line \"lang {name}\" cannot be read as a move")), "{name}: {why}");
    }
}

#[test]
fn a_build_that_fails_or_hangs_is_not_repeated_until_its_input_changes() {
    let home =
        class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,bad.c\n4,D,,in/hang\n5,E,,in/hang2\n");
    home.put("bad.c", "int main(void) { return x; }\nint f(void) { return y; }\n");
    for name in ["hang", "hang2"] {
        home.put(format!("in/{name}/Makefile"), "all:\n\ttouch begun\n\tsleep 20\n");
    }
    let said = grade(&home, "--build-seconds 1");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let why = row(&home, "3")[7].clone();
    assert!(
        why.contains("its first errors: bad.c:1:") || why.contains("its first errors: ./bad.c:1:"),
        "{why}"
    );
    assert!(why.contains(" | ") && why.contains("bad.c:2:"), "{why}");
    assert!(row(&home, "4")[7].contains("was not done after 1 s and was killed"), "{:?}", row(&home, "4"));
    let building = |said: &Said| said.err().matches("building ").count();
    assert_eq!(building(&said), 3, "{}", said.all());
    let grades = home.read("grades/grades.csv");
    let again = grade(&home, "--build-seconds 1");
    assert_eq!((again.code, building(&again)), (Some(0), 0), "{}", again.all());
    assert_eq!(home.read("grades/grades.csv"), grades);
    // One that an interpreter runs is not built again either.
    home.put("in/sh/run.sh", script());
    home.put("in/sh/engine.toml", "command = [\"sh\", \"{folder}/run.sh\"]\nbuild = [\"touch\", \"made\"]\n");
    home.put("roster.csv", home.read("roster.csv") + "6,F,,in/sh\n");
    for builds in [1, 0] {
        let said = grade(&home, "--build-seconds 1 --out results --regrade");
        assert_eq!((said.code, building(&said)), (Some(0), builds), "{}", said.all());
    }
    assert_ne!(row(&home, "6")[6], "does not work", "{:?}", row(&home, "6"));
    // With more time the slow ones are tried again; the changed one too.
    home.put("bad.c", "int main(void) { return 0; }\n");
    home.put("in/hang/Makefile", "all:\n\techo x\n");
    let changed = grade(&home, "--build-seconds 1 --out results");
    assert_eq!(building(&changed), 2, "{}", changed.all());
    assert!(!row(&home, "3")[7].contains("errors"), "{:?}", row(&home, "3"));
}

#[test]
fn builds_run_side_by_side() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        not_tried!("this machine has one core");
        return;
    }
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/left\n4,D,,in/right\n");
    for (name, other) in [("left", "right"), ("right", "left")] {
        let (own, other) = (home.path(format!("{name}-began")), home.path(format!("{other}-began")));
        // Each waits for the other.
        let wait = format!(
            "touch {}; for i in `seq 80`; do test -e {} && exit 0; sleep 0.1; done; false",
            own.display(),
            other.display()
        );
        home.put(format!("in/{name}/Makefile"), format!("all:\n\t{wait}\n"));
    }
    let said = grade(&home, "--build-seconds 9");
    assert_eq!(said.code, Some(0), "{}", said.all());
    for id in ["3", "4"] {
        assert!(!row(&home, id)[7].contains("failed with"), "{:?}", row(&home, id));
    }
}
