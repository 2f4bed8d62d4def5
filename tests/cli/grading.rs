//! Grading from outside: the grades are right, and no public file contains a name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::home::{Home, programs, root};

pub(crate) const CUP: &str = "out = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n\n[grades]\nby = \"points\"\nmax = 10\n\
                   does-not-work = 1\nsteps = [\n  { at = 0, grade = 4, name = \"plays\" },\n  { at = 40, grade = 9 },\n]\n";

pub(crate) fn class(roster: &str) -> Home {
    let home = Home::new();
    home.put("tournament.toml", CUP);
    home.put("roster.csv", roster);
    for (name, program) in [("one", "agon-greedy"), ("two", "agon-greedy"), ("three", "agon-random")] {
        home.submission(&format!("in/{name}"), program, "");
    }
    home.submission("in/dead", "agon-stub", ", \"exit-now\"");
    home
}

/// A class whose aliases, and with them the boards and results, are the same each time.
pub(crate) fn known_class(roster: &str) -> Home {
    let home = class(roster);
    home.put("grades/key.secret", [3; 32]);
    home
}

/// Every file below a folder that contains this text.
pub(crate) fn holding(folder: &Path, text: &str, found: &mut Vec<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            holding(&path, text, found);
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn a_class_is_graded_under_aliases_that_only_the_key_tells() {
    let home = class(
        "id,name,mail,submission\n1,Xenia Quist,x@example.org,in/one\n2,Bo,b@example.org,in/two\n3,Cy,c@example.org,in/three\n\
         4,Dead,d@example.org,in/dead\n5,Nil,n@example.org,\n",
    );
    let said = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = home.read("grades/grades.csv");
    let grade = |id: &str| {
        let mut rows = csv::Reader::from_reader(grades.as_bytes());
        let row = rows.records().map(Result::unwrap).find(|row| &row[0] == id).unwrap();
        (row[5].to_owned(), row[6].to_owned(), row[3].to_owned())
    };
    // Boards depend on the names of the entrants, and those on the secret.
    assert!(["4", "9"].contains(&grade("1").0.as_str()), "{grades}");
    assert_eq!((grade("4").0.as_str(), grade("4").1.as_str()), ("1", "does not work"));
    // A state is no number.
    assert_eq!((grade("5").0.as_str(), grade("5").1.as_str()), ("", "nothing handed in"));
    assert!(grades.contains(",nothing was handed in,nothing handed in,\n"), "{grades}");
    assert!(grades.contains(",,met 2 of 2 opponents; "), "{grades}");
    assert!(said.err().contains("nothing was handed in"), "{}", said.all());
    assert!(grades.contains("it failed when it was tried: as W: at its move 1: its process"), "{grades}");
    let entered = home.read("results/standings.csv");
    assert!(!entered.contains(&grade("4").2) && entered.contains(&grade("3").2), "{entered}");
    let mut found = Vec::new();
    holding(&home.path("results"), "Xenia", &mut found);
    holding(&home.path("results"), "x@example.org", &mut found);
    holding(&home.path("results"), "in/one", &mut found);
    assert!(found.is_empty(), "{found:?}");
    let key = fs::metadata(home.path("grades/key.csv")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    let secret = fs::metadata(home.path("grades/key.secret")).unwrap();
    assert_eq!((secret.permissions().mode() & 0o777, secret.len()), (0o600, 32));
    let leading: serde_json::Value =
        serde_json::from_str(&home.read(&format!("grades/students/{}/results.json", grade("1").2))).unwrap();
    let names = leading["leaderboard"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["Place", "Points %", "Stage", "Elo"]);
    let other = class(&home.read("roster.csv"));
    other.agon("grade tournament.toml --roster roster.csv --no-check".split(' '));
    let of = |home: &Home| home.read("grades/key.csv");
    assert_ne!(of(&other), of(&home), "who knows seed and roster can draw the aliases again");
    fs::copy(home.path("grades/key.secret"), other.path("grades/key.secret")).unwrap();
    fs::remove_file(other.path("grades/key.csv")).unwrap();
    // Grades of another directory would be those of another assignment.
    fs::remove_file(other.path("grades/grades.csv")).unwrap();
    other.agon("grade tournament.toml --roster roster.csv --no-check --out again".split(' '));
    assert_eq!(of(&other), of(&home));
    let revealed = home.agon(["reveal", &grade("1").2]);
    assert!(revealed.out().contains("Xenia Quist"), "{}", revealed.all());
    assert_eq!(home.agon(["reveal", "nobody"]).code, Some(2));
    let again = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    assert!(again.err().contains("is over; its games count"), "{}", again.all());
    assert_eq!(home.read("grades/grades.csv"), grades);
}

#[test]
#[ignore = "slow"]
fn one_that_is_slow_when_it_is_tried_enters_and_one_whose_arguments_are_wrong_does_not() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/slow\n4,D,d,in/wrong\n");
    home.submission("in/slow", "agon-stub", ", \"half-line-stall\"");
    home.submission("in/wrong", "agon-stub", "");
    home.put("in/wrong/engine.toml", "command = [\"./run\"]\nargs = [\"{sid}\"]\n");
    let said = home.agon("grade tournament.toml --roster roster.csv --st 0.2 --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let told = |word: &str| said.err().lines().any(|line| line.contains(word));
    assert!(told("  plays  ") && told("as W: at its move 1: "), "{}", said.all());
    assert!(told("  cannot play  ") && told("sid"), "{}", said.all());
    assert_eq!(home.read("results/standings.csv").lines().count(), 4);
}

#[test]
fn one_that_never_answers_its_greeting_loses_its_games_and_the_others_are_graded() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/silent\n");
    home.put("in/silent/engine.toml", "command = [\"sleep\", \"100\"]\nprotocol = \"ugi\"\n");
    let options = "--isolation limits --no-check --startup 0.5";
    let said = home.agon(format!("grade tournament.toml --roster roster.csv {options}").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = home.read("grades/grades.csv");
    let row = grades.lines().find(|line| line.starts_with("3,")).unwrap();
    assert!(
        row.contains("does not work") && row.contains("it did not say ugiok before the game"),
        "{grades}"
    );
    assert_eq!(grades.matches("does not work").count(), 1, "{grades}");
}

#[test]
fn the_cause_of_a_crash_in_the_tryout_reaches_the_student() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/crash\n");
    home.put("in/crash/engine.toml", "command = [\"./run\"]\n");
    let words = "#!/bin/sh\necho \"File $0, line 1\" >&2\necho 'ModuleNotFoundError: no numpy' >&2\nexit 1\n";
    home.put_program("in/crash/run", words);
    let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let row = super::intake::row(&home, "3");
    assert!(row[7].ends_with("; its stderr says: ModuleNotFoundError: no numpy"), "{row:?}");
    let file = |name: &str| home.read(&format!("grades/students/{}/{name}", row[3]));
    assert_eq!(file("stderr/tryout.txt"), "File ./run, line 1\nModuleNotFoundError: no numpy\n");
    for name in ["index.html", "report.txt"] {
        assert!(file(name).contains("File ./run, line 1\nModuleNotFoundError: no numpy"), "{}", file(name));
    }
    assert!(home.read("grades/mail.csv").contains("no numpy"));
}

#[test]
fn the_private_folder_belongs_to_its_owner_alone() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n");
    let words = "grade tournament.toml --roster roster.csv --isolation limits --no-check";
    assert_eq!(home.shell(&format!("umask 022; agon {words}")).code, Some(0));
    let mut folders = vec![home.path("grades")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).chain([folder.clone()])
        {
            let about = fs::metadata(&path).unwrap();
            assert_eq!(about.permissions().mode() & 0o077, 0, "{}", path.display());
            seen += 1;
            if about.is_dir() && path != folder {
                folders.push(path);
            }
        }
    }
    assert!(seen > 20, "{seen}");
    // The results are public.
    let public = fs::metadata(home.path("results/standings.csv")).unwrap();
    assert_eq!(public.permissions().mode() & 0o777, 0o644);
}

