//! The letter cube in the form of a file: its dimensions, its letters, and every error that a file
//! can have.
//!
//! A [`LetterBoard`] never changes once it is read or drawn; the position knows which letters were
//! taken.

use std::fmt;
use std::str::FromStr;

use agon_printable::escape;

/// The size of a cube: each side 1 to 64 cells and one at least 3, as shorter lines make no word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimensions {
    rows: u8,
    columns: u8,
    planes: u8,
}

/// Why a text is not a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DimensionsError {
    /// It does not have three parts.
    #[error("\"{0}\" is not ROWS COLUMNS PLANES; write three numbers, like 6x6x3 or 6 6 3")]
    NotThree(String),
    /// A part is not a number.
    #[error("\"{0}\" is not a number of {1}; write three numbers, like 6x6x3 or 6 6 3")]
    NotANumber(String, &'static str),
    /// A side is too short or too long.
    #[error("{0} {1} are not possible; a cube has 1 to {most} {1}", most = Dimensions::MOST)]
    OutOfRange(String, &'static str),
    /// No line of three cells fits in.
    #[error("no line of three cells fits into {0}; make one side 3 or more")]
    TooSmall(Dimensions),
}

impl Dimensions {
    /// The longest side a cube may have.
    pub const MOST: usize = 64;

    /// A cube of this many rows, columns and planes.
    ///
    /// # Errors
    /// [`DimensionsError::OutOfRange`] or [`DimensionsError::TooSmall`].
    pub fn new(rows: usize, columns: usize, planes: usize) -> Result<Self, DimensionsError> {
        let side = |cells: usize, of| match u8::try_from(cells) {
            Ok(side) if (1..=Self::MOST).contains(&cells) => Ok(side),
            _ => Err(DimensionsError::OutOfRange(cells.to_string(), of)),
        };
        let dimensions = Dimensions {
            rows: side(rows, "rows")?,
            columns: side(columns, "columns")?,
            planes: side(planes, "planes")?,
        };
        if rows.max(columns).max(planes) < 3 {
            return Err(DimensionsError::TooSmall(dimensions));
        }
        Ok(dimensions)
    }

    /// The number of rows; x counts them.
    pub fn rows(self) -> usize {
        usize::from(self.rows)
    }

    /// The number of columns; y counts them.
    pub fn columns(self) -> usize {
        usize::from(self.columns)
    }

    /// The number of planes; z counts them, downwards.
    pub fn planes(self) -> usize {
        usize::from(self.planes)
    }

    /// The number of cells.
    pub fn cells(self) -> usize {
        self.stacks() * self.planes()
    }

    /// The number of cells of one plane.
    pub(super) fn stacks(self) -> usize {
        self.rows() * self.columns()
    }
}

/// `6x6x3`, which can be read back.
impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.rows, self.columns, self.planes)
    }
}

/// Reads `6x6x3`, `6 6 3` and `6 × 6 × 3`.
impl FromStr for Dimensions {
    type Err = DimensionsError;

    fn from_str(text: &str) -> Result<Self, DimensionsError> {
        let crosses = ['x', 'X', '×'];
        let parts: Vec<&str> = if text.contains(crosses) {
            text.split(crosses).map(str::trim).collect()
        } else {
            text.split_whitespace().collect()
        };
        let &[rows, columns, planes] = parts.as_slice() else {
            return Err(DimensionsError::NotThree(escape(text.as_bytes(), 40)));
        };
        let side = |part: &str, of| {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(DimensionsError::NotANumber(escape(part.as_bytes(), 40), of));
            }
            part.parse().map_err(|_| DimensionsError::OutOfRange(escape(part.as_bytes(), 20), of))
        };
        Dimensions::new(side(rows, "rows")?, side(columns, "columns")?, side(planes, "planes")?)
    }
}

/// The letters of a cube. Columns have no gaps: below a blank there are only blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterBoard {
    dimensions: Dimensions,
    /// The cells down through the planes, column after column, row after row; blanks are 0.
    cells: Vec<u8>,
}

/// Why a file is not a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the board: {fault}")]
pub struct BoardError {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong in it.
    pub fault: BoardFault,
}

