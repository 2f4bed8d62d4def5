"""Tests of the referees in referees/, without agon: python3 tests/referees/test_referees.py

Each game is played by random players: 100 times without faults, and 40 times with odd answers and
with faults of every kind. The host checks each line, and scripts/recount-referees counts the games.
"""

import copy
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import host  # noqa: E402

ROOT = os.path.join(HERE, "../..")
REFEREES = os.path.join(ROOT, "referees")
GAMES = {
    "kuhn": [2, 3],
    "holdem:hands=5": [2, 3, 6],
    "holdem:stack=5,hands=8": [2, 4, 6],
    "liars-dice": [2, 3, 4],
    "liars-dice:dice=1": [4],
    "dilemma:rounds=20": [2],
    "dilemma:rounds=20,noise=0,temptation=9": [2],
    "cycles": [2, 4],
    "cycles:size=7,rocks=1": [3],
    "divide": [3],
    "divide:sum=7,shrink=30": [3],
    "dots": [2],
    "dots:size=1,lots=0": [2],
    "ataxx": [2],
    "ataxx:board=xo5/-6/1x4o/7/2-1-2/7/o5x,lots=0": [2],
    "ataxx:board=x-5/--5/7/7/7/7/oo5,lots=20": [2],
    "tak:size=3,lots=6": [2],
    "tak:size=4,komi=-3,lots=6": [2],
    "tak:lots=0,komi=4": [2],
    "go:size=5": [2],
    "go:size=3,komi=0,lots=3": [2],
    "instant-c": [2],
}
# Games of each kind: scripts/test-all plays more.
PLAYED, WITH_FAULTS = (100, 40) if os.environ.get("AGON_THOROUGH") else (5, 3)
ENGINES = {
    "kuhn": ["equilibrium", "equilibrium"],
    "holdem:hands=3": ["tight", "tight", "tight"],
    "liars-dice": ["counter", "counter", "counter"],
    "dilemma": ["tit-for-tat", "always-defect"],
    "cycles": ["space", "space", "space"],
    "divide": ["haggler", "haggler", "haggler"],
    "dots": ["greedy", "greedy"],
}


def cases():
    return [(game, seats) for game, numbers in GAMES.items() for seats in numbers]


def play(game, seats, games, **faults):
    """The transcripts and the results of games between random players."""
    referee, played = host.Referee(os.path.join(REFEREES, game), seats), []
    for seed in range(1, games + 1):
        players = [host.Random(f"{game} {seed} {seat}", **faults) for seat in range(seats)]
        result = referee.play(seed, players)
        played.append((list(referee.lines), result))
    referee.close()
    return played


def tak_rules():
    """The module of the rules of Tak."""
    place = importlib.util.spec_from_file_location("tak_board", os.path.join(REFEREES, "tak/board.py"))
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def tak_after(board, move):
    """The board of Tak after a move."""
    board = copy.deepcopy(board)
    board.play(*move)
    return board


