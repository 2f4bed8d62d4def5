//! Faults that were mended, an entry each: what came, what is right, and the kind of fault. Each is
//! tried in the lowest crate that shows it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use agon_config::GameArg;
use agon_match::hosted::{GameRules, HostedRules, UNKNOWN};
use agon_seats::TimeControl;

/// A table of the server refused `tc=90000` and took `tc=40/90000` and `tc=1+90000`.
/// The longest time of a control is compared, whatever its form. Kind: a `match` that names some
/// variants and lets the others pass.
#[test]
fn a_time_for_a_number_of_moves_and_an_increment_are_times_too() {
    for text in ["st=90000", "tc=90000", "tc=40/90000", "tc=1+90000", "tc=40/1+90000"] {
        let control: TimeControl = text.parse().unwrap();
        assert_eq!(control.longest(), Duration::from_secs(90_000), "{text}");
    }
}

/// While the private files of a class were written, all files of the process were private, also
/// those of other threads, and a file of the results stayed unreadable for others.
/// A private file is opened so. Kind: a change of the whole process while threads run.
#[test]
fn a_private_file_leaves_the_files_of_others_readable() {
    let home = tempfile::tempdir().unwrap();
    let mode = |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
    fs::write(home.path().join("usual"), "").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..50 {
                agon_export::atomic::write_private(&home.path().join("private"), "grades").unwrap();
            }
        });
        for _ in 0..50 {
            agon_export::atomic::write_text(&home.path().join("public"), "standings").unwrap();
            assert_eq!(mode("public"), mode("usual"));
        }
    });
    assert_eq!(mode("private"), 0o600);
}

/// A private file that others could read, since an earlier version wrote it, stayed readable.
/// A file that is written anew has its own mode. Kind: the mode of a file that is there already.
#[test]
fn a_private_file_takes_the_place_of_one_that_others_may_read() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("grades.csv");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    agon_export::atomic::write_private(&file, "new").unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

/// The rules of a referee program gave a start position whose moves were none, whose score was 0
/// and in which the first seat was always to move, to whoever had not asked before.
/// There are no such positions, and the type says so. Kind: an answer made up for lack of one.
#[test]
fn the_rules_of_a_referee_program_have_no_positions() {
    let game = GameArg::in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("referees/kuhn"), "");
    let rules = GameRules::from(HostedRules::find(&game, None).unwrap());
    assert!(rules.built_in().is_none() && rules.hosted().is_some());
    assert_eq!((rules.start_text(1), rules.seats().len()), (UNKNOWN.to_owned(), 2));
    let why = rules.with_positions().err().expect("it has none").to_string();
    assert!(why.contains("known to its referee program alone"), "{why}");
}
