//! Submissions that come into a folder at any hour, and the nights that play them.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::archives::{UNIX, zip};
use super::home::{Home, Said};

const TOML: &[u8] =
    b"name = \"me\"\ncommand = [\"./run\"]\nargs = [\"{side}\", \"{to_move}\"]\ngames = [\"mnk\"]\n";

/// An engine that takes the first free cell, with a word of its own on stderr.
fn script(word: &str) -> String {
    format!(
        "#!/bin/sh\n\
         side=$1 mine=no; [ \"$1\" = \"$2\" ] && mine=yes\n\
         echo {word} >&2; read a; read a; read a; read a\n\
         free='a1 b1 c1 a2 b2 c2 a3 b3 c3'\n\
         take() {{ left=; for cell in $free; do [ $cell = $1 ] || left=\"$left $cell\"; done; free=$left; }}\n\
         while :; do if [ $mine = yes ]; then set -- $free; [ -n \"$1\" ] || exit 0\n\
         echo \"$side,$1\"; take $1; mine=no\n\
         else read move || exit 0; take ${{move#*,}}; mine=yes; fi; done\n"
    )
}

/// The archive of such an engine.
pub(crate) fn engine(word: &str) -> Vec<u8> {
    let script = script(word);
    zip(UNIX, &[(b"mine/engine.toml", TOML), (b"mine/run", script.as_bytes())])
}

/// An engine that ends at once.
pub(crate) fn broken() -> Vec<u8> {
    zip(UNIX, &[(b"engine.toml", TOML), (b"run", b"#!/bin/sh\necho I am lost >&2\nexit 1\n")])
}

/// A class whose nights play at this level.
pub(crate) fn class(level: &str) -> Home {
    let home = Home::new();
    let students = ["Ada Lovelace", "Bob", "Cy", "Dee", "Eve", "Flo", "Gil"];
    let lines = (11..).zip(students).map(|(id, name)| format!("{id},{name},{id}@x\n"));
    home.put("roster.csv", format!("id,name,mail\n{}", lines.collect::<String>()));
    home.put(
        "tournament.toml",
        format!(
            "engines = \"pool\"\ngame = \"mnk:3x3,3\"\nisolation = \"{level}\"\nst = 5\ngames = 2\n\
             random-plies = 0\nseed = 1\nout = \"results\"\n"
        ),
    );
    fs::create_dir(home.path("in")).unwrap();
    home
}

