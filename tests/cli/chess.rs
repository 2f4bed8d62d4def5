//! Chess: plain programs speak UCI, clocks and draws, PGN out and in, and another program as a
//! judge.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use agon_games::chess::{Chess, Claims};
use agon_games::{Ending, Position, Status};
use agon_seats::Seat;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::home::{Home, root, scripted_uci};
use super::support::not_tried;

/// Puts a scripted engine there, as a program without an `engine.toml`.
fn engine(home: &Home, name: &str, options: &str, moves: &str) {
    home.put_program(name, scripted_uci(options, moves));
}

fn pair(moves: &str) -> Home {
    let home = Home::new();
    engine(&home, "one", "", moves);
    engine(&home, "two", "", moves);
    home
}

#[test]
fn a_program_without_an_engine_toml_speaks_uci_in_chess() {
    let home = pair("f2f3 e7e5 g2g4 d8h4");
    let said =
        home.agon("match one two --game chess --games 2 --tc 60+1 --concurrency 1 --out run".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("game 1: W one - B two: 0-1, 4 plies, checkmate"), "{}", said.all());
    let log = home.read("two.log");
    let start =
        "uci\nucinewgame\nisready\nquit\nuci\nucinewgame\nisready\nposition startpos moves f2f3\ngo wtime ";
    assert!(log.starts_with(start), "{log}");
    assert!(log.contains(" winc 1000 binc 1000\nposition startpos moves f2f3 e7e5 g2g4\n"), "{log}");
    // The first of several lines of play is kept. People read the algebraic notation, programs PGN.
    let record = home.read("run/games/r01.txt");
    assert!(record.contains("1. f3 e5") && record.contains("2. g4 Qh4#"), "{record}");
    let pgn = home.read("run/games/r01.pgn");
    let refused = home.agon(["replay", "run/games/r01.pgn"]);
    assert!(
        refused.code == Some(2)
            && refused.err().contains("if this is PGN of chess, agon replay does not read it"),
        "{}",
        refused.all()
    );
    let words = pgn.replace('\n', " ");
    assert!(words.contains("1. f3 {+0.25/3 ") && words.contains("Qh4# {+0.25/3 "), "{pgn}");
    assert!(pgn.contains("[TimeControl \"60+1\"]\n[Termination \"normal\"]\n[PlyCount \"4\"]\n"), "{pgn}");
    assert_eq!(
        pgn.matches("{checkmate}\n0-1\n").count() + pgn.matches("{checkmate}\n1-0\n").count(),
        2,
        "{pgn}"
    );
    for said in [
        home.agon(["replay", "run/games/r01.txt"]),
        home.agon(["verify", "run"]),
        home.agon(["report", "run", "--out", "pages"]),
    ] {
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let exported = home.agon(["export", "pgn", "run"]);
    // The name of the tournament is that of the directory.
    assert_eq!(exported.out(), pgn.replace("[Event \"match\"]", "[Event \"run\"]"), "{}", exported.all());
    let page = home.read("pages/game/r01-p0001-g01.html");
    assert!(page.contains("Qh4#") && page.contains("chequered") && page.contains("id=\"f11\""), "{page}");
}

#[test]
fn one_engine_has_nodes_and_depth_as_odds_and_only_its_games_are_others_then() {
    let home = pair("f2f3 e7e5 g2g4 d8h4");
    let play = |more: &str| {
        let words = format!("match one two --game chess --games 2 --tc 60+1 --concurrency 1 --out run{more}");
        home.agon(words.split(' '))
    };
    let odds = " --nodes 900 --time two=nodes=70 --time two=depth=3 --time one=tc=9";
    let said = play(odds);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (one, two) = (home.read("one.log"), home.read("two.log"));
    assert!(one.contains("inc 1000 nodes 900\n") && !one.contains("depth"), "{one}");
    assert!(two.contains(" btime 60000 binc 1000 nodes 70 depth 3\n"), "{two}");
    assert!(two.contains("go wtime 9000 ") || two.contains("btime 9000 "), "{two}");
    let record = home.read("run/games/r01.txt");
    assert!(record.contains("W tc=9 margin=0.02, B tc=60+1 margin=0.02 nodes=70 depth=3"), "{record}");
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
    // The same again is done already, and other odds are other games.
    let (again, other) = (play(odds), play(" --nodes 900 --time two=nodes=71"));
    let is_done = "2 games have been played already and count";
    assert!(again.all().contains(is_done), "{}", again.all());
    assert!(!other.all().contains(is_done), "{}", other.all());
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
}

#[test]
fn odds_that_cannot_be_told_or_are_given_twice_are_refused_before_the_first_game() {
    let home = pair("");
    home.put("told/engine.toml", "command = [\"./told\"]\nprotocol = \"lines\"\n");
    home.put_program("told/told", "#!/bin/sh\n");
    for (odds, why) in [
        ("--time told=nodes=5", "told speaks the protocol lines, which cannot tell it"),
        ("--time on=nodes=5", "there is no engine on hint: did you mean one? there are one, told"),
        ("--time one=nodes=5 --time one=nodes=6", "one has nodes=5 and nodes=6 hint: give one of them"),
        ("--time one=nodes=0", "\"0\" is no limit of a search"),
        ("--time one=node=5", "write st=SECONDS, tc=SECONDS+INCREMENT, nodes=N or depth=PLIES"),
    ] {
        let said = home.agon(format!("match one told --game chess --games 2 {odds}").split(' '));
        assert_eq!(said.code, Some(2), "{odds}: {}", said.all());
        let words = said.err().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(why), "{odds}: {words}");
    }
}

