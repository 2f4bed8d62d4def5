"""Plays games through the adapters of referees/adapters and checks every line against the protocol.

Run it with `python3 tests/referees/test_adapters.py`. The tests of OpenSpiel need its `install`.
"""
import json
import os
import random
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTERS = os.path.join(HERE, "..", "..", "referees", "adapters")
sys.path[:0] = [HERE, os.path.join(ADAPTERS, "relay")]
import host  # noqa: E402
import result  # noqa: E402

KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
OPENSPIEL = os.path.join(ADAPTERS, "openspiel")
GAMES = 10
KINDS = {
    "tic_tac_toe": 2, "connect_four": 2, "backgammon": 2, "bargaining": 2, "liars_dice": 2, "leduc_poker": 2,
    "kuhn_poker(players=3)": 3, "hearts": 4, "goofspiel(num_cards=5;imp_info=True;players=3)": 3,
}
CONSTANT_SUM = {"tic_tac_toe", "connect_four", "backgammon", "liars_dice", "leduc_poker", "kuhn_poker(players=3)"}


class Scripted:
    """Answers what a function makes of the lines; it raises host.Fault for a fault."""

    def __init__(self, function):
        self.function, self.told = function, []

    def answer(self, lines, form=None):
        self.told += lines
        answer = self.function(lines)
        end = [form[1]] if form and form[0] == "until" else []
        return [answer, *end] if form and isinstance(answer, str) else answer


def fault(kind):
    def fail(_):
        raise host.Fault(kind)
    return Scripted(fail)


def cells(seed):
    """Plays a free cell of tic-tac-toe, as the requests of the example judge tell them."""
    free, chance = [(x, y) for x in range(3) for y in range(3)], random.Random(seed)

    def play(lines):
        request = json.loads(lines[-1])
        move = request.get("requests", [request])[-1]
        if (move["x"], move["y"]) in free:
            free.remove((move["x"], move["y"]))
        x, y = free.pop(chance.randrange(len(free)))
        return json.dumps({"response": {"x": x, "y": y}, "data": len(free)})
    return Scripted(play)


def played(game, seats, players, seeds=(1,)):
    """The lines and the scores of games in one process; `players(seed)` gives new players."""
    referee, lines, games = host.Referee(game, seats), [], []
    try:
        for seed in seeds:
            games.append(referee.play(seed, players(seed)))
            lines.append(list(referee.lines))
        referee.close()
    finally:
        referee.process.kill()
        referee.process.wait()
        referee.process.stdin.close()
        referee.process.stdout.close()
    return lines, games


def randoms(seats):
    return lambda seed: [host.Random(f"{seed} {seat}") for seat in range(seats)]


