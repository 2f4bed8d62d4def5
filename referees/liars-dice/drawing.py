"""The drawing of liar's dice: a row for each seat, in the format of docs/frames.md."""


def face_of(die):
    """The sign of a die."""
    return chr(0x267F + int(die))


def number(dice):
    return "1_die" if dice == 1 else f"{dice}_dice"


class Drawing:
    """The dice of each seat in a row of slots, with its bid and its number of dice in panels, and one
    panel for all. A die is hidden until it is shown to all."""

    def __init__(self, say, seats, dice):
        self.say = say
        self.most = dice
        self.panels = seats * dice  # the slot of the first panel
        self.shown = {}  # what is on the slots that are not empty
        width = 100 * dice + 720
        say("board size", width, 170 * seats + 200)
        for seat in range(1, seats + 1):
            for die in range(dice):
                say("board slot", 100 * die + 230, 170 * seat - 50, "square", "die", die + 1, "of seat", seat)
            say("board label", 90, 170 * seat - 50, "seat", seat)
        for seat in range(1, seats + 1):
            say("board panel", 100 * dice + 340, 170 * seat - 50, 260, "bid of seat", seat)
            say("board panel", 100 * dice + 580, 170 * seat - 50, 180, "dice of seat", seat)
        say("board panel", width // 2, 170 * seats + 90, width - 100, "the round")
        for seat in range(1, seats + 1):
            say("board hand", seat, *self.row(seat))
        self.rolled(dict.fromkeys(range(1, seats + 1), dice))
        say("board start", *self.changes())

    def row(self, seat):
        """The slots of the dice of a seat."""
        return range((seat - 1) * self.most, seat * self.most)

    def panel(self, seat):
        """The slot of the bid of a seat. The next one has its number of dice."""
        return self.panels + 2 * (seat - 1)

    def bid(self, seat, bid, dice):
        count, face = bid.split("x")
        bid = f"{count}_x_{face_of(face)}"
        self.next[self.panel(seat)] = f'"{bid}'
        self.next[self.panel(len(dice) + 1)] = f'"{number(sum(dice.values()))}:_seat_{seat}_bids_{bid}'

    def rolled(self, dice):
        """All dice are hidden again, and there is no bid."""
        self.next = {slot: '"?' for seat, count in dice.items() for slot in self.row(seat)[:count]}
        self.next[self.panel(len(dice) + 1)] = f'"{number(sum(dice.values()))}'
        self.count(dice)

    def hold(self, seat, roll):
        """Says in secret what is behind the dice of a seat, for readers when the run is over."""
        self.say("secret", seat, "hand", *(f'{slot}="{face_of(die)}' for slot, die in zip(self.row(seat), roll)))

    def count(self, dice):
        self.next |= {self.panel(seat) + 1: f'"{number(count)}' for seat, count in dice.items()}

    def changes(self):
        """What is new on the slots, as items of a frame."""
        items = [f"{slot}={self.next.get(slot, '.')}" for slot in sorted(self.shown.keys() | self.next.keys())
                 if self.next.get(slot) != self.shown.get(slot)]
        self.shown = dict(self.next)
        return items

    def frame(self, marks, caption, dice):
        """Writes a frame. Behind its caption it says when one seat alone has dice."""
        self.count(dice)
        left = [seat for seat, count in dice.items() if count]
        caption += f": seat {left[0]} has the last dice" if len(left) == 1 else ""
        self.say("frame", " ".join([*self.changes(), *(f"*{slot}" for slot in marks)]) + "|" + caption)

    def show(self, rolls, doubter, face, caption, dice):
        """Shows all dice, and marks those of this face."""
        self.next[self.panel(doubter)] = '"liar'
        marks = []
        for owner, roll in rolls.items():
            for slot, die in zip(self.row(owner), roll):
                self.next[slot] = f'"{face_of(die)}'
                marks += [slot] if die == face else []
        self.frame(marks, caption, dice)
