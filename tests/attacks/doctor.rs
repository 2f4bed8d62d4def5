//! `agon doctor`: its report on the levels agrees with runs, and its attacks are really tried.

use serde_json::Value;

use crate::case::{Stage, User, is_available};
use crate::support::not_tried;

fn doctor(user: User, arguments: &[&str]) -> (Option<i32>, Value) {
    let stage = Stage::new(user, "honest", "honest");
    let finished = stage.run(&mut stage.command(&[], &[&["doctor", "--json"], arguments].concat()));
    stage.arena.assert_nothing_left("the doctor");
    (
        finished.code,
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}")),
    )
}

#[test]
fn the_doctor_says_what_a_run_finds_and_every_guard_holds() {
    let _alone = crate::alone();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        let (code, found) = doctor(user, &[]);
        assert_eq!(code, Some(0), "{user}: {found:#}");
        for level in found["levels"].as_array().unwrap() {
            let name = level["level"].as_str().unwrap();
            let name = crate::table::LEVELS.into_iter().find(|other| *other == name).unwrap();
            assert_eq!(level["available"], is_available(name, user).is_ok(), "{user}: {level}");
            assert_eq!(level["available"], level["why"].is_null(), "what is missing is named: {level}");
            let (code, _) = doctor(user, &["--level", name]);
            assert_eq!(code, Some(if level["available"] == true { 0 } else { 3 }), "{user}: {level}");
        }
        let checks = found["checks"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["available"] == check["remedy"].is_null()), "{found:#}");
        let attacks: Vec<&Value> = checks.iter().filter(|check| check["inside"].is_string()).collect();
        assert!(attacks.len() > 2, "{found:#}");
        for attack in attacks {
            assert_ne!(attack["result"], "fail", "{user}: {attack}");
            // The control: nearly all attacks work outside.
            let told = attack["outside"].as_str().unwrap();
            let excused = ["use rights of root", "write to the system's directories"];
            let excused = user == User::Plain && excused.iter().any(|what| attack["attack"] == *what);
            assert!(told == "it works" || excused, "{user}: {attack}");
        }
    }
}

/// In a user namespace in which no other can be made.
#[test]
fn the_doctor_names_what_is_missing() {
    let _alone = crate::alone();
    let stage = Stage::new(User::Plain, "honest", "honest");
    let shut = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
    let inside = ["unshare", "-Ur", "sh", "-c", shut, "sh"];
    if stage.run(&mut stage.command(&inside, &["--version"])).code != Some(0) {
        not_tried!("no user namespace is available");
        return;
    }
    let finished = stage.run(&mut stage.command(&inside, &["doctor", "--level", "sandbox"]));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(
        finished.stdout.contains("missing") && finished.stdout.contains("max_user_namespaces"),
        "{finished:?}"
    );
}
