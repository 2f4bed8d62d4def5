//! The addresses of the pages: where a page lies, and how another page links to it.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

/// A page of a report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Address {
    /// The directory of the stage or night, like `stage-1`; `None` for a run without parts, and for
    /// the pages of a whole cup.
    pub(super) part: Option<String>,
    /// Which of its pages.
    pub(super) page: Page,
}

/// The kinds of pages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Page {
    /// The whole cup: its stages and its bracket.
    Cup,
    /// The standings of a run, its first page.
    Standings,
    /// The crosstable.
    Crosstable,
    /// An engine, by its name in addresses.
    Engine(String),
    /// The replay of a game, by its id.
    Game(String),
    /// A page of the list of games, from 1.
    Games(usize),
    /// The history of the runs.
    History,
    /// How it was played: conditions, machine, isolation.
    About,
    /// The games in play, from a server alone.
    Live,
    /// Where people play, from a server alone.
    Play,
}

impl Address {
    /// The address of a page in the same part.
    pub(super) fn beside(&self, page: Page) -> Address {
        Address { part: self.part.clone(), page }
    }

    /// The name of the page without an ending: `stage-1/engine/greedy`. It is the `id` of its
    /// section in a single file.
    pub(super) fn name(&self) -> String {
        let page = match &self.page {
            Page::Cup | Page::Standings => "index".to_owned(),
            Page::Crosstable => "crosstable".to_owned(),
            Page::Engine(engine) => format!("engine/{engine}"),
            Page::Game(id) => format!("game/{id}"),
            Page::Games(number) => format!("games/{number}"),
            Page::History => "history".to_owned(),
            Page::About => "about".to_owned(),
            Page::Live => "live".to_owned(),
            Page::Play => "play".to_owned(),
        };
        match &self.part {
            Some(part) => format!("{part}/{page}"),
            None => page,
        }
    }

    /// Its file in the folder of a report: `stage-1/engine/greedy.html`.
    pub(super) fn file(&self) -> String {
        self.name() + ".html"
    }

    /// The page of a run or a cup that lies at a [`name`](Self::name). It has no other name.
    /// Whether there is such an engine or game is not looked at.
    pub(super) fn of_name(name: &str, is_cup: bool) -> Option<Address> {
        Address::meant_by(name, is_cup).filter(|address| address.name() == name)
    }

    /// The page that a name means, also if it is not written as the page has it: `games/01`.
    fn meant_by(name: &str, is_cup: bool) -> Option<Address> {
        if name == "live" {
            return Some(Address { part: None, page: Page::Live });
        }
        if is_cup && name == "index" {
            return Some(Address { part: None, page: Page::Cup });
        }
        let (part, page) = match is_cup {
            true => name.split_once('/').map(|(part, page)| (Some(part.to_owned()), page))?,
            false => (None, name),
        };
        let page = match page.split_once('/') {
            None => match page {
                "index" => Page::Standings,
                "crosstable" => Page::Crosstable,
                "history" => Page::History,
                "about" => Page::About,
                _ => return None,
            },
            Some(("engine", slug)) => Page::Engine(slug.to_owned()),
            Some(("game", id)) => Page::Game(id.to_owned()),
            Some(("games", number)) => Page::Games(number.parse().ok()?),
            Some(_) => return None,
        };
        Some(Address { part, page })
    }
}

/// The form in which pages are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A file for each page.
    Folder,
    /// The same from a server, which also tells the pages when they have changed.
    Served,
    /// One file with all pages.
    Single,
    /// One file with one page, which links to no other.
    Alone,
}

/// The links of one page to others.
#[derive(Clone, Debug)]
pub(super) struct Links {
    form: Form,
    here: Address,
}

impl Links {
    /// The links of the page `here`.
    pub(super) fn new(form: Form, here: Address) -> Links {
        Links { form, here }
    }

    /// The form of the report.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The page itself.
    pub(super) fn here(&self) -> &Address {
        &self.here
    }

    /// A link to another page of the same part.
    pub(super) fn page(&self, page: Page) -> String {
        self.to(&self.here.beside(page))
    }

    /// A link to a page.
    pub(super) fn to(&self, address: &Address) -> String {
        match self.form {
            Form::Folder | Form::Served => self.file(&address.file()),
            Form::Single | Form::Alone => format!("#{}", address.name()),
        }
    }

