//! The keys of an `engine.toml` that not every protocol has, once.

use agon_protocol::Protocol;

/// A key that only some protocols have.
pub(super) struct ProtocolKey {
    /// The key.
    pub(super) key: &'static str,
    /// The protocols that have it, by name.
    protocols: &'static [&'static str],
    /// What is said of another protocol, behind its name.
    lacks: &'static str,
    /// What to do then.
    hint: &'static str,
}

/// The relatives of UGI.
const UGI: &[&str] = &["ugi", "uci", "tei", "uai"];

/// All of these keys.
pub(super) const PROTOCOL_KEYS: [ProtocolKey; 5] = [
    ProtocolKey {
        key: "board",
        protocols: &["lines"],
        lacks: "tells the board in its own words",
        hint: "leave this key out",
    },
    ProtocolKey {
        key: "console",
        protocols: &["console"],
        lacks: "has no such table",
        hint: "write protocol = \"console\", or leave this key out",
    },
    ProtocolKey {
        key: "gomocup",
        protocols: &["gomocup"],
        lacks: "has no such table",
        hint: "write protocol = \"gomocup\", or leave this key out",
    },
    ProtocolKey {
        key: "options",
        protocols: UGI,
        lacks: "has none",
        hint: "write protocol = \"ugi\", or \"uci\" for chess, or use args or env",
    },
    ProtocolKey {
        key: "ugi",
        protocols: UGI,
        lacks: "has no such words",
        hint: "write protocol = \"ugi\", \"uci\", \"tei\" or \"uai\", or leave this key out",
    },
];

/// The key whose meaning depends on the protocol, though each has it.
const SPAN: &str = "process";

/// Sees that a protocol has all of these keys.
///
/// # Errors
/// It has not; with the key and what to do.
pub(super) fn check<'a>(given: impl Iterator<Item = &'a str>, protocol: &Protocol) -> Result<(), String> {
    let name = protocol.name();
    for given in given {
        let found = PROTOCOL_KEYS.iter().find(|known| known.key == given);
        if let Some(ProtocolKey { key, lacks, hint, .. }) =
            found.filter(|known| !known.protocols.contains(&name))
        {
            return Err(format!("key {key}: the protocol {name} {lacks}; {hint}"));
        }
    }
    Ok(())
}

/// What to write beside a key that means nothing as long as the protocol is not known. `None` if
/// the key does not depend on it.
pub(super) fn protocol_wanted(key: &str) -> Option<String> {
    let known = PROTOCOL_KEYS.iter().find(|known| known.key == key);
    let example = match known {
        Some(known) => known.protocols,
        None if key == SPAN => &["uci"],
        None => return None,
    };
    let quoted: Vec<String> = example.iter().map(|name| format!("\"{name}\"")).collect();
    Some(match &quoted[..] {
        [all @ .., last] if !all.is_empty() => format!("protocol = {} or {last}", all.join(", ")),
        _ => format!("protocol = {}", quoted.concat()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_file::EngineFile;

    const ALL: [&str; 8] = ["lines", "ugi", "uci", "tei", "uai", "gtp", "gomocup", "console"];

    /// A line of each key of an `engine.toml` that changes how an engine plays.
    const LINES: [(&str, &str); 12] = [
        ("args", "args = [\"-x\"]"),
        ("board", "board = \"stdin\""),
        ("console", "[console]\nanswer = '(move)'\nsay = \"{move}\"\nown = \"{move}\""),
        ("directory", "directory = \"own\""),
        ("echo", "echo = [\"cat\"]"),
        ("env", "[env]\nX = \"1\""),
        ("gomocup", "[gomocup]"),
        ("options", "[options]\nHash = 1"),
        ("place", "place = \"lab\""),
        ("process", "process = \"game\""),
        ("pty", "pty = true"),
        ("ugi", "[ugi]"),
    ];

    /// The whole table: each protocol with each key is taken or refused by name.
    #[test]
    fn a_protocol_takes_a_key_that_it_has_and_refuses_every_other() {
        let mut refused = 0;
        for protocol in ALL {
            for (key, line) in LINES {
                let needs = match (protocol, key) {
                    ("console", "console") | (_, "console") => "",
                    ("console", _) => "\n[console]\nanswer = '(move)'\nsay = \"{move}\"\nown = \"{move}\"",
                    _ => "",
                };
                let text = format!("command = [\"sh\"]\nprotocol = \"{protocol}\"\n{line}{needs}\n");
                let has = match key {
                    "board" => protocol == "lines",
                    "console" | "gomocup" => protocol == key,
                    "options" | "ugi" => ["ugi", "uci", "tei", "uai"].contains(&protocol),
                    _ => true,
                };
                let read =
                    crate::spec::EngineSpec::of_text("there", std::path::Path::new("/there"), text.clone());
                match read {
                    Ok(_) => assert!(has, "{text}"),
                    Err(why) => {
                        assert!(!has, "{text}: {why}");
                        assert!(why.contains(&format!("key {key}: the protocol {protocol} ")), "{why}");
                        assert!(why.contains("; "), "what to do: {why}");
                        refused += 1;
                    }
                }
            }
        }
        assert_eq!(refused, 7 * 3 + 4 * 2);
    }

    /// A new key of an `engine.toml` gets its line above.
    #[test]
    fn the_table_has_each_key_of_an_engine_toml() {
        let why = EngineFile::parse("none-of-these = 1").map(|_| ()).unwrap_err();
        let listed = why.split_once("expected one of ").expect("a list of keys").1;
        let of_program = ["name", "command", "protocol", "build", "games", "kept", "learns"];
        for key in listed.split('`').skip(1).step_by(2).filter(|key| !of_program.contains(key)) {
            assert!(LINES.iter().any(|(known, _)| *known == key), "{key}");
        }
    }

    #[test]
    fn what_depends_on_the_protocol_asks_for_it() {
        for (key, wanted) in [
            ("board", Some("protocol = \"lines\"")),
            ("process", Some("protocol = \"uci\"")),
            ("ugi", Some("protocol = \"ugi\", \"uci\", \"tei\" or \"uai\"")),
            ("args", None),
        ] {
            assert_eq!(protocol_wanted(key).as_deref(), wanted);
        }
    }
}
