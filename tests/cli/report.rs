//! The pages of `agon report` as files: who reads what, which folders are written, links and sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::bad_input::refused;
use super::grading::{class, holding};
use super::home::{Home, programs};

/// Runs agon with these words, split at spaces, and expects that it succeeds.
#[track_caller]
fn agon(home: &Home, words: &str) -> String {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    said.out()
}

/// An engine that plays any legal move of any game at once.
fn mover(home: &Home, path: &str) {
    let program = programs().join("agon-mover");
    home.put(
        format!("{path}/engine.toml"),
        format!("command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n"),
    );
}

/// An engine that misbehaves in this way.
fn stub(home: &Home, path: &str, way: &str) {
    let program = programs().join("agon-stub");
    home.put(format!("{path}/engine.toml"), format!("command = [{program:?}, {way:?}]\n"));
}

/// Two movers and a few games between them in `run`.
fn played() -> Home {
    let home = Home::new();
    mover(&home, "one");
    mover(&home, "two");
    agon(&home, "match one two --game mnk:3x3,3 --games 4 --st 5 --seed 3 --out run");
    home
}

/// The files of a folder with their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    super::hostile_names::every_file(folder, &mut |path| {
        let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        found.insert(name, fs::read_to_string(path).unwrap());
    });
    found
}

fn gzipped(texts: &[&str]) -> usize {
    let size = |text: &&str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap().len()
    };
    texts.iter().map(size).sum()
}

#[test]
fn a_public_report_of_a_class_names_nobody() {
    let home = class(
        "id,name,mail,submission\n4711001,Xenia Quist,x@example.org,in/one\n4711002,Bo Thirdname,b@example.org,in/two\n\
         4711003,Cy Other,c@example.org,in/three\n4711004,Dee Talks,d@example.org,in/talks\n",
    );
    // Its stderr tells what its author must not tell others.
    home.put_program(
        "in/talks/bot",
        "#!/bin/sh\necho I am Dee Talks, d@example.org, in $PWD on $(uname -n) >&2\nexit 3\n",
    );
    home.put("in/talks/engine.toml", "command = [\"./bot\"]\n");
    agon(&home, "grade tournament.toml --roster roster.csv --no-check");
    let key = home.read("grades/key.csv");
    let mut rows = csv::Reader::from_reader(key.as_bytes());
    let alias =
        rows.records().map(Result::unwrap).find(|row| row.iter().any(|cell| cell == "4711004")).unwrap();
    let alias =
        alias.iter().find(|cell| home.read("results/standings.csv").contains(*cell)).unwrap().to_owned();
    agon(&home, "report results --out public --for public");
    agon(&home, "report results --single public.html --for public");
    agon(&home, &format!("report results --out own --for {alias}"));
    agon(&home, "report results --out staff");
    fs::create_dir(home.path("single")).unwrap();
    fs::rename(home.path("public.html"), home.path("single/public.html")).unwrap();

    // As the machine of a run is told. The name alone may be two letters that a board has too.
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = format!("{}, ", host.trim());
    let place = home.path("");
    let place = place.to_str().unwrap().trim_end_matches('/');
    let secrets = [
        "Xenia",
        "Quist",
        "Thirdname",
        "Cy Other",
        "Dee Talks",
        "471100",
        "example.org",
        "in/one",
        place,
        &host,
    ];
    for folder in ["public", "single"] {
        for secret in secrets {
            let mut found = Vec::new();
            holding(&home.path(folder), secret, &mut found);
            assert!(found.is_empty(), "{secret:?} is in {found:?}");
        }
    }
    let count = |folder: &str, text: &str| {
        let mut found = Vec::new();
        holding(&home.path(folder), text, &mut found);
        found.len()
    };
    // The control: the staff and the author read what the public does not.
    assert!(count("staff", place) > 0 && count("staff", "I am Dee Talks") > 0 && count("staff", &host) > 0);
    assert!(count("own", "I am Dee Talks") > 0);
    // Its own stderr names places; the page about the run does not.
    assert!(!home.read("own/about.html").contains(place), "the places of programs are named");
    assert!(count("public", &alias) > 0 && count("single", &alias) > 0);
}

