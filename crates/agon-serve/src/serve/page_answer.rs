//! A page or a file as it is sent: plain and packed, with a tag by which a browser knows it again.

use std::io::Write as _;

use agon_pages::pages;
use axum::body::Bytes;
use axum::http::StatusCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A file as it is sent.
pub(super) struct PageAnswer {
    /// 200, 404 if there is no such page, 503 if the run cannot be read.
    pub(super) status: StatusCode,
    /// Its media type.
    pub(super) media_type: &'static str,
    /// A hash of the content, in quotes.
    pub(super) tag: String,
    /// The content.
    pub(super) plain: Bytes,
    /// The same, compressed with gzip.
    pub(super) packed: Bytes,
}

impl PageAnswer {
    /// A text as it is sent.
    pub(super) fn new(status: StatusCode, media_type: &'static str, text: String) -> PageAnswer {
        let hash = Sha256::digest(&text);
        let tag: String = hash.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory does not fail.
        let packed = packer.write_all(text.as_bytes()).and_then(|()| packer.finish()).unwrap_or_default();
        PageAnswer {
            status,
            media_type,
            tag: format!("\"{tag}\""),
            plain: text.into(),
            packed: packed.into(),
        }
    }

    /// A page that says what is wrong.
    pub(super) fn problem(status: StatusCode, title: &str, what: &str, revision: &str) -> PageAnswer {
        PageAnswer::new(status, "text/html; charset=utf-8", pages::problem(title, what, revision))
    }
}
