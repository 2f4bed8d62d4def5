//! A page that needs no other file: it is handed to one person.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page with this title, style sheet and content.
pub(super) fn page(title: &str, style: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { (content) }
        }
    };
    page.into_string()
}