#[test]
fn hidden_results_make_the_same_pages_for_every_winner() {
    let report = |first: &str, second: &str| {
        let home = Home::new();
        for (name, way) in [("anna", first), ("bert", second), ("cleo", "moves")] {
            if way == "moves" {
                mover(&home, &format!("field/{name}"));
            } else {
                stub(&home, &format!("field/{name}"), way);
            }
        }
        agon(&home, "tournament field --game mnk:3x3,3 --games 2 --st 5 --seed 3 --no-check --out run");
        agon(&home, "report run --hide-results --for public --replays 3");
        agon(&home, "report run --hide-results --for public --replays 0 --single hidden.html");
        let mut files = files(&home.path("run-report"));
        files.insert("hidden.html".to_owned(), home.read("hidden.html"));
        files
    };
    let (one, other) = (report("exit-now", "moves"), report("moves", "exit-now"));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        other.keys().collect::<Vec<_>>(),
        "the addresses tell the result"
    );
    let without_facts = |text: &str| {
        // When it was played, and how busy the machine was.
        let dates = text.split("<dt>played</dt>").next().unwrap().len();
        (text[..dates].to_owned(), dates < text.len())
    };
    for (name, text) in &one {
        // A replay shows its moves one after the other.
        if name.starts_with("game/") {
            let title = text.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
            let heading = text.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap();
            for part in [title, heading] {
                assert!(
                    !part.contains("1-0") && !part.contains("0-1") && !part.contains("1/2"),
                    "{name}: {part}"
                );
            }
            continue;
        }
        let (mine, theirs) = (without_facts(text), without_facts(&other[name]));
        assert!(mine == theirs, "{name} depends on the results:\n{}\n{}", mine.0, theirs.0);
        assert!(!text.contains("forfeit") || name == "agon.js", "{name} tells of a forfeit");
    }
    let status: serde_json::Value = serde_json::from_str(&one["status.json"]).unwrap();
    assert!(status.get("standings").is_none() && status.get("done").is_none(), "{status}");
}

#[test]
fn a_report_is_written_only_where_nothing_else_is() {
    let home = played();
    home.put("thesis/chapter.tex", "mine");
    refused(
        &home,
        "report run --out thesis",
        &["thesis holds files that agon report did not write", "--out"],
    );
    refused(&home, "report run --out thesis/chapter.tex", &["chapter.tex is a file", "--single"]);
    refused(&home, "report run --single thesis", &["a directory"]);
    refused(&home, "report run --single no/where/x.html", &["no/where", "no directory"]);
    refused(&home, "report run --game r01-p0009-g01 --single x.html", &["r01-p0009-g01", "agon games"]);
    refused(&home, "report run --game nonsense --single x.html", &["nonsense"]);
    refused(&home, "report run --game r01-p0001-g01", &["--single"]);
    refused(&home, "report run --for nobody", &["nobody", "no engine has this name", "public, staff"]);
    refused(&home, "report run --top -1", &["--top"]);
    refused(&home, "report run --replays many", &["--replays", "a number of games"]);
    refused(&home, "report nowhere", &["nowhere", "there is no such directory"]);
    refused(&home, "report run --stage 2", &["--stage"]);

    agon(&home, "report run --out pages");
    home.put("pages/mine.txt", "mine");
    agon(&home, "report run --out pages --replays 0");
    assert_eq!(home.read("pages/mine.txt"), "mine");
    assert!(!home.path("pages/game").exists(), "the replays of the earlier report stay");
    assert!(home.path("pages/index.html").exists());
    home.put("pages/game/r01-p0001-g01.html", "mine");
    let said = home.agon("report run --out pages".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("pages/game/r01-p0001-g01.html is in the way"), "{}", said.all());
    assert_eq!(home.read("pages/game/r01-p0001-g01.html"), "mine");
}

