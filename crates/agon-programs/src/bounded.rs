//! Files of strangers, read up to a bound: a small archive can hold a large file, and a file can
//! have any size without taking any room.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use agon_printable::without_mark;
use rustix::fs::OFlags;

/// The bytes of a file that has at most so many.
///
/// # Errors
/// It cannot be read, is no file, or has more; without its name, and with what to do behind `; `.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| error.to_string();
    // Opening a FIFO would wait for a writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(cannot)?;
    let about = file.metadata().map_err(cannot)?;
    if !about.is_file() {
        return Err("is no file; put a file there".to_owned());
    }
    let mut bytes = Vec::new();
    if about.len() <= most {
        // It may grow meanwhile.
        file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    let found = about.len().max(bytes.len() as u64);
    if found > most {
        let most = most >> 10;
        return Err(format!(
            "has {found} bytes, and at most {most} kB are read; keep what is longer in a file of its own"
        ));
    }
    Ok(bytes)
}

/// The text of a file that has at most so many bytes, without a byte order mark.
///
/// # Errors
/// As [`bytes`]; or it is not UTF-8.
pub fn text(path: &Path, most: u64) -> Result<String, String> {
    String::from_utf8(without_mark(&bytes(path, most)?).to_owned()).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        format!("line {line}: this is not UTF-8; save the file as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        fs::write(&path, "a".repeat(2048)).unwrap();
        assert_eq!(text(&path, 2048).map(|text| text.len()), Ok(2048));
        assert!(text(&path, 2047).unwrap_err().starts_with("has 2048 bytes, and at most 1 kB are read; "));
        File::create(&path).unwrap().set_len(30 << 30).unwrap();
        assert!(bytes(&path, 1 << 16).unwrap_err().contains("has 32212254720 bytes"));
        fs::write(&path, "\u{feff}a").unwrap();
        assert_eq!(text(&path, 100).as_deref(), Ok("a"));
        fs::write(&path, b"a\nb\n\xff").unwrap();
        assert!(text(&path, 100).unwrap_err().starts_with("line 3: "));
        // It never ends, and has no size.
        assert!(bytes(Path::new("/dev/zero"), 100).unwrap_err().starts_with("is no file"));
        let fifo = home.path().join("fifo");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(bytes(&fifo, 100).unwrap_err().starts_with("is no file"));
        assert!(bytes(home.path(), 100).unwrap_err().starts_with("is no file"));
    }
}