#[test]
#[ignore = "slow"]
fn a_submission_of_thousands_of_programs_is_refused_with_its_reason() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/alone\n3,C,c,in/many\n");
    // One program in a folder is an engine, and thousands are not.
    fs::create_dir(home.path("in/alone")).unwrap();
    fs::copy(programs().join("agon-greedy"), home.path("in/alone/bot")).unwrap();
    for number in 0..3000 {
        let name = format!("in/many/program{number}");
        home.put(&name, "#!/bin/sh\nsleep 10\n");
        fs::set_permissions(home.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let began = std::time::Instant::now();
    let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(began.elapsed().as_secs() < 300, "{:?}", began.elapsed());
    let refused = said.err().lines().find(|line| line.contains("cannot play")).unwrap_or_default().to_owned();
    assert!(refused.contains("3000 programs") && refused.len() < 2000, "{}", said.all());
    assert_eq!(home.read("results/standings.csv").lines().count(), 3);
    let grades = home.read("grades/grades.csv");
    assert!(grades.lines().any(|line| line.starts_with("3,") && line.contains("does not work")), "{grades}");
}

#[test]
fn an_engine_that_lists_other_games_is_told_so_and_does_not_enter() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/other\n");
    home.submission("in/other", "agon-greedy", "");
    home.put("in/other/engine.toml", home.read("in/one/engine.toml") + "games = [\"mill\"]\n");
    let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = home.read("grades/grades.csv");
    assert!(grades.contains("its engine.toml lists the games mill, not letters:3x3x2"), "{grades}");
    assert_eq!(home.read("results/standings.csv").lines().count(), 3);
}

