"""An example of a line referee for brutaltester's old protocol: nim for two to four players."""
import random
import sys

generator, players = random.Random(), 2
for line in sys.stdin:
    word, number = line.split()
    if word == "###Seed":
        generator = random.Random(int(number))
    elif word == "###Start":
        players = int(number)
        break

heap, alive, turn = generator.randint(11, 30), list(range(players)), 0
beaten = []  # groups of players, the worst first
while len(alive) > 1:
    player = alive[turn % len(alive)]
    print(f"###Input {player}")
    print(heap)
    print("legal", *range(1, min(3, heap) + 1))
    print(f"###Output {player} 1", flush=True)
    answer = sys.stdin.readline().strip()
    if answer not in ("1", "2", "3") or int(answer) > heap:
        print(f"###Error {player} cannot take {answer!r} of {heap} stones", flush=True)
        beaten.append(str(player))
        turn = alive.index(player)
        alive.remove(player)
        continue
    heap -= int(answer)
    if heap == 0:
        beaten.append("".join(str(other) for other in alive if other != player))
        alive = [player]
    turn += 1
print("###End", alive[0], *reversed(beaten), flush=True)
