//! The pages of `agon report` in a real browser: this target plays the runs and writes their
//! reports, and `tests/browser/look.js` looks at them.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

#[allow(dead_code)] // the tests of the command line use all of it
#[path = "../cli/home.rs"]
mod home;
mod sites;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

use home::{Home, root};

/// Longer than a busy machine needs for all pages.
const PATIENCE: Duration = Duration::from_secs(600);

/// What is missing for a browser, if anything is.
fn missing() -> Option<&'static str> {
    let is_there = |program: &str| {
        let mut asked = Command::new(program);
        asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    if !is_there("chromium") {
        return Some("there is no chromium");
    }
    if !is_there("node") {
        return Some("there is no node");
    }
    let modules = root().join("tests/browser/node_modules");
    if !modules.join("playwright-core").exists() || !modules.join("axe-core").exists() {
        return Some("tests/browser has no node_modules");
    }
    None
}

/// Where the pictures of the boards and the reports stay after the test.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages")
}

#[test]
fn every_page_works_in_a_browser() {
    if let Some(why) = missing() {
        println!(
            "not tried: the pages in a browser, because {why}; install with: \
             apt-get install chromium nodejs npm && npm ci --ignore-scripts --prefix tests/browser"
        );
        return;
    }
    let home = Home::new();
    let list = sites::write(&home);
    let mut looking = Command::new("node")
        .arg(root().join("tests/browser/look.js"))
        .arg(list)
        .arg(kept())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let status = looking.wait_timeout(PATIENCE).unwrap();
    if status.is_none() {
        let _ = looking.kill(); // the test fails below
        let _ = looking.wait();
    }
    if std::env::var_os("AGON_KEEP").is_some() {
        println!("the runs and their reports are in {}", home.keep().display());
    }
    assert!(status.is_some_and(|status| status.success()), "its output stands above: {status:?}");
}