#[test]
fn a_database_that_is_not_whole_is_refused_before_anything_is_written() {
    let home = played();
    let whole = fs::read(home.path("run/agon.db")).unwrap();
    for (name, bytes) in [
        ("half", whole[..whole.len() / 2].to_vec()),
        ("stub", whole[..60].to_vec()),
        ("text", b"this is not a database, but a letter to somebody".to_vec()),
        ("empty", Vec::new()),
    ] {
        home.put(format!("{name}/agon.db"), bytes);
        for out in ["--out pages", "--single pages.html"] {
            let said = home.agon(format!("report {name} {out}").split(' '));
            assert!(matches!(said.code, Some(1 | 2)), "{name}: {}", said.all());
            let errors = said.err().lines().filter(|line| line.starts_with("error: ")).count();
            assert!(errors == 1 && said.err().contains(name), "{name}: {}", said.all());
            assert!(!said.err().contains("panicked"), "{name}: {}", said.all());
            assert!(
                !home.path("pages").exists() && !home.path("pages.html").exists(),
                "{name}: something is written"
            );
        }
    }
    // A database of another program.
    let foreign = "python3 -c \"import sqlite3, os; os.mkdir('other'); c = sqlite3.connect('other/agon.db'); c.execute('create table notes (text)'); c.commit()\"";
    assert_eq!(home.shell(foreign).code, Some(0));
    refused(&home, "report other --out pages", &["other"]);
    // An earlier report stays as it is.
    agon(&home, "report run --out pages");
    let before = files(&home.path("pages"));
    assert_eq!(home.agon("report half --out pages".split(' ')).code, Some(2));
    assert_eq!(files(&home.path("pages")), before);
}

#[test]
fn a_run_that_goes_on_can_be_reported() {
    let home = Home::new();
    mover(&home, "field/one");
    mover(&home, "field/two");
    stub(&home, "field/slow", "half-line-stall");
    let line = "agon tournament field --game mnk:3x3,3 --games 20 --st 1 --no-check --out run & playing=$!
        for second in 1 2 3 4 5 6 7 8 9; do sleep 0.5; agon report run --out pages && break; done
        reported=$?; kill $playing; wait $playing; exit $reported";
    let said = home.shell(line);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("pages/index.html").contains("Under way: "), "{}", home.read("pages/index.html"));
    let status: serde_json::Value = serde_json::from_str(&home.read("pages/status.json")).unwrap();
    assert_eq!((&status["running"], &status["over"]), (&true.into(), &false.into()), "{status}");
}

/// The attributes with this name in a page; the pages are written by one program, in one form.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    page.split(&mark as &str).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"")
}

/// Whether a page holds the address of another host; the name of SVG is none.
fn names_host(page: &str) -> bool {
    let page = page.replace("http://www.w3.org/2000/svg", "");
    page.contains("http:") || page.contains("https:")
}

/// Every link of a folder leads to a file in it, and to an element of that file.
#[track_caller]
fn links_lead_somewhere(folder: &Path) {
    let files = files(folder);
    let ids: BTreeMap<&str, BTreeSet<String>> = (files.iter())
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, page)| (name.as_str(), attributes(page, "id").into_iter().map(unescaped).collect()))
        .collect();
    let mut links = 0;
    for (name, page) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
        assert_eq!(ids[name.as_str()].len(), attributes(page, "id").len(), "{name} has an id twice");
        let all = ["href", "src", "data-games"].into_iter().flat_map(|kind| attributes(page, kind));
        for link in all.map(unescaped).filter(|link| !link.starts_with("data:")) {
            let (file, element) =
                link.split_once('#').map_or((link.as_str(), None), |(file, id)| (file, Some(id)));
            let mut parts: Vec<&str> = name.split('/').collect();
            if file.is_empty() {
                assert!(element.is_some(), "{name}: an empty link");
            } else {
                parts.pop();
            }
            for part in file.split('/').filter(|part| !part.is_empty()) {
                match part {
                    ".." => assert!(parts.pop().is_some(), "{name}: {link} leaves the folder"),
                    part => parts.push(part),
                }
            }
            let target = parts.join("/");
            assert!(files.contains_key(&target), "{name}: {link} leads to no file");
            // The script reads these; they are no elements.
            if let Some(element) = element.filter(|element| !element.starts_with("ply=")) {
                assert!(ids[target.as_str()].contains(element), "{name}: {link} leads to no element");
            }
            links += 1;
        }
        assert!(!names_host(page), "{name} names another host");
    }
    assert!(links > 20, "only {links} links were found");
}

