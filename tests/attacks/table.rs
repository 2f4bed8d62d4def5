//! The attacks that the stub lists, and the table of their results.

use std::fmt::Write;
use std::process::Command;

use crate::Seen;
use crate::case::Observed;
use crate::support::STUB;

pub(crate) const LEVELS: [&str; 4] = ["none", "limits", "sandbox", "strict"];
/// The columns of the table: the levels as root, and those of a plain user.
const COLUMNS: [&str; 6] = ["none", "limits", "sandbox", "strict", "none, plain user", "sandbox, plain user"];
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/attacks.md");

/// A row of `agon-stub --list`.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Its number in the list of attacks, or `-`.
    pub(crate) attack: String,
    pub(crate) name: String,
    /// The lowest level at which it must not work.
    pub(crate) blocked: Option<String>,
    /// The verdict at each level.
    verdicts: Vec<String>,
    what: String,
}

impl Mode {
    /// The expected verdict at a level; `a | b` if either is right.
    pub(crate) fn verdict(&self, level: &str) -> &str {
        &self.verdicts[LEVELS.iter().position(|other| *other == level).unwrap()]
    }

    /// Whether it must be blocked at a level; `None` if there is nothing to block.
    pub(crate) fn is_blocked(&self, level: &str) -> Option<bool> {
        let place = |level: &str| LEVELS.iter().position(|other| *other == level).unwrap();
        Some(place(level) >= place(self.blocked.as_deref()?))
    }
}

/// All of them.
pub(crate) fn modes() -> Vec<Mode> {
    let listed = Command::new(STUB).arg("--list").output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [attack, name, blocked, none, limits, sandbox, strict, what] = columns[..] else {
            panic!("{line:?} has not eight columns")
        };
        Mode {
            attack: attack.to_owned(),
            name: name.to_owned(),
            blocked: (blocked != "-").then(|| blocked.to_owned()),
            verdicts: [none, limits, sandbox, strict].map(str::to_owned).to_vec(),
            what: what.to_owned(),
        }
    };
    let mut modes: Vec<Mode> = text.lines().map(row).collect();
    modes.sort_by(|a, b| a.attack.cmp(&b.attack)); // in the order of the list; the dashes come first
    modes
}

/// Compares the results with the document, as far as they were tried; with `AGON_WRITE_TABLE`
/// writes the document.
pub(crate) fn compare_or_write(modes: &[Mode], seen: &Seen) {
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    if std::env::var_os("AGON_WRITE_TABLE").is_some() {
        std::fs::write(FILE, document(modes, seen, &written)).unwrap();
        return;
    }
    let mut differ = Vec::new();
    for ((mode, column), observed) in
        seen.iter().filter(|((_, column), _)| COLUMNS.contains(&column.as_str()))
    {
        let cell = cell(&written, mode, column);
        if cell.as_deref() != Some(&observed.to_string()) {
            differ.push(format!("{mode} at {column}: {observed} was seen, {cell:?} is written"));
        }
    }
    for mode in modes {
        assert!(
            written.contains(&format!("| `{}` |", mode.name)),
            "docs/attacks.md has no row for {}",
            mode.name
        );
    }
    assert!(differ.is_empty(), "run scripts/attack-table, or mend what changed:\n{}", differ.join("\n"));
}

/// The cell of a mode in a column of the document.
fn cell(document: &str, mode: &str, column: &str) -> Option<String> {
    let place = COLUMNS.iter().position(|other| *other == column)?;
    let row = document.lines().find(|line| line.contains(&format!("| `{mode}` |")))?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    cells.get(4 + place).map(|&cell| cell.to_owned())
}

fn document(modes: &[Mode], seen: &Seen, before: &str) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "| attack | mode | what it does | {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(COLUMNS.len()));
    for mode in modes {
        let cells = COLUMNS.map(|column| {
            let found = seen.get(&(mode.name.clone(), column.to_owned())).map(Observed::to_string);
            // Attacks that were not tried keep their cells.
            found.or_else(|| cell(before, &mode.name, column)).unwrap_or_default()
        });
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} |",
            mode.attack,
            mode.name,
            mode.what.replace('|', "\\|"),
            cells.join(" | ")
        );
    }
    text + REST
}

/// Every test that the document names exists.
pub(crate) fn the_tests_it_names_are_there() {
    let mut code = String::new();
    let mut waiting = vec![
        std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")),
        concat!(env!("CARGO_MANIFEST_DIR"), "/src").into(),
        concat!(env!("CARGO_MANIFEST_DIR"), "/crates").into(),
    ];
    while let Some(directory) = waiting.pop() {
        for path in std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => waiting.push(path),
                false => code += &std::fs::read_to_string(path).unwrap_or_default(), // fixtures may be binary
            }
        }
    }
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        written.ends_with(REST),
        "run scripts/attack-table: the end of docs/attacks.md is not that of its test"
    );
    let names = REST.split('`').skip(1).step_by(2).filter(|name| name.contains('_'));
    let gone: Vec<&str> = names.filter(|name| !code.contains(&format!("fn {name}("))).collect();
    assert!(gone.is_empty(), "docs/attacks.md names tests that are not there: {gone:?}");
}

