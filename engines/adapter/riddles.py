"""An adapter for bots of riddles.io and theaigames.com, two sites that are gone: connect four and m,n,k games.

riddles.py SITE GAME SIDE TO_MOVE CONTROL BANK PROGRAM [ARGUMENT...] speaks the protocol of lines with agon, and the
words of SITE with the bot: `riddles` or `theaigames`. BANK is that of the run's --bank in seconds, or 0.

The bot is told settings before its first move, then in each turn the round, the field and its time. It answers
`place_disc COLUMN` or `place_move X Y`, counted from 0 and from the top.
"""

import subprocess
import sys
import time


class Site:
    """What the two sites have different words for."""

    def __init__(self, name):
        old = {"riddles": False, "theaigames": True}[name]
        self.ids = (1, 2) if old else (0, 1)
        self.free, self.joint = ("0", ";") if old else (".", ",")
        self.size = ("field_columns", "field_rows") if old else ("field_width", "field_height")


class Clock:
    """The bot's time in seconds, by the control of the run: st=5, tc=60, tc=60+1 or tc=40/60+1."""

    def __init__(self, control, bank):
        kind, _, text = control.partition("=")
        self.per_move, self.bank = kind == "st", bank
        moves, _, times = text.rpartition("/")
        base, _, increment = times.partition("+")
        self.moves, self.base, self.increment = int(moves or 0), float(base), float(increment or 0)
        self.left, self.played = self.base, 0
        if self.per_move:
            self.increment = self.base

    def told_first(self):
        """`timebank` and `time_per_move` of the settings."""
        own = 0 if self.per_move and self.bank else self.left
        return own + self.bank, self.increment

    def spend(self, seconds):
        self.played += 1
        if self.per_move:
            self.bank = max(0, self.bank - max(0, seconds - self.base))
            return
        self.left = max(0, self.left - seconds) + self.increment
        if self.moves and self.played % self.moves == 0:
            self.left += self.base


def millis(seconds):
    return round(1000 * seconds)


class Bot:
    def __init__(self, site, seat, clock, command):
        self.site, self.seat, self.clock, self.has_settings = site, seat, clock, False
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def settings(self, columns, rows):
        names = [f"player{number}" for number in self.site.ids]
        bank, move = self.clock.told_first()
        return {
            "timebank": millis(bank),
            "time_per_move": millis(move),
            "player_names": ",".join(names),
            "your_bot": names[self.seat],
            "your_botid": self.site.ids[self.seat],
            self.site.size[0]: columns,
            self.site.size[1]: rows,
            "max_rounds": (columns * rows + 1) // 2,
        }

    def field(self, board):
        signs = dict(zip("XO.", [*map(str, self.site.ids), self.site.free]))
        return self.site.joint.join(",".join(signs[cell] for cell in row) for row in board)

    def move(self, board):
        """The words of its answer."""
        text = ""
        if not self.has_settings:
            self.has_settings = True
            lines = self.settings(len(board[0]), len(board)).items()
            text = "".join(f"settings {name} {value}\n" for name, value in lines)
        stones = sum(cell != "." for row in board for cell in row)
        left = self.clock.left + self.clock.bank
        text += f"update game round {stones // 2 + 1}\nupdate game field {self.field(board)}\naction move {millis(left)}\n"
        asked = time.monotonic()
        self.process.stdin.write(text)
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.strip():
                self.clock.spend(time.monotonic() - asked)
                return line.split()
        sys.exit("the bot has ended")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def drops_to(board, column):
    """The row, from the top, on which a stone in this column lies."""
    return max((row for row in range(len(board)) if board[row][column] == "."), default=None)


def our_words(words, drops, rows):
    """The bot's answer as agon has moves. What is no move goes on as it is: agon says what is wrong with it."""
    numbers = [int(word) for word in words[1:3] if word.isdigit()]
    if drops and words[0] == "place_disc" and numbers:
        return str(numbers[0] + 1)
    if not drops and words[0] == "place_move" and len(numbers) == 2 and numbers[0] < 26 and numbers[1] < rows:
        return f"{chr(ord('a') + numbers[0])}{rows - numbers[1]}"
    return " ".join(words)


def cell_of(board, move, drops):
    """The row from the top and the column of a move of agon; None if it is none."""
    if drops:
        column = int(move) - 1 if move.isdigit() else -1
        row = drops_to(board, column) if 0 <= column < len(board[0]) else None
        return None if row is None else (row, column)
    if not move[1:].isdigit():
        return None
    row, column = len(board) - int(move[1:]), ord(move[0]) - ord("a")
    return (row, column) if 0 <= row < len(board) and 0 <= column < len(board[0]) else None


def main():
    site, game, side, to_move, control, bank, *command = sys.argv[1:]
    drops = game.split(":")[0] == "connect4"
    # The bot first, then the board: agon starts the clock of the first move when the board has been read.
    bot = Bot(Site(site), "XO".index(side), Clock(control, float(bank)), command)
    _, rows, _ = map(int, sys.stdin.readline().split())
    board = [list(sys.stdin.readline().strip()) for _ in range(rows)]
    while any("." in row for row in board):
        if to_move == side:
            move = our_words(bot.move(board), drops, rows)
            print(f"{side},{move}", flush=True)
        else:
            line = sys.stdin.readline()
            if not line:
                break  # the game is over
            move = line.strip().split(",")[1]
        cell = cell_of(board, move, drops)
        if cell is None:
            break  # agon has ended the game for it
        board[cell[0]][cell[1]] = to_move
        to_move = "XO"["OX".index(to_move)]
    bot.end()


main()
