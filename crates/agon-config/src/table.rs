//! The tables of a `tournament.toml`: one struct for each, which lists its keys once.

use super::lines::{KeyLines, TomlEntry, Within};

/// A key of a table, as `docs/keys.md` explains it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The field that holds its value.
    pub(super) field: &'static str,
    /// What may be written, in words.
    pub value: fn() -> String,
    /// What it means, and a note: its default, or that it is required.
    pub(super) about: &'static str,
}

impl Key {
    /// The key as it is written.
    pub fn name(&self) -> String {
        self.field.replace('_', "-")
    }

    /// What it means.
    pub fn meaning(&self) -> &'static str {
        self.parts().0.trim()
    }

    /// The value it has when it is not written, if it then has any.
    pub fn default(&self) -> Option<&'static str> {
        self.parts().1.strip_prefix(DEFAULT)?.strip_suffix(']')
    }

    /// Whether it must be written.
    pub fn is_required(&self) -> bool {
        self.parts().1 == REQUIRED
    }

    /// The meaning, and the note behind it.
    fn parts(&self) -> (&'static str, &'static str) {
        let note = self.about.rfind(DEFAULT).or_else(|| self.about.rfind(REQUIRED));
        self.about.split_at(note.unwrap_or(self.about.len()))
    }
}

/// The beginning of the note of a key with a default, which ends in `]`.
const DEFAULT: &str = " [default: ";

/// The note of a key that must be written.
const REQUIRED: &str = " (required)";

/// A table whose keys are fields of a struct; [`keys!`] makes it.
pub(super) trait FileTable: Default {
    /// Its keys.
    const KEYS: &'static [Key];

    /// Sets the field of this key. `false`: the table has no such key.
    ///
    /// # Errors
    /// As [`super::values::KeyValue::read`].
    fn set(&mut self, entry: &TomlEntry<'_>) -> anyhow::Result<bool>;

    /// Adds the lines on which it is written.
    fn with_lines(self, lines: KeyLines) -> Self;

    /// Reads a table.
    ///
    /// # Errors
    /// [`super::Misuse`], which names file, line and key.
    fn read_table(entry: &TomlEntry<'_>, within: Within) -> anyhow::Result<Self> {
        let Some(table) = entry.value.get_ref().as_table() else { return Err(entry.expected("a table")) };
        let lines = KeyLines::of(entry.source, within, entry.line(), table);
        let mut read = Self::default();
        for entry in TomlEntry::all(entry.source, &lines, table) {
            if !read.set(&entry)? {
                let keys: Vec<String> = Self::KEYS.iter().map(Key::name).collect();
                return Err(entry.unknown(&keys.iter().map(String::as_str).collect::<Vec<_>>()));
            }
        }
        match Self::KEYS.iter().find(|key| key.is_required() && !lines.has(&key.name())) {
            Some(key) => Err(lines.misuse(&key.name(), "is missing")),
            None => Ok(read.with_lines(lines)),
        }
    }
}

/// Makes a struct for a table of a file, with a field for each key, and the list `KEYS` of the
/// keys.
///
/// So a key that is added is read, known to messages, and in the reference. The reference takes its
/// words from the comment of the field, which may end in `[default: VALUE]` or `(required)`.
macro_rules! keys {
    ($(#[$about:meta])* $name:ident { $($(#[doc = $doc:tt])+ $field:ident : $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Default, Debug)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $kind,)*
            /// The lines of the keys that are in a file.
            pub lines: $crate::lines::KeyLines,
        }

        impl $name {
            /// The keys, as `docs/keys.md` explains them.
            pub const KEYS: &[$crate::table::Key] = &[$($crate::table::Key {
                field: stringify!($field),
                value: <$kind as $crate::values::KeyValue>::shape,
                about: concat!($($doc),+),
            }),*];
        }

        impl $crate::table::FileTable for $name {
            const KEYS: &'static [$crate::table::Key] = $name::KEYS;

            fn set(&mut self, entry: &$crate::lines::TomlEntry<'_>) -> anyhow::Result<bool> {
                $(if entry.is(stringify!($field)) {
                    self.$field = $crate::values::KeyValue::read(entry)?;
                    return Ok(true);
                })*
                Ok(false)
            }

            fn with_lines(mut self, lines: $crate::lines::KeyLines) -> Self {
                self.lines = lines;
                self
            }
        }
    };
}
pub(super) use keys;

/// Tables that stand in a list, each with its lines.
macro_rules! tables_in_a_list {
    ($kind:ty, $noun:literal, $shape:literal) => {
        impl $crate::values::KeyValue for $kind {
            fn shape() -> String {
                "a table".to_owned()
            }
            fn list_shape() -> String {
                "a list of tables".to_owned()
            }
            fn read(entry: &$crate::lines::TomlEntry<'_>) -> anyhow::Result<Self> {
                match entry.number {
                    Some(number) => $crate::table::FileTable::read_table(
                        entry,
                        $crate::lines::Within::List($noun, number),
                    ),
                    None => Err(entry.expected($shape)),
                }
            }
        }
    };
}
pub(super) use tables_in_a_list;
