//! The input of software that runs the parts of a tournament: the array script for Slurm and the
//! command for GNU parallel. Text in, text out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_seats::TimeControl;

use crate::run::{shell_path, shell_word};

/// How long a part lasts by the guess of [`parts_for`]. Engines mostly need less time than the
/// guess, and Slurm needs up to a second for each task. So a part should take a minute or more.
const LONG: Duration = Duration::from_secs(600);
/// How many moves a game has by the same guess.
const MOVES: u32 = 20;
/// How often a node that does not suit gives its task back.
const GIVEN_BACK: u32 = 3;
/// How often GNU parallel tries a part.
const TRIES: u32 = 3;

/// An array job for Slurm: each task plays a part.
pub struct ArrayScript<'a> {
    /// The name of the job.
    pub name: &'a str,
    /// The path of agon on the nodes.
    pub agon: &'a Path,
    /// The folder of engines or the `tournament.toml`.
    pub tournament: &'a Path,
    /// The folder of the parts and their logs.
    pub out: &'a Path,
    /// How many parts there are.
    pub parts: u64,
    /// The cores of a task, and the games that it plays at the same time.
    pub cores: usize,
    /// More options of `sbatch`.
    pub more: &'a [String],
}

impl ArrayScript<'_> {
    /// The script.
    ///
    /// `--signal=B:` sends the signal to the shell alone, so the shell passes it on, and waits
    /// again: a signal interrupts `wait`. A task exits 0 even if games are missing, because the
    /// stores say that. It exits 75 where agon cannot play on the node; with `RequeueExit=75` Slurm
    /// then tries another one.
    pub fn text(&self) -> String {
        let (name, parts, cores) = (self.name, self.parts, self.cores);
        let [agon, tournament, out] = [self.agon, self.tournament, self.out].map(shell_path);
        // Slurm fills in %a, and takes %% for a percent sign. Its directives are not read by a
        // shell.
        let log = directive(&format!("{}/log/%a.txt", self.out.display().to_string().replace('%', "%%")));
        let more: String =
            self.more.iter().map(|option| format!("#SBATCH {}\n", option.replace('\n', " "))).collect();
        format!(
            "#!/bin/sh\n\
             #SBATCH --job-name={name} --array=1-{parts}\n\
             #SBATCH --nodes=1 --ntasks=1 --cpus-per-task={cores}\n\
             #SBATCH --requeue --open-mode=append --signal=B:TERM@30\n\
             #SBATCH --output={log}\n\
             {more}\
             part=$SLURM_ARRAY_TASK_ID\n\
             echo \"part $part on $(hostname), $(date)\"\n\
             {agon} tournament {tournament} --quiet --concurrency {cores} \\\n    \
             --part \"$part/{parts}\" --out {out}/parts/\"$part\" &\n\
             agon=$!\n\
             trap 'kill -TERM $agon' TERM\n\
             wait $agon; code=$?\n\
             while kill -0 $agon 2>/dev/null; do wait $agon; code=$?; done\n\
             # 3: no isolation here; 126, 127: no agon here. Another node may do better.\n\
             case $code in 3|126|127)\n    \
             [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {GIVEN_BACK} ] && exit 75\n\
             esac\n\
             exit 0 # what is missing is read from the stores\n"
        )
    }
}

/// A value in a line of `#SBATCH`, in which quotation marks keep blanks.
fn directive(value: &str) -> String {
    let is_plain = |letter: char| !letter.is_whitespace() && !"'\"\\#".contains(letter);
    if value.chars().all(is_plain) { value.to_owned() } else { format!("\"{}\"", value.replace('"', "\\\"")) }
}

/// The numbers as `sbatch --array` takes them: `1-3,7`. They are in order.
pub fn array_of(numbers: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    texts.join(",")
}

/// The highest number of a task, from the output of `scontrol show config`: `MaxArraySize` less 1.
pub fn most_tasks(config: &str) -> Option<u64> {
    let value = |line: &str| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "MaxArraySize").then(|| value.trim().parse::<u64>().ok())?
    };
    config.lines().find_map(value)?.checked_sub(1)
}

