//! What students and staff are told after a grading: pages, mails, grades by hand, similar
//! programs.

use std::fs;

use super::grading::known_class;
use super::home::{Home, Said};
use super::intake::row;

fn grade(home: &Home, options: &str) -> Said {
    let words = "grade tournament.toml --roster roster.csv --isolation limits --no-check";
    home.agon(words.split(' ').chain(options.split_ascii_whitespace()))
}

#[test]
fn a_student_gets_every_game_every_fault_and_the_whole_output_of_the_build() {
    let home =
        known_class("id,name,mail,submission\n1,Ada,a@x,in/one\n2,Bo,b@x,in/talks\n3,Cy,c@x,in/broken\n");
    home.put_program(
        "in/talks/talks.sh",
        "#!/bin/sh\necho starting up >&2\necho '<b>hello</b>'\ncat > /dev/null\n",
    );
    home.put("in/talks/engine.toml", "command = [\"./talks.sh\"]\n");
    let lines: String =
        (0..40).map(|number| format!("int f{number}(void) {{ return missing{number}; }}\n")).collect();
    home.put("in/broken/bot.c", format!("{lines}int main(void) {{ return 0; }}\n"));
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let folder = |id: &str| format!("grades/students/{}", row(&home, id)[3]);
    let (page, text) = (
        home.read(&format!("{}/index.html", folder("2"))),
        home.read(&format!("{}/report.txt", folder("2"))),
    );
    for words in [
        "&lt;b&gt;hello&lt;/b&gt;",
        "agon check: ",
        "Only moves belong on stdout",
        "starting up",
        "Grade 1 of 10",
        "lost",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<b>hello"), "{page}");
    for words in [
        "lost as W in 1-r01",
        "agon check: its line \"<b>hello</b>\" cannot be read",
        "starting up",
        "against",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Both games are in it, each with its file.
    assert_eq!(text.matches("  stage 1, 1-r01").count(), 2, "{text}");
    let games = fs::read_dir(home.path(format!("{}/games", folder("2")))).unwrap().count();
    assert_eq!(games, 2);
    // The reason has the first errors, and the log all of them.
    let why = &row(&home, "3")[7];
    assert!(why.contains("missing0") && why.contains("missing2") && !why.contains("missing9"), "{why}");
    let log = home.read(&format!("{}/build.log", folder("3")));
    assert!(log.contains("missing39"), "{log}");
    let here = home.path("").display().to_string();
    assert!(!log.contains(&here) && !why.contains(&here), "{log}");
    assert!(home.read(&format!("{}/index.html", folder("3"))).contains("href=\"build.log\""));
    let mails = home.read("grades/mail.csv");
    let mut rows = csv::Reader::from_reader(mails.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.iter().map(|row| row[0].to_owned()).collect::<Vec<_>>(), ["a@x", "b@x", "c@x"]);
    assert_eq!(format!("grades/{}", &rows[1][3]), folder("2"));
    assert!(rows[1][4].contains("The grade is 1 of 10 (does not work)"), "{mails}");
}

#[test]
fn what_an_engine_writes_to_stderr_is_sent_to_its_own_student_alone() {
    let home = known_class("id,name,mail,submission\n1,Ada,a@x,in/one\n2,Bo,b@x,in/crash\n");
    home.put("in/crash/engine.toml", "command = [\"./run\"]\n");
    home.put_program("in/crash/run", "#!/bin/sh\necho 'Error: of my own' >&2\nexit 1\n");
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let holding = |id: &str, words: &str| {
        let mut found = Vec::new();
        super::grading::holding(
            &home.path(format!("grades/students/{}", row(&home, id)[3])),
            words,
            &mut found,
        );
        found
    };
    assert!(holding("1", "of my own").is_empty(), "{:?}", holding("1", "of my own"));
    assert!(holding("1", "ended without an answer").len() > 3);
    // Whose fault it was is said.
    let report = |id: &str| home.read(&format!("grades/students/{}/report.txt", row(&home, id)[3]));
    assert!(report("1").contains(", its opponent: its process ended without an answer"), "{}", report("1"));
    assert!(report("2").contains(", its process ") && !report("2").contains("its opponent"));
    let own = holding("2", "of my own");
    assert!(
        ["report.txt", "index.html", "results.json"]
            .iter()
            .all(|name| { own.iter().any(|path| path.ends_with(name)) })
    );
    assert!(
        own.iter().any(|path| path.contains("/games/")) && own.iter().any(|path| path.contains("/stderr/"))
    );
}

#[test]
fn a_grade_by_hand_is_shown_with_its_reason_everywhere() {
    let home = known_class("id,name,mail,submission\n1,Ada,a@x,in/one\n2,Bo,b@x,in/two\n3,Cy,c@x,\n");
    home.put("hand.csv", "id,grade,reason\n3,6.5,\"ill, with a certificate\"\n");
    let said = grade(&home, "--override hand.csv");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let three = row(&home, "3");
    assert_eq!((three[5].as_str(), three[6].as_str()), ("6.5", "by hand"));
    let words = "set by hand: ill, with a certificate (without that no grade: nothing handed in: nothing was handed in)";
    assert_eq!(three[7], words);
    assert!(home.read("grades/moodle.csv").contains(words));
    assert!(home.read("grades/brightspace.csv").contains("3,6.5,#"));
    let page = |name: &str| home.read(&format!("grades/students/{}/{name}", three[3]));
    assert!(page("index.html").contains(words) && page("report.txt").contains(words));
    assert!(home.read("grades/mail.csv").contains("ill, with a certificate"));
    home.put("hand.csv", "id;grade;reason\n\"1;2\";7;both\n");
    let said = grade(&home, "--override hand.csv --regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!((row(&home, "1")[5].as_str(), row(&home, "2")[5].as_str()), ("7", "7"));
    for (text, words) in [
        ("id,grade,reason\n9,5,x\n", "hand.csv: line 2: column id: 9 is not in the roster"),
        ("id,grade,reason\n3,50,x\n", "hand.csv: line 2: column grade"),
        ("id,grade\n3,5\n", "hand.csv: line 1: column reason is missing"),
    ] {
        home.put("hand.csv", text);
        let said = grade(&home, "--override hand.csv");
        assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    }
}

#[test]
#[ignore = "slow"]
fn equal_and_nearly_equal_programs_are_listed_for_the_staff() {
    let home = known_class(
        "id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/c.py\n4,D,,in/d.py\n5,E,,in/e.py\n6,F,,in/f.py\n",
    );
    let program = |name: &str| {
        let text = "import sys\n\ndef neighbours(NAME, cell):\n    row, column = cell\n    found = []\n    for step in (-1, 0, 1):\n        \
                    for other in (-1, 0, 1):\n            if step == 0 and other == 0:\n                continue # keep\n            \
                    where = (row + step, column + other)\n            if where in NAME.cells and not NAME.cells[where]:\n                \
                    found.append(where)\n    return sorted(found)\n\nclass Board:\n    def __init__(NAME, lines):\n        NAME.cells = {}\n        \
                    while lines:\n            number, line = lines.pop(0)\n            NAME.cells[number] = line.split()[2:]\n\n\
                    def main(NAME):\n    for line in sys.stdin:\n        try:\n            print(NAME.play(line.strip()), flush=True)\n        \
                    except ValueError:\n            break\n";
        text.replace("NAME", name)
    };
    home.put("in/c.py", program("moves"));
    home.put("in/d.py", program("moves"));
    // Another name for everything, other comments, other blanks.
    home.put("in/e.py", program("zuege").replace("# keep", "# behalten").replace(" + ", "+"));
    let other = "import random\nimport sys\nboard = open('board').read().split('\\n')\nletters = {c: i for i, c in enumerate('abc')}\n\
                 words = [w for w in board if len(w) > 2]\nwhile True:\n    move = random.choice(words).upper()\n    sys.stdout.write(move + '\\n')\n    \
                 sys.stdout.flush()\n    answer = sys.stdin.readline()\n    if not answer or answer[0] == 'q':\n        sys.exit(len(letters) - 1)\n    \
                 words = list(filter(lambda w: w != answer, words))\n";
    home.put("in/f.py", other);
    let said = grade(&home, "--max-plies 2");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let list = home.read("grades/similar.csv");
    let mut rows = csv::Reader::from_reader(list.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let found: Vec<[&str; 3]> = rows.iter().map(|row| [&row[0], &row[2], &row[4]]).collect();
    assert!(found.contains(&["3", "4", "equal"]), "{list}");
    assert!(
        found.contains(&["3", "5", "nearly equal"]) && found.contains(&["4", "5", "nearly equal"]),
        "{list}"
    );
    assert!(!list.contains("\n6,") && !list.contains(",6,F"), "{list}");
    assert!(rows.iter().all(|row| row[4] == *"equal" || row[6].contains("a hint, not a proof")), "{list}");
    assert!(said.err().contains("similar.csv: "), "{}", said.all());
}

#[test]
fn nothing_that_a_student_is_sent_names_a_path_of_the_teachers_machine() {
    let home = known_class(
        "id,name,mail,submission\n1,Ada,a@x,in/one\n2,Bo,b@x,in/crash\n3,Cy,c@x,in/make\n4,Di,d@x,in/two\n",
    );
    let script = "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\n\
                  echo \"File $here/my.py, line 7\" >&2\necho \"Error: no $here/data\" >&2\nexit 1\n";
    home.put("in/crash/engine.toml", "command = [\"./run\"]\n");
    home.put_program("in/crash/run", script);
    home.put("in/make/Makefile", "all:\n\techo in $$PWD/main.c; false\n");
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let mut found = Vec::new();
    for place in ["results-engines", home.path("").to_str().unwrap()] {
        super::grading::holding(&home.path("grades/students"), place, &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
    let folder = format!("grades/students/{}", row(&home, "2")[3]);
    let report = home.read(&format!("{folder}/report.txt"));
    assert!(report.contains("\nFile my.py, line 7\nError: no data\n"), "{report}");
    assert!(report.contains("the last it wrote to stderr is \"Error: no data\""), "{report}");
    let stderr = fs::read_dir(home.path(format!("{folder}/stderr"))).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(stderr.path()).unwrap(), "File my.py, line 7\nError: no data\n");
    // The feedback and the mails are sent too.
    for name in ["grades.csv", "moodle.csv", "mail.csv"] {
        let table = home.read(&format!("grades/{name}"));
        assert!(table.contains("no data") && !table.contains("results-engines"), "{name}: {table}");
    }
    let log = home.read(&format!("grades/students/{}/build.log", row(&home, "3")[3]));
    assert!(log.contains("in main.c"), "{log}");
}
