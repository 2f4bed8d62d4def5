//! The progress of a run on stderr: a bar on a terminal, a line now and then elsewhere, nothing
//! when quiet. It decides nothing.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_printable::{clean, counted};
use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_solved::{CellsDone, TableNews, Tell};
use agon_standings::Standings;
use agon_standings::points::Wdl;
use agon_standings::scoring::Scoring;
use agon_standings::stage::{Duel, Format};
use agon_standings::table::Row;
use agon_store::ranking::DerivedStage;
use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The size of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedWork {
    /// All games of the plan.
    pub games: u64,
    /// How many of them had been played before.
    pub done: u64,
    /// The number of games of one pairing.
    pub pairing: u32,
    /// Whether points make somebody lead. In a run for a question they do not.
    pub has_leaders: bool,
}

/// The progress display of a run.
pub struct Progress {
    work: PlannedWork,
    began: Instant,
    /// How many games since the start of the run count, and how many do not.
    played: u64,
    voids: u64,
    said: Option<Instant>,
    face: Face,
}

enum Face {
    Quiet,
    Bar(ProgressBar),
    Lines(Box<dyn Write + Send>),
}

/// The shortest time between two lines, and between two updates of the leaders in the bar.
const SOON: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(200)];

/// The most groups whose leaders are named.
const MOST_GROUPS: usize = 4;

/// After this time without a line, the end of any game gives one.
const LONG: Duration = Duration::from_secs(60);

impl Progress {
    /// The display that fits stderr.
    pub fn new(work: PlannedWork, quiet: bool) -> Self {
        let face = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Face::Quiet,
            (false, true) => Face::Bar(bar(work)),
            (false, false) => Face::Lines(Box::new(std::io::stderr())),
        };
        Self::with(work, face)
    }

    /// Plain lines to another writer.
    pub fn lines(work: PlannedWork, to: Box<dyn Write + Send>) -> Self {
        Self::with(work, Face::Lines(to))
    }

    fn with(work: PlannedWork, face: Face) -> Self {
        Progress { work, began: Instant::now(), played: 0, voids: 0, said: None, face }
    }

    /// A game has ended; the standings contain it already.
    /// Of a stage, `stage` reads it; it is called only for a line that is shown.
    pub(crate) fn game_over(
        &mut self,
        record: &GameRecord,
        standings: &Standings,
        stage: impl FnOnce() -> Option<DerivedStage>,
    ) {
        self.note(record, standings, stage, Instant::now());
    }

    /// Prints a message on a line of its own. Quiet suppresses the progress, but not messages.
    pub fn say(&mut self, text: &str) {
        let text = clean(text);
        match &mut self.face {
            // A hidden bar prints nothing, but this one is on a terminal.
            Face::Bar(bar) => bar.println(text),
            Face::Lines(out) => put(out, &text),
            Face::Quiet => put(&mut std::io::stderr(), &text),
        }
    }

    /// The run is over or was interrupted: clears the bar, or prints the last line.
    pub fn finish(&mut self, standings: &Standings, stage: Option<&DerivedStage>) {
        let last = self.line(None, standings, stage, Instant::now());
        match &mut self.face {
            Face::Quiet => {}
            Face::Bar(bar) => bar.finish_and_clear(),
            Face::Lines(out) => put(out, &last),
        }
    }

    fn note(
        &mut self,
        record: &GameRecord,
        standings: &Standings,
        stage: impl FnOnce() -> Option<DerivedStage>,
        now: Instant,
    ) {
        match record.decided() {
            Some(_) => self.played += 1,
            None => self.voids += 1,
        }
        let silence = self.said.map(|said| now.duration_since(said));
        let soon = |least: Duration| silence.is_some_and(|silence| silence < least);
        match &self.face {
            Face::Quiet => {}
            Face::Bar(bar) => {
                bar.set_position(self.work.done + self.played);
                if !soon(SOON[1]) {
                    bar.set_message(self.aside(standings, stage().as_ref()));
                    self.said = Some(now);
                }
            }
            Face::Lines(_) => {
                let finished = finished(record, standings, self.work.pairing);
                let silence = silence.unwrap_or_else(|| now.duration_since(self.began));
                if soon(SOON[0]) || (finished.is_none() && silence < LONG) {
                    return;
                }
                let line = self.line(finished, standings, stage().as_ref(), now);
                if let Face::Lines(out) = &mut self.face {
                    put(out, &line);
                }
                self.said = Some(now);
            }
        }
    }

    /// `12/220 games, 3 minutes left; alpha 6.5 - 3.5 bravo; leading: alpha 12, bravo 10, charlie
    /// 8`.
    fn line(
        &self,
        finished: Option<String>,
        standings: &Standings,
        stage: Option<&DerivedStage>,
        now: Instant,
    ) -> String {
        let done = self.work.done + self.played;
        let mut line = format!("{done}/{} games", self.work.games);
        let left = self.work.games.saturating_sub(done);
        if self.played > 0 && left > 0 {
            #[allow(clippy::cast_precision_loss)] // it is an estimate
            let seconds = now.duration_since(self.began).as_secs_f64() / self.played as f64 * left as f64;
            // Longer estimates are cut to a thousand years.
            let time = Duration::from_secs_f64(seconds.min(3.2e10));
            line.push_str(&format!(", {} left", HumanDuration(time)));
        }
        if let Some(finished) = finished {
            line.push_str("; ");
            line.push_str(&finished);
        }
        let aside = self.aside(standings, stage);
        if !aside.is_empty() {
            line.push_str("; ");
            line.push_str(&aside);
        }
        line
    }

    /// The leaders, and the number of faults.
    fn aside(&self, standings: &Standings, stage: Option<&DerivedStage>) -> String {
        let leaders = stage.map_or_else(|| leaders(standings), leaders_of_stage);
        let voids = format!("{} void", self.voids);
        [(self.work.has_leaders, leaders), (self.voids > 0, voids)]
            .into_iter()
            .filter_map(|(is_told, words)| is_told.then_some(words))
            .collect::<Vec<_>>()
            .join("; ")
    }
}

