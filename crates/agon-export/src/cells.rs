//! Writes CSV files. All of them are written here, so that no text in a cell is a formula, a second
//! row or an escape sequence.

use std::fmt::Display;
use std::io::Write;

use agon_printable::clean;
use anyhow::Result;

/// The characters that begin a formula in a spreadsheet, and those that it drops before one.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// The contents of one cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CsvCell(String);

impl CsvCell {
    /// Untrusted text: control characters are escaped, and an apostrophe precedes the beginning of
    /// a formula.
    pub fn text(text: &str) -> CsvCell {
        let clean = clean(text);
        CsvCell(if text.starts_with(FORMULA) { format!("'{clean}") } else { clean })
    }

    /// A number, a time or a word of agon, unchanged: `-7` is a number.
    pub fn exact(value: impl Display) -> CsvCell {
        CsvCell(value.to_string())
    }

    /// As [`CsvCell::exact`], or empty for `None`.
    pub fn maybe(value: Option<impl Display>) -> CsvCell {
        value.map_or_else(|| CsvCell(String::new()), CsvCell::exact)
    }

    /// The text in a cell that [`CsvCell::text`] has written.
    pub fn read(cell: &str) -> &str {
        cell.strip_prefix('\'').filter(|text| text.starts_with(FORMULA)).unwrap_or(cell)
    }
}

/// The name of a column.
impl From<&'static str> for CsvCell {
    fn from(name: &'static str) -> CsvCell {
        CsvCell::exact(name)
    }
}

/// The form of a CSV file of another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CsvStyle {
    /// The byte between two cells.
    pub separator: u8,
    /// Whether lines end in `\r\n`.
    pub crlf: bool,
}

/// Writes a CSV file row by row.
pub struct CsvWriter<W: Write> {
    out: csv::Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    /// Begins an empty file. Rows may stay in memory until [`CsvWriter::flush`].
    pub fn new(to: W) -> Self {
        CsvWriter { out: csv::Writer::from_writer(to) }
    }

    /// As [`CsvWriter::new`], for a file of another program, whose rows may have different lengths.
    pub fn in_style(to: W, style: CsvStyle) -> Self {
        let end = if style.crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut builder = csv::WriterBuilder::new();
        CsvWriter { out: builder.flexible(true).delimiter(style.separator).terminator(end).from_writer(to) }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The writer fails, or the row's number of cells differs from that of the first row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = CsvCell>) -> Result<()> {
        Ok(self.out.write_record(cells.into_iter().map(|cell| cell.0))?)
    }

    /// Adds the names of the columns, which are agon's own words.
    ///
    /// # Errors
    /// The writer fails.
    pub fn head(&mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<()> {
        self.row(names.into_iter().map(|name| CsvCell::exact(name.as_ref())))
    }

    /// Hands all rows to the writer.
    ///
    /// # Errors
    /// The writer fails.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// The text of a CSV file with this head and these rows.
///
/// # Errors
/// The text cannot be written.
pub fn text_of(
    head: impl IntoIterator<Item = impl Into<CsvCell>>,
    rows: impl IntoIterator<Item = Vec<CsvCell>>,
) -> Result<String> {
    let mut bytes = Vec::new();
    let mut out = CsvWriter::new(&mut bytes);
    out.row(head.into_iter().map(Into::into))?;
    for row in rows {
        out.row(row)?;
    }
    out.flush()?;
    drop(out);
    Ok(String::from_utf8(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_a_second_row_or_an_escape_sequence() {
        for (hostile, harmless) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("a\n=1", "a\\n=1"),
            ("\u{1b}[2J\u{202e}", "\\x1b[2J\\u{202e}"),
            ("say \"hi\", you", "say \"hi\", you"),
            ("already \\x1b", "already \\x1b"),
        ] {
            let text = text_of(["a", "b"], [vec![CsvCell::text(hostile), CsvCell::exact(-7)]]).unwrap();
            assert_eq!(text.bytes().filter(|byte| *byte == b'\n').count(), 2, "{hostile:?}");
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let row = reader.records().next().unwrap().unwrap();
            assert_eq!((&row[0], &row[1]), (harmless, "-7"));
        }
    }

    #[test]
    fn a_text_comes_back_without_its_apostrophe() {
        for text in ["=1+1", "-5", "plain", "", "'quoted'", "it's"] {
            assert_eq!(CsvCell::read(&CsvCell::text(text).0), text);
        }
    }
}