/// An error in a line of a board. Every message says what to do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardFault {
    /// The file has more bytes than any board.
    #[error("the file has {0} bytes, more than the largest board has; give a board file")]
    TooLarge(u64),
    /// The first line is missing.
    #[error("the file is empty; its first line gives the dimensions, like 6 6 3, and a row a line follows")]
    Empty,
    /// The first line is not the size of a cube.
    #[error("{0}")]
    Dimensions(#[from] DimensionsError),
    /// Rows are missing.
    #[error(
        "only {found} of the {wanted} rows of {dimensions} are there; add the missing ones, or correct the dimensions"
    )]
    TooFew {
        /// The rows in the file.
        found: usize,
        /// The rows required, of all planes together.
        wanted: usize,
        /// The size in the first line.
        dimensions: Dimensions,
    },
    /// More lines follow the last row.
    #[error("this is row {}, and {dimensions} has {wanted} rows; take it away, or correct the dimensions", wanted + 1)]
    TooMany {
        /// The rows required, of all planes together.
        wanted: usize,
        /// The size in the first line.
        dimensions: Dimensions,
    },
    /// An empty line in the middle of a plane.
    #[error(
        "it is empty, in the middle of plane {plane}; empty lines may stand between planes only, and a blank is written _"
    )]
    Gap {
        /// The plane.
        plane: usize,
    },
    /// A row of the wrong length.
    #[error("the row has {found} cells and should have {wanted}; write each blank as _")]
    Ragged {
        /// The cells in the row.
        found: usize,
        /// The columns of the board.
        wanted: usize,
    },
    /// A cell that is neither a lower-case letter nor a blank.
    #[error("cell {column} is {what}; a cell is one letter a to z, or _ for a blank")]
    Cell {
        /// The cell in its row, from 1.
        column: usize,
        /// The name of its contents.
        what: String,
    },
    /// A letter below a blank.
    #[error(
        "the letter at {row},{column},{plane} lies below a blank; columns are closed upwards, so put the blanks under the letters"
    )]
    Floating {
        /// x of the letter, from 1.
        row: usize,
        /// y of the letter, from 1.
        column: usize,
        /// z of the letter, from 1.
        plane: usize,
    },
}

impl LetterBoard {
    /// The most bytes of a board file; the largest board needs a quarter of them.
    pub const MAX_BYTES: u64 = 1 << 20;

    /// A board whose cells come from `letter`, called in the order of a file: row by row and plane
    /// by plane.
    pub(super) fn from_fn(dimensions: Dimensions, mut letter: impl FnMut() -> u8) -> Self {
        let mut board = Self::blank(dimensions);
        for z in 0..dimensions.planes() {
            for stack in 0..dimensions.stacks() {
                board.cells[stack * dimensions.planes() + z] = letter();
            }
        }
        board
    }

    fn blank(dimensions: Dimensions) -> Self {
        LetterBoard { dimensions, cells: vec![0; dimensions.cells()] }
    }