const REST: &str = "
## What is not a mode of one engine

Some attacks come from a file, a name, a submission or the machine. Each has a test of its own:

| attack | what it is | test |
|---|---|---|
| B03 | a program that cannot be started, in every way there is | `an_engine_that_cannot_be_started_is_named_before_the_first_game`, `a_program_that_cannot_be_started_in_its_box_is_its_own_fault` |
| C13 | the harness or its keeper is killed | `the_harness_is_killed`, `the_keeper_is_killed`, `a_run_that_is_killed_leaves_no_engine_at_any_level`, and `scripts/kill-test` |
| C14 | an engine whose starting thread has ended | `an_engine_does_not_end_with_the_thread_that_started_it` |
| D05 | memory runs out beside the harness | `a_box_shows_nothing_of_the_user_and_of_the_other_engines` (the engine is the one to go), `at_strict_the_kernel_counts_memory_and_processes_and_says_who_was_over` |
| E07, G08 | hostile names and paths | `hostile_names_play_and_reach_nobody_raw`, `a_name_is_a_name_at_every_level`, `engines_of_one_name_play_under_those_of_their_folders_and_programs_of_one_folder_are_both_named` |
| E11 | descriptors of another engine, inherited | `an_engine_inherits_three_descriptors_whatever_agon_was_given`, and the mode `fds` |
| R01 | what a referee program hides: its files, environment, memory and pipes, and the seed in the database of the run | `an_engine_in_a_box_finds_no_secret_of_the_referee`, where all of it works at `none` |
| R02 | a referee program reaches out of its box: the network, foreign files, its own folder | `a_referee_in_a_box_has_no_network_no_foreign_file_and_does_not_write_into_its_folder` |
| F02 | the harness is held up | `a_time_that_runs_out_while_the_harness_is_held_up_is_judged_when_it_goes_on` |
| F05 | time slept, and processor time of children | the modes `hang` and `cpu-relay` |
| F08 | other games make a game late | `honest_games_beside_hostile_ones_end_as_they_do_alone` |
| G09 | an engine calls itself by another's name | `one_process_plays_a_pairing_and_is_told_everything_in_the_interfaces_words`: an engine's name is its entrant's; its own words do not count |
| G10 | a flood that would end in the record | `output_without_measure`, which looks at the sizes of files |
| G12 | a submission of thousands of programs | `a_submission_of_thousands_of_programs_is_refused_with_its_reason` |
| G12 | an archive that says it has millions of files, long names or other sizes; deep folders; files without end | `what_a_zip_archive_says_of_itself_is_bounded_before_it_is_read`, `a_file_of_a_zip_archive_that_is_larger_than_its_list_says_is_refused_at_once`, `what_a_tar_archive_says_of_itself_is_bounded_too`, `a_bomb_is_not_unpacked_to_its_end` |
| H01 | no room, no descriptors, no processes | `the_disk_is_full`, `there_are_too_few_descriptors`, `there_are_too_few_processes`, `a_directory_where_nothing_can_be_written_is_read_and_not_played_in` |
| H02 | a person stops the run | `a_person_stops_the_run`, `a_second_signal_stops_at_once_whatever_the_run_is_at` |
| H04 | a box that cannot be built in mid-run | `a_box_that_cannot_be_built_in_the_middle_of_a_run_spoils_games_and_weakens_none` |
| H05 | a level that is not available | `an_unavailable_level_is_refused_before_the_first_game`, `a_level_is_refused_or_its_guards_hold` |
| H06 | everything at once | `honest_games_among_hostile_engines_end_as_they_do_alone`, and `scripts/attack-soak` |
| I01 | a submission asks for a place of the machine: by the first line of a script in every spelling, by its `engine.toml`, by links, by its build | `no_spelling_opens_a_place_to_an_engine_and_no_game_is_void`, `no_submission_opens_a_place_through_any_door`, `no_byte_of_a_submission_has_a_part_in_what_its_box_shows`, `a_first_line_that_names_no_program_is_refused_before_the_first_game`; `every_spelling_reads_the_place_where_nothing_is_in_its_way` is the control |
| I01 | what is shown is written to, or hides what a box has of its own | `show_opens_a_place_read_only_and_refuses_those_with_engines_or_results`, `a_place_that_is_shown_is_read_only_and_nobody_is_behind_its_sockets` |
| I02 | a Unix socket in a folder that is shown, or in one of the system, with a service behind it | `nobody_is_behind_a_socket_in_a_folder_that_is_shown` and `nobody_is_behind_a_socket_of_the_system`, at `none` as the control |
| I03 | the program of another, by every key of `engine.toml`; an engine that enters twice; arguments that no system takes | `no_key_of_a_submission_names_what_is_of_another`, `a_submission_that_names_the_program_of_another_is_refused_at_every_level_and_told_why`, `two_entries_of_one_place_are_one_engine_however_they_are_spelt`, `what_the_files_of_a_program_ask_for_is_the_fault_of_its_author`, `a_program_that_is_cut_short_is_no_failing_disk` |
| I04, I05, I06 | a machine that others keep busy: an engine that burns its time, one that needs less than it has, and engines that slow themselves down | `who_burns_its_time_on_a_busy_machine_loses_when_it_has_used_it`, the laws of own_clock.rs, and `scripts/busy-judging` |
| I06 | an engine that stops the harness again and again | `an_engine_that_stops_the_harness_again_and_again_loses_on_time` |
| I07 | a remote side that floods empty frames | `frames_that_bring_nothing_are_a_flood_and_a_long_game_is_none`, `a_machine_that_floods_empty_frames_is_let_go` |
| I07 | a remote side that lies about the time of its engine, or holds back what it is asked | `a_machine_that_lies_gains_no_more_than_the_lag_and_no_game_is_void`, `a_way_that_delays_everything_by_more_than_the_lag_loses_and_by_less_does_not`; `on_a_busy_machine_an_honest_engine_elsewhere_loses_nothing_and_one_that_burns_loses_each` is the control |
| I08 | a program that is compiled again, edited, removed or swapped back while a run goes on | `what_was_hashed_plays_to_the_end_from_its_copy`, `a_program_that_changes_in_a_run_makes_its_games_void_where_it_is_played_in_its_place`, `a_program_that_is_another_one_for_a_while_makes_only_the_games_of_that_time_void` |
| I09 | files that take minutes to read, in a folder of submissions | `an_inbox_takes_neither_foreign_programs_nor_what_would_stop_it_nor_what_makes_games_void`, `a_folder_that_holds_too_much_of_anything_is_refused_unread`, `a_request_to_stop_is_heeded_while_files_are_read_and_too_many_are_not_begun` |
| I11 | small requests that cost a server much, and clients that go | `boards_that_are_large_are_refused_and_moves_pass_by_what_is_computed`, `a_move_counts_from_when_it_arrived_even_if_the_tables_are_held_up`, `no_page_is_made_for_a_connection_that_is_closed`, `no_client_takes_all_tables` |
| I12 | signals that a parent blocks or ignores, process 1, closed descriptors, a small limit on processes | `no_signal_that_a_parent_blocks_or_ignores_keeps_agon_or_an_engine_from_anything`, `as_process_1_agon_confines_engines_obeys_signals_and_reaps`, `agon_plays_whatever_is_closed_removed_or_unset`, `there_are_too_few_processes` |
";

