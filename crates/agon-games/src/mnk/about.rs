//! The description of m,n,k games, for people.

use crate::{About, GameCard, points};

/// The description for people.
pub(crate) const ABOUT: About = About {
    card: GameCard {
        name: "Tic-tac-toe",
        aim: "Put marks on free cells; three of yours in a line win, or more on larger boards.",
    },
    title: "m,n,k games: k in a line on m columns and n rows (tic-tac-toe, gomoku)",
    rules: "\
X begins, unless the option first=O says otherwise. In turn each puts a mark on a free cell. Who first has k or \
more of them in a straight line (along a row, a column or a diagonal) has won. A full board is a draw. A board \
has 1 to 20 columns and rows, and k goes from 1 to the longer side. With exact, only a line of exactly k wins. With \
caro, a line of exactly k does not win if the other side has a mark at both its ends; a longer line wins, and the \
edge of the board blocks no line. With exact,caro both are needed: exactly k, and not blocked at both ends. With \
renju, k is 5; who begins wins by exactly five, the other by five or more. Who begins loses by a move that makes \
six or more in a line, two fours or two threes, unless it makes exactly five as well. A four can become exactly \
five by one more mark, a three a row of four that can become exactly five at both ends, by a mark that is not \
forbidden itself. The forbidden move is played, and the game is over. These are the rules 1, 8, 9 and 4 of Gomocup.",
    moves: "The column's letter and the row's number, a1 at the bottom left: X,h8. Columns are a to t.",
    position: "\
The rows from the top, joined by /: X, O, or . for a free cell. Whose move it is follows from the numbers of \
marks. In renju the mark that ended the game by a forbidden move is written x (with first=O: o).",
    score: "1 for the winner and 0 otherwise; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points,
};
