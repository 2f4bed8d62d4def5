//! How the two sides learn that the other one knows the token. Each line ends with a newline:
//!
//! ```text
//! listen:  agon-remote 1 NONCE
//! connect: NONCE SESSION RECEIVED PROOF     SESSION is - for a new one
//! listen:  ok SESSION RECEIVED PROOF        or: no WORDS
//!                                           proof PROOF    if it was proved the token itself
//! ```
//!
//! A nonce is 15 random bytes as hexadecimal digits and the version of its side, `v2`; in the first
//! version it is 16 bytes. A session is 16 random bytes. A proof is the HMAC-SHA256
//! (RFC 2104) of the role, both nonces, the session and the number, with the token as its key. So a
//! stranger cannot play, and cannot make the engine play for him. A refusal is proved too, with its
//! words: what is not proved may come from anybody, and decides nothing. What follows is neither
//! encrypted nor signed.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::RemoteError;

/// The first words of a side that listens.
const NAME: &str = "agon-remote 1";
/// One side has so long to prove that it knows the token.
pub(crate) const PROOF: Duration = Duration::from_secs(5);
/// The most bytes of a line of the greeting.
pub(crate) const LINE: usize = 400;
/// A token of fewer bytes could be guessed.
const LEAST: usize = 16;

/// The version of the frames that this side knows. The first words of a greeting, which the first
/// version reads too, stay what they were: a version from 2 on is at the end of a nonce.
const VERSION: &str = "v2";
/// Versions from this one on know looks and answers.
const LOOKS: u32 = 2;

/// What both sides know and nobody else.
#[derive(Clone)]
pub struct Token(Vec<u8>);

impl Token {
    /// The token in a file: its text, without blanks around it.
    ///
    /// # Errors
    /// The file cannot be read, others may read it, or it is too short.
    pub fn read(file: &Path) -> Result<Self, RemoteError> {
        use std::os::unix::fs::PermissionsExt;
        let shown = agon_printable::escape(file.as_os_str().as_encoded_bytes(), 400);
        let wrong = |why: String| RemoteError::Token(format!("{shown}: {why}"));
        let text = fs::read(file).map_err(|error| wrong(error.to_string()))?;
        let mode = fs::metadata(file).map_err(|error| wrong(error.to_string()))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(wrong("other users may read this token; call chmod 600 on it".to_owned()));
        }
        let text = text.trim_ascii();
        if text.len() < LEAST {
            return Err(wrong(format!(
                "the token has {} characters; give at least {LEAST}, for example those of: openssl rand -hex 16",
                text.len()
            )));
        }
        Ok(Token(text.to_vec()))
    }

    /// A token of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Token(bytes.to_vec())
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length will do");
        mac.update(parts.join(" ").as_bytes());
        mac
    }

    fn proof(&self, parts: &[&str]) -> String {
        hex(&self.mac(parts).finalize().into_bytes())
    }

    /// In constant time.
    fn is_proof(&self, parts: &[&str], proof: &str) -> bool {
        unhex(proof).is_some_and(|proof| self.mac(parts).verify_slice(&proof).is_ok())
    }
}

/// 16 random bytes as hexadecimal digits.
///
/// # Errors
/// The system has none.
pub fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(hex(&bytes))
}

/// A nonce that says which version its side has. The proofs cover it.
///
/// # Errors
/// The system has no random bytes.
pub fn nonce() -> io::Result<String> {
    let mut nonce = random()?;
    nonce.replace_range(30.., VERSION);
    Ok(nonce)
}

/// Whether the side with this nonce knows looks. One of the first version does not.
pub fn knows_looks(nonce: &str) -> bool {
    let version = nonce.get(30..).and_then(|end| end.strip_prefix('v'));
    version.and_then(|digit| digit.parse().ok()).is_some_and(|version: u32| version >= LOOKS)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// What a side that connects says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its session; none if it begins one.
    pub session: Option<String>,
    /// How many numbered frames it has received in it.
    pub received: u64,
    /// The nonce of that side.
    pub nonce: String,
}

/// The first line of the side that listens.
pub fn challenge(nonce: &str) -> String {
    format!("{NAME} {nonce}\n")
}

/// The nonce of a challenge.
pub fn read_challenge(line: &str) -> Option<&str> {
    line.strip_prefix(NAME)?.strip_prefix(' ').filter(|nonce| nonce.len() == 32)
}

/// The answer of the side that connects to the challenge with the nonce `theirs`.
pub fn claim(token: &Token, theirs: &str, own: &str, session: Option<&str>, received: u64) -> String {
    let (session, received) = (session.unwrap_or("-"), received.to_string());
    let proof = token.proof(&["connect", theirs, own, session, &received]);
    format!("{own} {session} {received} {proof}\n")
}

/// Reads the answer to the challenge with the nonce `own`. None if it does not prove the token.
pub fn read_claim(token: &Token, own: &str, line: &str) -> Option<Claim> {
    let words: Vec<&str> = line.split(' ').collect();
    let [nonce, session, received, proof] = words[..] else { return None };
    if nonce.len() != 32 || !token.is_proof(&["connect", own, nonce, session, received], proof) {
        return None;
    }
    let session = (session != "-").then(|| session.to_owned());
    Some(Claim { session, received: received.parse().ok()?, nonce: nonce.to_owned() })
}

/// The line that lets the other side in.
pub fn welcome(token: &Token, own: &str, claim: &Claim, session: &str, received: u64) -> String {
    let received = received.to_string();
    let proof = token.proof(&["listen", &claim.nonce, own, session, &received]);
    format!("ok {session} {received} {proof}\n")
}

