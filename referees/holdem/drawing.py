"""The drawing of hold'em, in the format of docs/frames.md: a row for each seat, and one for the table."""

SUITS = dict(zip("cdhs", "♣♦♥♠"))


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


def card(name):
    """The sign of a card, which is `As`."""
    return f'"{name[0]}{SUITS[name[1]]}'


class Drawing:
    """The two cards of each seat in its hand, with its chips and its last action in panels, and the flop
    with the pot. Cards are hidden until they are shown to all."""

    def __init__(self, seats, chips):
        self.seats = seats
        self.shown = {}  # what is on the slots that are not empty
        self.holes = {}  # the cards of the seats, until they are said
        self.table = 2 * seats  # the slot of the first card of the flop
        say("board size", 930, 170 * seats + 200)
        for seat in range(1, seats + 1):
            for place in (1, 2):
                say("board slot", 100 * place + 130, 170 * seat - 50, "square", "card", place, "of seat", seat)
            say("board label", 90, 170 * seat - 50, "seat", seat)
        for place in (1, 2, 3):
            say("board slot", 100 * place + 130, 170 * seats + 90, "square", "flop", place)
        for seat in range(1, seats + 1):
            say("board panel", 510, 170 * seat - 50, 220, "chips of seat", seat)
            say("board panel", 770, 170 * seat - 50, 280, "action of seat", seat)
        say("board panel", 690, 170 * seats + 90, 340, "pot")
        for seat in range(1, seats + 1):
            say("board hand", seat, *self.cards(seat))
        self.next = {}
        say("board start", *self.changes(chips, 0))

    def cards(self, seat):
        """The slots of the cards of a seat."""
        return range(2 * seat - 2, 2 * seat)

    def panel(self, seat):
        """The slot of the chips of a seat. The next one has its action."""
        return self.table + 1 + 2 * seat

    def changes(self, chips, pot):
        """What is new on the slots, as items of a frame."""
        self.next |= {self.panel(seat): f'"{held}_chips' for seat, held in chips.items()}
        self.next[self.panel(self.seats + 1)] = f'"pot_{pot}'
        items = [f"{slot}={self.next.get(slot, '.')}" for slot in sorted(self.shown.keys() | self.next.keys())
                 if self.next.get(slot) != self.shown.get(slot)]
        self.shown = dict(self.next)
        return items

    def deal(self, holes):
        """New cards; the first frame shows them. What they are is a secret, open when the run is over."""
        self.holes = holes
        self.next = {slot: '"?' for seat in holes for slot in self.cards(seat)}
        return holes

    def acts(self, seat, action, chips, pot):
        self.next[self.panel(seat) + 1] = '"' + action.replace(" ", "_")
        self.frame(f"seat {seat}: {action}", chips, pot, [self.panel(seat) + 1])

    def flop(self, cards, chips, pot):
        """The open cards, in the picture after the last action before them."""
        self.next |= {self.table + at: card(name) for at, name in enumerate(cards)}
        self.frame("the flop is " + " ".join(card(name)[1:] for name in cards), chips, pot)

    def ends(self, holes, live, won, chips):
        """The cards that are shown, and who has won or lost how many chips."""
        for seat in live:
            self.next |= dict(zip(self.cards(seat), map(card, holes.get(seat, ()))))
        winners = [seat for seat in won if won[seat] > 0]
        for seat in winners:
            self.next[self.panel(seat) + 1] = f'"wins_{won[seat]}'
        said = " and ".join(f"seat {seat} wins {won[seat]}" for seat in winners) or "nobody wins"
        self.frame(said, chips, 0, [self.panel(seat) + 1 for seat in winners])

    def frame(self, caption, chips, pot, marks=()):
        """Writes a frame, and after the first one of a hand what the seats hold."""
        say("frame", " ".join([*self.changes(chips, pot), *(f"*{slot}" for slot in marks)]) + "|" + caption)
        for seat, cards in self.holes.items():
            say("secret", seat, "hand", *(f"{slot}={card(name)}" for slot, name in zip(self.cards(seat), cards)))
        self.holes = {}
