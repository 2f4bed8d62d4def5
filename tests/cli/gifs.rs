//! `agon report --gif`: a position or a game as a picture for programs that show no SVG, read by
//! another program than the one that wrote it.

use std::fs;

use gif::{ColorOutput, DecodeOptions, Repeat};

use super::bad_input::refused;
use super::home::{Home, programs};
use super::support::not_tried;

const PANEL: [u8; 3] = [0xf3, 0xf3, 0xf1];
const SEATS: [[u8; 3]; 2] = [[0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00]];
const MARK: [u8; 3] = [0xf5, 0xec, 0x8f];

/// Runs agon with these words, split at spaces, and expects that it succeeds.
#[track_caller]
fn agon(home: &Home, words: &str) -> String {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    said.out()
}

/// Whether this machine has a font. The test says if it has none.
fn has_font(home: &Home) -> bool {
    let said = home.agon("report run --game r01-p0001-g01 --gif font.gif".split(' '));
    let lacks = said.code == Some(1) && said.err().contains("no font is on this machine");
    if lacks {
        not_tried!("apt-get install fonts-dejavu-core");
    }
    !lacks
}

/// Two engines that play any legal move, and two games between them in `run`.
fn played(game: &str) -> Home {
    let home = Home::new();
    let program = programs().join("agon-mover");
    for name in ["Ægir 日本", "bob שלום"] {
        home.put(
            format!("field/{name}/engine.toml"),
            format!(
                "command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n"
            ),
        );
    }
    let options = "--games 2 --st 5 --seed 7 --no-check --out run";
    agon(&home, &format!("tournament field --game {game} {options}"));
    home
}

/// A picture of a GIF: how long it stays, in hundredths of a second, and all its pixels.
struct Shown {
    stays: u16,
    wide: usize,
    pixels: Vec<[u8; 3]>,
}

impl Shown {
    /// The colour at a place of the diagram of this width.
    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let [x, y] = [x, y].map(|length| length * self.wide / WIDTH);
        self.pixels[y * self.wide + x]
    }
}

/// The pictures of a GIF, and whether it plays again and again.
fn pictures(bytes: &[u8]) -> (Vec<Shown>, bool) {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let wide = usize::from(decoder.width());
    let mut pixels = vec![[0; 3]; wide * usize::from(decoder.height())];
    let mut all = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (at, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
            let place = (y + usize::from(frame.top)) * wide + x + usize::from(frame.left);
            pixels[place] = [pixel[0], pixel[1], pixel[2]];
        }
        all.push(Shown { stays: frame.delay, wide, pixels: pixels.clone() });
    }
    let repeats = decoder.repeat() == Repeat::Infinite;
    (all, repeats)
}

/// The centres of the slots, and the slot and the seat of each ply, from the text of frames: in
/// this game a ply puts one mark on the board.
fn plies(home: &Home) -> (Vec<[usize; 2]>, Vec<(usize, usize)>) {
    let frames = agon(home, "replay run r01-p0001-g01 --frames");
    let number = |text: &str| -> usize { text.parse().unwrap() };
    let slots = frames.lines().filter_map(|line| line.strip_prefix("slot "));
    let centre = |line: &str| {
        let mut words = line.split(' ').map(number);
        [words.next().unwrap(), words.next().unwrap()]
    };
    let changes = frames.lines().filter(|line| line.contains('|'));
    let change = |line: &str| {
        let (slot, seat) = line.split(' ').next().unwrap().split_once('=').unwrap();
        (number(slot), number(seat) - 1)
    };
    (slots.map(|line| centre(line.split_once(" s").unwrap().0)).collect(), changes.map(change).collect())
}

/// The width of the diagram of `mnk:4x3,3`.
const WIDTH: usize = 550;

/// Beside the mark of a piece, and within its ring, there is the colour of its seat.
const BESIDE: usize = 28;

