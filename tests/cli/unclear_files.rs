//! A submission of which only its author knows what of it counts, from a download and from the
//! roster; and what leaves nobody without a grade.

use std::fs;

use super::archives::{UNIX, zip};
use super::grading::class;
use super::home::{Home, Said, programs};
use super::intake::{answer, row};
use super::questions::{ROSTER, agon, bot, canvas, taken};
use crate::support::not_tried;

/// A program in Python that plays like agon-greedy.
fn python(mark: &str) -> Vec<u8> {
    let greedy = programs().join("agon-greedy");
    let greedy = greedy.display();
    format!("# {mark}\nimport os, sys\nos.execv('{greedy}', ['{greedy}'] + sys.argv[1:])\n").into_bytes()
}

/// The first line of each source in the folder in which the program of a student was built.
fn built(home: &Home, id: &str) -> Vec<String> {
    let folder = home.path(format!("results-engines/{}", row(home, id)[3]));
    let versions = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Those of before the answer stay there.
    let made = |path: &std::path::PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    let version = versions.filter(|path| path.is_dir()).max_by_key(made);
    let mut all: Vec<String> = fs::read_dir(version.unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "py" || ending == "c"))
        .map(|path| fs::read_to_string(path).unwrap().lines().next().unwrap_or_default().to_owned())
        .collect();
    all.sort();
    all
}

fn has_words(said: &Said, all: &[&str]) {
    assert_eq!(said.code, Some(2), "{}", said.all());
    all.iter().for_each(|words| assert!(said.err().contains(words), "{words}: {}", said.all()));
}

