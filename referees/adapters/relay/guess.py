"""An example of a referee that starts its bots: guess.py SEED COMMAND ..., one command for each bot.

It writes the ranks in JSON at the end, as `play_game` programs do.
"""
import json
import random
import shlex
import subprocess
import sys

generator = random.Random(int(sys.argv[1]))
bots = [subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for command in sys.argv[2:]]
points, errors = [0] * len(bots), [0] * len(bots)


def write(bot, *lines):
    print(*lines, sep="\n", file=bot.stdin, flush=True)


past = ["no numbers yet"] * len(bots)
for _ in range(10):
    weight = generator.randint(1, 5)
    alive = [i for i in range(len(bots)) if not errors[i]]
    for i in alive:  # all bots first, so that they answer at the same time
        write(bots[i], past[i], f"weight {weight}", "legal " + " ".join(map(str, range(101))))
    numbers = {}
    for i in alive:
        answer = bots[i].stdout.readline().strip()
        if answer.isdecimal() and int(answer) <= 100:
            numbers[i] = int(answer)
        else:
            errors[i] = 1
    if numbers:
        goal = 2 / 3 * sum(numbers.values()) / len(numbers)
        nearest = min(abs(number - goal) for number in numbers.values())
        for i, number in numbers.items():
            points[i] += weight * (abs(number - goal) == nearest)
    past = ["numbers " + " ".join(str(numbers.get(i, "-")) for i in range(len(bots)))] * len(bots)

scores = [-1 if errors[i] else points[i] for i in range(len(bots))]
for bot in bots:
    bot.stdin.close()
print(json.dumps({"ranks": [sum(other > score for other in scores) for score in scores], "errors": errors}))