/// The lines that refuse a side that has proved the token.
pub fn refusal(token: &Token, own: &str, claim: &Claim, words: &str) -> String {
    format!("no {words}\nproof {}\n", token.proof(&["refuse", &claim.nonce, own, words]))
}

/// Whether the line after a refusal proves that the other side knows the token and means it.
pub fn is_proved(token: &Token, own: &str, theirs: &str, words: &str, line: &str) -> bool {
    line.strip_prefix("proof ").is_some_and(|proof| token.is_proof(&["refuse", own, theirs, words], proof))
}

/// Why a side that connects is not let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotLetIn {
    /// The other side says no, in these words, which it has not proved yet.
    Refused(String),
    /// The other side does not know the token.
    NoProof,
}

/// Reads the line that lets us in: the session, and how many frames were received there.
///
/// # Errors
/// [`NotLetIn`].
pub(crate) fn read_welcome(
    token: &Token,
    own: &str,
    theirs: &str,
    line: &str,
) -> Result<(String, u64), NotLetIn> {
    if let Some(why) = line.strip_prefix("no ") {
        return Err(NotLetIn::Refused(why.to_owned()));
    }
    let words: Vec<&str> = line.split(' ').collect();
    if let ["ok", session, received, proof] = words[..]
        && token.is_proof(&["listen", own, theirs, session, received], proof)
        && let Ok(received) = received.parse()
    {
        return Ok((session.to_owned(), received));
    }
    Err(NotLetIn::NoProof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> &str {
        text.strip_suffix('\n').unwrap()
    }

    #[test]
    fn both_sides_prove_the_token() {
        let token = Token::new(b"0123456789abcdef");
        let (here, there) = (random().unwrap(), random().unwrap());
        assert_eq!(read_challenge(line(&challenge(&here))), Some(&*here));
        let claimed = claim(&token, &here, &there, None, 0);
        let read = read_claim(&token, &here, line(&claimed)).unwrap();
        assert_eq!((read.session.as_deref(), read.received), (None, 0));
        let session = random().unwrap();
        let said = welcome(&token, &here, &read, &session, 5);
        assert_eq!(read_welcome(&token, &there, &here, line(&said)), Ok((session, 5)));
    }

    #[test]
    fn a_nonce_says_the_version_of_its_side_and_one_of_the_first_version_says_none() {
        let (one, other) = (nonce().unwrap(), nonce().unwrap());
        assert!(one.len() == 32 && one != other && knows_looks(&one), "{one}");
        assert_eq!(read_challenge(line(&challenge(&one))), Some(&*one), "as the first version reads it");
        assert!(!knows_looks(&random().unwrap()));
        let rest = &one[..30];
        for (end, knows) in [("v1", false), ("v2", true), ("v9", true), ("vx", false), ("2v", false)] {
            assert_eq!(knows_looks(&format!("{rest}{end}")), knows, "{end}");
        }
        assert!(!knows_looks("v2") && !knows_looks(&"é".repeat(16)));
    }

    #[test]
    fn another_token_a_replayed_line_and_a_changed_word_are_refused() {
        let (token, other) = (Token::new(b"0123456789abcdef"), Token::new(b"0123456789abcdeg"));
        let (here, later, there) = (random().unwrap(), random().unwrap(), random().unwrap());
        let claimed = claim(&token, &here, &there, Some("a"), 3);
        assert!(read_claim(&token, &here, line(&claimed)).is_some());
        assert!(read_claim(&other, &here, line(&claimed)).is_none());
        assert!(read_claim(&token, &later, line(&claimed)).is_none(), "replayed");
        assert!(read_claim(&token, &here, &line(&claimed).replace(" 3 ", " 4 ")).is_none());
        for wrong in ["", "- - -", "ok", "GET / HTTP/1.1"] {
            assert!(read_claim(&token, &here, wrong).is_none(), "{wrong}");
        }
        let read = read_claim(&token, &here, line(&claimed)).unwrap();
        let said = welcome(&other, &here, &read, "s", 0);
        assert_eq!(read_welcome(&token, &there, &here, line(&said)), Err(NotLetIn::NoProof));
        let refused = NotLetIn::Refused("taken".to_owned());
        assert_eq!(read_welcome(&token, &there, &here, "no taken"), Err(refused));
    }

    #[test]
    fn a_refusal_is_proved_with_its_words() {
        let (token, other) = (Token::new(b"0123456789abcdef"), Token::new(b"0123456789abcdeg"));
        let (here, there) = (random().unwrap(), random().unwrap());
        let read = read_claim(&token, &here, line(&claim(&token, &here, &there, None, 0))).unwrap();
        let said = refusal(&token, &here, &read, "that game is over");
        let (words, proof) = said.trim_end().split_once('\n').unwrap();
        assert_eq!(words, "no that game is over");
        assert!(is_proved(&token, &there, &here, "that game is over", proof));
        assert!(!is_proved(&token, &there, &here, "the seat is taken", proof), "other words");
        assert!(!is_proved(&token, &random().unwrap(), &here, "that game is over", proof), "replayed");
        assert!(!is_proved(&other, &there, &here, "that game is over", proof));
        assert!(
            ["", "proof", "proof ", "proof 00"]
                .iter()
                .all(|line| !is_proved(&token, &there, &here, "x", line))
        );
    }

    #[test]
    fn a_token_that_others_may_read_or_that_is_short_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        let read = |text: &str, mode| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            Token::read(&file).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(read("0123456789abcdef\n", 0o600), Ok(()));
        assert!(read("0123456789abcdef\n", 0o640).unwrap_err().contains("chmod 600"));
        assert!(read("short\n", 0o600).unwrap_err().contains("5 characters"));
        assert!(Token::read(&home.path().join("none")).is_err());
    }
}
