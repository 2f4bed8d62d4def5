//! Tables as spreadsheets and learning systems write them, with or without a byte order mark.
//! Commas, semicolons or tabs separate the cells. Lines end in either way.

use agon_export::cells::{CsvCell, CsvStyle, CsvWriter};
use agon_printable::{MARK, text_without_mark};
use anyhow::Result;

/// What Windows-1252 has where Latin-1 has control characters; a replacement for what it lacks.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', //
    '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// The text of a table, and whether it was read as Windows-1252, in which Excel writes CSV files in
/// western countries. `None` if it is no text at all.
pub fn text_of_table(bytes: Vec<u8>) -> Option<(String, bool)> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some((text, false)),
        Err(error) => error.into_bytes(),
    };
    if bytes.contains(&0) {
        return None; // UTF-16, or no text
    }
    let read = |byte: u8| match byte {
        0x80..0xa0 => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    Some((bytes.into_iter().map(read).collect(), true))
}

/// The text without its byte order mark, and its separator: the one that the first line has most
/// of. Excel writes semicolons in countries whose decimal separator is a comma.
pub(super) fn opened(text: &str) -> (&str, u8) {
    let text = text_without_mark(text);
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in text.bytes().take_while(|byte| *byte != b'\n') {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| !quoted && *separator == byte) {
            *count += 1;
        }
    }
    // Of equals the first, which is the comma.
    let (separator, _) = counts.iter().rev().max_by_key(|(_, count)| *count).expect("there are three");
    (text, *separator)
}

/// The place of the column with this name, in any case, if there is one.
///
/// # Errors
/// In words: there are several, and nobody knows which of them is meant.
pub(super) fn place_of<'a>(
    head: impl IntoIterator<Item = &'a str>,
    name: &str,
) -> std::result::Result<Option<usize>, String> {
    let fits = |cell: &str| cell.trim().eq_ignore_ascii_case(name);
    let found: Vec<usize> = (0..).zip(head).filter(|(_, cell)| fits(cell)).map(|(place, _)| place).collect();
    match found[..] {
        [first, second, ..] => Err(format!(
            "column {name} is there more than once, as columns {} and {}; keep one of them, or rename the others",
            first + 1,
            second + 1
        )),
        _ => Ok(found.first().copied()),
    }
}

/// A table of another program, which is written back as it was but for single cells.
#[derive(Clone)]
pub(super) struct CsvSheet {
    has_mark: bool,
    style: CsvStyle,
    /// Its rows, the head first.
    pub(super) rows: Vec<Vec<String>>,
}

impl CsvSheet {
    /// Reads a table. Its rows may have different lengths.
    ///
    /// # Errors
    /// The text is not CSV.
    pub(super) fn read(text: &str) -> Result<Self> {
        let (body, separator) = opened(text);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .from_reader(body.as_bytes());
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in reader.records() {
            rows.push(row?.iter().map(str::to_owned).collect());
        }
        let style = CsvStyle { separator, crlf: body.contains("\r\n") };
        Ok(CsvSheet { has_mark: text.starts_with(MARK), style, rows })
    }

    /// The names of its columns.
    pub(super) fn head(&self) -> &[String] {
        self.rows.first().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether its numbers have a decimal comma.
    pub(super) fn has_decimal_commas(&self) -> bool {
        let is_number = |cell: &String| {
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            cell.split_once(',').is_some_and(|(whole, rest)| digits(whole) && digits(rest))
        };
        self.style.separator != b',' && self.rows.iter().flatten().any(is_number)
    }

    /// The table as text. The cells belong to the other program, which reads them back unchanged.
    ///
    /// # Errors
    /// The text cannot be written.
    pub(super) fn text(&self) -> Result<String> {
        let mut bytes = Vec::new();
        let mut out = CsvWriter::in_style(&mut bytes, self.style);
        for row in &self.rows {
            out.row(row.iter().map(CsvCell::exact))?;
        }
        out.flush()?;
        drop(out);
        let mark = if self.has_mark { MARK } else { "" };
        Ok(format!("{mark}{}", String::from_utf8(bytes)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_is_there_twice_is_refused() {
        assert_eq!(place_of(["id", " Grade ", "reason"], "grade"), Ok(Some(1)));
        assert_eq!(place_of(["id"], "grade"), Ok(None));
        let why = place_of(["grade", "id", "GRADE"], "grade").unwrap_err();
        assert!(why.starts_with("column grade is there more than once, as columns 1 and 3; "), "{why}");
    }

    #[test]
    fn a_table_of_a_spreadsheet_comes_back_as_it_was() {
        for text in
            ["a,b\n1,x;y;z\n", "\u{feff}a;b\r\n\"x;y\";1,5\r\n", "a\tb\n1\t2\n", "\"a,;;;\",b,c\n1,2\n", ""]
        {
            let sheet = CsvSheet::read(text).unwrap();
            assert_eq!(sheet.text().unwrap(), text);
            assert!(text.is_empty() || sheet.head().len() > 1, "{text:?}");
        }
        assert!(CsvSheet::read("a;b\n1,5;2\n").unwrap().has_decimal_commas());
        assert!(!CsvSheet::read("a;b\n1.5;2\n").unwrap().has_decimal_commas());
        assert!(!CsvSheet::read("a,b\n\"1,5\",2\n").unwrap().has_decimal_commas());
    }
}
