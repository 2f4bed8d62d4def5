//! A position as a GIF, or a game as one that plays it again and again: for mails, chats and
//! slides, which show no SVG.

use std::io;

use agon_config::Misuse;
use agon_diagram::SlotContent;
use agon_raster::{Animation, Canvas, Lettering};
use agon_standings::result::GameId;

use super::moving::{LAST, LIT, PLY};
use super::painted::{PaintedPosition, Painter};
use super::picture::{BELOW, LETTERS, Picture, cut};

/// The most plies of a moving GIF: thirteen minutes, and some megabytes.
const MOST_PLIES: usize = 1000;

/// Whether a game, or its beginning, is short enough for a moving GIF.
///
/// # Errors
/// [`Misuse`] if it has too many plies.
pub(super) fn is_short(id: GameId, plies: usize) -> anyhow::Result<()> {
    if plies <= MOST_PLIES {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!("--gif with --moving shows at most {MOST_PLIES} plies, and the game {id} has {plies}"),
        format!("--ply {MOST_PLIES} shows it up to there; --svg shows all of it"),
    ))
}

/// A time in tenths of a ply, in hundredths of a second.
fn hundredths(tenths: usize) -> u16 {
    (10.0 * PLY * tenths as f64) as u16
}

/// The picture as a GIF. A moving one shows each position up to that of the ply. Before a ply that
/// takes away what it marks, such as a word, there is one more with these marks.
///
/// # Errors
/// There is not enough memory.
pub(super) fn gif(picture: &Picture<'_>, is_moving: bool, lettering: &mut Lettering) -> io::Result<Vec<u8>> {
    let film = picture.film;
    let mut painter = Painter::new((&film.diagram, &film.start), picture.sides, BELOW, lettering);
    let colours = painter.colours();
    let width = film.diagram.width;
    let title = cut(picture.title, width, LETTERS[0]);
    let takes = film.each(|before, frame| frame.takes_what_it_marks(before));
    let mut draw = |ply: usize, contents: &[SlotContent], lit: Option<&[usize]>| -> Canvas {
        let shown = film.frames[..ply].last();
        let marks = shown.filter(|_| !takes[ply - 1]).map_or(&[][..], |frame| &frame.marks);
        let caption = cut(&picture.caption(ply), width, LETTERS[1]);
        painter.draw(&PaintedPosition {
            contents,
            marks: lit.unwrap_or(marks),
            row: shown.map_or(&[][..], |frame| &frame.row),
            lines: [(LETTERS[0] as f32, 100.0, &title), (LETTERS[1] as f32, 45.0, &caption)],
        })
    };
    if !is_moving {
        let canvas = draw(picture.ply, &film.at(picture.ply), None);
        return Animation::new(&canvas, &colours, false)?.end(0);
    }
    let mut contents = film.start.clone();
    let mut animation = Animation::new(&draw(0, &contents, None), &colours, true)?;
    for (ply, frame) in (1..).zip(&film.frames[..picture.ply]) {
        if takes[ply - 1] {
            animation.then(hundredths(10 - LIT), &draw(ply - 1, &contents, Some(&frame.marks)))?;
            let _ = frame.apply(&mut contents); // a film names no other slots
            animation.then(hundredths(LIT), &draw(ply, &contents, None))?;
        } else {
            let _ = frame.apply(&mut contents); // as above
            animation.then(hundredths(10), &draw(ply, &contents, None))?;
        }
    }
    animation.end(hundredths(10 * LAST))
}

#[cfg(test)]
mod tests {
    use agon_diagram::Film;
    use agon_raster::FontFiles;
    use gif::{ColorOutput, DecodeOptions};

    use super::*;

    type Colour = [u8; 3];

    const ONE: Colour = [0x00, 0x72, 0xb2];
    const TWO: Colour = [0xd5, 0x5e, 0x00];
    const MARK: Colour = [0xf5, 0xec, 0x8f];
    const GOOD: Colour = [0x00, 0x66, 0x4b];
    const PANEL: Colour = [0xf3, 0xf3, 0xf1];
    const TEXT: Colour = [0x1a; 3];