/// How many leaders a line names.
const LEADERS: usize = 3;

fn leaders(standings: &Standings) -> String {
    let table = standings.table();
    // Summed scores have no share of what could have been reached.
    let has_played =
        |row: &&Row| if row.summed { row.tally.total().games() > 0 } else { row.share.is_some() };
    let leaders: Vec<&Row> = table.iter().filter(has_played).take(LEADERS).collect();
    let games = |row: &Row| row.tally.total().games();
    let are_even = leaders.windows(2).all(|two| games(two[0]) == games(two[1]));
    let one = |row: &&Row| {
        // Who has played less may lead with fewer points.
        let of = if are_even { String::new() } else { format!(" in {}", games(row)) };
        format!("{} {}{of}", clean(&row.entrant), row.points)
    };
    leading(&leaders.iter().map(one).collect::<Vec<_>>())
}

fn leading(leaders: &[String]) -> String {
    if leaders.is_empty() { "nobody leads".to_owned() } else { format!("leading: {}", leaders.join(", ")) }
}

/// The first of each group with their points, or who is still in a knockout. The ranks of a stage
/// follow from all of its games, so they are not those of the standings in between.
fn leaders_of_stage(stage: &DerivedStage) -> String {
    let DerivedStage { field, progress, rules, .. } = stage;
    let name = |entrant: usize| clean(&field.names[entrant]);
    if matches!(rules.format, Format::Knockout { .. }) && progress.result.is_none() {
        let has_lost = |entrant: usize| {
            let its = |duel: &&Duel| duel.entrants.contains(&Some(entrant)) && !duel.is_for_third;
            progress.duels.iter().filter(its).any(|duel| duel.winner.is_some_and(|winner| winner != entrant))
        };
        let first = progress.orders.iter().flatten().filter(|(_, rank)| *rank == 1);
        let left: Vec<String> =
            first.filter(|(entrant, _)| !has_lost(*entrant)).map(|(entrant, _)| name(*entrant)).collect();
        let more = left.len().saturating_sub(2 * LEADERS);
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        return format!("still in: {}{and}", left[..left.len() - more].join(", "));
    }
    let sums = stage.sums();
    let points = |entrant: usize| format!("{} {}", name(entrant), sums[entrant].points);
    // Who had a bye in the first round has its points before its first game.
    let counts = |entrant: &usize| {
        sums[*entrant].games.games() + sums[*entrant].byes + sums[*entrant].unplayed.games() > 0
    };
    let order = |group: usize| progress.orders[group].iter().map(|(entrant, _)| *entrant).filter(counts);
    if let [_] = field.groups[..] {
        return leading(&order(0).take(LEADERS).map(points).collect::<Vec<_>>());
    }
    // `groups, group A` without the name of the stage.
    let title = |group: usize| {
        let title = &field.titles[group];
        clean(title.rsplit_once(", ").map_or(title.as_str(), |(_, group)| group))
    };
    let first = (0..field.groups.len())
        .filter_map(|group| Some(format!("{}: {}", title(group), points(order(group).next()?))))
        .take(MOST_GROUPS);
    leading(&first.collect::<Vec<_>>())
}

