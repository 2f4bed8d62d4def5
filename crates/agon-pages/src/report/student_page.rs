//! What a student is told: the grade, every game, and every fault with its position. As a web page,
//! and as text.

use std::fmt::Write;

use maud::html;

use super::alone;

/// The contents of the page of one student.
#[derive(Clone, Debug, Default)]
pub struct StudentPage {
    /// The alias of the engine.
    pub alias: String,
    /// The grade, as a number.
    pub grade: String,
    /// The highest grade.
    pub max: String,
    /// The name of the step that was reached.
    pub step: String,
    /// The reason of the grade.
    pub why: String,
    /// What the games covered; empty without games.
    pub coverage: String,
    /// The place, and the number of entrants; `None` if the engine has not played.
    pub place: Option<(usize, usize)>,
    /// The last stage that the engine played in.
    pub stage: String,
    /// Whether the output of the build is in `build.log`.
    pub has_log: bool,
    /// The end of what the engine wrote to stderr when it failed before the tournament.
    pub tried: String,
    /// The games, in the order in which they were played.
    pub games: Vec<PageGame>,
    /// The games that were lost by a fault.
    pub faults: Vec<PageFault>,
}

/// A game, as its student sees it.
#[derive(Clone, Debug, Default)]
pub struct PageGame {
    /// The stage, from 1.
    pub stage: usize,
    /// The file of the game.
    pub file: String,
    /// The side of the student's engine.
    pub side: String,
    /// The alias of the opponent.
    pub opponent: String,
    /// `won`, `drawn` or `lost`.
    pub result: &'static str,
    /// The result in the form of the game.
    pub score: String,
    /// The reason of the result.
    pub reason: String,
}

/// A game that was lost by a fault.
#[derive(Clone, Debug, Default)]
pub struct PageFault {
    /// The file of the game.
    pub file: String,
    /// The side of the student's engine.
    pub side: String,
    /// The kind of the fault: `illegal move`.
    pub kind: String,
    /// The reason, in words.
    pub reason: String,
    /// The position, drawn.
    pub board: String,
    /// The position, as one line.
    pub position: String,
    /// What `agon check` says of the fault.
    pub advice: Vec<String>,
    /// The last lines in both directions.
    pub lines: String,
    /// The end of what the engine wrote to stderr.
    pub stderr: String,
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}\
    table{border-collapse:collapse}th,td{text-align:left;padding:.2em .8em;border-bottom:1px solid #ccc}\
    pre{background:#f4f4f4;padding:.6em;overflow-x:auto;font:14px/1.3 monospace}.lost{color:#a00}.won{color:#060}";
const LEGEND: &str =
    "< was sent to your engine, > is its answer, ! a line when it was not asked, ? a line without its end";
const TRIED_WORDS: &str = "The end of its stderr when it was tried; stderr/tryout.txt has all of it:";
const LOG_WORDS: &str = "The output of the build is in build.log.";

impl StudentPage {
    /// The page for a browser. It needs no other file.
    pub fn html(&self) -> String {
        let content = html! {
            h1 { "Your engine " (self.alias) }
            p { b { "Grade " (self.grade) " of " (self.max) } @if !self.step.is_empty() { " (" (self.step) ")" } }
            p { (self.why) }
            @if !self.coverage.is_empty() { p { (self.coverage) } }
            @if let Some((place, of)) = self.place {
                p { "Place " (place) " of " (of) ". Last stage: " (self.stage) "." }
            }
            @if self.has_log { p { a href="build.log" { (LOG_WORDS) } } }
            @if !self.tried.trim().is_empty() { p { (TRIED_WORDS) } pre { (self.tried) } }
            @if !self.games.is_empty() {
                h2 { "Games" }
                table {
                    tr { th { "stage" } th { "game" } th { "side" } th { "opponent" } th { "result" } th { "score" } th { "reason" } }
                    @for game in &self.games {
                        tr {
                            td { (game.stage) }
                            td { a href={ "games/" (game.file) } { (game.file) } }
                            td { (game.side) }
                            td { (game.opponent) }
                            td class=(game.result) { (game.result) }
                            td { (game.score) }
                            td { (game.reason) }
                        }
                    }
                }
            }
            @if !self.faults.is_empty() {
                h2 { "Games lost by a fault" }
                @for fault in &self.faults {
                    h3 { (fault.file) ", as " (fault.side) ": " (fault.kind) }
                    p { (fault.reason) }
                    @for advice in &fault.advice { p { b { "agon check: " } (advice) } }
                    p { "The position:" }
                    pre { (fault.board) "\n" (fault.position) }
                    p { "The last lines; " (LEGEND) ":" }
                    pre { (fault.lines) }
                    @if !fault.stderr.trim().is_empty() { p { "The end of stderr:" } pre { (fault.stderr) } }
                }
            }
        };
        alone::page(&self.alias, STYLE, &content)
    }

    /// The same as text.
    pub fn text(&self) -> String {
        let mut out =
            format!("engine: {}\ngrade: {} ({})\nbecause: {}\n", self.alias, self.grade, self.step, self.why);
        // Writing to a String cannot fail.
        if !self.coverage.is_empty() {
            let _ = writeln!(out, "coverage: {}", self.coverage);
        }
        if let Some((place, _)) = self.place {
            let _ = writeln!(out, "place: {place}\nlast stage: {}", self.stage);
        }
        for fault in &self.faults {
            let _ =
                writeln!(out, "lost as {} in {}: {}: {}", fault.side, fault.file, fault.kind, fault.reason);
        }
        if self.has_log {
            let _ = writeln!(out, "{LOG_WORDS}");
        }
        if !self.tried.trim().is_empty() {
            let _ = writeln!(out, "\n{TRIED_WORDS}\n{}", self.tried.trim_end());
        }
        if !self.games.is_empty() {
            out.push_str("\nGames\n");
        }
        for PageGame { stage, file, side, opponent, result, score, reason } in &self.games {
            let _ = writeln!(
                out,
                "  stage {stage}, {file}, as {side} against {opponent}: {result}, {score}, {reason}"
            );
        }
        for fault in &self.faults {
            let _ = writeln!(out, "\n{}, as {}: {}\n{}", fault.file, fault.side, fault.kind, fault.reason);
            for advice in &fault.advice {
                let _ = writeln!(out, "agon check: {advice}");
            }
            let _ = writeln!(
                out,
                "{}\n{}\n{LEGEND}:\n{}",
                fault.board.trim_end(),
                fault.position,
                fault.lines.trim_end()
            );
            if !fault.stderr.trim().is_empty() {
                let _ = writeln!(out, "the end of stderr:\n{}", fault.stderr.trim_end());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_escapes_what_engines_write() {
        let fault = PageFault { lines: "> <script>alert(1)</script>".to_owned(), ..PageFault::default() };
        let page =
            StudentPage { alias: "quiet-otter".to_owned(), faults: vec![fault], ..StudentPage::default() };
        assert!(page.html().contains("&lt;script&gt;") && !page.html().contains("<script>"));
        assert!(page.text().contains("> <script>"));
    }
}