    /// The pictures of a film, each with the time that it stays; `None` if this machine has no
    /// font.
    fn shown(text: &str, is_moving: bool) -> Option<Vec<(u16, Picked)>> {
        let film: Film = text.parse().unwrap();
        let files = match FontFiles::of_machine() {
            Ok(files) => files,
            Err(why) => {
                println!("not tried: {why}; apt-get install fonts-dejavu-core");
                return None;
            }
        };
        let picture =
            Picture { film: &film, ply: film.frames.len(), sides: &["X", "O", "Z"], title: "a - b" };
        let file = gif(&picture, is_moving, &mut Lettering::new(files)).unwrap();
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut decoder = options.read_info(&file[..]).unwrap();
        let wide = usize::from(decoder.width());
        let mut pixels = vec![[0; 3]; wide * usize::from(decoder.height())];
        let mut all = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (at, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
                let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
                let place = (y + usize::from(frame.top)) * wide + x + usize::from(frame.left);
                pixels[place] = [pixel[0], pixel[1], pixel[2]];
            }
            all.push((
                frame.delay,
                Picked { wide, units: film.diagram.width as usize, pixels: pixels.clone() },
            ));
        }
        Some(all)
    }

    struct Picked {
        wide: usize,
        /// The width of the diagram.
        units: usize,
        pixels: Vec<Colour>,
    }

    impl Picked {
        /// The colour at a place of the diagram.
        fn at(&self, x: usize, y: usize) -> Colour {
            let [x, y] = [x, y].map(|length| length * self.wide / self.units);
            self.pixels[y * self.wide + x]
        }

        /// Which colours are in a part of the diagram.
        fn within(&self, xs: std::ops::Range<usize>, ys: std::ops::Range<usize>) -> Vec<Colour> {
            ys.flat_map(|y| xs.clone().map(move |x| (x, y))).map(|(x, y)| self.at(x, y)).collect()
        }
    }

    #[test]
    fn a_word_lights_up_before_its_letters_go() {
        let text = "frames 1\nsize 200 100\nslot 50 50 square a\nslot 150 50 square b\n\
                    start 0=\"a 1=\"b\n0=. *0|a word\n";
        let Some(shown) = shown(text, true) else { return };
        let stays: Vec<u16> = shown.iter().map(|(stays, _)| *stays).collect();
        assert_eq!(stays, [32, 48, 320], "one ply of 0.8 s, in two parts");
        let corners: Vec<Colour> = shown.iter().map(|(_, picture)| picture.at(14, 14)).collect();
        assert_eq!(corners, [PANEL, MARK, PANEL]);
        let has_letter = |picture: &Picked| picture.within(30..70, 20..80).contains(&TEXT);
        assert_eq!(
            shown.iter().map(|(_, picture)| has_letter(picture)).collect::<Vec<_>>(),
            [true, true, false]
        );
    }

    #[test]
    fn edges_panels_seats_and_rows_are_drawn() {
        let text = "frames 2\nsize 600 300\nedge 50 50 250 50 a\nedge 50 150 250 150 b\nedge 50 250 250 250 c\n\
                    slot 350 50 round d\nslot 450 50 round e\nslot 550 50 round f\npanel 450 200 300 pot\n\
                    start\n0=1 1=2 3=1 4=2 5=3 6=\"ten_coins_and_forty_characters_of_a_text *2 !2 *6|moves\n";
        let Some(shown) = shown(text, false) else { return };
        let (stays, picture) = &shown[0];
        assert_eq!((shown.len(), *stays), (1, 0));
        assert_eq!(picture.at(150, 50), ONE);
        let dashes = picture.within(60..240, 150..151);
        assert!(dashes.contains(&TWO) && dashes.contains(&[0xff; 3]), "the second seat has dashes");
        // An edge is marked around its line, and a row is drawn upon it.
        assert_eq!((picture.at(150, 250), picture.at(150, 262)), (GOOD, MARK));
        // Where edges join them, round slots are points under their pieces.
        assert_eq!((picture.at(322, 50), picture.at(422, 50), picture.at(522, 50)), (ONE, TWO, TWO));
        assert!(picture.within(535..565, 30..70).contains(&TEXT), "the third seat has its number");
        let panel = picture.within(310..590, 160..240);
        assert!(panel.contains(&MARK) && panel.contains(&TEXT));
        assert!(!picture.within(306..308, 170..230).contains(&TEXT), "the text lies within its panel");
    }

    #[test]
    fn a_game_of_more_than_a_thousand_plies_is_refused() {
        let id: GameId = "r01-p0001-g01".parse().unwrap();
        assert!(is_short(id, 1000).is_ok());
        let error = is_short(id, 8000).unwrap_err();
        let wanted = "--gif with --moving shows at most 1000 plies, and the game r01-p0001-g01 has 8000; \
                      --ply 1000 shows it up to there; --svg shows all of it";
        assert!(error.is::<Misuse>() && error.to_string() == wanted, "{error}");
    }

    #[test]
    fn a_board_of_any_shape_has_a_picture() {
        for text in [
            "frames 1\nsize 0 0\nstart\n",
            "frames 1\nsize 1 1\nslot 1 1 square a\nstart 0=1\n|a\n",
            "frames 1\nsize 100000 1\nslot 1 1 square a\nstart 0=9\n|a\n",
            "frames 1\nsize 1 100000\nlabel 1 1 日本 and some more\nstart\n|a\n",
        ] {
            let Some(shown) = shown(text, true) else { return };
            let (_, picture) = &shown[0];
            assert!(picture.wide <= 1600 && picture.pixels.len() <= 1600 * picture.wide, "{text}");
        }
    }
}
