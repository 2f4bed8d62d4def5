//! A whole report: which pages there are, and how they are written as a folder or as one file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use agon_config::Misuse;
use agon_export::atomic;
use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules};
use agon_printable::counted;
use agon_programs::program::display_path;
use agon_raster::Lettering;
use agon_record::GameRecord;
use agon_standings::result::GameId;
use agon_store::{Filter, Store, Stored};
use anyhow::Result;

use super::address::{Address, Form, Links, Page};
use super::animated;
use super::asked::{Asked, Replays};
use super::cup::{self, CupPage};
use super::engine::{self, Shown};
use super::folder::Folder;
use super::gather::{GameRow, RunFacts, RunMemory};
use super::picture::Picture;
use super::replaced::{self, ReplacedGame};
use super::replay::{self, ReplayedGame};
use super::shell::{self, Entry, PageContent};
use super::values::{self, KnownSolvers, RunValues};
use super::{about, crosstable, games, history, season, standings, status_file};
use crate::analysis::AnalysedGame;
use crate::report::bracket;
use crate::report::cup_bracket::{self, DrawnStage};

/// What takes the pages.
trait Sink {
    fn put(&mut self, content: PageContent, menu: &[Entry], site: &str) -> Result<()>;
    /// A file beside the pages; a single file has none.
    fn file(&mut self, name: &str, text: &str) -> Result<()>;
}

/// Writes a report into a folder. Returns the number of files.
///
/// # Errors
/// [`Misuse`] if the folder holds other files. Otherwise errors of the databases or the disk.
pub fn write_folder(asked: &Asked, folder: &Path) -> Result<usize> {
    // Read first, so that nothing is written if a database cannot be read.
    let runs = read(asked)?;
    struct ToFolder(Folder);
    impl Sink for ToFolder {
        fn put(&mut self, content: PageContent, menu: &[Entry], site: &str) -> Result<()> {
            self.0.put(&content.address.file(), &shell::page(&content, menu, site, None))
        }
        fn file(&mut self, name: &str, text: &str) -> Result<()> {
            self.0.put(name, text)
        }
    }
    let mut sink = ToFolder(Folder::open(folder)?);
    sink.file("agon.css", shell::STYLE)?;
    sink.file("agon.js", &shell::SCRIPT)?;
    write(asked, &runs, Form::Folder, &mut sink)?;
    sink.0.finish()
}

/// Pages for one file.
#[derive(Default)]
struct OneFile {
    contents: Vec<PageContent>,
    menu: Vec<Entry>,
}