const HEAD: &str = "\
# What hostile engines try, and what comes of it

Each row is one mode of `agon-stub` and makes one attack. It plays in both seats against an innocent
opponent at each isolation level. Each cell holds the effect of the attack and then the verdict of
the games:

* **works**: the attack reached its goal. At `none` that is the positive control of the test.
* **blocked**: the attack was tried and failed.
* **not tried**: the attack would have ended processes of others, or proves nothing. The plain
  user's run is its control.
* **survived**: there is nothing to block, or the attack lies in the protocol. The game ends in time
  with the right verdict.

The column \"attack\" has the number of the attack in a list. The letter is its kind:

* A: what an engine writes, and when; B: how its process starts, stops and ends;
* C: many processes; D: memory, disk and processor; E: files, processes and networks of others;
* F: clocks; G: hostile text in names and outputs; H: the machine and the run; I: what a submission
  names; R: referee programs.

A dash means that the mode has no number. With the verdict `any verdict`, every verdict is right.

Every case ended in time, with one record a game and the blame on the right side. No process and no
temporary file was left, and all outputs are well formed. Where the verdict is `no result`, the
attack killed the harness. Nothing was left behind then either, and the run can be resumed.

An empty cell was not tried: attacks by words alone are the same at all levels, and are not tried at
each. In the first four columns root runs the harness. At the higher levels each engine is then an
unprivileged user of its own. In the last two columns a plain user runs the harness. Where an attack
is blocked there at `none`, the system itself blocked it.

This file is written by `scripts/attack-table`. `AGON_ATTACKS=full cargo test --test attacks`
compares it with what happens.

";