/// A bar of so many games on stderr, which is shown on a terminal alone. Something that is not a
/// run plays them.
pub fn plain_bar(games: u32) -> ProgressBar {
    let bar = bar(PlannedWork { games: games.into(), done: 0, pairing: 1, has_leaders: false });
    bar.enable_steady_tick(SOON[1]);
    bar
}

/// The same for work on so many games, which is named at once where there is no terminal.
pub fn begun(what: &str, games: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        put(&mut std::io::stderr(), &format!("{what} {} ...", counted(games, "game")));
    }
    plain_bar(u32::try_from(games).unwrap_or(u32::MAX))
}

/// Prints a warning on stderr while no progress is displayed.
pub fn warn(text: &str) {
    put(&mut std::io::stderr(), &format!("warning: {}", clean(text)));
}

/// Shows how many cells of a table are done, by a bar on a terminal, and names the file of the
/// table when it is made.
pub fn cells_bar() -> Tell {
    let style = ProgressStyle::with_template("{pos}/{len} cells [{wide_bar}] {eta} left")
        .expect("the template is right")
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
    let begun = AtomicBool::new(std::io::stderr().is_terminal());
    Arc::new(move |news| match news {
        TableNews::Cells(CellsDone { done, of }) => {
            if !begun.swap(true, Ordering::Relaxed) {
                put(&mut std::io::stderr(), &format!("working on a table of {of} positions ..."));
            }
            bar.set_length(of);
            bar.set_position(done);
            if done >= of {
                bar.finish_and_clear();
            }
        }
        TableNews::Stored(path, bytes) => {
            let (path, size) = (display_path(path), BinaryBytes(bytes));
            let line = format!("made {path}, {size}, for later commands; agon prune --cache removes it");
            put(&mut std::io::stderr(), &line);
        }
    })
}

fn bar(work: PlannedWork) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} games [{wide_bar}] {eta} left\n{wide_msg}")
        .expect("the template is right")
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(work.games), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_position(work.done);
    // The games played before say nothing about the present speed.
    bar.reset_eta();
    bar
}

/// `alpha 6.5 - 3.5 bravo`, when this game was the last of a pairing. Summed scores are the points
/// of all games, so of these the games are counted: `alpha +3 =0 -7 bravo`.
fn finished(record: &GameRecord, standings: &Standings, pairing: u32) -> Option<String> {
    record.decided()?;
    let [first, second] = record.seats.values() else { return None };
    let (first, second) = (&first.entrant, &second.entrant);
    if standings.is_play_off(record.id.pairing) {
        return None;
    }
    let games = standings.between(first, second);
    if games.games() == 0 || !games.games().is_multiple_of(u64::from(pairing)) {
        return None;
    }
    if standings.scoring() == Scoring::Sum {
        let Wdl { wins, draws, losses } = games;
        return Some(format!("{} +{wins} ={draws} -{losses} {}", clean(first), clean(second)));
    }
    let points = standings.points();
    let (own, other) = (points.of(games), points.of(games.reversed()));
    Some(format!("{} {own} - {other} {}", clean(first), clean(second)))
}

