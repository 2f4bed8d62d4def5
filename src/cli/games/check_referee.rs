//! `agon check-referee`: shows the author of a referee program its faults.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_config::{CommandExit, GameArg, Misuse, Options, Seconds, whole};
use agon_export::json;
use agon_match::hosted::HostedRules;
use agon_match::keeper::RunContext;
use agon_match::processes::Scratch;
use agon_match::schedule;
use agon_pages::report::terminal::{FAULT, TableLook};
use agon_sandbox::Isolation;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{EngineBuilder, isolation};
use agon_tournament::progress::plain_bar;
use agon_trial::check::CheckStopped;
use agon_trial::check::referee_check::{
    FindingWeight, RefereeFinding, RefereeReport, RefereeTrial, check_referee,
};
use anyhow::Context;
use clap::Args;
use serde_json::json;

/// Plays games with a referee program, and says what is wrong
///
/// The words are for its author.
///
/// No engine is started: agon answers for all seats, with legal answers, hostile answers, and
/// faults. Each game is played twice, because the same seed and answers must give the same lines.
/// Exit code 0: nothing is wrong; 1: something is.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon check-referee ./dots
  agon check-referee ./kuhn:hands=3 --seats 3 --games 300 --seed 7")]
pub(crate) struct CheckRefereeArgs {
    /// The folder of the game, with a game.toml, and its options
    #[arg(value_name = "DIR[:OPTIONS]")]
    game: String,

    /// The number of seats [default: each that the game can have]
    #[arg(long, value_name = "N")]
    seats: Option<usize>,

    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u32>, allow_negative_numbers = true)]
    games: u32,

    /// What the seeds of the games and the answers are drawn from
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: u64,

    /// The longest time for all games
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true)]
    seconds: Seconds,

    /// The level at which the referee runs [default: sandbox, or limits where that is not
    /// available]
    #[arg(long, value_name = "LEVEL")]
    isolation: Option<Isolation>,

    /// Writes what was found as JSON, an object a line
    #[arg(long)]
    json: bool,
}

impl CheckRefereeArgs {
    pub(crate) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let game = GameArg::from(self.game_argument().as_str());
        let mut options = Options {
            game: Some(game.clone()),
            seats: self.seats,
            isolation: Some(self.isolation.unwrap_or(Isolation::Sandbox)),
            ..Options::default()
        };
        let mut confinement = options.confinement()?;
        match isolation::is_available(&confinement, context) {
            Err(error) if self.isolation.is_none() && error.is::<agon_sandbox::Unavailable>() => {
                options.isolation = Some(Isolation::Limits);
                confinement = options.confinement()?;
            }
            available => available?,
        }
        let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
        let Some(rules) = settings::hosted_to_play(&mut options, &builder)? else {
            return Err(Misuse::hinted(
                format!("{} is a built-in game, which has no referee program", self.game),
                "name a folder with a game.toml",
            ));
        };
        let counts: Vec<usize> = match self.seats {
            Some(seats) => vec![seats],
            None => rules.folder.seats.clone().collect(),
        };
        let all: Vec<HostedRules> = counts
            .iter()
            .map(|seats| HostedRules::find(&game, Some(*seats)))
            .collect::<anyhow::Result<_>>()?;
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the referee")?;
        let control = options.time_controls()?[0];
        let limits = settings::limits_of_trial(&options, &builder);
        let level = builder.confinement.level;
        let bar = plain_bar(self.games);
        let trial = RefereeTrial {
            rules: &all,
            control,
            limits,
            scratch: &scratch,
            games: self.games,
            seed: self.seed,
            bound: self.seconds.0,
            progress: &|games| bar.set_position(games.into()),
        };
        if !self.json {
            let seats: Vec<String> = counts.iter().map(usize::to_string).collect();
            crate::cli::out(&format!(
                "{}, {} seats, at isolation {level}: {} games\n",
                rules.folder.title,
                seats.join(", "),
                self.games
            ))?;
        }
        let began = Instant::now();
        let checked = schedule::aside(|| check_referee(&trial));
        bar.finish_and_clear();
        let report = match checked? {
            Err(CheckStopped::Stopped) => return Ok(CommandExit::Interrupted.into()),
            checked => checked.context("the referee could not be tried")?,
        };
        self.show(&report, &rules.folder.title, began.elapsed())?;
        Ok(CommandExit::found(!report.is_well()).into())
    }

    /// The game as `--game` has it: a folder in the current directory is named with `./`.
    fn game_argument(&self) -> String {
        let is_folder = GameArg::from(self.game.as_str()).folder().is_some();
        if is_folder || agon_games::entry(&self.game).is_ok() {
            self.game.clone()
        } else {
            format!("./{}", self.game)
        }
    }

    fn show(&self, report: &RefereeReport, title: &str, took: Duration) -> anyhow::Result<()> {
        if self.json {
            return crate::cli::out_json(report.findings.iter().map(as_json).collect());
        }
        let look = TableLook::of(&std::io::stdout());
        let mut text = String::new();
        for finding in &report.findings {
            let word = match finding.weight {
                FindingWeight::Wrong => look.styled("WRONG", FAULT),
                weight => weight.word().to_owned(),
            };
            text.push_str(&format!("{word}  {}\n", finding.words));
            if let Some(place) = &finding.first {
                let others = match finding.games {
                    0 | 1 => String::new(),
                    games => format!("; so in {games} games"),
                };
                text.push_str(&format!(
                    "  in game {} ({} seats, seed {}, {}){others}\n",
                    place.game, place.seats, place.seed, place.answers
                ));
            }
            finding.lines.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
        let (steps, median, longest) = report.steps();
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let program = if report.program.is_empty() { title } else { &report.program };
        text.push_str(&format!(
            "{program}: {} games in {:.1} s, each played twice; {steps} steps, median {:.1} ms, longest {:.1} ms\n",
            report.games,
            took.as_secs_f64(),
            millis(median),
            millis(longest)
        ));
        if report.is_well() {
            text.push_str("nothing wrong was found\n");
        }
        crate::cli::drawn(&text)
    }
}

fn as_json(finding: &RefereeFinding) -> String {
    let place = finding.first.as_ref();
    let object = json!({
        "weight": finding.weight.word(),
        "kind": finding.kind,
        "words": finding.words,
        "games": finding.games,
        "game": place.map(|place| place.game),
        "seats": place.map(|place| place.seats),
        "seed": place.map(|place| place.seed),
        "answers": place.map(|place| place.answers),
        "lines": finding.lines,
    });
    json::line(&object) + "\n"
}