#[test]
fn a_lost_file_of_pgn_is_written_again() {
    let home = pair("f2f3 e7e5 g2g4 d8h4");
    let play = "match one two --game chess --games 2 --tc 60 --concurrency 1 --out run";
    assert_eq!(home.agon(play.split(' ')).code, Some(0));
    let pgn = home.read("run/games/r01.pgn");
    std::fs::write(home.path("run/games/r01.pgn"), &pgn[..pgn.len() / 2]).unwrap();
    assert_eq!(home.agon(play.split(' ')).code, Some(0));
    assert_eq!(home.read("run/games/r01.pgn"), pgn);
}

#[test]
fn a_flag_that_falls_against_a_side_that_cannot_mate_is_a_draw() {
    let home = pair("e1e2 silent");
    for (position, result) in [
        ("4k3/4r3/8/8/8/8/8/4K3 w - - 0 1", None),
        // White has a king alone when black runs out of time.
        ("3rk3/8/8/8/8/8/8/4K3 w - - 0 1", Some("1/2-1/2")),
        ("3rk3/8/8/8/8/8/P7/4K3 w - - 0 1", Some("1-0")),
    ] {
        home.put("start.txt", format!("{position}\n"));
        let _ = std::fs::remove_dir_all(home.path("run")); // the first time there is none
        let said = home
            .agon("match one two --game chess --games 2 --st 0.4 --openings start.txt --out run".split(' '));
        let Some(result) = result else {
            assert!(said.out().contains("illegal move"), "{}", said.all());
            continue;
        };
        let wanted = format!("game 1: W one - B two: {result}, 1 ply, time forfeit by two: ");
        assert!(said.out().contains(&wanted), "{}", said.all());
        let drawn = said.out().contains("could not win by any legal moves, so the game is drawn");
        assert_eq!(drawn, result == "1/2-1/2", "{}", said.all());
        let verified = home.agon(["verify", "run"]);
        assert_eq!(verified.code, Some(0), "{}", verified.all());
        assert_eq!(home.agon(["replay", "run/games/r01.txt"]).code, Some(0));
        let pgn = home.read("run/games/r01.pgn");
        let tags = format!("[Result \"{result}\"]");
        assert!(pgn.contains(&tags) && pgn.contains("[Termination \"time forfeit\"]"), "{pgn}");
    }
}

#[test]
fn what_is_no_move_is_judged_and_illegal_moves_have_their_reason() {
    for (moves, why) in [
        ("0000", "it finds no legal move, and there are some"),
        ("(none)", "it finds no legal move, and there are some"),
        ("e2e5", "the pawn on e2 cannot go to e5"),
        ("e7e5", "e7 holds a pawn of B"),
    ] {
        let home = pair(moves);
        let said = home.agon("match one two --game chess --games 2 --st 5".split(' '));
        assert!(said.out().contains(why), "{moves}: {}", said.all());
    }
}

