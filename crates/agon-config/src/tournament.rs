//! `tournament.toml`: parsed once, and read key by key.

use std::path::{Path, PathBuf};

use agon_printable::escape;
use toml::de::DeTable;

use super::candidates::CandidatesFile;
use super::entrant::EntrantFile;
use super::game_text::OF_LETTERS;
use super::grades::GradesFile;
use super::league::LeagueFile;
use super::lines::{Source, TomlEntry, Within, decimal_comma};
use super::stages::{CupFile, StageFile, WithdrawnFile};
use super::table::{FileTable, keys};
use super::{Key, KeyLines, Misuse, Options};

keys! {
    /// The keys at the top of a `tournament.toml` that are not options.
    TopFile {
        /// The folder of engines, relative to the file. It is required if agon is given the file,
        /// not its folder [default: the folder that the file is in]
        engines: Option<PathBuf>,
        /// Programs with settings of their own, which play besides the engines of the folder;
        /// without the key `engines` agon given the file plays these alone
        engine: Vec<EntrantFile>,
        /// Engines that are put into the groups of the first stage before all others, the strongest
        /// first; the others are drawn by lot
        seeds: Vec<String>,
        /// The stages of a tournament, in their order. The keys of a single stage may stand at the
        /// top of the file [default: one round robin of all]
        stages: Option<Vec<StageFile>>,
        /// The engines that have withdrawn from a run that has begun; see docs/withdrawals.md
        withdrawn: Vec<WithdrawnFile>,
        /// A league, whose divisions play a round robin each on every night
        league: Option<LeagueFile>,
        /// How new versions of engines are tested; see docs/tournaments.md
        candidates: Option<CandidatesFile>,
        /// How `agon grade` gives grades
        grades: Option<GradesFile>,
    }
}

/// A `tournament.toml`.
#[derive(Default, Debug)]
pub struct TournamentFile {
    /// The folder of engines, if the file names one; relative paths are resolved.
    pub engines: Option<PathBuf>,
    /// Programs with settings of their own.
    pub entrants: Vec<EntrantFile>,
    /// The options.
    pub options: Options,
    /// Its stages, if it is more than a round robin of all.
    pub cup: Option<CupFile>,
    /// The engines that have withdrawn.
    pub withdrawn: Vec<WithdrawnFile>,
    /// The league, if it is one.
    pub league: Option<LeagueFile>,
    /// How new versions of engines are tested, if the file says so.
    pub candidates: Option<CandidatesFile>,
    /// How grades are given, if they are.
    pub grades: Option<GradesFile>,
    /// The lines of its keys.
    pub lines: KeyLines,
    /// Keys that are options of the game now, with file and line, and the game as it is to be
    /// written.
    pub old: Option<(String, String)>,
}

impl TournamentFile {
    /// Reads the text of the file at `path`. Relative paths in it are resolved against its folder.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and key.
    pub fn parse(text: &str, path: &Path) -> anyhow::Result<Self> {
        let source = Source::new(text, path);
        let table = DeTable::parse(text).map_err(|error| no_toml(&source, &error))?;
        let table = table.get_ref();
        let lines = KeyLines::of(&source, Within::File, 1, table);
        let (mut top, mut options, mut stage) =
            (TopFile::default(), Options::default(), StageFile::default());
        for entry in TomlEntry::all(&source, &lines, table) {
            if top.set(&entry)? || options.set(&entry)? {
                continue;
            }
            if !only_stage().any(|key| entry.is(key.field)) {
                return Err(unknown(&entry));
            }
            if lines.has("stages") {
                let what = format!("{}: is the key of a stage", lines.place(&[entry.key]));
                return Err(Misuse::hinted(what, "write it in the stages that it is for"));
            }
            stage.set(&entry)?;
        }
        if lines.has("st") && lines.has("tc") {
            let place = lines.place(&["st", "tc"]);
            return Err(Misuse::hinted(format!("{place}: give one of the two"), "leave out the other"));
        }
        options.lines = lines.clone();
        let old = options.old_spellings();
        options.take_files_of_game(source.home)?;
        let old = (!old.is_empty()).then(|| (lines.place(&old), options.game_in_one()));
        stage.lines = lines.clone();
        if top.league.is_some()
            && let Some(key) = ["stages"].into_iter().chain(CUP_ONLY).find(|key| lines.has(key))
        {
            let what =
                format!("{}: a night of a league is a round robin of each division", lines.place(&[key]));
            return Err(Misuse::hinted(what, "leave it out, or leave out [league]"));
        }
        let withdrawn = std::mem::take(&mut top.withdrawn);
        let entrants = std::mem::take(&mut top.engine);
        let (engines, league, grades) = (top.engines.take(), top.league.take(), top.grades.take());
        let candidates = top.candidates.take();
        let cup = cup(top, stage, &lines)?;
        Ok(TournamentFile {
            engines,
            entrants,
            options,
            cup,
            withdrawn,
            league,
            candidates,
            grades,
            lines,
            old,
        })
    }
}

