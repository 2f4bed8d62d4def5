//! The pages of a directory one at a time, as a server needs them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use agon_export::live::LiveGame;
use agon_programs::program::display_path;
use agon_standings::result::GameId;
use agon_store::{Filter, Store};
use anyhow::{Context, Result};

use super::address::{Address, Form, Links, Page};
use super::asked::{Asked, ReportPart};
use super::embed;
use super::games;
use super::gather::{RunFacts, RunMemory};
use super::live::{self, LivePage, RuledGame};
use super::shell::{self, Entry, PageContent};
use super::site::{self, KnownRules, RunPages};
use super::status_file;
use super::values::KnownSolvers;
use super::view::{Audience, View};

/// A directory at one moment: everything that its pages show but the moves.
pub struct Snapshot {
    revision: String,
    asked: Asked,
    facts: Arc<Vec<RunFacts>>,
    has_tables: bool,
}

/// What is kept of runs from one snapshot to the next.
#[derive(Default)]
pub struct Memories {
    by_path: HashMap<PathBuf, RunMemory>,
}

impl Snapshot {
    /// Reads all runs that were asked for, but not the games that are remembered. The pages carry
    /// the revision, so that they know whether what they show is still new.
    ///
    /// # Errors
    /// Errors of the databases.
    pub fn read(asked: Asked, revision: String, memories: &mut Memories) -> Result<Snapshot> {
        let mut before = std::mem::take(&mut memories.by_path);
        let mut read = |part: &ReportPart| {
            let memory = before.remove(&part.path).unwrap_or_default();
            let memory = memories.by_path.entry(part.path.clone()).or_insert(memory);
            RunFacts::read(&Store::read_confined(&part.path)?, part.name.clone(), part.title.clone(), memory)
        };
        let facts = asked.parts.iter().map(&mut read).collect::<Result<_>>()?;
        Ok(Snapshot { revision, asked, facts: Arc::new(facts), has_tables: false })
    }

    /// The same with a page on which people play, if there is one.
    #[must_use]
    pub fn with_tables(self, has_tables: bool) -> Snapshot {
        Snapshot { has_tables, ..self }
    }

    /// The same for other readers.
    pub fn seen_by(&self, audience: Audience) -> Snapshot {
        let view = View { audience, ..self.asked.view.clone() };
        let asked = Asked { view, ..self.asked.clone() };
        Snapshot {
            revision: self.revision.clone(),
            asked,
            facts: self.facts.clone(),
            has_tables: self.has_tables,
        }
    }

    /// The directories of its runs.
    pub fn runs(&self) -> Vec<PathBuf> {
        self.asked.parts.iter().map(|part| part.path.clone()).collect()
    }

    /// Whether everything is of the present games. Ratings may be of some seconds before.
    pub fn is_settled(&self) -> bool {
        self.facts.iter().all(|facts| facts.is_rated)
    }

    /// Whether menus have the page of the games in play: while a run is played whose results are
    /// shown.
    pub(crate) fn shows_live(&self) -> bool {
        !self.asked.view.hide_results && self.facts.iter().any(|facts| facts.status.holder.is_some())
    }
}

/// A file that a server sends.
pub struct ServedFile {
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub text: String,
}

/// Makes the files of a snapshot. It keeps the databases open, and the rules with their
/// dictionaries.
#[derive(Default)]
pub struct Renderer {
    /// Each with the number of its file.
    stores: HashMap<PathBuf, (u64, Store)>,
    rules: HashMap<PathBuf, KnownRules>,
    solvers: KnownSolvers,
}

impl Renderer {
    /// Forgets the databases, because they may be others now.
    pub fn forget(&mut self) {
        self.stores.clear();
        self.rules.clear();
    }

