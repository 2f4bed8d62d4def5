//! The intake of a class as a page for its teacher.

use maud::html;

use super::alone;

const STYLE: &str = "body{font:15px/1.4 sans-serif;margin:2em}table{border-collapse:collapse}\
    th,td{text-align:left;vertical-align:top;padding:.2em .7em;border-bottom:1px solid #ccc}\
    pre{background:#fff4e0;padding:.8em;white-space:pre-wrap;font:14px/1.4 monospace}";

/// A page with what is open and a table. It needs no other file.
pub fn html(title: &str, questions: &str, head: &[&str], rows: &[&[String]]) -> String {
    let content = html! {
        h1 { (title) }
        @if questions.is_empty() { p { "No question is open." } } @else { h2 { "Open questions" } pre { (questions) } }
        table {
            tr { @for column in head { th { (column) } } }
            @for row in rows { tr { @for cell in *row { td { (cell) } } } }
        }
    };
    alone::page(title, STYLE, &content)
}