/// How many tasks wait or run, from a list of `squeue` with a reason in each line. A task that
/// Slurm holds since its start failed waits for an administrator who knows nothing of it, so it
/// counts as lost.
pub fn tasks_in(list: &str) -> usize {
    let is_lost = |line: &str| line.replace('_', " ").contains("requeued held");
    list.lines().filter(|line| !line.trim().is_empty() && !is_lost(line)).count()
}

/// How many parts are worth their overhead. The parts take some ten minutes by a guess from the
/// time control. Nobody knows their time better before the first game. At most one for each pair of
/// games, and at most `most`.
pub fn parts_for(games: u64, pairs: u64, control: TimeControl, cores: usize, most: u64) -> u64 {
    let game = guess(control);
    let all = game.as_secs_f64() * games as f64 / cores.max(1) as f64;
    let parts = (all / LONG.as_secs_f64()).ceil() as u64;
    parts.clamp(1, pairs.min(most).max(1))
}

/// A guess how long a game lasts.
pub fn guess(control: TimeControl) -> Duration {
    match control {
        TimeControl::PerMove(time) => time * MOVES,
        TimeControl::WholeGame { base, increment } | TimeControl::Repeating { base, increment, .. } => {
            base + increment * MOVES
        }
    }
}

/// The command of GNU parallel that plays the parts over ssh.
pub struct ParallelCommand<'a> {
    /// The file of the hosts.
    pub hosts: &'a Path,
    /// The path of agon here.
    pub agon: &'a Path,
    /// The folder that has everything else to be copied.
    pub base: &'a Path,
    /// What is copied, relative to that folder: the `tournament.toml`, the engines, and more.
    pub copied: &'a [PathBuf],
    /// The `tournament.toml` or the folder of engines, relative to that folder.
    pub tournament: &'a Path,
    /// The folder here that gets the parts.
    pub out: &'a Path,
    /// The folder on the hosts, relative to the home there.
    pub remote: &'a str,
    /// How many parts there are.
    pub parts: u64,
    /// The round that is played, if games follow from results.
    pub round: Option<PartRound>,
}

/// A round of a stage or of a Swiss, as parts play it.
pub struct PartRound {
    /// Its number, from 1. A later one has a folder of what was merged before.
    pub number: u32,
    /// The options of `agon merge` here and on the hosts, as a shell reads them.
    pub options: [String; 2],
}

impl PartRound {
    /// The folder with the games that are known before a round, in that of the parts.
    pub fn known(number: u32) -> String {
        format!("known-{number}")
    }

    /// The name of the log of jobs of a round.
    fn log(&self) -> String {
        match self.number {
            1 => "jobs.txt".to_owned(),
            number => format!("jobs-{number}.txt"),
        }
    }
}