fn put(out: &mut dyn Write, line: &str) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush()); // without stderr there is no reader
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use agon_record::sample::{game, void};
    use agon_standings::points::Points;

    #[derive(Clone, Default)]
    struct EngineNews(Arc<Mutex<Vec<u8>>>);

    impl Write for EngineNews {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct RunProgress {
        heard: EngineNews,
        progress: Progress,
        standings: Standings,
    }

    impl RunProgress {
        fn new(games: u64, done: u64) -> RunProgress {
            let heard = EngineNews::default();
            let work = PlannedWork { games, done, pairing: 2, has_leaders: true };
            RunProgress {
                progress: Progress::lines(work, Box::new(heard.clone())),
                standings: Standings::new(Points::CHESS, ["alpha", "bravo"]),
                heard,
            }
        }

        /// Reports a game that ended this many seconds after the start. Returns the printed text.
        fn game(&mut self, seconds: u64, record: &GameRecord) -> String {
            record.count_in(&mut self.standings);
            let now = self.progress.began + Duration::from_secs(seconds);
            self.progress.note(record, &self.standings, || None, now);
            self.said()
        }

        fn said(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.heard.0.lock().unwrap())).unwrap()
        }
    }

    #[test]
    fn a_line_is_said_when_a_pairing_is_finished() {
        let mut run = RunProgress::new(6, 0);
        assert_eq!(run.game(5, &game(1, "alpha", "bravo", "1-0")), "");
        assert_eq!(
            run.game(10, &game(2, "bravo", "alpha", "1/2-1/2")),
            "2/6 games, 20 seconds left; bravo 0.5 - 1.5 alpha; leading: alpha 1.5, bravo 0.5\n"
        );
    }

    #[test]
    fn a_void_game_finishes_nothing_and_is_counted() {
        let mut run = RunProgress::new(2, 0);
        run.game(1, &game(1, "alpha", "bravo", "1-0"));
        assert_eq!(run.game(2, &void(game(2, "bravo", "alpha", "0-1"), "no disk")), "");
        assert_eq!(
            run.game(3, &game(2, "bravo", "alpha", "0-1")),
            "2/2 games; bravo 0 - 2 alpha; leading: alpha 2, bravo 0; 1 void\n"
        );
    }

    #[test]
    fn lines_keep_a_second_apart() {
        let mut run = RunProgress::new(100, 0);
        let lines: String =
            (1..=20).map(|n| run.game(u64::from(n) / 10, &game(n, "alpha", "bravo", "1-0"))).collect();
        assert_eq!(lines.lines().count(), 3, "{lines}");
    }

    #[test]
    fn long_games_are_told_of_before_the_pairing_is_finished() {
        let mut run = RunProgress::new(4, 0);
        assert!(
            run.game(61, &game(1, "alpha", "bravo", "1-0")).starts_with("1/4 games, 3 minutes left; leading")
        );
    }

    #[test]
    fn a_run_that_goes_on_counts_from_where_it_was() {
        let mut run = RunProgress::new(10, 7);
        game(1, "alpha", "bravo", "1-0").count_in(&mut run.standings);
        assert!(
            run.game(10, &game(2, "bravo", "alpha", "0-1"))
                .starts_with("8/10 games, 20 seconds left; bravo 0 - 2")
        );
    }

    #[test]
    fn where_scores_are_the_points_they_are_shown() {
        let mut run = RunProgress::new(2, 0);
        run.standings = Standings::new(Scoring::Sum, ["alpha", "bravo"]);
        assert_eq!(run.game(5, &game(1, "alpha", "bravo", "1-0")), "");
        let line = run.game(10, &game(2, "bravo", "alpha", "0-1"));
        assert_eq!(line, "2/2 games; bravo +0 =0 -2 alpha; leading: alpha 20, bravo 12\n");
    }

    #[test]
    fn the_end_is_always_said() {
        let mut run = RunProgress::new(2, 0);
        run.progress.finish(&run.standings, None);
        assert_eq!(run.said(), "0/2 games; nobody leads\n");
    }

    #[test]
    fn what_strangers_are_called_or_wrote_is_shown_escaped() {
        let mut run = RunProgress::new(2, 0);
        run.progress.say("a\u{9b}b");
        assert_eq!(run.said(), "a\\u{009b}b\n");
        run.game(1, &game(1, "\u{1b}[2J", "bravo", "1-0"));
        let line = run.game(2, &game(2, "\u{1b}[2J", "bravo", "1-0"));
        assert!(line.contains("\\x1b[2J 2 - 0 bravo; leading: \\x1b[2J 2"), "{line}");
    }
}
