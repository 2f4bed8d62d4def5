"""The rules of poker that need no referee: what five cards are worth, and who gets the chips."""

from collections import Counter

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "cdhs"]


def strength(cards):
    """What five cards are worth: the greater wins."""
    ranks = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]  # an ace below the two
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = [count for count, _ in groups]  # four of a kind is [4, 1], a full house [3, 2], and so on
    straight = len(groups) == 5 and ranks[0] - ranks[4] == 4
    flush = len({card[1] for card in cards}) == 1
    if straight and flush:
        shape = [5]
    elif straight or flush:  # more than three of a kind, [3, 1, 1], and less than a full house
        shape = [3, 1.5] if flush else [3, 1.2]
    return shape, [rank for _, rank in groups]


def divided(paid, worth):
    """The chips that each seat wins or loses. `paid` has all seats, `worth` those that have not folded,
    in the order in which they get a chip that cannot be divided.

    Each amount that one of them has paid closes a pot: all who paid so much compete for it.
    """
    won, before = {seat: -chips for seat, chips in paid.items()}, 0
    for level in sorted({paid[seat] for seat in worth}):
        pot = sum(min(chips, level) - min(chips, before) for chips in paid.values())
        rivals = [seat for seat in worth if paid[seat] >= level]
        most = max(worth[seat] for seat in rivals)
        best = [seat for seat in rivals if worth[seat] == most]
        for place, seat in enumerate(best):
            won[seat] += pot // len(best) + (place < pot % len(best))
        before = level
    return won
