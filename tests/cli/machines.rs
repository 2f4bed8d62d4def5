//! A run in parts that other software plays: Slurm, here a stand-in of a few lines, and GNU
//! parallel over ssh.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::home::Home;
use super::hosted_tables;
use super::remote::{ssh_words, sshd};
use super::support::not_tried;
use crate::support::MOVER;

/// A folder with three engines that play random legal moves, and a tournament.toml.
fn home() -> Home {
    let home = Home::new();
    let mover = MOVER;
    for name in ["ada", "bob", "cy"] {
        let toml = format!(
            "command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
        );
        home.put(format!("engines/{name}/engine.toml"), &toml);
    }
    home.put("t.toml", TOML);
    home
}

const TOML: &str = "engines = \"engines\"\ngame = \"mnk:3x3,3\"\ngames = 4\nst = 20\nseed = 7\n\
                    isolation = \"limits\"\nconcurrency = 1\n";

/// Programs of Slurm: `sbatch` plays the tasks at once, but at its first call not those that the
/// file `lost` names.
fn slurm(home: &Home) {
    home.put_program("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize            = 9'\n");
    home.put_program("bin/squeue", "#!/bin/sh\n[ ! -e queue ] || cat queue\n");
    home.put_program("bin/scancel", "#!/bin/sh\n");
    home.put_program(
        "bin/sbatch",
        "#!/bin/sh\n\
         for script; do case $script in --array=*) array=${script#--array=};; esac; done\n\
         echo \"$array\" >>calls\n\
         for range in $(echo \"$array\" | tr , ' '); do for task in $(seq \"${range%-*}\" \"${range#*-}\"); do\n\
         grep -qx \"$task\" lost && continue\n\
         SLURM_ARRAY_TASK_ID=$task sh \"$script\" >>said 2>&1 || exit 1\n\
         done; done\n\
         [ -e for-ever ] || : >lost\n\
         echo 7\n",
    );
}

fn with_slurm(home: &Home, words: &str) -> super::home::Said {
    home.shell(&format!("PATH=$PWD/bin:$PATH agon slurm t.toml --out lab {words}"))
}