    /// A link to an element of a page.
    pub(super) fn to_element(&self, address: &Address, element: &str) -> String {
        match self.form {
            Form::Folder | Form::Served => format!("{}#{element}", self.file(&address.file())),
            Form::Single | Form::Alone => format!("#{}/{element}", address.name()),
        }
    }

    /// The `id` of an element of this page.
    pub(super) fn id(&self, element: &str) -> String {
        match self.form {
            Form::Folder | Form::Served | Form::Alone => element.to_owned(),
            Form::Single => format!("{}/{element}", self.here.name()),
        }
    }

    /// The relative path from this page to a file of the folder.
    pub(super) fn file(&self, file: &str) -> String {
        "../".repeat(self.here.file().matches('/').count()) + file
    }
}

/// The most characters of a name in an address.
const MOST: usize = 60;

/// A name for addresses for each engine: letters, digits, `.`, `-` and `_`. Where characters had to
/// be replaced, or names differ only in capitals, a part of a hash follows. So the address of an
/// engine depends on its name alone, and not on its rank.
pub(super) fn slugs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let slug = |name: &str| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let plain: String =
            name.chars().take(MOST).map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
        let is_same = plain == name && !plain.starts_with('.') && !plain.is_empty();
        if is_same && taken.insert(plain.to_ascii_lowercase()) {
            return plain;
        }
        let hash: String = Sha256::digest(name).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let slug = format!("{}-{hash}", plain.trim_start_matches('.'));
        taken.insert(slug.to_ascii_lowercase());
        slug
    };
    names.into_iter().map(slug).collect()
}

/// A name for addresses for each run of a folder. None is the name of a page.
pub fn run_names(titles: &[String]) -> Vec<String> {
    slugs(titles.iter().map(String::as_str)).into_iter().map(|slug| format!("run-{slug}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_page_to_page_in_both_forms() {
        let here = Address { part: Some("stage-1".to_owned()), page: Page::Engine("a".to_owned()) };
        let folder = Links::new(Form::Folder, here.clone());
        assert_eq!(folder.page(Page::Games(2)), "../../stage-1/games/2.html");
        assert_eq!(folder.to(&Address { part: None, page: Page::Cup }), "../../index.html");
        assert_eq!(folder.id("vs-b"), "vs-b");
        let single = Links::new(Form::Single, here.clone());
        assert_eq!(single.page(Page::Games(2)), "#stage-1/games/2");
        assert_eq!(single.to_element(&here, "vs-b"), "#stage-1/engine/a/vs-b");
        assert_eq!(single.id("vs-b"), "stage-1/engine/a/vs-b");
    }

    #[test]
    fn a_name_leads_back_to_its_page() {
        let pages = [
            Page::Standings,
            Page::Crosstable,
            Page::Engine("a".to_owned()),
            Page::Game("r01-p0001-g01".to_owned()),
            Page::Games(12),
            Page::History,
            Page::About,
        ];
        for (part, is_cup) in [(None, false), (Some("stage-1".to_owned()), true)] {
            for page in pages.clone() {
                let address = Address { part: part.clone(), page };
                assert_eq!(Address::of_name(&address.name(), is_cup), Some(address));
            }
        }
        for (page, is_cup) in [(Page::Cup, true), (Page::Live, true), (Page::Live, false)] {
            let address = Address { part: None, page };
            assert_eq!(Address::of_name(&address.name(), is_cup), Some(address));
        }
        for nothing in [
            "",
            "x",
            "engine",
            "games/x",
            "games/-1",
            "../index",
            "index/index",
            "games/01",
            "games/+1",
            "/index",
        ] {
            assert_eq!(Address::of_name(nothing, false), None, "{nothing}");
        }
    }

    #[test]
    fn each_engine_has_a_file_name_of_its_own_whatever_its_name_is() {
        let names =
            ["alpha", "Alpha", "../../etc/passwd", "..", "", "a b", "a_b", &"x".repeat(300), "\u{202e}"];
        let slugs = slugs(names);
        assert_eq!((slugs[0].as_str(), slugs[6].as_str()), ("alpha", "a_b"));
        let different: HashSet<String> = slugs.iter().map(|slug| slug.to_ascii_lowercase()).collect();
        assert_eq!(different.len(), names.len(), "{slugs:?}");
        for slug in &slugs {
            assert!(!slug.contains('/') && !slug.starts_with('.') && slug.len() <= MOST + 9, "{slug}");
        }
    }
}