#[test]
fn a_wrong_roster_is_refused_with_its_line_before_anything_is_played() {
    for (roster, words) in [
        ("id,name,mail,submission\n1,A,a,in/one\n1,B,b,in/two\n", "roster.csv: line 3: column id"),
        ("id,name,mail,submission\n1,A,a,in/one\n", "1 engine(s) can play"),
        (
            "id,name,mail,file\n",
            "line 1: column submission is missing\nhint: add it, or give all submissions with --submissions",
        ),
    ] {
        let home = class(roster);
        let said = home.agon("grade tournament.toml --roster roster.csv".split(' '));
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.err().contains(words), "{}", said.all());
        assert!(!home.path("results").exists());
    }
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n");
    home.put("tournament.toml", CUP.replace("at = 40", "at = \"greedy\""));
    let said = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    assert!(said.code == Some(2) && said.err().contains("wants a number"), "{}", said.all());
    for (from, to, words) in [
        ("does-not-work = 1", "does-not-work = 5", "key grade of step 1: 4 is below does-not-work = 5"),
        ("at = 40, grade = 9", "at = 0, grade = 9", "key at of step 2: another step has the same"),
        (
            "at = 40, grade = 9",
            "at = 40, grade = 3",
            "a step that is harder to reach has a lower grade than another: 3 and not 4",
        ),
        ("does-not-work", "baselines = \"gone\"\ndoes-not-work", "key grades.baselines: "),
        ("seed = 7\n", "seed = 7\ngroups = 2\n", "2 entrants do not fill 2 groups"),
    ] {
        assert!(CUP.contains(from), "{from}");
        home.put("tournament.toml", CUP.replace(from, to));
        let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
        assert!(said.code == Some(2) && said.err().contains(words), "{words}: {}", said.all());
        assert!(!said.err().contains("trying"), "{}", said.all());
    }
    home.put("tournament.toml", CUP);
    home.put("book.csv", "Name,ID,Tournament\n");
    let said = home.agon("grade tournament.toml --roster roster.csv --canvas book.csv".split(' '));
    assert!(said.code == Some(2) && said.err().contains("book.csv: line 1: not the head"), "{}", said.all());
    assert!(!home.path("results").exists(), "{}", said.all());
}