class Adapter(unittest.TestCase):
    def twice(self, game, seats, players, seeds):
        first, games = played(game, seats, players, seeds)
        again, _ = played(game, seats, players, seeds)
        self.assertEqual(first, again, f"{game}: the same seeds and answers gave other lines")
        return first, games

    def copy(self, adapter, command, **files):
        """A copy of an adapter with another command, and with files of its own."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        source = os.path.join(ADAPTERS, adapter)
        for name in os.listdir(source):
            if name.endswith((".py", ".toml")):
                shutil.copy(os.path.join(source, name), folder)
        with open(os.path.join(folder, "game.toml")) as file:
            lines = [line for line in file if not line.startswith("command =")]
        first_table = next((i for i, line in enumerate(lines) if line.startswith("[")), len(lines))
        lines.insert(first_table, f"command = {json.dumps(command)}\n")
        with open(os.path.join(folder, "game.toml"), "w") as file:
            file.writelines(lines)
        for name, text in files.items():
            with open(os.path.join(folder, name + ".py"), "w") as file:
                file.write(text)
        return folder

    def void(self, game, seats, players, words):
        with self.assertRaises(host.Broken) as broken:
            played(game, seats, lambda _: players)
        last = str(broken.exception).split("\n")[-1]
        self.assertRegex(last, "^< void .*" + words)


INSTALLED = os.path.exists(os.path.join(OPENSPIEL, ".venv"))
MISSING = "OpenSpiel is not installed: run referees/adapters/openspiel/install"
if not INSTALLED:
    print("not tried:", MISSING, flush=True)


@unittest.skipUnless(INSTALLED, MISSING)
class OpenSpiel(Adapter):
    def test_ten_games_of_each_kind_end_and_are_the_same_again(self):
        for kind, seats in KINDS.items():
            with self.subTest(kind):
                _, games = self.twice(f"{OPENSPIEL}:game={kind}", seats, randoms(seats), range(GAMES))
                scores = [game.scores for game in games]
                self.assertEqual(len(scores), GAMES)
                self.assertGreater(len(set(map(tuple, scores))), 1, "all games ended alike")
                self.assertTrue(all(game.reason == "the game is over" for game in games))
                if kind in CONSTANT_SUM:
                    self.assertEqual([sum(each) for each in scores], [0] * GAMES)

    def test_a_seat_sees_its_card_alone_and_spectators_see_none_before_the_end(self):
        for seed in range(5):
            (lines,), _ = played(f"{OPENSPIEL}:game=kuhn_poker(players=3)", 3, randoms(3), [seed])
            text = [line for _, line in lines]
            cards = [line.split(":")[1] for line in text if line.startswith("public chance Deal:")]
            for line in text:
                words = line.split()
                if words[0] == "tell" and words[2] == "view":
                    self.assertEqual(words[3][0], cards[int(words[1]) - 1])
            last = max(i for i, line in enumerate(text) if line.startswith("answer"))
            self.assertFalse([line for line in text[:last] if line.startswith(("public", "move"))])

    def test_seats_of_a_simultaneous_node_are_asked_in_one_step(self):
        (lines,), _ = played(f"{OPENSPIEL}:game=goofspiel(num_cards=3)", 2, randoms(2))
        steps = [line for _, line in lines if line.split()[0] in ("ask", "wait", "answer")]
        self.assertEqual([line.split()[0] for line in steps[:5]], ["ask", "ask", "wait", "answer", "answer"])

    def test_chance_within_the_rules_comes_from_the_seed(self):
        lines, _ = self.twice(f"{OPENSPIEL}:game=negotiation", 2, randoms(2), range(4))
        views = {tuple(text[:text.index("wait")]) for text in ([line for _, line in game if line[:4] != "seed"]
                                                               for game in lines)}
        self.assertGreater(len(views), 1, "all games began alike")

    def test_an_illegal_answer_and_a_fault_lose(self):
        garbage = Scripted(lambda _: "garbage")
        _, (game,) = played(OPENSPIEL, 2, lambda _: [garbage, host.Random(1)])
        self.assertEqual((game.scores, list(game.bad)), ([-1000, 1000], [1]))
        _, (game,) = played(f"{OPENSPIEL}:game=bargaining", 2, lambda _: [host.Random(1), fault("late")])
        self.assertEqual((game.scores, list(game.bad)), ([1000, 0], []))
        _, (game,) = played(f"{OPENSPIEL}:game=kuhn_poker", 3, lambda _: [host.Random(1), fault("crash"), host.Random(2)])
        self.assertEqual(game.scores, [1000, -2000, 1000])

    def test_a_default_action_lets_the_game_go_on(self):
        for default in ("first", "random"):
            lines, (game,) = played(f"{OPENSPIEL}:default={default},scale=1", 2,
                                    lambda _: [fault("late"), Scripted(lambda _: "garbage")])
            self.assertEqual((game.reason, game.bad), ("the game is over", {}))
            text = [line for _, line in lines[0]]
            first = [line.split()[3] for line in text if " legal " in line and line.startswith("tell")]
            played_by_default = [line.split()[3] for line in text if line.endswith("by default")]
            self.assertEqual(played_by_default == first, default == "first")

    def test_action_names_with_spaces_are_taken_with_and_without_them(self):
        def bid(lines):
            self.assertIn("_", lines[-1].split()[-1])
            return lines[-1].split()[-1].replace("_", " ")
        _, (game,) = played(f"{OPENSPIEL}:game=goofspiel(num_cards=3)", 2, lambda _: [Scripted(bid), Scripted(bid)])
        self.assertEqual((game.scores, game.bad), ([0, 0], {}))

    def test_games_that_cannot_be_played_are_refused_in_words(self):
        for game, words in {"nope": "no such game", "2048": "2 or more seats", "kuhn_poker(foo=1)": "foo",
                            "kuhn_poker(": "bracket"}.items():
            with self.assertRaisesRegex(SystemExit, f"error: game={game[:4]}.*{words}"):
                host.Referee(f"{OPENSPIEL}:game={game}", 2)
        with self.assertRaisesRegex(host.Broken, "number of seats"):
            host.Referee(f"{OPENSPIEL}:game=hearts", 3)


class WithoutOpenSpiel(Adapter):
    def test_a_missing_library_is_an_error_that_names_the_command(self):
        folder = self.copy("openspiel", ["python3", "-S", "openspiel.py"])
        with self.assertRaisesRegex(SystemExit, "not installed: run referees/adapters/openspiel/install"):
            host.Referee(folder, 2)


class Brutaltester(Adapter):
    FOLDER = os.path.join(ADAPTERS, "brutaltester")

    def test_games_end_and_are_the_same_again(self):
        for seats in (2, 4):
            _, games = self.twice(self.FOLDER, seats, randoms(seats), range(2))
            self.assertTrue(all(max(game.scores) == seats and not game.bad for game in games))

    def test_a_seed_is_sent_only_to_a_referee_that_takes_one(self):
        inner = "print('###End 01' if input() == '###Start 2' else '###End 0', flush=True)"
        for seed, scores in ([], [2, 2]), (["--seed"], [2, 0]):
            command = ["python3", "brutaltester.py", *seed, "--", "python3", "inner.py"]
            _, (game,) = played(self.copy("brutaltester", command, inner=inner), 2, lambda _: [None, None])
            self.assertEqual(game.scores, scores)

    def test_a_complaint_of_the_referee_puts_a_seat_out(self):
        def players(_):
            return [Scripted(lambda _: "4"), host.Random(1), host.Random(2)]
        _, (game,) = played(self.FOLDER, 3, players)
        self.assertEqual((list(game.bad), game.scores[0]), ([1], 1))

    def test_a_seat_that_is_late_is_out_without_a_complaint_about_an_answer(self):
        for kind in ("late", "crash"):
            _, (game,) = played(self.FOLDER, 3, lambda _: [host.Random(1), fault(kind), host.Random(2)])
            self.assertEqual((game.bad, game.scores[1]), ({}, 1))

    def test_seats_can_share_a_place_and_answers_can_have_lines(self):
        inner = "print('###Output 2 2', flush=True); input()\nassert [input(), input()] == ['a', 'b b']\n" \
                "print('###End 2 01', flush=True)"
        folder = self.copy("brutaltester", ["python3", "brutaltester.py", "--", "python3", "inner.py"], inner=inner)
        both = Scripted(lambda _: ["a", "b b"])
        _, (game,) = played(folder, 3, lambda _: [None, None, both])
        self.assertEqual(game.scores, [2, 2, 3])

    def test_a_referee_that_fails_makes_the_game_void(self):
        # Each reads its start line: one that has gone before that line is written is told otherwise.
        for inner, words in {"raise SystemExit(3)": "without ###End, with exit status 3",
                             "input(); print('###Input 9')": "player",
                             "input(); print('###Hello')": "not a line"}.items():
            folder = self.copy("brutaltester", ["python3", "brutaltester.py", "--", "python3", "inner.py"], inner=inner)
            self.void(folder, 2, [], words)
        self.void(self.copy("brutaltester", ["python3", "brutaltester.py", "--", "./nothing"]), 2, [], "cannot start")
        with self.assertRaisesRegex(SystemExit, "names no referee"):
            host.Referee(self.copy("brutaltester", ["python3", "brutaltester.py"]), 2)


class Botzone(Adapter):
    FOLDER = os.path.join(ADAPTERS, "botzone")

    @staticmethod
    def players(seed):
        return [cells(f"{seed} {seat}") for seat in (1, 2)]

    def test_games_end_and_are_the_same_again(self):
        for options in ("", ":input=history", ":input=botzone"):
            _, games = self.twice(self.FOLDER + options, 2, self.players, range(2 - bool(options)))
            self.assertTrue(all(sum(game.scores) == 2 for game in games))

    def test_nothing_is_public_before_the_end(self):
        (lines,), _ = played(self.FOLDER, 2, self.players)
        text = [line for _, line in lines]
        last = max(i for i, line in enumerate(text) if line.startswith("answer"))
        self.assertFalse([line for line in text[:last] if line.startswith(("public", "move"))])
        self.assertTrue([line for line in text[last:] if line.startswith("public")])

    def test_faults_and_illegal_answers_lose_by_the_judge(self):
        for player in [fault(kind) for kind in host.KINDS] + [Scripted(lambda _, text=text: text) for text in (
                "", "NaN", "[]", '{"x":5,"y":0}', "9" * 5000)]:
            _, (game,) = played(self.FOLDER, 2, lambda seed: [cells(seed), player])
            self.assertEqual(game.scores, [2, 0])

    def test_the_judge_reads_what_kind_of_fault_it_was(self):
        for kind, verdict in {"late": "TLE", "crash": "RE", "flood": "OLE"}.items():
            (lines,), _ = played(self.FOLDER, 2, lambda seed: [cells(seed), fault(kind)])
            self.assertIn(("<", f'public {{"display":{{"error":"{verdict}","loser":1}}}}'), lines)

    def test_the_judge_has_the_seed_and_the_history_has_the_data(self):
        judge = "import json; turn = json.loads(input()); seed = json.loads(turn['initdata'])['seed'] % 10\n" \
                "content = {'0': seed, '1': 0.5} if turn['log'] else {'0': 'a', '1': 'b'}\n" \
                "print(json.dumps({'command': 'finish' if turn['log'] else 'request', 'content': content}))"
        folder = self.copy("botzone", ["python3", "botzone.py", "--initdata", '{{"seed":SEED}}', "--", "python3", "judge.py"],
                           judge=judge)
        seats = [Scripted(lambda _: "1"), Scripted(lambda _: "2")]
        _, (game,) = played(folder, 2, lambda _: seats, [27])
        self.assertEqual((game.scores, seats[0].told, seats[1].told), ([7000, 500], ['"a"'], ['"b"']))
        (lines,), _ = played(self.FOLDER + ":input=history", 2, self.players)
        third = [line for _, line in lines if line.startswith("tell 1")][1]
        self.assertEqual(sorted(json.loads(third[7:])), ["data", "requests", "responses"])

    def test_a_bot_that_keeps_running_reads_all_in_its_first_turn_and_requests_later(self):
        game, bare = self.FOLDER + ":input=botzone", []

        def player(seed):
            cell = cells(seed)

            def play(lines):
                bare.append("requests" not in json.loads(lines[-1]))
                return ['{"response":', *cell.function(lines)[12:].rpartition(', "data"')[:1], "}", KEEP]
            return Scripted(play)
        _, (won,) = played(game, 2, lambda seed: [player(seed), player(seed + 1)])
        self.assertEqual((sum(won.scores), bare[:4]), (2, [False, False, True, True]))
        for kind in host.KINDS:
            _, (lost,) = played(game, 2, lambda seed: [player(seed), fault(kind)])
            self.assertEqual(lost.scores, [2, 0])

    def test_a_judge_that_fails_makes_the_game_void(self):
        for judge, words in {"raise SystemExit(3)": "exit status 3", "print('{}')": "not of Botzone", "print('[1]')": "not of",
                             "print('{\"command\":\"request\",\"content\":{\"7\":1}}')": "no|not",
                             "print('{\"command\":\"finish\",\"content\":{\"0\":1}}')": "not of Botzone"}.items():
            folder = self.copy("botzone", ["python3", "botzone.py", "--", "python3", "judge.py"], judge=judge)
            self.void(folder, 2, [], words)
        self.void(self.copy("botzone", ["python3", "botzone.py", "--", "./nothing"]), 2, [], "cannot be started")


class Relay(Adapter):
    FOLDER = os.path.join(ADAPTERS, "relay")
    COMMAND = ["python3", "relay.py", "--", "python3", "referee.py", "{{bots}}"]
    START = "import shlex, subprocess, sys\nbots = [subprocess.Popen(shlex.split(word), stdin=-1, stdout=-1, text=True)" \
            " for word in sys.argv[1:]]\ndef turn(bot, *lines):\n    print(*lines, sep='\\n', file=bots[bot].stdin, " \
            "flush=True)\n    return bots[bot].stdout.readline().strip()\n"

    def test_games_end_and_are_the_same_again(self):
        for seats in (2, 3):
            lines, games = self.twice(self.FOLDER, seats, randoms(seats), range(1))
            self.assertTrue(all(not game.bad for game in games))
            steps = [line.split()[0] for _, line in lines[0] if line.split()[0] in ("ask", "wait")]
            self.assertEqual(steps, (["ask"] * seats + ["wait"]) * 10, "not all seats were asked at once")

    def test_an_error_in_the_result_is_the_fault_of_the_seat(self):
        _, (game,) = played(self.FOLDER, 3, lambda _: [host.Random(1), Scripted(lambda _: "x"), host.Random(2)])
        self.assertEqual((list(game.bad), game.scores[1]), ([2], 1))

    def test_a_fault_closes_the_stub_and_the_referee_judges_it(self):
        for kind in ("late", "crash"):
            _, (game,) = played(self.FOLDER, 3, lambda _: [host.Random(1), fault(kind), host.Random(2)])
            self.assertEqual((game.bad, game.scores[1]), ({}, 1))

    def test_bots_are_asked_in_turn_and_a_number_a_line_is_the_result(self):
        inner = self.START + "a = turn(0, 'first')\nb = turn(1, 'second', a)\na = turn(0, b)\nprint(a)\nprint(2.5)"
        one, two = Scripted(lambda lines: lines[-1] if lines == ["first"] else "7"), Scripted(lambda lines: " ".join(lines))
        _, (game,) = played(self.copy("relay", self.COMMAND, referee=inner), 2, lambda _: [one, two])
        self.assertEqual((game.scores, one.told, two.told), ([7000, 2500], ["first", "second first"], ["second", "first"]))

    def test_only_seats_with_a_line_that_asks_are_asked(self):
        inner = self.START + "print('news', file=bots[1].stdin, flush=True)\nturn(0, 'go')\nturn(1, 'go')\nprint('1\\n2')"
        command = [*self.COMMAND[:2], "--when", "^go$", *self.COMMAND[2:]]
        one, two = Scripted(lambda _: "x"), Scripted(lambda _: "y")
        _, (game,) = played(self.copy("relay", command, referee=inner), 2, lambda _: [one, two])
        self.assertEqual((one.told, two.told), (["go"], ["news", "go"]))

    def test_a_referee_that_fails_makes_the_game_void_but_not_if_a_seat_has_failed(self):
        folder = self.copy("relay", self.COMMAND, referee=self.START + "int(turn(0, 'number'))\nraise SystemExit(3)")
        self.void(folder, 2, [Scripted(lambda _: "1"), None], "without a result, exit status 3")
        _, (game,) = played(folder, 2, lambda _: [fault("crash"), None])
        self.assertEqual(game.scores, [0, 1])
        self.void(self.copy("relay", ["python3", "relay.py", "--", "./nothing"]), 2, [], "nothing")

    def test_the_results_of_several_systems_are_read(self):
        def read(text):
            return result.result(text.encode(), "/nothing", 2)
        self.assertEqual(read('log\n{"ranks":[1,0],"errors":[0,1]}\n'), ([1, 2], [0, 1]))
        self.assertEqual(read('{"stats":{"1":{"rank":1},"0":{"rank":2}}}'), ([0, 1], [0, 0]))
        self.assertEqual(read('{"scores":{"0":-1,"1":30}}'), ([-1, 30], [0, 0]))
        self.assertEqual(read("0.5\n2\n"), ([500, 2000], [0, 0]))
        self.assertIsNone(read("no result\n1\n"))
        self.assertIsNone(read('{"ranks":[1,0,2]}'))


if __name__ == "__main__":
    unittest.main()