#[test]
fn only_parts_with_holes_are_handed_in_again() {
    let home = home();
    slurm(&home);
    // Enough boards that each part has some, whatever the hashes of the engines are.
    home.put("t.toml", TOML.replace("games = 4", "games = 16"));
    home.put("lost", "2\n");
    let said = with_slurm(&home, "--parts 2 --submit --wait");
    assert_eq!(said.code, Some(0), "{}\n{}", said.all(), home.read("said"));
    assert_eq!(home.read("calls"), "1-2\n2\n", "{}", said.all());
    assert!(said.out().contains("all: all 48 games are there\n"), "{}", said.all());
    assert_eq!(home.read("lab/all/standings.csv").lines().count(), 4);
    let one = home.agon("tournament t.toml --quiet --out alone".split(' '));
    assert_eq!(one.code, Some(0), "{}", one.all());
    let points = |table: &str| -> Vec<String> {
        home.read(table).lines().map(|row| row.split(',').take(8).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(points("alone/standings.csv"), points("lab/all/standings.csv"));
    // Once more: the number of parts is known, and there is nothing to do.
    let again = with_slurm(&home, "--submit --wait");
    assert!(again.code == Some(0) && again.err().contains("no game is missing"), "{}", again.all());
    let other = with_slurm(&home, "--parts 5");
    assert!(other.code == Some(2) && other.err().contains("cut into 2 parts"), "{}", other.all());
}

#[test]
#[ignore = "slow"]
fn what_stays_missing_is_named_after_three_more_attempts() {
    let home = home();
    slurm(&home);
    home.put("lost", "1\n2\n3\n4\n");
    home.put("for-ever", "");
    let said = with_slurm(&home, "--parts 4 --submit --wait");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert_eq!(home.read("calls").lines().count(), 4, "{}", said.all());
    assert!(said.err().contains("error: 12 of 12 games are missing, in the parts "), "{}", said.all());
    // Nothing is handed in while tasks run. Those that are held for ever do not.
    home.put("queue", "1_1|None\n1_2|Priority\n");
    let said = with_slurm(&home, "--submit");
    assert!(said.err().contains("2 tasks of it wait or run already"), "{}", said.all());
    home.put("queue", "1_1|launch failed requeued held\n");
    let said = with_slurm(&home, "--submit");
    assert!(said.err().contains("tasks handed in"), "{}", said.all());
}

#[test]
fn waiting_alone_hands_in_nothing_and_needs_a_queue() {
    let home = home();
    slurm(&home);
    let said = with_slurm(&home, "--parts 2 --wait");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(!home.path("calls").exists(), "{}", said.all());
    assert!(said.err().contains("12 of 12 games are missing"), "{}", said.all());
    assert!(said.err().contains("call it with --submit"), "{}", said.all());
    let agon = env!("CARGO_BIN_EXE_agon");
    let said = home.shell(&format!("PATH=$PWD/none {agon} slurm t.toml --out lab --wait"));
    assert!(said.code == Some(1) && said.err().contains("there is no squeue here"), "{}", said.all());
}

#[test]
fn a_part_in_play_is_counted_without_its_database() {
    let home = home();
    slurm(&home);
    assert_eq!(with_slurm(&home, "--parts 1 --submit").code, Some(0));
    // As seen from another machine: what it writes is not looked into.
    home.put("lab/parts/1/live.json", "[]");
    home.put("lab/parts/1/agon.db", "half of a page");
    let table = home.read("lab/parts/1/games.csv");
    let half: Vec<&str> = table.lines().take(6).collect();
    home.put("lab/parts/1/games.csv", half.join("\n") + "\n");
    home.put("queue", "1_1|None\n");
    let said = home.shell(
        "PATH=$PWD/bin:$PATH; export PATH\n\
         agon slurm t.toml --out lab --wait 2>said-wait & waits=$!\n\
         for _ in $(seq 300); do grep -q games, said-wait && break; sleep 0.1; done\n\
         kill -TERM $waits; wait $waits; cat said-wait",
    );
    assert!(said.out().contains("5/12 games, 1 task in the queue"), "{}", said.all());
}

#[test]
fn the_script_of_the_documents_does_the_same_by_hand() {
    let home = home();
    slurm(&home);
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/slurm.md")).unwrap();
    let script = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(script.starts_with("#!/bin/sh\n#SBATCH --array=1-40 "), "{script}");
    home.put("array.sh", script.replace("/40\"", "/2\""));
    home.put("tournament.toml", TOML);
    let said = home.shell("PATH=$PWD/bin:$PATH; mkdir -p lab/parts lab/log && sbatch --array=1-2 array.sh");
    assert_eq!(said.code, Some(0), "{}\n{}", said.all(), home.read("said"));
    let said = home.shell("agon merge lab/all lab/parts/*");
    assert!(said.out().ends_with("all: all 12 games are there\n"), "{}", said.all());
}

#[test]
fn the_command_of_parallel_copies_what_the_file_names() {
    let home = home();
    home.put("lists/book.txt", "b2\na1\n");
    home.put("t.toml", TOML.to_owned() + "openings = \"./lists/book.txt\"\n");
    home.put("hosts", "nowhere\n");
    let said = home.agon("parallel t.toml --sshlogin hosts --parts 2".split(' '));
    assert!(said.code == Some(0) && said.out().contains("/./lists/book.txt"), "{}", said.all());
    let class = hosted_tables::class(3);
    let toml = "engines = \"engines\"\ngame = \"./game\"\nseats = 3\ngames = 3\nseed = 7\n";
    class.put("t.toml", toml.to_owned() + "isolation = \"none\"\n");
    class.put("hosts", "nowhere\n");
    let said = class.agon("parallel t.toml --sshlogin hosts --parts 2".split(' '));
    assert!(said.code == Some(0) && said.out().contains("/./game "), "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn a_task_that_is_told_to_end_keeps_its_games_and_goes_on_later() {
    let home = home();
    let mover = MOVER;
    let slow = format!(
        "command = [\"/bin/sh\", \"-c\", \"sleep 0.4; exec \\\"$0\\\" \\\"$@\\\"\", {mover:?}]\n\
         args = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
    );
    for name in ["ada", "bob", "cy"] {
        home.put(format!("engines/{name}/engine.toml"), &slow);
    }
    let said = home.agon("slurm t.toml --parts 1 --out lab".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let task = "SLURM_ARRAY_TASK_ID=1 sh lab/array.sh";
    let ended = home.shell(&format!(
        "{task} & task=$!\n\
         for _ in $(seq 200); do grep -q . lab/parts/1/games.csv 2>/dev/null && \
         [ $(wc -l <lab/parts/1/games.csv) -gt 1 ] && break; sleep 0.1; done\n\
         kill -TERM $task; wait $task; echo \"ended $?\""
    ));
    assert!(ended.out().ends_with("ended 0\n"), "{}", ended.all());
    let kept = home.read("lab/parts/1/games.csv").lines().count() - 1;
    assert!((1..12).contains(&kept), "{kept}\n{}", ended.all());
    assert_eq!(home.shell(task).code, Some(0));
    assert_eq!(home.read("lab/parts/1/games.csv").lines().count(), 13);
    // A node without agon gives its task back, but not for ever.
    let script = home.read("lab/array.sh").replace(env!("CARGO_BIN_EXE_agon"), "/nowhere/agon");
    home.put("lab/array.sh", script);
    assert_eq!(home.shell(task).code, Some(75));
    assert_eq!(home.shell(&format!("SLURM_RESTART_COUNT=3 {task}")).code, Some(0));
}

#[test]
fn options_of_a_site_go_into_the_script_for_slurm() {
    let home = home();
    slurm(&home);
    let words = "slurm t.toml --parts 2 --out lab --sbatch=--partition=long --sbatch=--time=60";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let script = home.read("lab/array.sh");
    let place = |line: &str| script.lines().position(|other| other == line);
    let commands = script.lines().position(|line| !line.starts_with('#') && !line.is_empty());
    for line in ["#SBATCH --partition=long", "#SBATCH --time=60"] {
        assert!(
            place(line).is_some() && place(line) < commands,
            "{line} is not before the commands\n{script}"
        );
    }
}

#[test]
fn what_is_not_cut_into_parts_is_refused_in_words() {
    let home = home();
    slurm(&home);
    home.put("none.toml", TOML.replace("seed = 7\n", ""));
    home.put("cup.toml", TOML.to_owned() + "format = \"knockout\"\n");
    home.put("two.toml", TOML.replace("st = 20", "st = [1, 2]"));
    home.put("apart/t.toml", TOML.replace("\"engines\"", "\"../engines\""));
    home.put("hosts", "nowhere\n");
    home.put("empty", "# lab1\n\n");
    home.put("asks.toml", TOML.replace("games = 4\n", "until = \"order\"\nat-most = 40\n"));
    for (line, words) in [
        ("slurm none.toml", "key seed: is missing"),
        ("slurm cup.toml", "are not all known at once"),
        ("slurm two.toml", "several time controls"),
        ("slurm t.toml --parts 0", "1 or more, or auto"),
        ("slurm t.toml --parts 9", "more than the 8 tasks that Slurm takes"),
        ("parallel t.toml --sshlogin nothing --parts 2", "there is no file nothing"),
        ("parallel t.toml --sshlogin hosts --parts 0", "0 parts play nothing"),
        ("parallel t.toml --sshlogin empty --parts 2", "there is no host in empty"),
        ("parallel asks.toml --sshlogin hosts --parts 2", "a question is not cut into parts"),
        ("parallel apart/t.toml --sshlogin hosts --parts 2", "is not in the folder of the tournament.toml"),
    ] {
        let said = home.shell(&format!("PATH=$PWD/bin:$PATH agon {line}"));
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    // A path that a line of the script cannot hold is refused before anything is made.
    let said = home.agon(["slurm", "t.toml", "--out", "two\nlines"]);
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.err().contains("--out: the path") && said.err().contains("has a line break"),
        "{}",
        said.all()
    );
    assert!(!home.path("two\nlines").exists());
}

/// The folder into which the files for a host are copied, which here is in the home of who tests.
pub(super) struct CopiedTo(pub(super) PathBuf);

impl Drop for CopiedTo {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // it may never have been made
    }
}

#[test]
fn gnu_parallel_plays_the_parts_on_this_machine() {
    if Command::new("parallel").arg("--version").output().is_err() {
        return not_tried!("GNU parallel: there is no parallel; apt-get install parallel");
    }
    let home = home();
    // Its own word for this machine, and one with a number of cores. Nothing is copied.
    for (hosts, out) in [(":\n", "it's mine"), ("2/:\n", "club")] {
        home.put("hosts", hosts);
        let said =
            home.agon(["parallel", "t.toml", "--sshlogin", "hosts", "--parts", "2", "--run", "--out", out]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.out().contains("all: all 12 games are there\n"), "{}", said.all());
        assert_eq!(home.read(&format!("{out}/jobs.txt")).lines().count(), 3);
        assert_eq!(home.read(&format!("{out}/all/standings.csv")).lines().count(), 4);
    }
    let left = home.shell("ls -d agon-*");
    assert_ne!(left.code, Some(0), "{}", left.all());
}

#[test]
#[ignore = "slow"]
fn gnu_parallel_plays_the_parts_over_ssh() {
    for program in ["parallel", "rsync"] {
        if Command::new(program).arg("--version").output().is_err() {
            return not_tried!("GNU parallel over ssh: there is no {program}; apt-get install {program}");
        }
    }
    let home = home();
    let (_server, port) = match sshd(&home) {
        Ok(found) => found,
        Err(why) => return not_tried!("GNU parallel over ssh: {why}"),
    };
    home.put("hosts", ssh_words(&home, port) + "\n");
    let command = "parallel t.toml --sshlogin hosts --parts 2 --out club";
    let printed = home.agon(command.split(' '));
    let text = printed.out();
    assert_eq!(printed.code, Some(0), "{}", printed.all());
    let remote = text.split_whitespace().find(|word| word.starts_with("agon-")).unwrap().to_owned();
    let _copied = CopiedTo(Path::new(&std::env::var("HOME").unwrap()).join(remote));
    let said = home.agon(format!("{command} --run").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("all: all 12 games are there\n"), "{}", said.all());
    assert_eq!(home.read("club/jobs.txt").lines().count(), 3);
    assert_eq!(home.read("club/all/standings.csv").lines().count(), 4);
    // The log of jobs says that both parts have ended well.
    let again = home.shell(&text);
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert!(again.out().contains("parts/1: 0 games taken in"), "{}", again.all());
    assert_eq!(home.read("club/jobs.txt").lines().count(), 3);
}
