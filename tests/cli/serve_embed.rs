//! Replays in pages of other sites: `agon serve --embed HOST`.

use super::home::Home;
use super::serve::Served;

const ID: &str = "r01-p0001-g01";

fn run(home: &Home) {
    let words = "match engines/greedy engines/random --game letters:3x3x1 --games 2 --st 5 --seed 7 --out run --quiet";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn a_replay_alone_may_be_shown_in_pages_of_the_host_that_is_named() {
    let home = Home::with_two();
    run(&home);
    let served = Served::of(&home, &["run", "--embed", "www.Example.org", "--embed", "https://b.org:8443"]);
    let game = served.get(&format!("/embed/{ID}"));
    assert_eq!(game.status, 200, "{game:?}");
    assert!(game.head.contains("frame-ancestors www.example.org https://b.org:8443\r\n"), "{game:?}");
    assert!(game.head.contains("default-src 'none'; script-src 'self'"), "{game:?}");
    let page = game.text();
    assert!(page.contains("svg class=\"board") && page.contains("class=\"moves\""), "{page}");
    assert!(!page.contains("<nav") && page.contains(&format!("href=\"../game/{ID}.html\"")), "{page}");
    // Each other page refuses, and so does an answer that there is no such game.
    for (path, status) in [
        ("/".to_owned(), 200),
        ("/games/1.html".to_owned(), 200),
        (format!("/game/{ID}.html"), 200),
        ("/embed/".to_owned(), 404),
        (format!("/embed/{ID}.html"), 404),
        ("/embed/r99-p0001-g01".to_owned(), 404),
        ("/embed/../index.html".to_owned(), 404),
        ("/agon.css".to_owned(), 200),
    ] {
        let other = served.get(&path);
        assert_eq!(other.status, status, "{path}: {other:?}");
        assert!(other.head.contains("frame-ancestors 'none'"), "{path}: {other:?}");
    }
    let without = Served::of(&home, &["run"]);
    let refused = without.get(&format!("/embed/{ID}"));
    assert!(refused.status == 404 && refused.text().contains("--embed HOST"), "{refused:?}");
    assert!(refused.head.contains("frame-ancestors 'none'"), "{refused:?}");
}

#[test]
fn what_is_no_host_or_not_public_is_refused_in_a_sentence() {
    let home = Home::with_two();
    run(&home);
    for (words, said) in [
        ("serve run --embed *", "write one like example.org"),
        ("serve run --embed https://example.org/path", "write one like example.org"),
        ("serve run --embed 'self'", "write one like example.org"),
        ("serve run --embed example.org --for staff", "pages of others would show what is not public"),
        ("serve --play engines --embed example.org", "there is no replay"),
    ] {
        let refused = home.agon(words.split(' '));
        assert!(refused.code == Some(2) && refused.all().contains(said), "{words}: {}", refused.all());
    }
}