    /// Reads a board file: the dimensions, then one row per line, plane by plane.
    ///
    /// Blanks are `_` or a space. Empty lines before, between and after planes and `\r\n` are
    /// allowed.
    ///
    /// # Errors
    /// A [`BoardError`], with the first wrong line and what to do.
    pub fn parse(bytes: &[u8]) -> Result<Self, BoardError> {
        if bytes.len() as u64 > Self::MAX_BYTES {
            return Err(BoardError { line: 1, fault: BoardFault::TooLarge(bytes.len() as u64) });
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let mut lines = (1..)
            .zip(text.split(|&byte| byte == b'\n'))
            .map(|(number, line)| (number, line.strip_suffix(b"\r").unwrap_or(line)));

        let (_, first) = lines.next().expect("splitting gives one line at least");
        if first.trim_ascii().is_empty() {
            return Err(BoardError { line: 1, fault: BoardFault::Empty });
        }
        let dimensions = dimensions_of(first).map_err(|fault| BoardError { line: 1, fault })?;
        let mut board = Self::blank(dimensions);
        let wanted = dimensions.rows() * dimensions.planes();
        let mut found = 0;
        let mut last = 1;
        for (line, row) in lines {
            last = line;
            let fault = match row.is_empty() {
                true if found % dimensions.rows() == 0 => continue,
                true => Err(BoardFault::Gap { plane: found / dimensions.rows() + 1 }),
                false => board.put_row(found, row),
            };
            fault.map_err(|fault| BoardError { line, fault })?;
            found += 1;
        }
        if found < wanted {
            return Err(BoardError { line: last, fault: BoardFault::TooFew { found, wanted, dimensions } });
        }
        Ok(board)
    }

    /// Reads the rows of all planes, one after the other, joined by `/`.
    ///
    /// # Errors
    /// The row, from 1, and what is wrong with it.
    pub(super) fn parse_rows(dimensions: Dimensions, text: &str) -> Result<Self, (usize, BoardFault)> {
        let mut board = Self::blank(dimensions);
        let wanted = dimensions.rows() * dimensions.planes();
        let mut found = 0;
        for row in text.split('/') {
            board.put_row(found, row.as_bytes()).map_err(|fault| (found + 1, fault))?;
            found += 1;
        }
        if found < wanted {
            return Err((found, BoardFault::TooFew { found, wanted, dimensions }));
        }
        Ok(board)
    }

    /// Fills in a row of the file, counted from 0 through all planes.
    fn put_row(&mut self, row: usize, bytes: &[u8]) -> Result<(), BoardFault> {
        let dimensions = self.dimensions;
        let wanted = dimensions.rows() * dimensions.planes();
        if row >= wanted {
            return Err(BoardFault::TooMany { wanted, dimensions });
        }
        let is_cell = |byte: &u8| matches!(byte, b'a'..=b'z' | b'_' | b' ');
        if let Some(at) = bytes.iter().position(|byte| !is_cell(byte)) {
            return Err(BoardFault::Cell { column: at + 1, what: name(&bytes[at..]) });
        }
        if bytes.len() != dimensions.columns() {
            return Err(BoardFault::Ragged { found: bytes.len(), wanted: dimensions.columns() });
        }
        let (plane, row) = (row / dimensions.rows(), row % dimensions.rows());
        for (column, &byte) in bytes.iter().enumerate() {
            if !byte.is_ascii_lowercase() {
                continue;
            }
            let at = (row * dimensions.columns() + column) * dimensions.planes() + plane;
            if plane > 0 && self.cells[at - 1] == 0 {
                return Err(BoardFault::Floating { row: row + 1, column: column + 1, plane: plane + 1 });
            }
            self.cells[at] = byte;
        }
        Ok(())
    }

    /// The size of the cube.
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The letters of a column from the top down, by its place in a plane (row by row); blanks are
    /// 0.
    pub(super) fn stack(&self, stack: usize) -> &[u8] {
        let planes = self.dimensions.planes();
        &self.cells[stack * planes..(stack + 1) * planes]
    }
}

fn dimensions_of(line: &[u8]) -> Result<Dimensions, BoardFault> {
    match std::str::from_utf8(line) {
        Ok(text) => Ok(text.parse()?),
        Err(_) => Err(DimensionsError::NotThree(escape(line, 40)).into()),
    }
}

/// The name of the first character of these bytes.
fn name(bytes: &[u8]) -> String {
    let chunk = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match chunk.chars().next() {
        None => format!("the byte 0x{:02x}, which is no text", bytes[0]),
        Some(letter @ 'A'..='Z') => format!("the capital {letter}"),
        Some(digit @ '0'..='9') => format!("the digit {digit}"),
        Some('\t') => "a tab".to_owned(),
        Some('\r') => "a carriage return".to_owned(),
        Some('\u{feff}') => "U+FEFF, a byte order mark, to be taken away".to_owned(),
        Some(sign) if !sign.is_ascii() => match looks_like(sign) {
            Some(latin) => format!("U+{:04X}, another letter that looks like {latin}", u32::from(sign)),
            None => format!("U+{:04X} {}", u32::from(sign), escape(sign.to_string().as_bytes(), 20)),
        },
        Some(sign) => format!("'{}'", escape(sign.to_string().as_bytes(), 20)),
    }
}

/// The Latin letter that looks like this Cyrillic or Greek one.
fn looks_like(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' => 'n',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => return None,
    })
}
