"""The drawing of liar's dice: a row for each seat, in the format of docs/frames.md."""


class Drawing:
    """The dice of each seat in a row of slots, and its bid. A die is hidden until it is shown to all."""

    def __init__(self, say, seats, dice):
        self.say = say
        self.most = dice
        self.shown = {}  # what is on the slots that are not empty
        self.next = {slot: '"?' for seat in range(1, seats + 1) for slot in self.row(seat)}
        say("board size", 100 * dice + 400, 120 * seats + 80)
        for seat in range(1, seats + 1):
            y = 120 * seat
            for die in range(dice):
                say("board slot", 100 * die + 250, y, "square", "die", die + 1, "of seat", seat)
            say("board slot", 100 * dice + 300, y, "round", "bid of seat", seat)
            say("board label", 100, y, "seat", seat)
        say("board start", *self.changes())

    def row(self, seat):
        """The slots of the dice of a seat."""
        return range((seat - 1) * (self.most + 1), seat * (self.most + 1) - 1)

    def bid(self, seat, text):
        self.next[self.row(seat).stop] = f'"{text}'

    def rolled(self, dice):
        """All dice are hidden again, and there is no bid."""
        self.next = {slot: '"?' for seat, count in dice.items() for slot in self.row(seat)[:count]}

    def changes(self):
        """What is new on the slots, as items of a frame."""
        items = [f"{slot}={self.next.get(slot, '.')}" for slot in sorted(self.shown.keys() | self.next.keys())
                 if self.next.get(slot) != self.shown.get(slot)]
        self.shown = dict(self.next)
        return items

    def frame(self, marks, caption, dice):
        """Writes a frame. Behind its caption it says when one seat alone has dice."""
        left = [seat for seat, count in dice.items() if count]
        caption += f": seat {left[0]} has the last dice" if len(left) == 1 else ""
        self.say("frame", " ".join([*self.changes(), *(f"*{slot}" for slot in marks)]) + "|" + caption)

    def show(self, rolls, doubter, face, caption, dice):
        """Shows all dice, and marks those of this face."""
        marks = []
        for owner, roll in rolls.items():
            for slot, die in zip(self.row(owner), roll):
                self.next[slot] = f'"{die}'
                marks += [slot] if die == face else []
        self.bid(doubter, "liar")
        self.frame(marks, caption, dice)