/// The same in a single file, where each page is a section.
#[track_caller]
fn links_lead_inside(file: &Path) {
    let page = fs::read_to_string(file).unwrap();
    let ids: BTreeSet<String> = attributes(&page, "id").into_iter().map(unescaped).collect();
    assert_eq!(ids.len(), attributes(&page, "id").len(), "an id stands there twice");
    for link in attributes(&page, "href").into_iter().map(unescaped).filter(|link| !link.starts_with("data:"))
    {
        let element = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leaves the file"));
        let element = element.split("&ply=").next().unwrap();
        assert!(element.starts_with("ply=") || ids.contains(element), "{link} leads to no element");
    }
    assert!(!page.contains("<link") && !page.contains(" src="), "the file needs others");
    assert!(!names_host(&page), "the file names another host");
}

#[test]
fn every_link_leads_to_a_page_and_an_element_that_exist() {
    let home = Home::new();
    for name in ["anna", "Anna", "b b", "e&f"] {
        mover(&home, &format!("field/{name}"));
    }
    stub(&home, "field/ends", "exit-now");
    home.put(
        "cup.toml",
        "engines = \"field\"\nout = \"cup\"\ngame = \"mnk:3x3,3\"\nst = 5\ngames = 2\nseed = 7\n\
         [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\n\n[[stages]]\nname = \"finals\"\nformat = \"knockout\"\nplay-offs = 1\n",
    );
    agon(&home, "tournament cup.toml --no-check");
    // With replays of all games, of a few, and of none, there is no link to a replay that is
    // missing.
    for (name, options) in [
        ("all", ""),
        ("few", " --replays 3"),
        ("none", " --replays 0"),
        ("hidden", " --hide-results --for public"),
    ] {
        agon(&home, &format!("report cup --out {name}{options}"));
        links_lead_somewhere(&home.path(name));
        agon(&home, &format!("report cup --single {name}.html{options}"));
        links_lead_inside(&home.path(format!("{name}.html")));
    }
    agon(&home, "report cup --stage 1 --game r01-p0001-g01 --single game.html");
    links_lead_inside(&home.path("game.html"));
}