    /// The file at a path like `engine/greedy.html`; `None` if there is no such file. Work that
    /// takes long asks in between whether it `is_wanted` by anybody.
    ///
    /// # Errors
    /// Errors of the databases, or [`Unwanted`](site::Unwanted).
    pub fn file(
        &mut self,
        of: &Snapshot,
        path: &str,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<ServedFile>> {
        let file = |media_type, text| Ok(Some(ServedFile { media_type, text }));
        let address = match of.place_of(path) {
            None | Some(Place::Live) => return Ok(None),
            Some(Place::Embedded(address)) => {
                let made = of.place(address.part.as_deref()).map(|place| {
                    self.made(of, place, Form::Alone, is_wanted, |pages| pages.content(&address.page))
                });
                let Some(content) = made.transpose()?.flatten() else { return Ok(None) };
                return file("text/html; charset=utf-8", embed::page(&content, &of.asked.site));
            }
            Some(Place::OfAll(shared)) => return Ok(Some(shared)),
            Some(Place::Status) => {
                return file("application/json", status_file::status(&of.facts, &of.asked));
            }
            Some(Place::Games(place)) => {
                let data = self.pages(of, place, is_wanted, |pages| Ok(pages.data()))?;
                return file("text/javascript; charset=utf-8", data);
            }
            Some(Place::Page(address)) => address,
        };
        let (content, mut menu) = match &address.page {
            Page::Cup => site::cup_page(&of.asked, &of.facts, Form::Served),
            page => {
                let Some(place) = of.place(address.part.as_deref()) else { return Ok(None) };
                let made =
                    self.pages(of, place, is_wanted, |pages| Ok((pages.content(page)?, pages.menu())))?;
                let (Some(content), menu) = made else { return Ok(None) };
                (content, menu)
            }
        };
        menu.extend(of.live_entry());
        menu.extend(of.play_entry());
        file("text/html; charset=utf-8", shell::page(&content, &menu, &of.asked.site, Some(&of.revision)))
    }

    /// The page of the games in play, each with the number of its run in the snapshot. If there is
    /// none, it shows the last ones. `None` if results are hidden.
    ///
    /// # Errors
    /// Errors of the databases.
    pub fn live(
        &mut self,
        of: &Snapshot,
        games: &[(usize, LiveGame)],
        revision: &str,
    ) -> Result<Option<ServedFile>> {
        if of.asked.view.hide_results {
            return Ok(None);
        }
        let entry = live_entry();
        let mut shown: Vec<(usize, LiveGame)> =
            games.iter().filter(|(run, _)| *run < of.facts.len()).cloned().collect();
        let is_of_stored = shown.is_empty();
        if is_of_stored {
            shown = self.last_games(of)?;
        }
        let mut ruled = Vec::new();
        for (run, game) in shown {
            let rules = self.pages(of, run, &|| true, |pages| Ok(pages.rules(&game.rules)))?;
            ruled.push(RuledGame { game, run, rules });
        }
        let links = Links::new(Form::Served, entry.1.clone());
        let page = LivePage { runs: &of.facts, view: &of.asked.view, links: &links, is_of_stored, revision };
        let body = live::content(&page, &ruled);
        let content = PageContent { address: entry.1.clone(), title: entry.0.clone(), body };
        let mut menu = match of.asked.parts.first() {
            Some(_) if !site::is_cup(&of.asked) => self.pages(of, 0, &|| true, |pages| Ok(pages.menu()))?,
            _ => site::cup_page(&of.asked, &of.facts, Form::Served).1,
        };
        menu.push(entry);
        menu.extend(of.play_entry());
        let text = shell::page(&content, &menu, &of.asked.site, Some(&of.revision));
        Ok(Some(ServedFile { media_type: "text/html; charset=utf-8", text }))
    }

    /// The last stored games, as they ended.
    fn last_games(&mut self, of: &Snapshot) -> Result<Vec<(usize, LiveGame)>> {
        let mut found = Vec::new();
        for (place, (run, row)) in live::last_games(&of.facts, live::LAST).into_iter().enumerate() {
            let filter = Filter { id: Some(row.id), ..Filter::default() };
            self.pages(of, run, &|| true, |pages| {
                pages.store().games(&filter, |stored| {
                    found.push((run, live::of_record(&stored.record, place)));
                    Ok(())
                })
            })?;
        }
        Ok(found)
    }

    /// Does something with the pages of one run.
    fn pages<T>(
        &mut self,
        of: &Snapshot,
        place: usize,
        is_wanted: &dyn Fn() -> bool,
        with: impl FnOnce(&mut RunPages<'_>) -> Result<T>,
    ) -> Result<T> {
        self.made(of, place, Form::Served, is_wanted, with)
    }

    /// Does something with the pages of one run in one form.
    fn made<T>(
        &mut self,
        of: &Snapshot,
        place: usize,
        form: Form,
        is_wanted: &dyn Fn() -> bool,
        with: impl FnOnce(&mut RunPages<'_>) -> Result<T>,
    ) -> Result<T> {
        let path = &of.asked.parts[place].path;
        let inode = Store::inode_in(path).with_context(|| format!("cannot read {}", display_path(path)))?;
        if self.stores.get(path).is_none_or(|(known, _)| *known != inode) {
            self.stores.insert(path.clone(), (inode, Store::read_confined(path)?));
            self.rules.remove(path);
        }
        let (_, store) = &self.stores[path];
        let mut pages = RunPages::new(&of.facts[place], store, &of.asked, form);
        pages.is_wanted = is_wanted;
        pages.rules = self.rules.remove(path).unwrap_or_default();
        pages.solvers = std::mem::take(&mut self.solvers);
        let made = with(&mut pages);
        let RunPages { rules, solvers, .. } = pages;
        self.solvers = solvers;
        self.rules.insert(path.clone(), rules);
        made
    }
}

/// What lies at a path.
enum Place {
    /// A file that all pages share.
    OfAll(ServedFile),
    /// What other programs read.
    Status,
    /// The data of all games of the run with this number.
    Games(usize),
    /// The games in play.
    Live,
    /// The replay with this address, for a frame of another page.
    Embedded(Address),
    /// A page.
    Page(Address),
}

impl Snapshot {
    /// Whether a file lies at a path. Each file has one path alone: `games/1.html` is one, and
    /// `games/01.html` is not. It is cheap, so nothing is made for a path without a file.
    pub fn has(&self, path: &str) -> bool {
        self.place_of(path).is_some()
    }

    fn place_of(&self, path: &str) -> Option<Place> {
        if let Some(shared) = file_of_all(path) {
            return Some(Place::OfAll(shared));
        }
        if path == "status.json" {
            return Some(Place::Status);
        }
        if path.ends_with("games.js") {
            return self.facts.iter().position(|facts| games::data_file(facts) == path).map(Place::Games);
        }
        if let Some(game) = path.strip_prefix("embed/") {
            return self.embedded(game);
        }
        let address = Address::of_name(path.strip_suffix(".html")?, site::is_cup(&self.asked))?;
        let facts = || self.place(address.part.as_deref()).map(|place| &self.facts[place]);
        let is_there = match &address.page {
            Page::Live => return (!self.asked.view.hide_results).then_some(Place::Live),
            Page::Play => false, // it belongs to the tables
            Page::Cup => true,
            Page::Standings | Page::About => facts().is_some(),
            Page::Crosstable | Page::History => facts().is_some() && !self.asked.view.hide_results,
            Page::Games(number) => facts().is_some_and(|facts| (1..=games::pages(facts)).contains(number)),
            Page::Engine(slug) => facts()?.engines.iter().any(|engine| engine.slug == *slug),
            Page::Game(id) => has_game(facts()?, id),
        };
        is_there.then_some(Place::Page(address))
    }

    /// The replay of a game for a frame: `ID`, or `STAGE/ID` in a cup.
    fn embedded(&self, game: &str) -> Option<Place> {
        let (part, id) = match site::is_cup(&self.asked) {
            true => game.split_once('/').map(|(part, id)| (Some(part.to_owned()), id))?,
            false => (None, game),
        };
        let is_there = has_game(&self.facts[self.place(part.as_deref())?], id);
        is_there.then(|| Place::Embedded(Address { part, page: Page::Game(id.to_owned()) }))
    }

    /// The entry of the games in play in every menu, while there are any.
    fn live_entry(&self) -> Option<Entry> {
        self.shows_live().then(live_entry)
    }

    /// The entry of the page on which people play.
    fn play_entry(&self) -> Option<Entry> {
        let address = Address { part: None, page: Page::Play };
        self.has_tables.then(|| ("Play".to_owned(), address))
    }

    /// The run of this part.
    fn place(&self, part: Option<&str>) -> Option<usize> {
        self.facts.iter().position(|facts| facts.part.as_deref() == part)
    }
}

/// Whether a run has the game with this id, which has no other spelling.
fn has_game(facts: &RunFacts, id: &str) -> bool {
    if facts.replaced.iter().any(|game| game.name == id) {
        return true;
    }
    let number = id.parse::<GameId>().ok().filter(|number| number.to_string() == *id);
    number.is_some_and(|number| facts.games.iter().any(|game| game.id == number))
}

/// The entry of the games in play.
fn live_entry() -> Entry {
    ("In play".to_owned(), Address { part: None, page: Page::Live })
}

/// A file that all pages share; `None` if it is not one of them.
pub fn file_of_all(path: &str) -> Option<ServedFile> {
    let (media_type, text) = match path {
        "agon.css" => ("text/css; charset=utf-8", shell::STYLE.to_owned()),
        "agon.js" => ("text/javascript; charset=utf-8", shell::SCRIPT.clone()),
        "token.js" => ("text/javascript; charset=utf-8", shell::TOKEN_SCRIPT.clone()),
        "live.js" => ("text/javascript; charset=utf-8", shell::LIVE_SCRIPT.clone()),
        _ => return None,
    };
    Some(ServedFile { media_type, text })
}

/// The address of the script of pages with forms for a token.
pub const TOKEN_SCRIPT: &str = "/token.js";

/// A page that says what is wrong, where there is nothing else to show.
pub fn problem(title: &str, what: &str, revision: &str) -> String {
    shell::problem(title, what, revision)
}