impl Sink for OneFile {
    fn put(&mut self, content: PageContent, menu: &[Entry], _: &str) -> Result<()> {
        for entry in menu {
            if !self.menu.contains(entry) {
                self.menu.push(entry.clone());
            }
        }
        self.contents.push(content);
        Ok(())
    }
    fn file(&mut self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
}

impl OneFile {
    fn write(&self, asked: &Asked, file: &Path) -> Result<()> {
        let text = shell::single(&self.contents, &self.menu, &asked.site);
        atomic::write(file, |to| Ok(to.write_all(text.as_bytes())?))
    }
}

/// Writes a report into one file.
///
/// # Errors
/// Errors of the databases or the disk.
pub fn write_single(asked: &Asked, file: &Path) -> Result<()> {
    let mut sink = OneFile::default();
    write(asked, &read(asked)?, Form::Single, &mut sink)?;
    sink.write(asked, file)
}

/// Writes the replay of one game into one file.
///
/// # Errors
/// [`Misuse`] if no game has this id. Otherwise errors of the databases or the disk.
pub fn write_game(asked: &Asked, id: GameId, file: &Path) -> Result<()> {
    let mut sink = OneFile::default();
    of_game(asked, id, |pages, place, stored| {
        let content = pages.game(place, stored)?;
        sink.put(content, &[], &asked.site)
    })?;
    sink.write(asked, file)
}

/// The files of pictures, and what they show.
#[derive(Default)]
pub struct PictureFiles<'a> {
    /// The position after so many plies; the last one if there is no number.
    pub ply: Option<usize>,
    /// Whether the pictures show each position up to there.
    pub is_moving: bool,
    /// The file of an SVG.
    pub svg: Option<&'a Path>,
    /// The file of a GIF, and the fonts of its texts.
    pub gif: Option<(&'a Path, Lettering)>,
}

/// Writes the board of a game after some plies into files of their own.
///
/// # Errors
/// [`Misuse`] if no game has this id, if it has no board, if it has fewer plies, or too many for a
/// moving GIF. Nothing is written then. Otherwise errors of the databases or the disk.
pub fn write_pictures(asked: &Asked, id: GameId, mut files: PictureFiles<'_>) -> Result<()> {
    let mut made: Vec<(&Path, Vec<u8>)> = Vec::new();
    of_game(asked, id, |pages, _, stored| {
        let record = &stored.record;
        let rules = pages.rules(&record.rules);
        let is_open = pages.facts.shows_secrets(&asked.view);
        let film = replay::film_of(record, rules.as_deref(), is_open).map_err(|why| {
            Misuse::hinted(
                format!("the game {id} has no picture. {why}"),
                "agon replay DIR ID shows it as text",
            )
        })?;
        let last = film.frames.len();
        let ply = files.ply.unwrap_or(last);
        if ply > last {
            return Err(Misuse::hinted(
                format!("--ply {ply}: the game {id} has {}", counted(last, "ply")),
                "0 is the position before the first one",
            ));
        }
        let title = replay::title(record, &asked.view);
        let sides: Vec<&str> = record.seats.values().iter().map(|seat| seat.side.as_str()).collect();
        let picture = Picture { film: &film, ply, sides: &sides, title: &title };
        if let Some((file, lettering)) = &mut files.gif {
            if files.is_moving {
                animated::is_short(id, ply)?;
            }
            made.push((*file, animated::gif(&picture, files.is_moving, lettering)?));
        }
        if let Some(file) = files.svg {
            made.push((file, picture.svg(files.is_moving).into_bytes()));
        }
        Ok(())
    })?;
    made.iter().try_for_each(|(file, bytes)| atomic::write(file, |to| Ok(to.write_all(bytes)?)))
}

/// Finds a game in the runs, and does something with it.
fn of_game(
    asked: &Asked,
    id: GameId,
    mut does: impl FnMut(&mut RunPages<'_>, usize, &Stored) -> Result<()>,
) -> Result<()> {
    let mut found = Vec::new();
    for part in &asked.parts {
        let store = Store::read(&part.path)?;
        if let Some(facts) = RunFacts::of_one(&store, part.name.clone(), part.title.clone(), id)? {
            found.push((store, facts));
        }
    }
    if found.len() > 1 {
        let names: Vec<String> = found.iter().map(|(_, facts)| agon_printable::clean(&facts.title)).collect();
        return Err(Misuse::hinted(
            format!("several stages have a game {id}: {}", names.join(", ")),
            "give the number of one with --stage",
        ));
    }
    if let Some((store, facts)) = found.pop() {
        let mut pages = RunPages::new(&facts, &store, asked, Form::Alone);
        return store
            .games(&Filter { id: Some(id), ..Filter::default() }, |stored| does(&mut pages, 0, &stored));
    }
    Err(Misuse::hinted(
        format!("no game that counts has the id {id}"),
        "agon games lists the ids of all games",
    ))
}

/// Everything of the runs but the moves, with their databases.
fn read(asked: &Asked) -> Result<(Vec<RunFacts>, Vec<Store>)> {
    let mut all = Vec::new();
    for part in &asked.parts {
        let store = Store::read(&part.path)?;
        all.push((
            RunFacts::read(&store, part.name.clone(), part.title.clone(), &mut RunMemory::default())?,
            store,
        ));
    }
    Ok(all.into_iter().unzip())
}

fn write(
    asked: &Asked,
    (facts, stores): &(Vec<RunFacts>, Vec<Store>),
    form: Form,
    sink: &mut dyn Sink,
) -> Result<()> {
    if is_cup(asked) {
        let (content, menu) = cup_page(asked, facts, form);
        sink.put(content, &menu, &asked.site)?;
    }
    for (facts, store) in facts.iter().zip(stores) {
        let mut pages = RunPages::new(facts, store, asked, form);
        pages.write(sink)?;
    }
    sink.file("status.json", &status_file::status(facts, asked))
}

/// Whether the runs are the parts of a cup.
pub(super) fn is_cup(asked: &Asked) -> bool {
    asked.parts.iter().any(|part| part.name.is_some())
}

/// The first page of a cup, and its menu.
pub(super) fn cup_page(asked: &Asked, facts: &[RunFacts], form: Form) -> (PageContent, Vec<Entry>) {
    let address = Address { part: None, page: Page::Cup };
    let links = Links::new(form, address.clone());
    let has_replay: Vec<Vec<bool>> = facts.iter().map(|facts| chosen(&facts.games, asked)).collect();
    let page = CupPage {
        stages: facts,
        has_replay: &has_replay,
        text: bracket_of(facts),
        view: &asked.view,
        links: &links,
    };
    let body = if season::is_league(facts) { season::content(&page) } else { cup::content(&page) };
    let first = std::iter::once((asked.site.clone(), address.clone()));
    let menu = first.chain(facts.iter().map(stage_entry)).collect();
    (PageContent { address, title: heading(asked, facts.iter()), body }, menu)
}

/// The heading of the first page: the title of the event, or the name of the whole.
fn heading<'a>(asked: &Asked, mut facts: impl Iterator<Item = &'a RunFacts>) -> String {
    let title = facts.find_map(RunFacts::event_title);
    title.map_or_else(|| asked.site.clone(), agon_printable::clean)
}

fn stage_entry(facts: &RunFacts) -> Entry {
    (facts.title.clone(), Address { part: facts.part.clone(), page: Page::Standings })
}

/// The bracket of the stages as text; `None` if they are not those of a cup.
fn bracket_of(stages: &[RunFacts]) -> Option<String> {
    let stored = stages.iter().map(|stage| stage.stage.as_ref()).collect::<Option<Vec<_>>>()?;
    let drawn = cup_bracket::all_columns(&DrawnStage::of_stored(&stored));
    Some(bracket::text(&drawn))
}

/// The rules of each game that was met; `None` if this program has none.
pub(super) type KnownRules = HashMap<String, Option<Arc<dyn Rules>>>;

/// The pages of one run.
pub(super) struct RunPages<'a> {
    facts: &'a RunFacts,
    store: &'a Store,
    asked: &'a Asked,
    form: Form,
    /// The rules of its games. They may come from earlier pages of the same run.
    pub(super) rules: KnownRules,
    /// The values of its games. They may come from earlier pages.
    pub(super) solvers: KnownSolvers,
    /// What the values of the games whose pages were made say of the engines.
    values: RunValues,
    /// Whether each game has a page.
    has_replay: Vec<bool>,
    /// Whether somebody still waits for what is made.
    pub(super) is_wanted: &'a dyn Fn() -> bool,
}