/// A picture is a whole file of SVG with what stands on the board, and hides what the pages hide.
#[test]
fn a_position_of_a_game_is_a_picture() {
    let home = Home::new();
    for name in ["<b>&co", "bob"] {
        mover(&home, &format!("field/{name}"));
    }
    agon(&home, "tournament field --game mnk:3x3,3 --games 2 --st 5 --seed 7 --no-check --out run");
    let first = agon(&home, "export json run").lines().next().unwrap().to_owned();
    let game: serde_json::Value = serde_json::from_str(&first).unwrap();
    let plies = game["plies"].as_array().unwrap().len();
    let id = "--game r01-p0001-g01";
    // Each ply puts one piece on the board; the last position is the usual one.
    for (ply, stones) in [(" --ply 0", 0), (" --ply 3", 3), ("", plies)] {
        agon(&home, &format!("report run {id}{ply} --svg board.svg"));
        let picture = home.read("board.svg");
        assert!(
            picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && picture.ends_with("</svg>")
        );
        assert_eq!(picture.matches("<use href=\"#p").count(), stones, "{ply}: {picture}");
        assert!(picture.contains("&lt;b&gt;&amp;co") && !picture.contains("<b>"), "{picture}");
        assert!(!picture.contains("<script") && !picture.contains("href=\"http"), "{picture}");
        assert!(
            picture.contains("svg text{fill:var(--text)"),
            "letters are light on a dark ground: {picture}"
        );
        for element in ["svg", "g", "text", "style", "title", "path", "rect", "circle", "use", "defs"] {
            let opened = picture.matches(&format!("<{element}>")).count()
                + picture.matches(&format!("<{element} ")).count();
            assert_eq!(opened, picture.matches(&format!("</{element}>")).count(), "{element}");
        }
    }
    // A moving one has each piece from its ply on, and stands still where that is asked for.
    agon(&home, &format!("report run {id} --moving --svg moving.svg"));
    let moving = home.read("moving.svg");
    assert_eq!(moving.matches("<use href=\"#p").count(), plies, "{moving}");
    assert!(moving.contains("@media(prefers-reduced-motion:no-preference)") && !moving.contains("<script"));
    for ply in 1..plies {
        // It is shown for its own time alone, and not at all without motion.
        let class = format!("class=\"v{}-{} h\"", 10 * ply, 10 * (ply + 1));
        assert!(moving.contains(&class) && moving.contains(&format!("Ply {ply}: ")), "{ply}: {moving}");
    }
    let last = format!("class=\"v{}-{}\"", 10 * plies, 10 * (plies + 4));
    assert!(moving.contains(&last), "the last ply stays: {moving}");
    home.put("diary.txt", "dear diary");
    let result = match &game["verdict"]["decided"]["scores"] {
        scores if scores[0] == scores[1] => "1/2-1/2",
        scores if scores[0] == 1 => "1-0",
        _ => "0-1",
    };
    assert!(home.read("board.svg").contains(result), "{result}");
    agon(&home, &format!("report run {id} --ply 3 --svg hidden.svg --hide-results"));
    assert!(!home.read("hidden.svg").contains(result));
    for (words, wanted) in [
        (format!("report run {id} --svg x.svg --ply {}", plies + 1), "has {} plies"),
        ("report run --svg x.svg".to_owned(), "--game"),
        (format!("report run {id} --ply 3"), "--svg"),
        (format!("report run {id} --single x.html --moving"), "--moving"),
        (format!("report run {id} --svg x.svg --single y.html"), "--single"),
        (format!("report run {id} --svg x.svg --hide-results"), "--ply N"),
        (format!("report run {id} --single x.html --ply 3"), "--ply"),
        // Nothing that is no picture, or no pages, is replaced: neither a run nor a diary.
        (format!("report run {id} --svg run/agon.db"), "is not a picture"),
        (format!("report run {id} --svg diary.txt"), "is not a picture"),
        ("report run --single run/standings.csv".to_owned(), "is not pages"),
        ("report run --single board.svg".to_owned(), "is not pages"),
        ("report run --game r01-p0009-g01 --svg x.svg".to_owned(), "agon games"),
    ] {
        refused(&home, &words, &[&wanted.replace("{}", &plies.to_string())]);
    }
}

/// A run `big` of this number of games: those of a match with these options, again and again under
/// other names.
fn imported(home: &Home, options: &str, games: usize, names: impl Fn(usize) -> [String; 2]) {
    mover(home, "one");
    mover(home, "two");
    agon(home, &format!("match one two {options} --st 5 --seed 3 --out small"));
    let models: Vec<serde_json::Value> =
        agon(home, "export json small").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut text = String::new();
    for number in 0..games {
        let mut game = models[number / 2 % models.len()].clone();
        let [first, second] = names(number);
        renamed(&mut game, number, [&first, &second]);
        text.push_str(&format!("{game}\n"));
    }
    home.put("games.jsonl", text);
    agon(home, "import big games.jsonl");
}

/// The same game under another number and with other engines.
fn renamed(game: &mut serde_json::Value, number: usize, names: [&str; 2]) {
    game["id"] = serde_json::json!({ "round": 1, "pairing": number / 2 + 1, "game": number % 2 + 1 });
    game["key"] = format!("{number:016x}").into();
    for (seat, name) in names.into_iter().enumerate() {
        game["seats"][seat]["entrant"] = name.into();
    }
}