impl ParallelCommand<'_> {
    /// The words of the command, which need no shell here.
    ///
    /// A path `A/./B` is copied to `B` in the folder of the hosts, and back to `A/B`. Jobs are
    /// numbered, so `--resume-failed` finds in the log of jobs which parts have ended well.
    pub fn words(&self) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let below = |folder: &Path, name: &Path| path(&folder.join(".").join(name));
        let mut words: Vec<String> = ["parallel", "--sshloginfile"].map(str::to_owned).into();
        words.push(path(self.hosts));
        words.extend(["--jobs", "1", "--workdir", self.remote].map(str::to_owned));
        let here = Path::new(".");
        words.push("--basefile".to_owned());
        words.push(below(
            self.agon.parent().unwrap_or(here),
            Path::new(self.agon.file_name().unwrap_or_default()),
        ));
        for name in self.copied {
            words.push("--basefile".to_owned());
            words.push(below(self.base, name));
        }
        if let Some(PartRound { number: number @ 2.., .. }) = self.round {
            words.extend(["--basefile".to_owned(), below(self.out, Path::new(&PartRound::known(number)))]);
        }
        words.extend(["--retries".to_owned(), TRIES.to_string()]);
        words.extend(["--resume-failed", "--joblog"].map(str::to_owned));
        let log = self.round.as_ref().map_or_else(|| "jobs.txt".to_owned(), PartRound::log);
        words.push(path(&self.out.join(log)));
        words.extend(["--return".to_owned(), below(self.out, Path::new("parts/{}"))]);
        words.push(format!("sh -c {}", shell_word(Path::new(&self.job()))));
        words.push(":::".to_owned());
        words.extend((1..=self.parts).map(|part| part.to_string()));
        words
    }

    /// The script of a part. GNU parallel calls this machine `:`, copies nothing to it, and starts
    /// the job in a folder of the remote name below the current one. So the part is played here
    /// from where its files lie.
    fn job(&self) -> String {
        let program = shell_word(Path::new(self.agon.file_name().unwrap_or_default()));
        let remote = self.remote;
        let [agon, out] = [self.agon, self.out].map(shell_path);
        let own = shell_path(&self.base.join(self.tournament));
        let here = self.played(0, &agon, &own, &format!("{out}/"));
        let there = self.played(1, &format!("./{program}"), &shell_path(self.tournament), "");
        format!(
            "if [ \"$PARALLEL_SSHLOGIN\" = : ]; then cd .. && rmdir {remote}; {here}; else mkdir -p parts && {there}; fi"
        )
    }

    /// The commands of a part here (0) or on a host (1), where the folder of the parts is.
    fn played(&self, at: usize, agon: &str, tournament: &str, folder: &str) -> String {
        let part = format!("{folder}parts/{{}}");
        let plays = format!("{agon} tournament {tournament} --quiet --part {{}}/{} --out {part}", self.parts);
        let Some(round) = &self.round else { return plays };
        // A part that came back only now may have been finished before.
        let plays = format!("{{ {plays} || {agon} status {part} | grep -q ' finished, '; }}");
        if round.number == 1 {
            return plays;
        }
        let (known, options) = (PartRound::known(round.number), &round.options[at]);
        // What it says of programs that are not there is of no use: they are copied with the file.
        format!(
            "{{ said=$({agon} merge {part} {folder}{known}{options} 2>&1) || {{ echo \"$said\" >&2; exit 1; }}; }} \
             && {plays}"
        )
    }

    /// The command as a person would write it, and the one that merges.
    pub fn text(&self) -> String {
        let words = self.words();
        let numbers = words.iter().position(|word| word == ":::").unwrap_or(words.len());
        let mut text = format!("seq {} |", self.parts);
        for word in &words[..numbers] {
            let ends = if word.starts_with("--") { " \\\n    " } else { " " };
            text += ends;
            text += &shell_word(Path::new(word));
        }
        let [agon, out] = [self.agon, self.out].map(shell_path);
        format!("{text}\n{agon} merge {out}/all {out}/parts/*\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(out: &str, more: &[String]) -> String {
        ArrayScript {
            name: "agon-1f",
            agon: Path::new("/opt/agon"),
            tournament: Path::new("/home/a b/cup.toml"),
            out: Path::new(out),
            parts: 40,
            cores: 2,
            more,
        }
        .text()
    }

    #[test]
    fn the_array_script_has_what_a_lost_node_needs() {
        let text = script("/home/a/out", &["--partition=long".to_owned()]);
        let lines: Vec<&str> = text.lines().collect();
        for line in [
            "#SBATCH --job-name=agon-1f --array=1-40",
            "#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=2",
            "#SBATCH --requeue --open-mode=append --signal=B:TERM@30",
            "#SBATCH --output=/home/a/out/log/%a.txt",
            "#SBATCH --partition=long",
            "/opt/agon tournament '/home/a b/cup.toml' --quiet --concurrency 2 \\",
            "    --part \"$part/40\" --out /home/a/out/parts/\"$part\" &",
        ] {
            assert!(lines.contains(&line), "{line}\n{text}");
        }
        let last_directive = lines.iter().rposition(|line| line.starts_with("#SBATCH")).unwrap();
        // Slurm stops reading directives at the first command.
        assert!(lines[..last_directive].iter().all(|line| line.starts_with('#')), "{text}");
    }

    #[test]
    fn paths_of_the_log_keep_blanks_and_percent_signs() {
        assert!(script("/a b/50%", &[]).contains("#SBATCH --output=\"/a b/50%%/log/%a.txt\"\n"));
    }

    #[test]
    fn holes_are_written_in_ranges() {
        assert_eq!(array_of(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(array_of(&[]), "");
    }

    #[test]
    fn the_size_of_an_array_is_one_more_than_its_highest_number() {
        assert_eq!(most_tasks("MailProg = /bin/mail\nMaxArraySize            = 1001\n"), Some(1000));
        assert_eq!(most_tasks("MaxArraySize = 0\n"), None);
        assert_eq!(most_tasks(""), None);
    }

    #[test]
    fn a_task_that_is_held_since_its_start_failed_is_lost() {
        let list =
            "1_1|launch failed requeued held\n1_2|None\n1_3|JobHeldUser\n1_4|launch_failed_requeued_held\n";
        assert_eq!(tasks_in(list), 2);
        assert_eq!(tasks_in("\n"), 0);
    }

    #[test]
    fn parts_are_long_enough_and_not_more_than_pairs() {
        let st = |seconds| TimeControl::PerMove(Duration::from_secs(seconds));
        // 1000 games of 100 s on one core are 167 times ten minutes.
        assert_eq!(parts_for(1000, 500, st(5), 1, 1000), 167);
        assert_eq!(parts_for(1000, 500, st(5), 1, 100), 100);
        assert_eq!(parts_for(10, 5, st(500), 1, 1000), 5);
        assert_eq!(parts_for(2, 1, st(1), 4, 1000), 1);
    }

    #[test]
    fn the_command_copies_plays_and_merges() {
        let command = ParallelCommand {
            hosts: Path::new("hosts"),
            agon: Path::new("/opt/bin/agon"),
            base: Path::new("/home/a"),
            copied: &[PathBuf::from("cup.toml"), PathBuf::from("engines")],
            tournament: Path::new("cup.toml"),
            out: Path::new("out"),
            remote: "agon-1f",
            parts: 3,
            round: None,
        };
        let text = command.text();
        for part in [
            "seq 3 | parallel \\\n    --sshloginfile hosts",
            "--basefile /opt/bin/./agon",
            "--basefile /home/a/./engines",
            "--retries 3",
            "--resume-failed \\\n    --joblog out/jobs.txt",
            "--return 'out/./parts/{}'",
            "./agon tournament cup.toml --quiet --part {}/3 --out parts/{}; fi",
            "cd .. && rmdir agon-1f; /opt/bin/agon tournament /home/a/cup.toml --quiet --part {}/3 --out out/parts/{};",
            "\n/opt/bin/agon merge out/all out/parts/*\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(command.words().ends_with(&[":::", "1", "2", "3"].map(str::to_owned)));
    }

    #[test]
    fn a_later_round_takes_along_what_is_known() {
        let command = ParallelCommand {
            hosts: Path::new("hosts"),
            agon: Path::new("/opt/bin/agon"),
            base: Path::new("/home/a"),
            copied: &[PathBuf::from("cup.toml")],
            tournament: Path::new("cup.toml"),
            out: Path::new("out"),
            remote: "agon-1f",
            parts: 3,
            round: Some(PartRound {
                number: 2,
                options: [" --game /home/a/g", " --game g"].map(str::to_owned),
            }),
        };
        let text = command.text();
        for part in [
            "--basefile out/./known-2",
            "--joblog out/jobs-2.txt",
            "/opt/bin/agon merge out/parts/{} out/known-2 --game /home/a/g 2>&1)",
            "./agon merge parts/{} known-2 --game g 2>&1)",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