/// Nobody waits any more for what was being made.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("nobody waits for this page any more")]
pub struct Unwanted;

/// The most games of an engine whose values a server looks for.
const MOST_VALUED: usize = 200;

impl<'a> RunPages<'a> {
    pub(super) fn new(facts: &'a RunFacts, store: &'a Store, asked: &'a Asked, form: Form) -> Self {
        let has_replay = chosen(&facts.games, asked);
        RunPages {
            facts,
            store,
            asked,
            form,
            rules: HashMap::new(),
            solvers: KnownSolvers::new(),
            values: RunValues::default(),
            has_replay,
            is_wanted: &|| true,
        }
    }

    /// The database of the run.
    pub(super) fn store(&self) -> &'a Store {
        self.store
    }

    fn address(&self, page: Page) -> Address {
        Address { part: self.facts.part.clone(), page }
    }

    pub(super) fn menu(&self) -> Vec<Entry> {
        let mut menu = Vec::new();
        if self.facts.part.is_some() {
            menu.push((self.asked.site.clone(), Address { part: None, page: Page::Cup }));
        }
        let of_run = self.facts.part.as_ref().map(|_| self.facts.title.as_str());
        menu.push((of_run.unwrap_or("Standings").to_owned(), self.address(Page::Standings)));
        if !self.asked.view.hide_results {
            menu.push(("Crosstable".to_owned(), self.address(Page::Crosstable)));
        }
        menu.push(("Games".to_owned(), self.address(Page::Games(1))));
        if !self.asked.view.hide_results {
            menu.push(("History".to_owned(), self.address(Page::History)));
        }
        menu.push(("About".to_owned(), self.address(Page::About)));
        menu
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let menu = self.menu();
        for page in self.pages() {
            if let Some(content) = self.content(&page)? {
                sink.put(content, &menu, &self.asked.site)?;
            }
        }
        sink.file(&games::data_file(self.facts), &self.data())?;
        self.replays(sink, &menu)?;
        // The page of an engine tells what the values of its games say, so it comes behind them.
        for number in self.facts.listed(&self.asked.view) {
            let page = Page::Engine(self.facts.engines[number].slug.clone());
            if let Some(content) = self.content(&page)? {
                sink.put(content, &menu, &self.asked.site)?;
            }
        }
        Ok(())
    }

    /// All pages but the replays and the engines.
    fn pages(&self) -> Vec<Page> {
        let (facts, view) = (self.facts, &self.asked.view);
        let mut pages = vec![Page::Standings];
        if !view.hide_results {
            pages.extend([Page::Crosstable, Page::History]);
        }
        pages.push(Page::About);
        pages.extend((1..=games::pages(facts)).map(Page::Games));
        pages
    }

    /// A page; `None` if there is no such page.
    pub(super) fn content(&mut self, page: &Page) -> Result<Option<PageContent>> {
        let (facts, view) = (self.facts, &self.asked.view);
        let address = self.address(page.clone());
        let links = Links::new(self.form, address.clone());
        let (title, body) = match page {
            Page::Standings => {
                let title = match facts.part {
                    Some(_) => facts.title.clone(),
                    None => heading(self.asked, std::iter::once(facts)),
                };
                (title, standings::content(facts, view, &links, &self.has_replay))
            }
            Page::Crosstable | Page::History if view.hide_results => return Ok(None),
            Page::Crosstable => ("Crosstable".to_owned(), crosstable::content(facts, &links)),
            Page::History => ("History".to_owned(), history::content(facts, &links)),
            Page::About => ("About the run".to_owned(), about::content(facts, view)),
            Page::Engine(slug) => {
                let rules = self.rules(&facts.rules);
                let seats = rules.as_ref().map(|rules| rules.seats()).unwrap_or_default();
                let number = facts.engines.iter().position(|engine| engine.slug == *slug);
                let Some(number) = number else { return Ok(None) };
                if self.form == Form::Served {
                    self.look_at_games_of(number)?;
                }
                let has_replay = |game: usize| self.has_replay[game];
                let values = &self.values;
                let shown = Shown { facts, view, links: &links, seats, has_replay: &has_replay, values };
                (agon_printable::clean(&facts.engines[number].name), engine::content(&shown, number))
            }
            Page::Games(number) if !(1..=games::pages(facts)).contains(number) => return Ok(None),
            Page::Games(number) => {
                let has_replay = |game: usize| self.has_replay[game];
                ("Games".to_owned(), games::content(facts, *number, view, &links, &has_replay))
            }
            Page::Game(id) => {
                if let Some(replaced) = facts.replaced.iter().find(|game| game.name == *id) {
                    return self.replaced(replaced);
                }
                let place = facts.games.iter().position(|game| game.id.to_string() == *id);
                let Some(place) = place.filter(|place| self.has_replay[*place]) else { return Ok(None) };
                let (store, mut content) = (self.store, None);
                let filter = Filter { id: Some(facts.games[place].id), ..Filter::default() };
                store.games(&filter, |stored| {
                    content = Some(self.game(place, &stored)?);
                    Ok(())
                })?;
                return Ok(content);
            }
            Page::Cup | Page::Live | Page::Play => return Ok(None),
        };
        Ok(Some(PageContent { address, title, body }))
    }

    /// The data of all games for the filter.
    pub(super) fn data(&self) -> String {
        games::data(self.facts, &self.asked.view, &|game: usize| self.has_replay[game])
    }

    fn replays(&mut self, sink: &mut dyn Sink, menu: &[Entry]) -> Result<()> {
        if !self.has_replay.contains(&true) {
            return Ok(());
        }
        let places: HashMap<GameId, usize> =
            self.facts.games.iter().enumerate().map(|(place, game)| (game.id, place)).collect();
        let store = self.store;
        store.games(&Filter::default(), |stored| {
            let Some(place) = places.get(&stored.record.id).copied() else { return Ok(()) };
            if !self.has_replay[place] {
                return Ok(());
            }
            let content = self.game(place, &stored)?;
            sink.put(content, menu, &self.asked.site)
        })?;
        let facts = self.facts;
        for game in &facts.replaced {
            if let Some(content) = self.replaced(game)? {
                sink.put(content, menu, &self.asked.site)?;
            }
        }
        Ok(())
    }

    /// The page of a game that is played again; `None` if no game has a page.
    fn replaced(&mut self, replaced: &ReplacedGame) -> Result<Option<PageContent>> {
        if !replaced::has_pages(&self.has_replay) {
            return Ok(None);
        }
        let stored = self.store.decided_game(&replaced.made)?;
        let address = self.address(Page::Game(replaced.name.clone()));
        Ok(Some(self.replay((None, Some(replaced)), &stored, None, address)))
    }

    /// The page of a game.
    fn game(&mut self, place: usize, stored: &Stored) -> Result<PageContent> {
        let address = self.address(Page::Game(stored.record.id.to_string()));
        let values = self.values_of(place, &stored.record);
        Ok(self.replay((Some(place), None), stored, values.as_ref(), address))
    }

    /// The page of a game with its place among those that count, or of one that is played again.
    fn replay(
        &mut self,
        (place, replaced): (Option<usize>, Option<&ReplacedGame>),
        stored: &Stored,
        values: Option<&AnalysedGame>,
        address: Address,
    ) -> PageContent {
        let rules = self.rules(&stored.record.rules);
        let game = ReplayedGame {
            facts: self.facts,
            place,
            replaced,
            stored,
            rules: rules.as_deref(),
            view: &self.asked.view,
            links: &Links::new(self.form, address.clone()),
            has_replay: &self.has_replay,
            values,
        };
        let (title, body) = (replay::title(&stored.record, &self.asked.view), replay::content(&game));
        PageContent { title, body, address }
    }

    /// The values of a game, if any is known. Where results are hidden, so are the values.
    fn values_of(&mut self, place: usize, record: &GameRecord) -> Option<AnalysedGame> {
        if self.asked.view.hide_results {
            return None;
        }
        let rules = self.rules(&record.rules)?;
        let found = values::values_of(rules.as_ref(), record, self.asked.search, &mut self.solvers)?;
        self.values.add(place, &found);
        Some(found)
    }

    /// Looks for the values of the last games of an engine, for its page alone.
    fn look_at_games_of(&mut self, number: usize) -> Result<()> {
        let (facts, store) = (self.facts, self.store);
        let own = (0..facts.games.len()).rev().filter(|place| facts.games[*place].seats.contains(&number));
        let last: HashMap<GameId, usize> = own
            .filter(|place| self.has_replay[*place])
            .take(MOST_VALUED)
            .map(|place| (facts.games[place].id, place))
            .collect();
        let engine = Some(facts.engines[number].name.clone());
        self.values = RunValues::default();
        let is_wanted = self.is_wanted;
        store.games(&Filter { engine, ..Filter::default() }, |stored| {
            if !is_wanted() {
                return Err(Unwanted.into());
            }
            if let Some(place) = last.get(&stored.record.id) {
                self.values_of(*place, &stored.record);
            }
            Ok(())
        })
    }

    /// The rules of a game, with the dictionary of the run.
    pub(super) fn rules(&mut self, spec: &str) -> Option<Arc<dyn Rules>> {
        if let Some(known) = self.rules.get(spec) {
            return known.clone();
        }
        let terms = self.facts.runs.last().map(|run| &run.terms);
        let words =
            terms.and_then(|terms| terms.get("dictionary")).and_then(|hash| self.store.supply(hash).ok());
        let lexicon = words.and_then(|words| Lexicon::parse(&words).ok()).map(Arc::new);
        let rules = agon_games::find(spec, &Needs { lexicon }).ok();
        self.rules.insert(spec.to_owned(), rules.clone());
        rules
    }
}

/// Which games have a page. Where results are hidden, the choice does not depend on them.
fn chosen(games: &[GameRow], asked: &Asked) -> Vec<bool> {
    let Replays::Most(most) = asked.replays else { return vec![true; games.len()] };
    let is_first = |place: &usize| games[*place].forfeit.is_some() && !asked.view.hide_results;
    let mut chosen = vec![false; games.len()];
    let by_fault = (0..games.len()).filter(is_first);
    let others = (0..games.len()).rev().filter(|place| !is_first(place));
    by_fault.chain(others).take(most).for_each(|place| chosen[place] = true);
    chosen
}

/// The name of a report: that of its directory.
pub fn site_name(directory: &Path) -> String {
    let absolute = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    absolute.file_name().map(|name| display_path(Path::new(name))).unwrap_or_else(|| "agon".to_owned())
}
