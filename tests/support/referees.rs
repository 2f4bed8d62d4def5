//! A referee program for tests: a card game of sealed bids with secrets, simultaneous questions,
//! drawings, and faults on request.

use std::fs;
use std::path::Path;

/// Each seat is dealt a secret card and bids; all bid at once. `fail` makes the referee break.
const CARDS: &str = r#"import sys
def say(*words): print(*words, flush=True)
def hear(): return sys.stdin.readline().split()
game, seats = hear(), int(hear()[1])
options = dict(word.split("=") for word in game[2:])
hear(); say("referee 1 cards 1.0"); say("ready")
while (line := hear()) and line[0] == "seed":
    state, scores, out = int(line[1]), [0] * seats, set(); hear()
    if options["draw"] != "no":
        for text in ["size 300 100", "slot 50 50 round a", "slot 150 50 round b", "start"]: say("board", text)
    for number in range(1, 1 + int(options["rounds"])):
        cards = []
        for _ in range(seats): state = (state * 6364136223846793005 + 1) % 2**64; cards.append(100 + (state >> 33) % 899)
        say("public round", number)
        if options["fail"] == "void" and number == 2: say("void no more cards"); sys.exit()
        if options["fail"] == "banner" and number == 2: say("Hello from the library"); sys.exit()
        if options["fail"] == "crash" and number == 2: sys.exit("the deck is lost")
        playing = [seat for seat in range(seats) if seat not in out]
        for seat in playing:
            say("secret", seat + 1, "card", cards[seat]); say("tell", seat + 1, "card", cards[seat])
            say("tell", seat + 1, "legal bid-1 bid-2 bid-3"); say("ask", seat + 1)
        say("wait")
        for seat in playing:
            word, number_of, *text = hear()
            bid = text[0] if text else ""
            if word == "fault" or not bid.startswith("bid-"):
                if word == "answer": say("bad", seat + 1, f"{bid} is no bid")
                out.add(seat); scores[seat] -= 5
            else:
                say("move", seat + 1, bid); scores[seat] += (cards[seat] * int(bid[4:])) % 7
                if options["draw"] == "yes": say("frame", f"0={seat % 2 + 1} *0|seat {seat + 1} bids")
                if options["draw"] == "broken": say("frame 7=1|no such slot")
            say("score", seat + 1, scores[seat])
        if len(out) >= seats - 1: break
    say("end", *scores, ": the cards are played")
"#;

/// An engine that bids. Its second answer is a fault in some modes.
const BIDDER: &str = r#"import sys, time
mode, count = sys.argv[1], 0
for line in sys.stdin:
    if line.split()[:1] == ["?"]:
        count += 1
        if mode == "bad" and count == 2: print("hundred", flush=True)
        elif mode == "crash" and count == 2: sys.exit("no idea")
        elif mode == "late" and count == 2: time.sleep(30)
        else: print(f"bid-{count % 3 + 1}", flush=True)
"#;

/// Writes the game into `folder/cards`, and the engines `plain`, `other`, `third`, `bad`, `crash`
/// and `late` into `folder/engines`.
pub(crate) fn put(folder: &Path) {
    let game = folder.join("cards");
    fs::create_dir_all(&game).unwrap();
    fs::write(game.join("cards.py"), CARDS).unwrap();
    let toml = "name = \"cards\"\ncommand = [\"python3\", \"-S\", \"cards.py\"]\nseats = \"2-4\"\ntime = \"st=1\"\n\
                keep = true\n[options.rounds]\ntype = \"integer\"\ndefault = 3\n\
                [options.draw]\ntype = \"choice\"\nchoices = [\"no\", \"yes\", \"broken\"]\ndefault = \"no\"\n\
                [options.fail]\ntype = \"choice\"\nchoices = [\"no\", \"void\", \"banner\", \"crash\"]\ndefault = \"no\"\n";
    fs::write(game.join("game.toml"), toml).unwrap();
    for (name, mode) in [
        ("plain", "plain"),
        ("other", "plain"),
        ("third", "plain"),
        ("bad", "bad"),
        ("crash", "crash"),
        ("late", "late"),
    ] {
        let engine = folder.join("engines").join(name);
        fs::create_dir_all(&engine).unwrap();
        fs::write(engine.join("bidder.py"), format!("# {name}\n{BIDDER}")).unwrap();
        let toml =
            format!("command = [\"python3\", \"-S\", \"{{folder}}/bidder.py\", \"{mode}\"]\nargs = []\n");
        fs::write(engine.join("engine.toml"), toml).unwrap();
    }
}