fn once(home: &Home) -> Said {
    let said = home.agon("inbox in --once --settle 0".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// The alias of a student.
pub(crate) fn alias(home: &Home, id: &str) -> String {
    let key = home.read("grades/key.csv");
    let mut rows = csv::Reader::from_reader(key.as_bytes()).into_records().map(Result::unwrap);
    rows.find(|row| &row[1] == id).unwrap()[0].to_owned()
}

fn night(home: &Home) -> String {
    let said = home.agon(["nightly", "tournament.toml"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    said.out()
}

#[test]
fn what_passes_plays_the_next_night_and_until_then_the_old_engine_plays_on() {
    let home = class("sandbox");
    home.put("in/11.zip", engine("one"));
    home.put("in/bob_12_345_bot-1.zip", engine("two"));
    home.put("in/stranger.zip", engine("three"));
    let said = home.agon("inbox in --once".split(' '));
    assert!(said.err().contains("have just changed are left for the next time"), "{}", said.all());
    let first = once(&home).err();
    let [ada, bob] = ["11", "12"].map(|id| alias(&home, id));
    assert!(first.contains(&format!("11 ({ada}): 11.zip accepted")), "{first}");
    assert!(first.contains(&format!("12 ({bob}): bob_12_345_bot-1.zip accepted")), "{first}");
    assert!(first.contains("stranger.zip rejected: matches nobody in the roster"), "{first}");
    assert!(!home.path("in/11.zip").exists() && home.path("in/rejected/stranger.zip").exists());
    let line = night(&home);
    assert!(line.starts_with("run 1: 2 engines, 2 games; "), "{line}");
    // Under the alias, whatever the engine.toml says.
    assert!(line.contains(&ada) && line.contains(&bob) && !line.contains("me;"), "{line}");
    // The same once more, as a sync brings it, is no submission.
    home.put("in/11.zip", engine("one"));
    assert_eq!(once(&home).err(), "");
    // A bad one: the old engine plays on. Of two files the one that came later counts, whenever it
    // was written.
    home.put("in/11.zip", broken());
    home.put("in/12.tar.gz", "no archive");
    home.put("in/12.zip", engine("better"));
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(home.path("in/12.zip")).unwrap().set_modified(hour_ago).unwrap();
    let second = once(&home).err();
    assert!(second.contains("11.zip rejected: it failed when it was tried: "), "{second}");
    assert!(second.contains("its stderr says: I am lost; the version before it plays on"), "{second}");
    assert!(home.read("in/inbox.log").contains("12.tar.gz does not count: a newer one has come"));
    assert!(second.contains("12.zip accepted"), "{second}");
    let line = night(&home);
    assert!(
        line.starts_with("run 2: 2 engines, 2 games; ") && line.contains(&format!("changed: {bob} (")),
        "{line}"
    );
    assert_eq!(home.read(&format!("in/reports/{ada}/check.txt")), "I am lost\n");
    let log = home.read(&format!("in/reports/{ada}/log.txt"));
    assert!(
        log.contains("11.zip accepted") && log.contains("11.zip rejected: ") && !log.contains("Ada"),
        "{log}"
    );
    // A process that was killed at work finds what it had claimed.
    home.put(format!("in/claimed/{ada}/mine.zip"), engine("again"));
    let third = once(&home).err();
    assert!(third.contains(&format!("11 ({ada}): mine.zip accepted")), "{third}");
    assert!(night(&home).contains(&format!("changed: {ada} (")));
}

#[test]
fn a_good_archive_counts_though_a_broken_one_came_later() {
    let home = class("sandbox");
    home.put("in/11.zip", engine("good"));
    home.put("in/11.tar.gz", "no archive");
    let said = once(&home).err();
    let ada = alias(&home, "11");
    assert!(said.contains("11.tar.gz rejected: "), "{said}");
    assert!(
        said.contains("11.zip accepted, with a remark: 11.tar.gz, which came later, was refused"),
        "{said}"
    );
    assert!(home.path(format!("pool/{ada}")).exists());
    // A sync that brings both again changes nothing.
    home.put("in/11.zip", engine("good"));
    home.put("in/11.tar.gz", "no archive");
    let again = once(&home).err();
    assert!(!again.contains("accepted"), "{again}");
    assert!(home.path(format!("pool/{ada}")).exists() && !home.path("in/11.zip").exists());
}

#[test]
fn only_its_owner_enters_the_folder_of_what_was_handed_in_and_its_engines_play() {
    let home = class("sandbox");
    fs::create_dir_all(home.path("pool-versions")).unwrap();
    fs::set_permissions(home.path("pool-versions"), fs::Permissions::from_mode(0o755)).unwrap();
    home.put("in/11.zip", engine("one"));
    home.put("in/12.zip", engine("two"));
    let said = once(&home).err();
    assert!(said.matches(" accepted").count() == 2, "{said}");
    let mode = fs::metadata(home.path("pool-versions")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let line = night(&home);
    assert!(line.starts_with("run 1: 2 engines, 2 games; ") && !line.contains("crash"), "{line}");
}

#[test]
fn an_archive_with_a_build_is_built_in_the_box_and_its_log_is_for_its_author() {
    let home = class("sandbox");
    let with_build =
        |build: &str| [TOML, format!("build = [\"sh\", \"-c\", \"{build}\"]\n").as_bytes()].concat();
    let outside = home.path("outside");
    // A command that names a place outside is refused unrun; a file says it here.
    let makes = format!("touch {}; cp from run; chmod +x run; echo made", outside.display());
    let (toml, made) = (with_build(". ./make.sh"), script("made"));
    let files =
        [(&b"engine.toml"[..], &toml[..]), (b"from", made.as_bytes()), (b"make.sh", makes.as_bytes())];
    home.put("in/11.zip", zip(UNIX, &files));
    let fails = with_build("echo no header >&2; exit 3");
    home.put("in/12.zip", zip(UNIX, &[(b"engine.toml", &fails), (b"from", b"x")]));
    let said = once(&home).err();
    assert!(said.contains("11.zip accepted"), "{said}");
    assert!(said.contains("12.zip rejected: "), "{said}");
    assert!(!outside.exists(), "the build is in a box");
    let log = home.read(&format!("in/reports/{}/build.log", alias(&home, "12")));
    assert!(log.contains("no header"), "{log}");
}

/// Archives that attack, each with what is said of it.
pub(crate) fn attacks() -> [(Vec<u8>, &'static str); 4] {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    let mut head = tar::Header::new_gnu();
    head.set_path("run").unwrap();
    head.set_mode(0o755);
    head.set_size(70 << 20);
    head.set_cksum();
    bomb.write_all(head.as_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    (0..70).for_each(|_| bomb.write_all(&zeros).unwrap());
    let mut links = tar::Builder::new(Vec::new());
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    links.append_link(&mut link, "run", "/etc/passwd").unwrap();
    let names: Vec<String> = (0..10_000).map(|number| format!("f{number}")).collect();
    let files: Vec<(&[u8], &[u8])> = names.iter().map(|name| (name.as_bytes(), &b""[..])).collect();
    [
        (zip(UNIX, &[(b"../../run", b"#!/bin/sh\n")]), "has the path ../../run, which leads out of it"),
        (links.into_inner().unwrap(), "has run, which is a link or a device; hand in the file itself"),
        (bomb.finish().unwrap(), "is more than 64 MiB unpacked"),
        (zip(UNIX, &files), "has more than 100 files"),
    ]
}

#[test]
fn archives_that_attack_are_refused_in_one_sentence_each() {
    let home = class("sandbox");
    let [path, link, bomb, many] = attacks();
    home.put("in/11.zip", path.0);
    home.put("in/12.tar", link.0);
    home.put("in/13.tar.gz", bomb.0);
    home.put("in/14.zip", many.0);
    home.put("in/15.zip", vec![0; (2 << 20) + 1]);
    home.put("in/16.zip", b"PK\x03\x04 and no more");
    let said = once(&home).err();
    for (id, why) in [
        ("11", path.1),
        ("12", link.1),
        ("13", bomb.1),
        ("14", many.1),
        ("15", "has 2097153 bytes; at most 2 MiB are taken"),
        ("16", "is no zip archive that can be read"),
    ] {
        let line = said.lines().find(|line| line.starts_with(&format!("{id} ("))).unwrap_or_default();
        assert!(line.contains(&format!(" rejected: what was handed in {why}")), "{id}: {said}");
        assert!(!line.contains(&*home.path("").to_string_lossy()), "{line}");
        let versions = home.path(format!("pool-versions/{}", alias(&home, id)));
        let left = fs::read_dir(versions).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{id}");
    }
    assert_eq!(fs::read_dir(home.path("pool")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_watched_is_said_with_the_next_step() {
    let home = class("sandbox");
    let refused = |words: &str, code: i32| {
        let said = home.agon(format!("inbox {words} --once").split(' '));
        assert_eq!(said.code, Some(code), "{}", said.all());
        said.err()
    };
    let level = refused("in --isolation limits", 2);
    assert!(
        level.contains("--isolation limits: programs of students are built and played in a box"),
        "{level}"
    );
    assert!(refused("in pool", 2).contains("pool: key isolation: is missing"));
    let nights = refused("in --isolation strict", 2);
    assert!(
        nights.contains("--isolation strict: the nights would play submissions at isolation sandbox")
            && nights.contains("hint: write isolation = \"strict\" into the tournament.toml"),
        "{nights}"
    );
    // The nights of a file without the key, or of a folder, play at a level below.
    assert!(refused("in pool --isolation sandbox", 2).contains("at isolation limits"));
    assert!(refused("pool/in", 2).contains("is the folder of engines, or one is in the other"));
    assert!(refused("in --roster nobody.csv", 2).contains("nobody.csv"));
}