def recount(transcripts):
    """Runs scripts/recount-referees over these transcripts. Returns its exit code and what it wrote."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps({"lines": lines}) + "\n" for lines in transcripts)
        file.flush()
        command = [sys.executable, os.path.join(ROOT, "scripts/recount-referees"), file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Referees(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None

    def test_random_players_end_every_game_and_the_recount_agrees(self):
        for game, seats in cases():
            with self.subTest(game=game, seats=seats):
                played = play(game, seats, PLAYED)
                for _, result in played:
                    self.assertEqual((result.bad, result.dead), ({}, {}))
                code, text = recount(lines for lines, _ in played)
                self.assertEqual(code, 0, text)
                self.assertIn(f"{PLAYED} games count the same", text)

    def test_odd_answers_and_faults_of_every_kind_end_sanely(self):
        for game, seats in cases():
            with self.subTest(game=game, seats=seats):
                played = play(game, seats, WITH_FAULTS, odd=0.03, faults=0.03)
                code, text = recount(lines for lines, _ in played)
                self.assertEqual(code, 0, text)

    def test_every_question_can_be_answered_by_each_fault_alone(self):
        for game, seats in cases():
            with self.subTest(game=game):
                # One process for all kinds: a start of Python takes longer than such a game.
                referee = host.Referee(os.path.join(REFEREES, game), seats)
                for kind in host.KINDS:
                    silent = referee.play(1, [Always(kind)] * seats)
                    self.assertEqual(len(silent.scores), seats, kind)
                referee.close()

    def test_an_answer_that_is_not_legal_is_bad(self):
        for game, seats in cases():
            if not game.startswith("divide"):  # there the first answer is a free message
                with self.subTest(game=game):
                    result = host.Referee(os.path.join(REFEREES, game), seats)
                    bad = result.play(1, [Says("no such move")] * seats).bad
                    result.close()
                    self.assertTrue(bad)

    def test_the_same_seed_gives_the_same_game(self):
        for game, seats in cases():
            with self.subTest(game=game, seats=seats):
                first, again = (play(game, seats, 3, odd=0.01, faults=0.01) for _ in range(2))
                self.assertEqual([lines for lines, _ in first], [lines for lines, _ in again])

    def test_a_game_does_not_depend_on_the_games_before_it_in_the_process(self):
        for game, seats in cases():
            with self.subTest(game=game, seats=seats):
                last, _ = play(game, seats, 3)[2]
                referee = host.Referee(os.path.join(REFEREES, game), seats)
                referee.play(3, [host.Random(f"{game} 3 {seat}") for seat in range(seats)])
                self.assertEqual(last, referee.lines)
                referee.close()

    def test_a_secret_is_told_to_its_owner_alone(self):
        for game, seats in cases():
            for lines, _ in play(game, seats, 10):
                owner = {}
                for _, line in lines:
                    word, _, rest = line.partition(" ")
                    seat, _, text = rest.partition(" ")
                    if word == "secret":
                        owner.setdefault(text, set()).add(seat)
                    elif word == "tell" and text in owner:
                        self.assertIn(seat, owner[text], f"{game}: {line}")

    def test_dice_are_drawn_when_all_see_them_and_not_before(self):
        for game, seats in (("liars-dice", 3), ("liars-dice:dice=1", 4)):
            for lines, _ in play(game, seats, 5):
                slots, drawn, shown = [], {}, {}
                for _, line in lines:
                    if line.startswith(("board slot ", "board panel ")):
                        slots.append(line.split(" ", 5)[5])
                    elif line.startswith("public round "):
                        shown = {}
                    elif line.startswith("public shown "):
                        seat, *roll = line.split(" ")[2:]
                        shown[seat] = ["⚀⚁⚂⚃⚄⚅"[int(die) - 1] for die in roll]
                    elif line.startswith(("board start ", "frame ")):
                        items = line.split("|")[0].split(" ")[1:]
                        drawn.update(item.split("=") for item in items if "=" in item)
                        for seat in map(str, range(1, seats + 1)):
                            row = [drawn.get(str(slot), ".") for slot, name in enumerate(slots)
                                   if name.startswith("die ") and name.endswith(f" of seat {seat}")]
                            there = [die[1:] for die in row if die != "."]
                            self.assertEqual(there, shown[seat] if seat in shown else ["?"] * len(there), line)
                self.assertTrue(shown, "the control: no dice were shown")

    def test_the_panels_of_liars_dice_have_the_bids_and_the_numbers_of_dice(self):
        for lines, _ in play("liars-dice", 3, 5):
            slots, drawn, dice, bids = [], {}, {}, 0
            for _, line in lines:
                words = line.split(" ")
                if line.startswith(("board slot ", "board panel ")):
                    slots.append(line.split(" ", 5)[5])
                elif line.startswith("public round "):
                    dice = dict(zip("123", map(int, words[2:])))
                elif line.startswith("public loses "):
                    dice[words[2]] -= 1
                elif line.startswith(("board start ", "frame ")):
                    items = line.split("|")[0].split(" ")[1:]
                    drawn.update((slots[int(item.split("=")[0])], item.split("=")[1]) for item in items if "=" in item)
                if line.startswith("frame "):
                    for seat, count in dice.items():
                        wanted = "1_die" if count == 1 else f"{count}_dice"
                        self.assertEqual(drawn[f"dice of seat {seat}"], f'"{wanted}', line)
                    seat, said = line.split("|seat ")[1].split(" ", 1)
                    if said.startswith("bids "):
                        count, face = said.split(" ")[1].split("x")
                        bid = f"{count}_x_{'⚀⚁⚂⚃⚄⚅'[int(face) - 1]}"
                        self.assertEqual(drawn[f"bid of seat {seat}"], f'"{bid}', line)
                        whole = f'"{sum(dice.values())}_dice:_seat_{seat}_bids_{bid}'
                        self.assertEqual(drawn["the round"].replace("1_die:", "1_dice:"), whole, line)
                        bids += 1
            self.assertTrue(bids, "the control: nobody has bid")

    def test_cards_are_drawn_when_all_see_them_and_the_pot_and_the_chips_with_every_action(self):
        for game, seats in (("holdem", 2), ("holdem", 4)):
            flops = shows = moves = 0
            for lines, _ in play(game, seats, 5):
                slots, drawn, public, stack = [], {}, set(), 0
                for _, line in lines:
                    words = line.split(" ")
                    if line.startswith(("board slot ", "board panel ")):
                        slots.append(line.split(" ", 5)[5])
                    elif line.startswith("public hand "):
                        public, stack = set(), sum(map(int, words[6:]))
                    elif line.startswith(("public flop ", "public show ")):
                        public.update(words[-3:] if words[1] == "flop" else words[-2:])
                        flops, shows = flops + (words[1] == "flop"), shows + (words[1] == "show")
                    moves += words[0] == "move"
                    if line.startswith(("board start ", "frame ")):
                        items = line.split("|")[0].split(" ")[1:]
                        drawn.update((slots[int(item.split("=")[0])], item.split("=")[1]) for item in items if "=" in item)
                    if line.startswith("frame "):
                        cards = {text[1:] for name, text in drawn.items() if name.startswith(("card ", "flop "))} - {"", "?"}
                        self.assertLessEqual(cards, {name[0] + "♣♦♥♠"["cdhs".index(name[1])] for name in public}, line)
                        chips = [int(drawn[f"chips of seat {seat + 1}"][1:].split("_")[0]) for seat in range(seats)]
                        self.assertEqual(stack, sum(chips) + int(drawn["pot"].split("_")[1]), line)
            self.assertTrue(flops and shows and moves, "the control")

    def test_the_recount_finds_a_wrong_score(self):
        for game in ENGINES:
            (lines, _), = play(game, len(ENGINES[game]), 1)
            way, end = lines[-1]
            words = end.split(" ")
            words[1] = str(int(words[1]) + 1)
            code, text = recount([lines[:-1] + [(way, " ".join(words))]])
            self.assertEqual(code, 1, text)
            self.assertIn("counted", text)

    def test_the_engines_that_ship_play_without_a_fault(self):
        for game, names in ENGINES.items():
            with self.subTest(game=game):
                self.engines_play(game, [f"{game.partition(':')[0]}/engines/{name}" for name in names])
                self.engines_play(game, ["random-player"] * len(names))

    def engines_play(self, game, names):
        referee = host.Referee(os.path.join(REFEREES, game), len(names))
        engines = [host.Engine(os.path.join(REFEREES, name), seat, len(names), seat, seconds=30)
                   for seat, name in enumerate(names, start=1)]
        result = referee.play(1, engines)
        for engine in engines:
            engine.close()
        referee.close()
        self.assertEqual((result.bad, result.dead), ({}, {}))

    def test_options_that_make_no_sense_are_an_error(self):
        with self.assertRaisesRegex(SystemExit, "temptation > reward"):
            host.Referee(os.path.join(REFEREES, "dilemma:reward=9"))
        for board in ["x5o", "x5o/7/7/7/7/7/o5y", "x6/7/7/7/7/7/7", "x5o/7/8/7/7/7/o5x", "xxxxxxo/" * 6 + "ooooooo"]:
            with self.assertRaisesRegex(SystemExit, "board is no position"):
                host.Referee(os.path.join(REFEREES, f"ataxx:board={board}"))

    def test_tak_has_as_many_moves_as_other_programs_count(self):
        # The numbers of the package fast-tak 0.4.2 of cargo's registry.
        counts = {3: [9, 72, 1200], 4: [16, 240], 5: [25, 600], 6: [36, 1260]}
        rules = tak_rules()

        def count(board, depth):
            legal = board.legal().values()
            if depth == 1:
                return len(legal)
            return sum(count(tak_after(board, move), depth - 1) for move in legal)

        for size, numbers in counts.items():
            counted = [count(rules.Board(size), depth) for depth in range(1, len(numbers) + 1)]
            self.assertEqual(counted, numbers, size)

    def test_the_engine_of_tak_has_the_rules_of_the_referee(self):
        places = ["tak/board.py", "tak/engines/roads/board.py"]
        texts = []
        for place in places:
            with open(os.path.join(REFEREES, place), encoding="utf-8") as file:
                texts.append(file.read())
        self.assertTrue(texts[0] == texts[1], "copy one of them over the other: " + " ".join(places))

    def test_tak_has_the_rules_of_stacks_walls_and_roads(self):
        board = tak_rules().Board(5)
        here, left, beyond = (2, 2), (1, 2), (0, 2)
        board.plies, board.stacks[here], board.stacks[left], board.stacks[beyond] = 8, "2211C", "", "2S"
        # Up to four stones of its own stack. A capstone alone flattens the wall, and two stones do not.
        west = sorted(move for move in board.legal() if "c3<" in move)
        self.assertEqual(west, ["2c3<", "2c3<11", "3c3<", "3c3<21", "4c3<", "4c3<31", "c3<"])
        for stones in ["1C", "2C"]:
            board.stacks[beyond] = stones
            self.assertEqual([move for move in board.legal() if "c3<" in move and move.endswith("1")], [], stones)
        board.stacks[beyond] = "2S"
        board.play(*board.legal()["3c3<21"])
        self.assertEqual([board.stacks[square] for square in (here, left, beyond)], ["2", "21", "21C"])
        # A wall is no part of a road and a capstone is; who moved and made both roads has won.
        for own, other, winner in [("1", "", 1), ("1C", "", 1), ("1S", "", None), ("1", "2", 2), ("1", "2S", 1)]:
            board = tak_rules().Board(3)
            for x in range(3):
                board.stacks[x, 0], board.stacks[x, 2] = "1", "2" if other else ""
            board.stacks[1, 0], board.stacks[2, 2] = own, other
            result = board.result()
            self.assertEqual(result and result[0], winner, (own, other))
        # Komi counts in half flats, when the board is full: five flats to three, and a wall.
        for komi, winner in [(0, 1), (3, 1), (4, 0), (5, 2), (-3, 1)]:
            board = tak_rules().Board(3, komi)
            for square, stack in zip(board.stacks, ["1", "2", "1", "1", "2S", "2", "2", "1", "1"]):
                board.stacks[square] = stack
            self.assertEqual(board.result()[0], winner, komi)

    def test_moves_by_lot_do_not_end_a_game_of_tak(self):
        played = play("tak:size=3,lots=6", 2, 40)
        code, text = recount([lines for lines, _ in played])
        self.assertEqual(code, 0, text)
        by_lot = [[line for way, line in lines if way == "<" and line.startswith(("tell all move", "ask"))]
                  for lines, _ in played]
        numbers = {[line[:3] for line in lines].index("ask") for lines in by_lot}
        # Some games had fewer lots, as the next one would have made a road.
        self.assertTrue(6 in numbers and min(numbers) < 6, numbers)

    def test_moves_of_tak_are_read_in_every_form_and_told_in_one(self):
        forms = {"c3+": ["1c3+", "c3+1", "1c3+1", "c3+*", "1c3+1C"], "2c3<": ["2c3<2", "2c3<2F"],
                 "3c3<12": ["3c3<12", "3c3<12S'"], "Sa1": ["Sa1", "Sa1!"], "a1": ["Fa1", "a1"],
                 "2Sa1": ["2Sa1"], "1a1": ["1a1"], "\u0663c3+": ["\u0663c3+"], "Sc3+": ["Sc3+"]}
        program = os.path.join(REFEREES, "tak/tak.py")
        command = ("import runpy, sys; sys.path.insert(0, sys.argv[2]); "
                   "normal = runpy.run_path(sys.argv[1])['normal']; "
                   "print([normal(form) for form in eval(sys.argv[3])])")
        for told, written in forms.items():
            words = [sys.executable, "-B", "-c", command, program, os.path.dirname(program), ascii(written)]
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}, check=True)
            self.assertEqual(done.stdout.strip(), str([told] * len(written)))

    def test_a_referee_has_at_most_150_lines(self):
        with open(os.path.join(REFEREES, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        games = [os.path.join(REFEREES, name) for name in os.listdir(REFEREES)]
        games += [os.path.join(REFEREES, "adapters", name) for name in os.listdir(os.path.join(REFEREES, "adapters"))]
        for folder in filter(os.path.isdir, games):
            sizes = {}
            for name in filter(lambda name: name.endswith(".py"), os.listdir(folder)):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    sizes[name] = len(file.readlines())
            self.assertTrue(all(size <= 150 for size in sizes.values()), (folder, sizes))
            if sum(sizes.values()) > 150:
                # What is counted apart is said.
                own = os.path.basename(folder)
                for name in sizes.keys() - {own + ".py"}:
                    self.assertIn(f"`{own}/{name}`", readme)


class Always:
    """A player that has the same fault at each question."""

    def __init__(self, kind):
        self.kind = kind

    def answer(self, lines, form=None):
        raise host.Fault(self.kind)


class Says:
    """A player that always writes the same line."""

    def __init__(self, text):
        self.text = text

    def answer(self, lines, form=None):
        return self.text


if __name__ == "__main__":
    unittest.main()