#[test]
fn folders_and_files_of_which_each_may_be_the_engine_are_asked_for_and_the_answer_plays() {
    let (one, two) = (python("one"), python("two"));
    let folders =
        zip(UNIX, &[(b"mine/backend/main.py", &one), (b"mine/frontend/main.py", &two), (b"mine/a.md", b"")]);
    let languages = zip(
        UNIX,
        &[(b"main.py", b"# helper\n"), (b"bot.c", b"int main(void) {}"), (b"more.py", b"# more\n")],
    );
    let beside =
        zip(UNIX, &[(b"x/main.py", &two), (b"x/more.py", b"# more\n"), (b"x/old.zip", b"PK\x03\x04")]);
    let names = ["doejane_11_1_bot.zip", "roeric_12_2_bot.zip", "solmia_13_3_bot.zip"];
    for is_download in [true, false] {
        let home = canvas(ROSTER, &[]);
        let entries: Vec<(&[u8], &[u8])> =
            names.map(str::as_bytes).into_iter().zip([&*folders, &languages, &beside]).collect();
        home.put("sub.zip", zip(UNIX, &entries));
        let options = if is_download { "--submissions sub.zip" } else { "" };
        if !is_download {
            let lines = ROSTER.lines().zip(["submission"].into_iter().chain(names));
            home.put("roster.csv", lines.map(|(line, more)| format!("{line},{more}\n")).collect::<String>());
            for (name, bytes) in &entries {
                home.put(std::str::from_utf8(name).unwrap(), bytes);
            }
        }
        let asked = [
            "3 questions are open",
            "doejane_11_1_bot.zip: it is not known which of its folders has the engine: backend, frontend\n     answer: \
             grades/intake.csv: line 2, column use: write backend or frontend",
            "roeric_12_2_bot.zip: it is not known which of its files is to be started: main.py, bot.c\n     answer: \
             grades/intake.csv: line 3, column use: write main.py or bot.c",
            "solmia_13_3_bot.zip: it is not known which of its files counts: old.zip, main.py, more.py",
        ];
        for command in ["intake", "grade --missing none"] {
            has_words(&agon(&home, command, options), &asked);
            assert!(!home.path("results").exists() && !home.path("grades/grades.csv").exists());
        }
        answer(&home, |row| match &row[1] {
            "1" => Some("frontend"),
            "2" => Some("bot.c"),
            "3" => Some("main.py"),
            _ => None,
        });
        let said = agon(&home, "intake", options);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let said = agon(&home, "grade", options);
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert_eq!(built(&home, "1"), ["# two"]);
        assert_eq!(built(&home, "2"), ["# more", "int main(void) {}"]);
        assert_eq!(built(&home, "3"), ["# more", "# two"]);
        assert_eq!(taken(&home, "doejane", "use"), "frontend");
    }
    // The roster can name it too.
    let home = class("id,name,mail,submission,use\n1,Ann,a@x,mine.zip,backend\n2,Bo,b@x,two.py,\n");
    home.put("mine.zip", &folders);
    home.put("two.py", &two);
    let said = agon(&home, "grade", "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(built(&home, "1"), ["# one"]);
}

/// A folder may be called like the id of a student, and a file that says how all is built counts
/// with all of it.
#[test]
fn the_name_of_a_folder_is_told_from_an_id() {
    let home = class("id,name,mail,submission\n1,Ann,a@x,mine.zip\n2,Bo,b@x,two.zip\n");
    home.put("mine.zip", zip(UNIX, &[(b"1/main.py", &python("one")), (b"2/main.py", &python("two"))]));
    let toml: &[u8] = b"command = [\"python3\", \"{folder}/bot.py\"]\n";
    home.put(
        "two.zip",
        zip(UNIX, &[(b"engine.toml", toml), (b"bot.py", &python("bot")), (b"old.zip", b"PK\x03\x04")]),
    );
    let words = "line 2, column use: write ./1 or ./2";
    has_words(&agon(&home, "intake", ""), &["2 questions are open", words]);
    let of = |row: &csv::StringRecord| match &row[1] {
        "1" => Some("2"),
        _ => Some("engine.toml"),
    };
    answer(&home, of);
    let words = "line 2: column use: \"2\" is an id of the roster and the name of one of its files; write ./2 for the file";
    has_words(&agon(&home, "intake", ""), &[words]);
    answer(&home, |row| (&row[1] == "1").then_some("./2"));
    let said = agon(&home, "grade", "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!((built(&home, "1"), built(&home, "2")), (vec!["# two".to_owned()], vec!["# bot".to_owned()]));
    assert!(!home.read("grades/grades.csv").contains("does not work"), "{}", said.all());
}

#[test]
fn one_who_has_handed_in_alone_and_with_others_is_asked_for() {
    let roster = "id,name,mail,group\n1,\"Doe, Jane\",jane@x,Red\n2,\"Roe, Ric\",ric@x,Red\n3,\"Sol, Mia\",mia@x,Blue\n4,\"Tan, Lu\",lu@x,Blue\n";
    let home = canvas(
        roster,
        &["red_11_1_bot.zip", "doejane_12_2_bot.zip", "solmia_13_3_bot.zip", "tanlu_14_4_bot.zip"],
    );
    let words = "red_11_1_bot.zip, doejane_12_2_bot.zip: of Doe, Jane (1): it is not known which counts: others have handed \
                 in only one of them";
    // In the order of the names.
    let turned =
        words.replace("red_11_1_bot.zip, doejane_12_2_bot.zip", "doejane_12_2_bot.zip, red_11_1_bot.zip");
    has_words(&agon(&home, "intake", "--submissions sub.zip"), &["1 question is open", &turned]);
    answer(&home, |row| (&row[0] == "doejane_12_2_bot.zip").then_some("yes"));
    let said = agon(&home, "grade", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_ne!(row(&home, "1")[3], row(&home, "2")[3]);
}

#[test]
fn a_question_that_leaves_nobody_without_a_grade_is_said() {
    let home = canvas(
        ROSTER,
        &["doejane_11_1_bot.zip", "roeric_12_2_bot.zip", "solmia_13_3_bot.zip", "zed_14_4_bot.zip"],
    );
    assert_eq!(agon(&home, "intake", "--submissions sub.zip").code, Some(2));
    let said = agon(&home, "grade --accept-intake", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let words = "the intake is accepted, and nobody is graded by this: zed_14_4_bot.zip: matches nobody in the roster";
    assert!(said.err().contains(words), "{}", said.all());
}

/// The roster may lie elsewhere, and so may the folders that links lead to.
#[test]
fn a_roster_in_another_folder_names_the_submissions_beside_it() {
    let home = class("");
    let one = zip(UNIX, &[(b"main.py", &python("one"))]);
    home.put("class/in/one.zip", &one);
    home.put("class/in/two/main.py", python("two"));
    home.put("class/roster.csv", "id,name,mail,submission\n1,Ann,a@x,in/one.zip\n2,Bo,b@x,in/two\n");
    let grade = |roster: &str, more: &str| {
        let words = format!(
            "grade tournament.toml --roster {roster} --isolation limits --no-check --max-plies 2 {more}"
        );
        home.agon(words.split_ascii_whitespace())
    };
    let said = grade("class/roster.csv", "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!((built(&home, "1"), built(&home, "2")), (vec!["# one".to_owned()], vec!["# two".to_owned()]));
    // A link there leads nobody out of it.
    home.put("others/bot.py", python("other"));
    std::os::unix::fs::symlink(home.path("others"), home.path("class/in/out")).unwrap();
    let three = home.read("class/roster.csv") + "3,Cy,c@x,in/out/bot.py\n";
    home.put("class/roster.csv", three);
    assert_eq!(grade("class/roster.csv", "").code, Some(0));
    assert!(row(&home, "3")[7].contains("is reached through a link that leads out"), "{:?}", row(&home, "3"));
    // A download, with several files of one student.
    home.put("class/roster.csv", "id,name,mail\n1,\"Doe, Jane\",a@x\n2,\"Roe, Ric\",b@x\n");
    home.put("elsewhere/doejane_1_1_main.py", python("one"));
    home.put("elsewhere/doejane_1_2_more.py", "# more\n");
    home.put("elsewhere/roeric_2_3_bot.zip", &one);
    fs::create_dir(home.path("private")).unwrap();
    for (link, to) in [("sub", "elsewhere"), ("mine", "private")] {
        std::os::unix::fs::symlink(to, home.path(link)).unwrap();
    }
    let said = grade("class/roster.csv", "--submissions sub --to mine --out other");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(!home.read("mine/grades.csv").contains("does not work"), "{}", said.all());
}

/// Both classes play, and the one that was not chosen stays a part of the other.
#[test]
fn several_classes_of_java_with_main_are_asked_for_and_the_chosen_one_is_started() {
    let java = |class: &str, program: &str| {
        let (greedy, mark) = (programs().join(program), format!("// {class}"));
        format!(
            "{mark}\npackage mine;\npublic class {class} {{\n  static String program() {{ return {:?}; }}\n  public static void \
             main(String[] words) throws Exception {{\n    var all = new java.util.ArrayList<String>(java.util.List.of({class}.program()));\n    \
             all.addAll(java.util.List.of(words));\n    System.exit(new ProcessBuilder(all).inheritIO().start().waitFor());\n  }}\n}}\n",
            greedy.display().to_string()
        )
    };
    let (good, bad) = (java("Bot", "agon-greedy"), java("Bench", "agon-stub"));
    let home = canvas(ROSTER, &[]);
    if home.shell("command -v javac").code != Some(0) {
        not_tried!("Java: javac is not on this machine");
        return;
    }
    let whole =
        zip(UNIX, &[(b"src/mine/Bench.java", bad.as_bytes()), (b"src/mine/Bot.java", good.as_bytes())]);
    let mut entries: Vec<(&[u8], &[u8])> = vec![(b"doejane_11_1_bot.zip", &whole)];
    let bot = bot("other");
    entries.extend([(&b"roeric_12_2_bot.zip"[..], &bot[..]), (b"solmia_13_3_bot.zip", &bot)]);
    home.put("sub.zip", zip(UNIX, &entries));
    let asked = "1. doejane_11_1_bot.zip: it is not known which of its files is to be started: src/mine/Bench.java, \
                 src/mine/Bot.java\n     answer: grades/intake.csv: line 2, column use: write src/mine/Bench.java or \
                 src/mine/Bot.java\n";
    has_words(&agon(&home, "grade", "--submissions sub.zip"), &[asked]);
    answer(&home, |row| (&row[1] == "1").then_some("src/mine/Bot.java"));
    let said = agon(&home, "grade", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_ne!(row(&home, "1")[6], "does not work", "{:?}", row(&home, "1"));
}