#[test]
fn one_tournament_toml_serves_the_plan_the_nights_and_the_grades() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two/bot.py\n");
    home.put("in/two/bot.py", "import sys\nsys.stdin.readline()\nprint(sys.argv[1] + ',P')\n");
    home.put("tournament.toml", format!("engines = \"in\"\n{CUP}"));
    for words in ["plan tournament.toml --summary", "tournament tournament.toml --dry-run --no-check"] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{words}: {}", said.all());
    }
    let grade = "grade tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";
    let said = home.agon(grade.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let remark =
        "tournament.toml: line 1: key engines: 2 engines there are not in the roster, and not graded";
    assert!(said.err().contains(remark), "{}", said.all());
    // Nothing is said where nobody is left out.
    home.put("roster.csv", home.read("roster.csv") + "3,C,c,in/dead\n");
    home.put("tournament.toml", format!("engines = \"in\"\n{CUP}baselines = \"own\"\n"));
    fs::create_dir(home.path("own")).unwrap();
    fs::rename(home.path("in/three"), home.path("own/three")).unwrap();
    std::os::unix::fs::symlink(home.path("own/three"), home.path("in/three")).unwrap();
    let said = home.agon(format!("{grade} --to again-grades --out again").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(!said.err().contains("key engines"), "{}", said.all());
    // The nights of a league are no grades.
    home.put("tournament.toml", format!("{CUP}[league]\ndivisions = 1\n"));
    let said = home.agon(format!("{grade} --to last-grades --out last").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("key league: the grades come from one tournament"), "{}", said.all());
}

#[test]
fn a_path_that_does_not_exist_is_the_mistake_of_the_roster_and_costs_no_student_a_grade() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/tow\n3,C,c,\n4,D,d,in/two/x\n");
    let grade = "grade tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";
    let said = home.agon(grade.split(' '));
    let words = "error: roster.csv: line 3: column submission: in/tow does not exist; nor does that of line 5\n\
                 hint: mend the path; an empty cell means that nothing was handed in";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    assert!(!home.path("results").exists() && !home.path("grades").exists(), "{}", said.all());
    // An empty cell, and a student whom a download does not have, have handed in nothing.
    let roster = "id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,\n";
    home.put("roster.csv", roster);
    let said = home.agon(grade.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(super::intake::row(&home, "3")[7], "nothing was handed in");
    home.put("roster.csv", "id,name,mail\none,A,a\ntwo,B,b\nnobody,C,c\n");
    let said = home.agon(format!("{grade} --submissions in --to other --out again").split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    home.put("roster.csv", "id,name,mail,use\none,A,a,\ntwo,B,b,\nnobody,C,c,none\ndead,D,d,\nthree,E,e,\n");
    let said = home.agon(format!("{grade} --submissions in --to other --out again").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("other/grades.csv").contains(",nothing was handed in,"), "{}", said.all());
}

#[test]
fn a_class_is_graded_in_boxes_unless_the_file_or_a_flag_says_otherwise() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/c\n3,C,c,in/bot.py\n4,D,d,in/bad\n");
    home.put("in/c/bot.c", "int main(void) { return 0; }\n");
    home.put("in/bad/Makefile", "all:\n\techo no header; false\n");
    home.put("in/bot.py", "print('W,P')\n");
    let grade = "grade tournament.toml --roster roster.csv --no-check";
    let help = home.agon(["grade", "--help"]).out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("the levels [default: the isolation of the file, or sandbox]"), "{help}");
    let said = home.agon(grade.split(' '));
    if said.code == Some(3) {
        assert!(
            said.err().contains("isolation level sandbox is not available on this machine"),
            "{}",
            said.all()
        );
        assert!(!home.path("grades").exists() && !home.path("results").exists());
    } else {
        assert_eq!(said.code, Some(0), "{}", said.all());
        let games = home.agon(["export", "json", "results"]);
        assert!(games.out().contains("\"sandbox\""), "{}", games.all());
        // Only its owner enters the folder of the sources. Engines of root are other users, and
        // play.
        let mode = fs::metadata(home.path("results-engines")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(home.read("grades/grades.csv").contains("build.log ends: no header"), "{}", said.all());
    }
    let said = home.agon(format!("{grade} --isolation limits --out plain --to plain-grades").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = home.read("plain-grades/grades.csv");
    assert!(grades.contains("make -B) failed with exit status: 2; build.log ends: no header"), "{grades}");
}

#[test]
#[ignore = "slow"]
fn grades_of_every_kind_agree_with_a_recount_from_the_games_alone() {
    let roster: String =
        (0..7).map(|id| format!("{id},n,m,in/{}\n", ["one", "two", "three", "dead"][id % 4])).collect();
    let home = class(&format!("id,name,mail,submission\n{roster}"));
    let stages = "\n[[stages]]\ngroups = 2\nadvance = 2\n\n[[stages]]\nname = \"final\"\n";
    let options = CUP.split("[grades]").next().unwrap();
    let steps = "steps = [\n  { at = 1, grade = 4, name = \"a\" },\n  { at = 2, grade = 6, name = \"b\" },\n  \
                 { at = 50, grade = 9, name = \"c\" },\n]\n";
    fs::create_dir(home.path("reference")).unwrap();
    home.engine("reference/random", "agon-random");
    let beaten =
        "baselines = \"reference\"\nsteps = [ { at = \"random\", grade = 8, name = \"beat it\" } ]\n";
    let stages_alone = &steps.replace("  { at = 50, grade = 9, name = \"c\" },\n", "");
    for (by, steps) in
        [("stage", stages_alone.as_str()), ("points", steps), ("percentile", steps), ("baselines", beaten)]
    {
        // In groups not everybody would meet the baseline.
        let stages = if by == "baselines" { "[[stages]]\nplay-offs = 0\n" } else { stages };
        let file = format!("{options}[grades]\nby = \"{by}\"\nmax = 10\ndoes-not-work = 1\n{steps}{stages}");
        home.put("tournament.toml", file);
        // The same games are graded in three ways. With a reference engine in the field there are
        // others.
        let out = if by == "baselines" { "with-reference" } else { "results" };
        // The key makes them the same students.
        let to = format!("of-{out}");
        let words = format!(
            "grade tournament.toml --roster roster.csv --isolation limits --regrade --out {out} --to {to}"
        );
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let recount = || {
            let mut counted = Command::new("python3");
            counted.arg(root().join("scripts/recount-grades")).arg(home.path("tournament.toml"));
            counted.arg(home.path(&to)).arg("--out").arg(home.path(out));
            counted.output().unwrap()
        };
        let counted = recount();
        let told = String::from_utf8_lossy(&counted.stdout).into_owned();
        assert!(counted.status.success() && told.starts_with("7 grades"), "{by}: {told}{}", said.all());
        // The control: one changed grade is found.
        let path = format!("{to}/grades.csv");
        let changed = home.read(&path).replacen(",4,a", ",9,a", 1).replacen(",6,b", ",9,b", 1);
        let changed = changed.replacen(",8,beat it", ",9,beat it", 1).replacen(",9,c", ",4,c", 1);
        let changed = changed.replacen(",1,no step", ",8,no step", 1);
        home.put(&path, changed);
        assert_eq!(recount().status.code(), Some(1), "{by}: {}", home.read(&path));
    }
}
