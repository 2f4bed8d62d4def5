//! The class that starts another one in Java, where several can be started and one was chosen.

use std::path::Path;

use super::languages::{Sources, class_of, package_of};
use super::own_lines::{OWN, own_lines};

/// A class beside another one in Java, under a name by which it is found, that starts the other:
/// its path and its text. `None` if both names are taken.
pub(super) fn beside(folder: &Path, name: &str) -> Option<(String, String)> {
    let sources = Sources::of(folder).ok()?;
    let text = sources.text(name);
    let all = sources.ending_in(&[".java"]);
    let is_taken = |class: &str| {
        let words = ["class", "interface", "enum", "record"].map(|kind| format!("{kind} {class}"));
        let has = |path: &String| {
            class_of(path) == class || words.iter().any(|word| sources.text(path).contains(word))
        };
        all.iter().any(has)
    };
    let class = ["Main", "Engine"].into_iter().find(|class| !is_taken(class))?;
    let package = package_of(&text).map(|package| format!("package {package};\n")).unwrap_or_default();
    let own: String = own_lines(&text).lines().map(|line| format!("// {OWN}: {line}\n")).collect();
    let (other, path) = (class_of(name), Path::new(name).with_file_name(format!("{class}.java")));
    let starter = format!(
        "{package}{own}final class {class} {{\n    public static void main(String[] words) throws Throwable {{\n        \
         {other}.main(words);\n    }}\n}}\n"
    );
    Some((path.to_string_lossy().into_owned(), starter))
}
