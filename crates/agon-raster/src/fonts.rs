//! The font files of this machine: where they are, and in which order they are asked for a sign.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ttf_parser::{Face, GlyphId};

/// Where fonts are on Linux, BSD and macOS, and below the home of a user.
const FOLDERS: [&str; 4] =
    ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
const OF_USER: [&str; 3] = [".local/share/fonts", ".fonts", "Library/Fonts"];

/// Fonts without serifs that many machines have, the best one first.
const KNOWN: [&str; 10] = [
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "LiberationSans-Regular.ttf",
    "OpenSans-Regular.ttf",
    "Roboto-Regular.ttf",
    "FreeSans.ttf",
    "FreeSans.otf",
    "Arial.ttf",
    "Helvetica.ttc",
    "Lato-Regular.ttf",
];

/// How a font file ends.
const ENDINGS: [&str; 4] = ["ttf", "otf", "ttc", "otc"];

/// Bounds of the search: how deep folders are, how many entries are looked at, how large a file is,
/// and how many bytes are read in all.
const DEEP: usize = 8;
const ENTRIES: usize = 20_000;
const LARGEST: u64 = 64 << 20;
const ALL: u64 = 160 << 20;

/// Why there is no font.
#[derive(Debug, thiserror::Error)]
pub enum FontFault {
    /// None was found: the folders that were looked at.
    #[error("no font is on this machine; {} has none", .0.join(", "))]
    None(Vec<String>),
    /// The file that was named cannot be read.
    #[error("cannot read the font: {0}")]
    Unreadable(std::io::Error),
    /// The file that was named has no letters in TrueType or OpenType.
    #[error("not a font with letters, in TrueType or OpenType")]
    NoFont,
}

/// A font file in memory.
pub(crate) struct Font {
    data: Vec<u8>,
}

impl Font {
    /// The font; `None` if it cannot be read as one.
    pub(crate) fn face(&self) -> Option<Face<'_>> {
        Face::parse(&self.data, 0).ok()
    }

    /// Whether it has the outline of a letter. A font of signs or of coloured pictures has none.
    fn has_letters(&self) -> bool {
        let outlined = |face: &Face, glyph: GlyphId| face.glyph_bounding_box(glyph).is_some();
        self.face().is_some_and(|face| {
            ['A', 'a', '0']
                .iter()
                .all(|sign| face.glyph_index(*sign).is_some_and(|glyph| outlined(&face, glyph)))
        })
    }
}

/// The fonts that are used: one for all signs, and those that are asked for what it lacks.
pub struct FontFiles {
    pub(crate) read: Vec<Font>,
    /// Those that were not read yet, the next one last.
    left: Vec<PathBuf>,
    /// How many bytes may still be read.
    room: u64,
}

impl FontFiles {
    /// This file alone: then a picture is the same on every machine.
    ///
    /// # Errors
    /// The file cannot be read, or is no font.
    pub fn of_file(path: &Path) -> Result<Self, FontFault> {
        let facts = fs::metadata(path).map_err(FontFault::Unreadable)?;
        // A pipe could keep us waiting for ever.
        if !facts.is_file() || facts.len() > LARGEST {
            return Err(FontFault::NoFont);
        }
        let font = Font { data: fs::read(path).map_err(FontFault::Unreadable)? };
        if !font.has_letters() {
            return Err(FontFault::NoFont);
        }
        Ok(FontFiles { read: vec![font], left: Vec::new(), room: 0 })
    }

    /// Those of this machine.
    ///
    /// # Errors
    /// There are none.
    pub fn of_machine() -> Result<Self, FontFault> {
        let home = env::var_os("HOME").map(PathBuf::from);
        let of_user = OF_USER.iter().filter_map(|folder| Some(home.as_ref()?.join(folder)));
        let folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).chain(of_user).collect();
        FontFiles::below(&folders)
    }

    /// Those below these folders.
    fn below(folders: &[PathBuf]) -> Result<Self, FontFault> {
        let (mut found, mut entries) = (Vec::new(), 0);
        folders.iter().for_each(|folder| find(folder, DEEP, &mut entries, &mut found));
        let place = |path: &PathBuf| {
            KNOWN.iter().position(|name| path.file_name().is_some_and(|other| other == *name))
        };
        // From the last to the first, so that the next one is taken from the end.
        found.sort_by_cached_key(|path| {
            let name = path.to_string_lossy().into_owned();
            (place(path).unwrap_or(KNOWN.len()), name)
        });
        found.reverse();
        let mut fonts = FontFiles { read: Vec::new(), left: found, room: ALL };
        while fonts.more() {
            if fonts.read.last().is_some_and(Font::has_letters) {
                // What was read before it has no letters: pictures, or the signs of mathematics.
                let last = fonts.read.len() - 1;
                fonts.read.swap(0, last);
                return Ok(fonts);
            }
        }
        let shown = |folder: &PathBuf| folder.to_string_lossy().into_owned();
        Err(FontFault::None(folders.iter().map(shown).collect()))
    }

    /// Reads one more; whether there was one.
    pub(crate) fn more(&mut self) -> bool {
        while let Some(path) = self.left.pop() {
            let Ok(length) = fs::metadata(&path).map(|facts| facts.len()) else { continue };
            if length > LARGEST.min(self.room) {
                continue;
            }
            // One that is gone or may not be read is none.
            let Ok(data) = fs::read(&path) else { continue };
            self.room -= length.min(self.room);
            self.read.push(Font { data });
            return true;
        }
        false
    }
}

/// The font files below a folder. What cannot be read is left out.
fn find(folder: &Path, deep: usize, entries: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(list) = fs::read_dir(folder) else { return };
    for path in list.flatten().map(|entry| entry.path()) {
        *entries += 1;
        if *entries > ENTRIES {
            return;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) && path.is_file() {
            found.push(path);
        } else if deep > 0 && path.is_dir() {
            find(&path, deep - 1, entries, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_font_the_folders_are_named() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("Arial.ttf"), "no font").unwrap();
        fs::create_dir(home.path().join("empty")).unwrap();
        std::os::unix::fs::symlink(home.path(), home.path().join("empty/again")).unwrap();
        let missing = home.path().join("missing");
        let folders = [home.path().to_owned(), missing.clone()];
        let why = FontFiles::below(&folders).err().unwrap().to_string();
        let wanted =
            format!("no font is on this machine; {}, {} has none", home.path().display(), missing.display());
        assert_eq!(why, wanted);
    }

    #[test]
    fn a_file_that_is_no_font_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("font.ttf");
        for text in ["", "no font", "\0\u{1}\0\0\0\u{9}"] {
            fs::write(&file, text).unwrap();
            assert!(matches!(FontFiles::of_file(&file), Err(FontFault::NoFont)), "{text:?}");
        }
        assert!(matches!(FontFiles::of_file(home.path()), Err(FontFault::NoFont)));
        let missing = home.path().join("missing.ttf");
        assert!(matches!(FontFiles::of_file(&missing), Err(FontFault::Unreadable(_))));
    }
}