#[test]
fn chess960_sets_its_option_and_refuses_engines_without_it_before_the_first_game() {
    let home = Home::new();
    let option = "\"Hash type spin default 1 min 1 max 9\", \"UCI_Chess960 type check default false\"";
    engine(&home, "knows", option, "");
    engine(&home, "too", option, "");
    engine(&home, "lacks", "", "");
    let refused = home.agon("match knows lacks --game chess:960 --games 2 --st 5 --out run".split(' '));
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    assert!(
        refused.err().contains(
            "lacks: the engine cannot play chess:960: it has not announced the option UCI_Chess960"
        ),
        "{}",
        refused.all()
    );
    let said = home.agon("match knows too --game chess:960=0 --games 2 --st 5 --out played".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let log = home.read("too.log");
    assert!(log.contains("uci\nsetoption name UCI_Chess960 value true\nucinewgame\nisready\n"), "{log}");
    assert!(log.contains("position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\n"), "{log}");
    let pgn = home.read("played/games/r01.pgn");
    assert!(pgn.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bbqnnrkr/"), "{pgn}");
}

#[test]
fn pgn_of_other_programs_may_be_latin_1_and_other_files_may_not() {
    let home = pair("");
    let play = "match one two --game chess --games 2 --st 5 --openings games.txt";
    let refused = "games.txt: line 2: is not UTF-8 text";
    for (head, is_pgn) in [("[Event \"x\"]\n[White \"Jos\u{e9}\"]\n\n", true), ("e2e4\n; \u{e9}\n", false)] {
        let text = format!("{head}1. e4 {{d\u{e9}j\u{e0} vu}} e5 2. Nf3 *\n");
        let latin: Vec<u8> = text.chars().map(|sign| u8::try_from(u32::from(sign)).unwrap()).collect();
        home.put("games.txt", latin);
        let said = home.agon(play.split(' '));
        assert_eq!(said.code, Some(if is_pgn { 0 } else { 2 }), "{}", said.all());
        assert_eq!(said.err().contains(refused), !is_pgn, "{}", said.all());
    }
}

#[test]
fn in_the_pgn_of_a_cup_each_game_has_a_number_of_its_own() {
    let home = pair("f2f3 e7e5 g2g4 d8h4");
    let toml = "engines = \"engines\"\ngame = \"chess\"\ntc = 60\ngames = 2\nseed = 1\nplay-offs = 0\n\
                [[stages]]\nname = \"first\"\nadvance = 2\nplay-offs = 0\n[[stages]]\nname = \"last\"\nplay-offs = 0\n";
    home.put("cup.toml", toml.replacen("play-offs = 0\n", "", 1));
    for name in ["one", "two"] {
        let program = home.read(name);
        home.put_program(format!("engines/{name}"), program);
    }
    let said = home.agon("tournament cup.toml --concurrency 1 --out cup".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let pgn = home.agon(["export", "pgn", "cup"]).out();
    let mut ids: Vec<&str> = pgn.lines().filter(|line| line.starts_with("[Id ")).collect();
    let (all, stages) = (ids.len(), pgn.matches("[Stage \"").count());
    ids.sort_unstable();
    ids.dedup();
    assert!(all == 4 && ids.len() == 4 && stages == 4, "{pgn}");
    // Of one stage alone the number is enough.
    let pgn = home.agon("export pgn cup --stage 2".split(' ')).out();
    assert!(pgn.contains("[Id \"r01-p0001-g01\"]") && !pgn.contains("[Stage"), "{pgn}");
}

#[test]
fn games_begin_from_pgn_and_epd() {
    let home = pair("");
    let book = "[Event \"one\"]\n\n1. e4 {good} e5 (1... c5) 2. Nf3 Nc6 *\n\n[Event \"two\"]\n1.d4 d5 1-0\n\n\
                [Event \"three\"]\n1. e4 e5 2. Nf3 1/2-1/2\n";
    home.put("book.pgn", book);
    let play = "match one two --game chess --games 4 --st 5 --openings";
    let words = |file: &str| format!("{play} {file}").split(' ').map(str::to_owned).collect::<Vec<_>>();
    let said = home.agon(words("book.pgn --opening-plies 2 --out run"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("the opening in line 8 is that of line 1"), "{}", said.all());
    let pgn = home.read("run/games/r01.pgn");
    for fen in ["rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "w KQkq - 0 2"] {
        assert!(pgn.contains(fen), "{pgn}");
    }
    home.put("book.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\"; hmvc 7; fmvn 30;\n; a comment\n4k3/8/8/8/8/8/4P3/4K3 b - -\n");
    let said = home.agon(words("book.epd --out epd"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("epd/games/r01.pgn").contains("4k3/8/8/8/8/8/4P3/4K3 w - - 7 30"));
    for (name, text, why) in [
        ("a.pgn", "[Event \"x\"]\n\n1. e4 e5\n2. Nf9 *\n", "a.pgn: line 4: move 2. Nf9: "),
        (
            "b.pgn",
            "[Event \"x\"]\n\n1. e4 e5 2. Ke3 *\n",
            "b.pgn: line 3: move 2. Ke3: no legal move of a king",
        ),
        (
            "m.pgn",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n\n30... Ke7 31. e4 Ke4 *\n",
            "m.pgn: line 3: move 31... Ke4: no legal move of a king",
        ),
        (
            "c.pgn",
            "[Event \"x\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n",
            "c.pgn: line 1: the game is over in this position, checkmate",
        ),
        (
            "d.pgn",
            "[FEN \"8/8/8/8/8/8/8/K7 w - - 0 1\"]\n\n*\n",
            "d.pgn: line 1: the position in which this game begins: B has no king",
        ),
        (
            "j.pgn",
            "[Event \"x\"]\n[SetUp \"1\"]\n\n1. e4 *\n",
            "j.pgn: line 1: SetUp says that this game has a start of its own, and there is no FEN",
        ),
        (
            "k.pgn",
            "[SetUp \"0\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n",
            "k.pgn: line 1: SetUp says that this game has the usual start, and there is a FEN",
        ),
        (
            "l.pgn",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n*\n",
            "l.pgn: line 3: the tag FEN is there twice",
        ),
        ("e.pgn", "[Variant \"Atomic\"]\n\n1. e4 *\n", "e.pgn: line 1: this is a game of Atomic"),
        ("f.pgn", "[Event \"x\"]\n\n1. e4 {\n", "f.pgn: line 3: the comment that begins here has no }"),
        (
            "g.epd",
            "4k3/8/8/8/8/8/8/4K3 w - - bm Kd1;\n",
            "g.epd: line 1: the game is over in this position, insufficient material",
        ),
        ("h.epd", "8/8/8/8/8/8/8/4K3 w - - bm Kd1;\n", "h.epd: line 1: B has no king"),
        (
            "i.epd",
            "4k3/8/8/8/8/8/4P3/4K3 w - - id \"a; hmvc 3\"; hmvc x;\n",
            "i.epd: line 1: the operation hmvc has \"x\", and needs a whole number",
        ),
    ] {
        home.put(name, text);
        let said = home.agon(words(name));
        assert!(said.code == Some(2) && said.err().contains(why), "{name}: {}", said.all());
    }
    let said = home.agon("match one two --game chess --games 2 --st 5 --opening-plies 4".split(' '));
    assert!(said.code == Some(2) && said.err().contains("--openings FILE"), "{}", said.all());
}

#[test]
fn pgn_is_for_chess_alone() {
    let home = Home::new();
    for name in ["one", "two"] {
        assert_eq!(home.agon(["new", "connect4", "python", name]).code, Some(0));
    }
    assert_eq!(home.agon("match one two --games 2 --st 5 --out run".split(' ')).code, Some(0));
    let said = home.agon(["export", "pgn", "run"]);
    assert!(
        said.code == Some(2) && said.err().contains("is a game of connect4, and PGN is for chess"),
        "{}",
        said.all()
    );
    assert!(!home.path("run/games/r01.pgn").exists());
}

/// Judges the plies of games by python-chess.
const JUDGE: &str = r#"
import sys, chess
games = plies = 0
ends = {}
for line in sys.stdin:
    kind, *fields = line.rstrip("\n").split("|")
    if kind == "game":
        fen, is_960, never = fields
        board = chess.Board(fen, chess960=is_960 == "true")
        games += 1
        continue
    if kind == "move":
        uci, san = fields
        move = board.parse_uci(uci)
        assert board.san(move) == san, (board.fen(), uci, san, board.san(move))
        assert board.parse_san(san) == move
        board.push(move)
        plies += 1
        continue
    fen, moves, status, white, black = fields
    assert board.fen() == fen, (board.fen(), fen)
    legal = sorted(board.uci(move) for move in board.legal_moves)
    twice, quiet = (board.is_fivefold_repetition(), 150) if never == "true" else (board.is_repetition(3), 100)
    if not legal:
        end = "checkmate" if board.is_check() else "stalemate"
    elif board.is_insufficient_material():
        end = "insufficient material"
    elif twice:
        end = "fivefold repetition" if never == "true" else "threefold repetition"
    elif board.halfmove_clock >= quiet:
        end = "seventy-five moves" if never == "true" else "fifty moves"
    else:
        end = ""
    assert status.startswith(end) and (end or not status), (fen, status, end, [move.uci() for move in board.move_stack])
    assert (legal if not end else []) == moves.split(), (fen, moves, legal)
    for color, may in ((chess.WHITE, white), (chess.BLACK, black)):
        assert board.has_insufficient_material(color) != (may == "true"), (fen, color, may)
    if end:
        ends[end] = ends.get(end, 0) + 1
print(games, plies, ends)
"#;

/// A random game as the judge reads it. In every fourth game most moves take the one before them
/// back, so that positions repeat.
fn random_game(rules: Chess, seed: u64, text: &mut String) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |most: usize| (random.next_u64() % most as u64) as usize;
    let mut position = rules.position(seed);
    let never = rules.claims == Claims::Never;
    writeln!(text, "game|{}|{}|{never}", position.text(), rules.is_960()).unwrap();
    let mut moves = Vec::new();
    let mut own: [Option<String>; 2] = [None, None];
    for ply in 0.. {
        position.moves(&mut moves);
        let status = match position.status() {
            Status::ToMove(_) => "",
            Status::Over(Ending::Win(_, why) | Ending::Draw(why)) => why,
        };
        let mut listed: Vec<String> = moves.iter().map(ToString::to_string).collect();
        listed.sort();
        let [white, black] = [Seat::FIRST, Seat::SECOND].map(|seat| position.may_win(seat));
        writeln!(text, "at|{}|{}|{status}|{white}|{black}", position.text(), listed.join(" ")).unwrap();
        if moves.is_empty() {
            return;
        }
        let back = own[ply % 2].as_ref().and_then(|last| moves.iter().find(|mv| mv.to_string() == *last));
        let mv = match back {
            Some(mv) if seed.is_multiple_of(4) && below(3) > 0 => *mv,
            _ => moves[below(moves.len())],
        };
        let written = mv.to_string();
        own[ply % 2] = Some(format!("{}{}", &written[2..4], &written[..2]));
        writeln!(text, "move|{written}|{}", position.shown(mv).unwrap()).unwrap();
        position.play(mv);
    }
}

/// Has another program judge so many games, and returns what it says; `None` if it is not there.
fn judged(games: u64) -> Option<String> {
    let own = root().join("target/python-chess/bin/python").into_os_string();
    let pythons = [std::env::var_os("AGON_PYTHON_CHESS"), Some(own), Some("python3".into())];
    let knows = |python: &OsString| {
        let tried = Command::new(python).args(["-c", "import chess"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let python = pythons.into_iter().flatten().find(knows)?;
    let mut judge = Command::new(python)
        .args(["-c", JUDGE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = judge.stdin.take().unwrap();
    let told = std::thread::spawn(move || {
        for seed in 0..games {
            let options = ["", "960", "claims=never", "", "960,claims=never"][seed as usize % 5];
            let mut text = String::new();
            random_game(options.parse().unwrap(), seed, &mut text);
            if input.write_all(text.as_bytes()).is_err() {
                return; // the judge says why it has left
            }
        }
    });
    let said = judge.wait_with_output().unwrap();
    told.join().unwrap();
    let [out, err] = [said.stdout, said.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(said.status.success(), "{out}{err}");
    Some(out)
}

fn judge(games: u64, ends: &[&str]) {
    let Some(said) = judged(games) else {
        not_tried!("games of chess are not judged by python-chess, which is not on this machine");
        return;
    };
    assert!(said.starts_with(&format!("{games} ")), "{said}");
    for end in ends {
        assert!(said.contains(end), "{end}: {said}");
    }
}

#[test]
fn another_program_judges_random_games_alike() {
    judge(20, &["repetition"]);
}

#[test]
#[ignore = "slow"]
fn another_program_judges_a_thousand_random_games_alike() {
    judge(
        1000,
        &["checkmate", "stalemate", "insufficient", "threefold", "fivefold", "fifty", "seventy-five"],
    );
}