#[test]
fn a_game_is_a_gif_with_a_picture_of_each_ply() {
    let home = played("mnk:4x3,3");
    if !has_font(&home) {
        return;
    }
    let id = "report run --game r01-p0001-g01";
    let said = agon(&home, &format!("{id} --moving --gif game.gif --svg game.svg"));
    assert_eq!(said, "game.svg: a picture\ngame.gif: a picture\n");
    let file = fs::read(home.path("game.gif")).unwrap();
    let (shown, repeats) = pictures(&file);
    let (slots, plies) = plies(&home);
    assert!(slots.len() == 12 && plies.len() > 4, "{plies:?}");
    assert_eq!(shown[0].wide, WIDTH * 80 / 100, "a small board has 80 pixels a slot");
    assert_eq!(shown.len(), plies.len() + 1);
    let stays: Vec<u16> = shown.iter().map(|picture| picture.stays).collect();
    assert_eq!(stays, [vec![80; plies.len()], vec![320]].concat(), "0.8 s, and the last one four times that");
    assert!(repeats);
    for (ply, (slot, seat)) in plies.iter().enumerate() {
        let [x, y] = slots[*slot];
        assert_eq!(shown[ply].at(x + BESIDE, y), PANEL, "before ply {ply}");
        assert_eq!(shown[ply + 1].at(x + BESIDE, y), SEATS[*seat], "after ply {ply}");
        // The corner of the slot of the last move is marked, and of no other.
        let corners = slots.iter().filter(|[x, y]| shown[ply + 1].at(x + 38, y + 38) == MARK);
        assert_eq!(corners.collect::<Vec<_>>(), [&slots[*slot]], "ply {ply}");
    }
    assert!(file.len() < 5_000 * shown.len(), "{} bytes", file.len());

    // The same again is the same, and a position is the picture of its ply.
    agon(&home, &format!("{id} --moving --gif again.gif"));
    assert!(fs::read(home.path("again.gif")).unwrap() == file, "equal games are equal files");
    for (ply, wanted) in [(" --ply 0", 0), (" --ply 3", 3), ("", plies.len())] {
        agon(&home, &format!("{id}{ply} --gif again.gif"));
        let (still, repeats) = pictures(&fs::read(home.path("again.gif")).unwrap());
        assert!(still.len() == 1 && !repeats && still[0].stays == 0, "{ply}");
        assert!(still[0].pixels == shown[wanted].pixels, "{ply}");
    }
    agon(&home, &format!("{id} --ply 2 --moving --gif again.gif"));
    assert_eq!(pictures(&fs::read(home.path("again.gif")).unwrap()).0.len(), 3);
}

#[test]
fn a_gif_that_cannot_be_made_is_refused_and_nothing_is_written() {
    let home = played("mnk:3x3,3");
    if !has_font(&home) {
        return;
    }
    let id = "report run --game r01-p0001-g01";
    home.put("diary.txt", "dear diary");
    home.put("holiday.gif", "GIF89a\u{10}\0\u{10}\0\u{7}\0\0abcdefghijklm");
    for (words, wanted) in [
        (format!("{id} --gif x.gif --ply 10"), "has"),
        ("report run --gif x.gif".to_owned(), "--game"),
        (format!("{id} --gif x.gif --single y.html"), "--single"),
        (format!("{id} --gif x.gif --out y"), "--out"),
        (format!("{id} --gif x.gif --hide-results"), "--ply N"),
        (format!("{id} --moving"), "--gif"),
        (format!("{id} --svg x.svg --font x.ttf"), "--gif"),
        (format!("{id} --gif x.gif --font missing.ttf"), "missing.ttf: cannot read the font"),
        (format!("{id} --gif x.gif --svg y.svg --font diary.txt"), "diary.txt: not a font with letters"),
        (format!("{id} --gif run/agon.db"), "is not a picture"),
        (format!("{id} --gif diary.txt --svg y.svg"), "is not a picture"),
        (format!("{id} --gif holiday.gif"), "is not a picture"),
        (format!("{id} --gif x.gif --svg diary.txt"), "is not a picture"),
        (format!("{id} --gif x.gif --svg field/../x.gif"), "name the same file"),
        (format!("{id} --gif missing/x.gif"), "there is no directory"),
        (format!("{id} --gif run"), "a directory"),
    ] {
        refused(&home, &words, &[wanted]);
    }
}

/// In a namespace of mounts the folders of fonts are empty.
#[test]
fn without_a_font_the_package_is_named_and_nothing_is_written() {
    let home = played("mnk:3x3,3");
    let report = "agon report run --game r01-p0001-g01 --gif x.gif --svg y.svg";
    let empty = "for folder in /usr/share/fonts /usr/local/share/fonts; do \
                 [ ! -d $folder ] || mount -t tmpfs none $folder || exit 77; done";
    let said = home
        .shell(&format!("unshare --user --map-root-user --mount sh -c '{empty}; HOME=/nowhere {report}'"));
    if said.code == Some(77) || said.err().contains("unshare") {
        return not_tried!("a namespace of mounts: {}", said.err());
    }
    assert_eq!((said.code, said.out().as_str()), (Some(1), ""), "{}", said.all());
    assert!(said.err().starts_with("error: --gif has texts to draw, and no font is on this machine; "));
    assert!(
        said.err().contains("hint: install one, with apt-get install fonts-dejavu-core"),
        "{}",
        said.err()
    );
    assert!(!home.path("x.gif").exists() && !home.path("y.svg").exists());
}
