"""Plays games of OpenSpiel with the seats of agon."""
import random
import re
import sys

import pyspiel

LONGEST = 15_000  # characters of a line, which have at most four bytes each: agon takes 64 KiB


def say(*words):
    print(*words)


def hear():
    """The next line of agon as its first word and the rest."""
    sys.stdout.flush()
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    if word in ("quit", ""):
        sys.exit(0)
    return word, rest


def mangled(text):
    return re.sub(r"\s+", "_", text.strip()) or "_"


def names_of(state, player, moves=None):
    """The legal actions by name, or by number where the names are too long for one line.

    In kinds of chess, with their module `moves`, they may have the names of UCI, such as e2e4.
    """
    names = {}
    for action in state.legal_actions(player):
        if moves:
            name = moves.action_to_move(action, state.board()).to_lan()
        else:
            name = mangled(state.action_to_string(player, action))
        names[f"{name}#{action}" if name in names else name] = action
    return names if len(" ".join(names)) < LONGEST else {str(action): action for action in names.values()}


class Table:
    """An OpenSpiel game with all options, and the games that are played with it."""

    def __init__(self, options, seats):
        self.scale, self.default = int(options["scale"]), options["default"]
        text = options["game"].replace(";", ",").replace("+", " ")
        self.parameters = dict(pyspiel.game_parameters_from_string(text))
        self.name = self.parameters.pop("name")
        if self.name not in pyspiel.registered_names():
            raise ValueError("OpenSpiel has no such game")
        self.is_told = options["names"] == "uci"
        module = getattr(pyspiel, self.name, None)
        has_names = hasattr(getattr(module, "Move", None), "to_lan")
        self.moves = module if self.is_told and has_names else None
        kind = next(kind for kind in pyspiel.registered_games() if kind.short_name == self.name)
        free = set(kind.parameter_specification) - set(self.parameters)
        self.seeded = "rng_seed" in free  # the rules themselves draw at random
        self.least, self.most = kind.min_num_players, kind.max_num_players
        number = free & {"players", "numPlayers", "num_players"}
        if self.least <= seats <= self.most:
            self.parameters |= dict.fromkeys(number, seats)
        self.game = self.load(0)
        if not number or number <= set(self.parameters) and self.game.num_players() != seats:
            self.least = self.most = self.game.num_players()
        if self.most < 2 or kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            raise ValueError("it is not for 2 or more seats")
        kind = self.game.get_type()  # parameters may have hidden something
        self.perfect = kind.information != pyspiel.GameType.Information.IMPERFECT_INFORMATION
        # The information state has all that a seat has seen. With perfect information the position is enough.
        known = kind.provides_information_state_string and not (self.perfect and kind.provides_observation_string)
        self.view = "information_state_string" if known else "observation_string"

    def load(self, seed):
        return pyspiel.load_game(self.name, self.parameters | ({"rng_seed": seed % 2**31} if self.seeded else {}))

    def play(self, seed):
        """Plays a game until the line `end`."""
        self.random, self.past, lost = random.Random(seed), [], []
        game = self.load(seed) if self.seeded else self.game
        state, seats = game.new_initial_state(), range(game.num_players())
        say("tell all game", mangled(str(game)))
        while not lost and not state.is_terminal():
            if state.is_chance_node():
                action = self.random.choices(*zip(*state.chance_outcomes()))[0]
                self.show("public chance", mangled(state.action_to_string(state.current_player(), action)))
                state.apply_action(action)
                continue
            together = state.is_simultaneous_node()
            asked = [p for p in seats if state.legal_actions(p)] if together else [state.current_player()]
            actions = self.ask(state, asked)
            lost = [p for p in asked if actions[p] is None]
            if together and not lost:
                state.apply_actions([actions.get(p, pyspiel.INVALID_ACTION) for p in seats])
            elif not lost:
                state.apply_action(actions[asked[0]])
        for line in self.past:
            say(line)
        returns = self.forfeit(game, state, lost) if lost else state.returns()
        scores = [round(amount * self.scale) for amount in returns]
        say("tell all returns", *scores)
        say("end", *scores, ":", f"no legal answer of seat {lost[0] + 1}" if lost else "the game is over")

    def show(self, *words):
        """A line for spectators: at once if the game hides nothing, or else at its end."""
        say(*words) if self.perfect else self.past.append(" ".join(map(str, words)))

    def ask(self, state, players):
        """Asks players in one step. Returns the action of each, None for one that has lost by it."""
        legal, actions = {p: names_of(state, p, self.moves) for p in players}, {}
        for p in players:
            for line in getattr(state, self.view)(p).rstrip("\n").split("\n"):
                say("tell", p + 1, "view", line.rstrip()[:LONGEST])
            say("tell", p + 1, "legal", *legal[p])
            say("ask", p + 1)
        say("wait")
        for p in players:
            word, rest = hear()
            name, number = mangled(rest.partition(" ")[2]) if word == "answer" else None, len(legal[p])
            if name in legal[p]:
                self.show("move" if self.perfect else "public seat", p + 1, name)
            elif self.default == "lose":
                if name:
                    say("bad", p + 1, f"not one of {number} legal actions: {name[:100]}")
                name = None
            else:
                name = list(legal[p])[self.random.randrange(number) if self.default == "random" else 0]
                self.show("public seat", p + 1, name, "by default")
            if name and not self.perfect:
                say("secret", p + 1, name)
            if name and self.is_told:
                say("tell all move", name)
            actions[p] = legal[p].get(name)
        return actions

    def forfeit(self, game, state, lost):
        """The returns when seats have lost by a fault: the least of the game; the others have more."""
        least, total, others = game.min_utility(), game.utility_sum(), game.num_players() - len(lost)
        share = (total - least * len(lost)) / others if total is not None and others else None
        return [least if p in lost else max(least + 1, state.player_return(p) if share is None else share)
                for p in range(game.num_players())]
