"""Divide the sum: says what it accepts, and buys the cheapest partner: haggler.py SEAT SEATS SECONDS PERCENT

It writes `I accept 40 percent`, and reads the same from others. It offers that share to the seat that
asks for least, and the rest to itself. It accepts a share of PERCENT and more.
"""

import re
import sys

me, least = int(sys.argv[1]), int(sys.argv[4])
price = {seat: 50 for seat in (1, 2, 3) if seat != me}  # what the others accept, in percent
total, share = 0, 0
for line in sys.stdin:
    words = line.split()
    promise = re.fullmatch(r"said ([123]) I accept (\d{1,2}) percent\n", line)
    if words[0] == "round":
        total = int(words[3])
    elif promise and int(promise[1]) != me:
        price[int(promise[1])] = int(promise[2])
    elif words[0] == "offered":
        share = int(words[2].split("-")[me - 1])
    elif words[0] in ("message", "offer", "vote"):
        question = words[0]
    elif words[0] == "?" and question == "message":
        print(f"I accept {least} percent", flush=True)
    elif words[0] == "?" and question == "offer":
        partner = min(price, key=price.get)
        paid = -(-total * price[partner] // 100)
        shares = {partner: paid, me: total - paid}
        print("-".join(str(shares.get(seat, 0)) for seat in (1, 2, 3)), flush=True)
    elif words[0] == "?":
        print("accept" if share * 100 >= least * total else "reject", flush=True)