/// The keys of a stage that a league does not have.
const CUP_ONLY: [&str; 9] = [
    "format",
    "groups",
    "advance",
    "rounds",
    "leaders",
    "third-place",
    "draw",
    "play-offs",
    "play-off-games",
];

/// The stages of the file, if it says anything about them.
fn cup(top: TopFile, only: StageFile, lines: &KeyLines) -> anyhow::Result<Option<CupFile>> {
    let is_staged = top.stages.is_some();
    let stages = top.stages.unwrap_or_else(|| vec![only]);
    if stages.is_empty() {
        return Err(lines.misuse("stages", "is empty; write a table for each stage, or leave it out"));
    }
    let says_something = is_staged || lines.has("seeds") || only_stage().any(|key| lines.has(&key.name()));
    Ok(says_something.then(|| CupFile { seeds: top.seeds, stages, is_staged, lines: lines.clone() }))
}

/// The keys of a single stage, which stand at the top of the file. It has the games and tie-breaks
/// of the file and needs no name.
fn only_stage() -> impl Iterator<Item = &'static Key> {
    StageFile::KEYS.iter().filter(|key| !["name", "games", "tiebreaks"].contains(&key.field))
}

fn unknown(entry: &TomlEntry<'_>) -> anyhow::Error {
    let keys = TopFile::KEYS.iter().chain(only_stage()).chain(Options::KEYS);
    let keys: Vec<String> = keys.map(Key::name).filter(|name| !OF_LETTERS.contains(&name.as_str())).collect();
    entry.unknown(&keys.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the parser says of a file that is not TOML, with the line it stopped at.
fn no_toml(source: &Source<'_>, error: &toml::de::Error) -> anyhow::Error {
    let Source { text, shown, .. } = source;
    let span = error.span().unwrap_or_default();
    let line = source.line(span.start);
    if let Some(key) = text.get(span).filter(|_| error.message() == "duplicate key") {
        let key = escape(key.as_bytes(), 60);
        return Misuse::error(format!("{shown}: line {line}: key {key}: is written twice"));
    }
    let written = text.lines().nth(line - 1).unwrap_or_default().trim();
    let what = format!("{shown}: line {line}: {}: {}", error.message(), escape(written.as_bytes(), 60));
    match decimal_comma(written) {
        Some((key, number)) => Misuse::hinted(what, format!("write a decimal point: {key} = {number}")),
        None => Misuse::error(what),
    }
}

#[cfg(test)]
mod tests {
    use agon_standings::grades::By;

    use super::*;

    fn parse(text: &str) -> anyhow::Result<TournamentFile> {
        TournamentFile::parse(text, Path::new("class/tournament.toml"))
    }

    /// What is said of a file, without its name.
    #[track_caller]
    fn said(text: &str) -> String {
        let words = parse(text).expect_err(text).to_string();
        words.strip_prefix("class/tournament.toml: ").expect("the file is named").to_owned()
    }

    #[test]
    fn a_file_gives_the_same_options_as_flags() {
        let file = parse("engines = \"bots\"\ngames = 4\nst = 0.5\nskip-broken = true\n").unwrap();
        assert_eq!(file.engines, Some(PathBuf::from("class/bots")));
        assert_eq!(file.options.games, Some(4));
        assert_eq!(file.options.time_control().unwrap().to_string(), "st=0.5");
        assert_eq!(file.options.skip_broken, Some(true));
        assert!(file.cup.is_none() && file.grades.is_none());
    }

    #[test]
    fn paths_are_relative_to_the_file_and_a_dash_is_no_path() {
        let options = parse("out = \"run\"\nboard = \"/b\"\nevents = \"-\"\n").unwrap().options;
        assert_eq!(options.out, Some(PathBuf::from("class/run")));
        assert_eq!(options.board, Some(PathBuf::from("/b")));
        assert_eq!(options.events, Some(PathBuf::from("-")));
    }

    #[test]
    fn a_single_stage_stands_at_the_top() {
        let text = "games = 4\nformat = \"swiss\"\nrounds = 3\nseeds = [\n  \"a\",\n]\nst = 1\n";
        let file = parse(text).unwrap();
        let cup = file.cup.unwrap();
        assert_eq!((cup.stages.len(), cup.is_staged), (1, false));
        assert_eq!((cup.stages[0].format.as_deref(), cup.stages[0].rounds), (Some("swiss"), Some(3)));
        assert_eq!((cup.seeds, file.options.games), (vec!["a".to_owned()], Some(4)));
        // Its games are those of the file, and only stages of a list have names.
        assert_eq!(cup.stages[0].games, None);
        assert!(said("name = \"x\"\n").starts_with("line 1: key name: there is no such key"));
    }

    /// The same stages and grades, however TOML lets one write them.
    #[test]
    fn every_way_to_write_tables_is_read() {
        let grades = "by = \"points\", max = 10, steps = [{ at = 1, grade = 5 }]";
        let long = "[grades]\nby = \"points\"\nmax = 10\n[[grades.steps]]\nat = 1\ngrade = 5\n";
        for text in [
            format!("games = 4\n{long}[[stages]]\nadvance = 2\n[[stages]]\nformat = \"finals\"\n"),
            format!("games = 4\n[[stages]]\nadvance = 2\n{long}[[stages]]\nformat = \"finals\"\n"),
            format!("stages = [{{ advance = 2 }}, {{ format = \"finals\" }}]\ngrades = {{ {grades} }}\ngames = 4\n"),
            format!("stages = [\n  {{ advance = 2 }}, # é\n  {{ format = \"finals\" }},\n]\ngames = 4\n{long}"),
            "games = 4\ngrades.by = \"points\"\ngrades.max = 10\ngrades.steps = [{ at = 1, grade = 5 }]\n\
             stages = [{ advance = 2 }, { format = \"finals\" }]\n"
                .to_owned(),
            "\"games\" = 4\n'grades'.\"by\" = 'points'\ngrades.max = 10\ngrades.steps = [{ at = 1, grade = 5 }]\n\
             [[ \"stages\" ]]\n\"advance\" = 2\n[['stages']]\nformat = '''finals'''\n"
                .to_owned(),
        ] {
            for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                let file = parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
                let cup = file.cup.unwrap();
                assert_eq!((file.options.games, cup.stages.len(), cup.is_staged), (Some(4), 2, true), "{text}");
                assert_eq!(cup.stages[0].advance, Some(2), "{text}");
                assert_eq!(cup.stages[1].format.as_deref(), Some("finals"), "{text}");
                let scheme = file.grades.unwrap().scheme(2).unwrap();
                assert_eq!((scheme.by, scheme.steps.len(), scheme.steps[0].grade), (By::Points, 1, 5.0));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_key_wherever_it_stands() {
        for (text, wanted) in [
            (
                "games = 4\ngammes = 5\n",
                "line 2: key gammes: there is no such key; did you mean games? there are engines, ",
            ),
            (
                "games = \"many\"\n",
                "line 1: key games: expected a whole number from 0 to 4294967295, found \"many\"",
            ),
            ("games = -2\n", "line 1: key games: expected a whole number from 0 to 4294967295, found -2"),
            (
                "games = 4294967296\n",
                "line 1: key games: expected a whole number from 0 to 4294967295, found 4294967296",
            ),
            ("size = 6\n", "line 1: key size: expected a text, found 6; write it in quotes, size = \"6\""),
            ("engines = 3\n", "line 1: key engines: expected a path, found 3; write it in quotes"),
            ("skip-broken = 1\n", "line 1: key skip-broken: expected true or false, found 1"),
            ("out = [\"a\"]\n", "line 1: key out: expected a path, found a list"),
            ("seeds = 1979-05-27\n", "line 1: key seeds: expected a text, found 1979-05-27"),
            ("games = 4\nst = [\n  1,\n  \"soon\",\n]\n", "line 4: key st: \"soon\": \"soon\" is "),
            ("st = 1\n\ntc = \"60\"\n", "line 3: keys st and tc: give one of the two"),
            (
                "memory = \"lots\"\n",
                "line 1: key memory: \"lots\": it is no size that will do; write one like",
            ),
            (
                "isolation = \"jail\"\n",
                "line 1: key isolation: \"jail\": the levels are none, limits, sandbox and strict",
            ),
            (
                "time = [\"a=st=1\",\n \"b\"]\n",
                "line 2: key time: \"b\": \"b\" is no engine with a time control",
            ),
            ("play_offs = 2\n", "line 1: key play_offs: there is no such key"),
            (
                "# é\n[[stages]]\nname = \"é\"\nadvanse = 3\n",
                "line 4: key advanse of stage 1: there is no such key; did you mean advance? there are name, format",
            ),
            (
                "[[stages]]\n[[stages]]\ngroups = \"2\"\n",
                "line 3: key groups of stage 2: expected a whole number of 0 or more, found \"2\"",
            ),
            (
                "# é\nstages = [{ name = \"é\", advance = 1 },\n  { cycles = 1.5 }]\n",
                "line 3: key cycles of stage 2: expected a whole number from 0 to 4294967295, found 1.5",
            ),
            ("stages = [1]\n", "line 1: key stages: expected a table, found 1"),
            (
                "[stages]\nadvance = 1\n",
                "line 1: key stages: expected a list of tables, [[stages]], found a table",
            ),
            ("stages = []\n", "line 1: key stages: is empty"),
            ("[[stages]]\n[stages.more]\n", "line 2: key more of stage 1: there is no such key"),
            ("format = \"swiss\"\n[[stages]]\n", "line 1: key format: is the key of a stage"),
            ("grades = 3\n", "line 1: key grades: expected a table, found 3"),
            ("\n[grades]\nby = \"points\"\nsteps = []\n", "line 2: key grades.max: is missing"),
            (
                "grades = { by = \"points\", maxx = 1 }\n",
                "line 1: key grades.maxx: there is no such key; did you mean max? there are by, max, steps",
            ),
            ("grades.by = 7\n", "line 1: key grades.by: expected a text, found 7"),
            (
                "[grades]\nby = \"x\"\nmax = 1\nsteps = [\n  { at = 1, grade = 1 },\n  { at = true, grade = 1 },\n]\n",
                "line 6: key at of step 2: expected a number or the name of an engine, found true",
            ),
            ("[grades]\nsteps = [\n  { at = 1 },\n]\n", "line 3: key grade of step 1: is missing"),
            ("[grades]\nsteps = { at = 1 }\n", "line 2: key grades.steps: expected a list of tables"),
            ("games = 4\r\n\r\ngammes = 5\r\n", "line 3: key gammes"),
            ("\u{feff}games = 4\ngammes = 5\n", "line 2: key gammes"),
            ("\u{feff}gammes = 5\n", "line 1: key gammes"),
        ] {
            let words = said(text);
            assert!(words.starts_with(wanted), "{text}\n{words}");
        }
    }

    #[test]
    fn what_is_no_toml_is_named_by_its_line() {
        for (text, wanted) in [
            ("games = 4\n\nst = [\n", "line 3: "),
            ("é = \n", "line 1: "),
            ("# é é é\nname = \"é\" x\n", "line 2: "),
            ("games = 4\n\ngames = 6\n", "line 3: key games: is written twice"),
            ("games = 4\r\n\"games\" = 6\r\n", "line 2: key \"games\": is written twice"),
            ("[grades]\nby = \"x\"\n[grades]\n", "line 3: key grades: is written twice"),
            ("stages = [{ advance = 1,\n  advance = 2 }]\n", "line 2: key advance: is written twice"),
            ("stages = [{}]\n[[stages]]\n", "line 2: key stages: is written twice"),
            ("[[stages]]\n[stages]\n", "line 2: "),
            ("games = 4", ""),
        ] {
            match wanted {
                "" => assert!(parse(text).is_ok(), "{text}"),
                _ => assert!(said(text).starts_with(wanted), "{text}\n{}", said(text)),
            }
        }
        assert!(said("st = 1\nx y\n").ends_with(": x y"));
    }

    #[test]
    fn a_value_that_is_wrong_only_when_it_is_used_still_has_its_line() {
        let file = parse("st = [1, 0]\n\ngames = 3\nconcurrency = 0\nprocesses = 0\n").unwrap();
        let options = file.options;
        for (error, wanted) in [
            (options.games().map(drop), "line 3: key games: an odd number"),
            (options.time_controls().map(drop), "line 1: key st: 0 seconds will not do"),
            (options.concurrency().map(drop), "line 4: key concurrency: is out of range"),
            (options.confinement().map(drop), "line 5: key processes: an engine is a process"),
        ] {
            let words = error.unwrap_err().to_string();
            assert!(words.starts_with(&format!("class/tournament.toml: {wanted}")), "{words}");
        }
        // A flag is named instead, where it overrides the file.
        let flags = Options { games: Some(5), ..Options::default() };
        assert!(flags.over(options).games().unwrap_err().to_string().starts_with("--games 5: an odd"));
        let cup = parse("games = 4\n[[stages]]\nadvance = 2\n\n[[stages]]\n").unwrap().cup.unwrap();
        let words = cup.misuse(0, "advance", "too many").to_string();
        assert_eq!(words, "class/tournament.toml: line 3: key advance of stage 1: too many");
        assert!(cup.misuse(1, "groups", "none").to_string().contains("line 5: key groups of stage 2"));
        let step = "[grades]\nby = \"points\"\nmax = 9\nsteps = [\n  { at = 1, grade = 5 },\n  { at = 2, grade = 10 }]\n";
        for (text, wanted) in [
            (step.to_owned(), "line 6: key grade of step 2: grade = 10 is not from 0 to max"),
            (
                step.replace("at = 1", "at = \"x\""),
                "line 5: key at of step 1: by = \"points\" wants a number in at",
            ),
            (step.replace("points", "elo"), "line 2: key grades.by: there is no \"elo\""),
            (
                step.replace("points", "stage")
                    .replace("grade = 10", "grade = 9")
                    .replace("at = 2", "at = 3"),
                "line 6: key at of step 2: 3 is not the number of a stage, from 1 to 2",
            ),
            (
                step.replace("at = 1", "at = 101"),
                "line 5: key at of step 1: 101 is not a percentage, from 0 to 100",
            ),
            (
                step.replace("at = 1", "at = nan"),
                "line 5: key at of step 1: NaN is not a percentage, from 0 to 100",
            ),
            (step.replace("max = 9", "max = -1"), "line 3: key grades.max: -1 is not above 0"),
            (step.replace("max = 9", "max = inf"), "line 3: key grades.max: inf is not above 0"),
            (
                format!("{step}does-not-work = nan\n"),
                "line 7: key grades.does-not-work: NaN is not from 0 to max = 9",
            ),
            (
                "[grades]\nby = \"points\"\nmax = 9\nsteps = []\n".to_owned(),
                "line 4: key grades.steps: the list is empty",
            ),
            (
                "[grades]\nby = \"baselines\"\nmax = 9\nsteps = [{ at = \"x\", grade = 5 }]\n".to_owned(),
                "line 1: key grades.baselines: is missing",
            ),
        ] {
            let words = parse(&text).unwrap().grades.unwrap().scheme(2).unwrap_err().to_string();
            assert_eq!(words.split_once("toml: ").unwrap().1.split("; ").next(), Some(wanted));
        }
    }

    #[test]
    fn several_controls_and_an_engines_own_are_read_either_way() {
        let file = parse("tc = [10, \"60+0.5\"]\ntime = \"a=b=tc=2700\"\n").unwrap().options;
        let controls: Vec<String> = file.time_controls().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(controls, ["tc=10", "tc=60+0.5"]);
        let time = &file.time[0];
        assert_eq!(
            (time.engine.as_str(), time.odds.control.unwrap().to_string().as_str()),
            ("a=b", "tc=2700")
        );
        let several = file.time_control().unwrap_err().to_string();
        assert!(several.contains("line 1: key tc: several time controls"), "{several}");
        let twice = parse("seed = 1\nst = [1, 2, 1.0]\n").unwrap().options.time_controls().unwrap_err();
        assert!(twice.to_string().contains("line 2: key st: st=1 is given twice"), "{twice}");
        assert_eq!(parse("seed = 0xff\nst = 1_0\n").unwrap().options.seed, Some(255));
    }
}