#[test]
#[ignore = "slow"]
fn five_hundred_engines_have_standings_of_230_kilobytes() {
    let home = Home::new();
    // The first of them have long names of the longest letters in UTF-8.
    let name = |number: usize| match number {
        0..12 => format!("{number:03} {}", "\u{1f600}".repeat(60)),
        _ => format!("{number:03}-an-engine-name"),
    };
    imported(&home, "--game mnk:3x3,3 --games 2", 500, |game| {
        let first = game / 2 * 2;
        [name(first + game % 2), name(first + 1 - game % 2)]
    });
    agon(&home, "report big --out pages --replays 0");
    let sizes = ["index.html", "status.json"].map(|file| home.read(&format!("pages/{file}")).len());
    assert_eq!(
        attributes(&home.read("pages/index.html"), "scope").iter().filter(|scope| **scope == "row").count(),
        500
    );
    assert!(sizes[0] <= 230_000, "the standings have {} bytes", sizes[0]);
    assert!(sizes[1] < 2_000, "status.json has {} bytes", sizes[1]);
    let status: serde_json::Value = serde_json::from_str(&home.read("pages/status.json")).unwrap();
    let places = status["standings"].as_array().unwrap();
    assert!(places.len() >= 3 && places[0]["rank"] == 1, "{status}");
}

#[test]
fn pages_are_small() {
    let home = Home::new();
    for number in 1..=8 {
        mover(&home, &format!("field/engine-{number}"));
    }
    agon(&home, "tournament field --game connect4 --games 2 --st 5 --seed 3 --no-check --out run");
    agon(&home, "report run --out pages");
    let all = files(&home.path("pages"));
    let shared = [all["agon.css"].as_str(), all["agon.js"].as_str()];
    assert!(gzipped(&shared[1..]) <= 12_000, "the script has {} bytes, gzipped", gzipped(&shared[1..]));
    for (name, page) in all.iter().filter(|(name, _)| name.ends_with(".html")) {
        let size = gzipped(&[page.as_str(), shared[0], shared[1]]);
        assert!(size <= 30_000, "{name} has {size} bytes, gzipped, with style and script");
    }
    agon(
        &home,
        "match field/engine-1 field/engine-2 --game abalone --games 2 --st 5 --max-plies 100 --out long",
    );
    agon(&home, "report long --game r01-p0001-g01 --single game.html");
    let page = home.read("game.html");
    // Times have more digits on a busy machine.
    let size = page.bytes().filter(|byte| !byte.is_ascii_digit()).count();
    assert!(size <= 61_000, "a replay of 100 plies has {size} bytes besides digits");
}

#[test]
fn ten_thousand_games_are_reported_in_ten_seconds() {
    if !super::support::is_thorough() {
        return;
    }
    let home = Home::new();
    imported(&home, "--game mnk:7x7,5 --games 200", 10_000, |game| {
        let (first, step) = (game / 2 % 20, 1 + game / 40 % 19);
        let mut names = [format!("engine {first}"), format!("engine {}", (first + step) % 20)];
        if game % 2 == 1 {
            names.reverse();
        }
        names
    });
    for (replays, most) in [("0", 10.0), ("2000", 10.0), ("all", f64::MAX)] {
        let began = std::time::Instant::now();
        agon(&home, &format!("report big --out pages-{replays} --replays {replays}"));
        let took = began.elapsed().as_secs_f64();
        let (mut count, mut bytes) = (0, 0);
        super::hostile_names::every_file(&home.path(format!("pages-{replays}")), &mut |path| {
            count += 1;
            bytes += fs::metadata(path).unwrap().len();
        });
        println!(
            "10,000 games with --replays {replays}: {took:.1} s, {count} files, {} MB",
            bytes / 1_000_000
        );
        // The limit is for a release build.
        assert!(took <= most || cfg!(debug_assertions), "--replays {replays} takes {took} s");
    }
}
