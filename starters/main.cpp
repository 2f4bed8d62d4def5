// A starter for @GAME@: it plays random legal moves. Your ideas go into choose().
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main SIDE TO_MOVE SECONDS. The position comes on standard input, then each move of
// the opponent. A move of ours is one line on standard output; notes belong on standard error.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using Moves = std::vector<std::string>;

// The next line. At the end of the input the game is over.
static std::string read_line() {
    std::string line;
    if (!std::getline(std::cin, line)) std::exit(0);
    return line;
}

//: mnk connect4
// The rows of the board from the top; a cell is X, O or a dot.
struct Position {
    int columns, rows, k;
    std::vector<std::string> cells;

    Position() {
        std::istringstream(read_line()) >> columns >> rows >> k;
        for (int row = 0; row < rows; row++) cells.push_back(read_line());
    }

//: mnk
    // All free cells: the letter of the column, and the number of the row from the bottom.
    Moves moves(char) {
        Moves found;
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++)
                if (cells[row][column] == '.')
                    found.push_back(std::string(1, char('a' + column)) + std::to_string(rows - row));
        return found;
    }

    void play(char side, const std::string &move) { cells[rows - std::stoi(move.substr(1))][move[0] - 'a'] = side; }
};

//: connect4
    // The numbers of the columns that are not full.
    Moves moves(char) {
        Moves found;
        for (int column = 0; column < columns; column++)
            if (cells[0][column] == '.') found.push_back(std::to_string(column + 1));
        return found;
    }

    void play(char side, const std::string &move) {
        int column = std::stoi(move) - 1, row = rows - 1;
        while (cells[row][column] != '.') row--;
        cells[row][column] = side;
    }
};

//: chess
// The board as FEN writes it: cells[rank][file], both from 0, capitals for white, a dot for a free square.
// This starter never castles itself; to know when it may is left to you.
struct Position {
    using Cells = std::array<std::string, 8>;
    // A rook takes the first four steps, a bishop the next four, a knight the rest.
    static constexpr int STEPS[16][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
        {1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};
    Cells cells;
    // The square that a pawn has passed, or "-".
    std::string passed;

    Position() {
        std::string board, side, castling;
        std::istringstream(read_line()) >> board >> side >> castling >> passed;
        int rank = 7;
        for (char sign : board) {
            if (sign == '/') rank--;
            else if (sign >= '1' && sign <= '8') cells[rank].append(sign - '0', '.');
            else cells[rank] += sign;
        }
    }

    static char side_of(char piece) { return piece == '.' ? '.' : piece >= 'a' ? 'B' : 'W'; }
    static char kind_of(char piece) { return piece >= 'a' || piece == '.' ? piece : char(piece - 'A' + 'a'); }
    static bool is_on_board(int rank, int file) { return rank >= 0 && rank < 8 && file >= 0 && file < 8; }
    static int first_step(char kind) { return kind == 'n' ? 8 : kind == 'b' ? 4 : 0; }
    static int last_step(char kind) { return kind == 'n' ? 16 : kind == 'r' ? 4 : 8; }
    static bool is_slow(char kind) { return kind == 'k' || kind == 'n'; }

    // Whether a side attacks a square.
    bool is_attacked(int rank, int file, char side) const {
        for (int step = 0; step < 16; step++)
            for (int far = 1; far < 8; far++) {
                int r = rank + far * STEPS[step][0], f = file + far * STEPS[step][1];
                if (!is_on_board(r, f) || (far > 1 && step >= 8)) break;
                char piece = cells[r][f], kind = kind_of(piece);
                if (piece == '.') continue;
                if (side_of(piece) != side) break;
                bool strikes = kind == 'p' ? step >= 4 && step < 8 && rank - r == (side == 'W' ? 1 : -1)
                                           : step >= first_step(kind) && step < last_step(kind);
                if (strikes && (far == 1 || (kind != 'p' && !is_slow(kind)))) return true;
                break;
            }
        return false;
    }

    // Adds a move if it does not leave the own king in check.
    void add_legal(Moves &found, char side, int rank, int file, int r, int f, const char *promotion = "") {
        std::string move = {char('a' + file), char('1' + rank), char('a' + f), char('1' + r)};
        Position before = *this;
        play(side, move + promotion);
        bool attacked = false;
        for (int at = 0; at < 64; at++)
            if (cells[at / 8][at % 8] == (side == 'W' ? 'K' : 'k'))
                attacked = is_attacked(at / 8, at % 8, side == 'W' ? 'B' : 'W');
        *this = before;
        if (!attacked) found.push_back(move + promotion);
    }

    void add_pawn_move(Moves &found, char side, int rank, int file, int r, int f) {
        if (r > 0 && r < 7) return add_legal(found, side, rank, file, r, f);
        for (const char *promotion : {"q", "r", "b", "n"}) add_legal(found, side, rank, file, r, f, promotion);
    }

    void add_pawn_moves(Moves &found, char side, int rank, int file) {
        int ahead = side == 'W' ? 1 : -1, home = side == 'W' ? 1 : 6;
        for (int f : {file - 1, file + 1}) {
            if (!is_on_board(rank + ahead, f)) continue;
            char taken = side_of(cells[rank + ahead][f]);
            bool passes = passed == std::string{char('a' + f), char('1' + rank + ahead)};
            if (passes || (taken != '.' && taken != side)) add_pawn_move(found, side, rank, file, rank + ahead, f);
        }
        if (cells[rank + ahead][file] != '.') return;
        add_pawn_move(found, side, rank, file, rank + ahead, file);
        bool twice = rank == home && cells[rank + 2 * ahead][file] == '.';
        if (twice) add_pawn_move(found, side, rank, file, rank + 2 * ahead, file);
    }

    Moves moves(char side) {
        Moves found;
        for (int at = 0; at < 64; at++) {
            int rank = at / 8, file = at % 8;
            char piece = cells[rank][file], kind = kind_of(piece);
            if (side_of(piece) != side) continue;
            if (kind == 'p') {
                add_pawn_moves(found, side, rank, file);
                continue;
            }
            for (int step = first_step(kind); step < last_step(kind); step++)
                for (int far = 1; far < 8; far++) {
                    int r = rank + far * STEPS[step][0], f = file + far * STEPS[step][1];
                    if (!is_on_board(r, f) || side_of(cells[r][f]) == side) break;
                    add_legal(found, side, rank, file, r, f);
                    if (cells[r][f] != '.' || is_slow(kind)) break;
                }
        }
        return found;
    }

    void play(char side, const std::string &move) {
        int file = move[0] - 'a', rank = move[1] - '1', f = move[2] - 'a', r = move[3] - '1';
        char piece = cells[rank][file], kind = kind_of(piece);
        bool passes = kind == 'p' && move.substr(2, 2) == passed;
        passed = "-";
        cells[rank][file] = '.';
        if (kind == 'k' && (side_of(cells[r][f]) == side || std::abs(f - file) > 1)) {
            // Castling: the king goes two files, or in Chess960 takes its own rook.
            bool is_short = f > file;
            int rook = f;
            if (side_of(cells[r][f]) != side)
                for (rook = is_short ? 7 : 0; kind_of(cells[r][rook]) != 'r';) rook += is_short ? -1 : 1;
            cells[r][rook] = '.';
            cells[r][is_short ? 6 : 2] = piece;
            cells[r][is_short ? 5 : 3] = side == 'W' ? 'R' : 'r';
            return;
        }
        if (passes) cells[rank][f] = '.';
        if (kind == 'p' && std::abs(r - rank) == 2) passed = {char('a' + f), char('1' + (r + rank) / 2)};
        cells[r][f] = move.size() < 5 ? piece : side == 'W' ? char(move[4] - 'a' + 'A') : move[4];
    }
};

//: mill
// The cube as cells[z][y][x], with the bottom plane first: 1 for W, 2 for B, or a dot.
struct Position {
    std::array<std::array<std::string, 4>, 4> cells;

    Position() {
        read_line();  // the size is always 4 4 4
        for (auto &plane : cells)
            for (auto &row : plane) row = read_line();
    }

    // The columns, x and y, whose top cell is free.
    Moves moves(char) {
        Moves found;
        for (int x = 0; x < 4; x++)
            for (int y = 0; y < 4; y++)
                if (cells[3][y][x] == '.') found.push_back(std::to_string(x + 1) + std::to_string(y + 1));
        return found;
    }

    void play(char side, const std::string &move) {
        int x = move[0] - '1', y = move[1] - '1', z = 0;
        while (cells[z][y][x] != '.') z++;
        cells[z][y][x] = side == 'W' ? '1' : '2';
    }
};

//: morris
// The lines of the board. Those of three points are mills; those of two only join their points.
static const std::vector<std::vector<int>> SIX = {
    {0, 1, 2}, {3, 4, 5}, {10, 11, 12}, {13, 14, 15}, {0, 6, 13}, {3, 7, 10},
    {5, 8, 12}, {2, 9, 15}, {1, 4}, {6, 7}, {8, 9}, {11, 14}};
static const std::vector<std::vector<int>> NINE = {
    {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}, {12, 13, 14}, {15, 16, 17}, {18, 19, 20}, {21, 22, 23},
    {0, 9, 21}, {3, 10, 18}, {6, 11, 15}, {1, 4, 7}, {16, 19, 22}, {8, 12, 17}, {5, 13, 20}, {2, 14, 23}};

// The points in order, each X, O or a dot, and the men in hand.
struct Position {
    std::string points;
    std::map<char, int> hand;
    std::vector<std::vector<int>> lines;

    Position() {
        std::string line = read_line();
        for (; line.find(' ') == std::string::npos; line = read_line()) points += line;
        std::istringstream(line.substr(1)) >> hand['X'] >> hand['O'];
        lines = points.size() == 16 ? SIX : NINE;
    }

    std::vector<int> of(char mark) const {
        std::vector<int> found;
        for (int point = 0; point < int(points.size()); point++)
            if (points[point] == mark) found.push_back(point);
        return found;
    }

    bool joined(int one, int other) const {
        for (const auto &line : lines)
            for (std::size_t i = 0; i + 1 < line.size(); i++)
                if (std::minmax(line[i], line[i + 1]) == std::minmax(one, other)) return true;
        return false;
    }

    bool in_mill(int point, char side) const {
        return std::any_of(lines.begin(), lines.end(), [&](const std::vector<int> &line) {
            bool contains = std::count(line.begin(), line.end(), point) > 0;
            auto own = std::count_if(line.begin(), line.end(), [&](int there) { return points[there] == side; });
            return contains && own == 3;
        });
    }

    Moves moves(char side) {
        Moves found;
        auto own = of(side), free = of('.');
        if (hand[side] > 0) {
            for (int to : free) add(found, side, -1, to);
            return found;
        }
        for (bool fly : {false, true}) {
            if (fly && (!found.empty() || own.size() != 3)) break;  // three men may fly
            for (int start : own)
                for (int to : free)
                    if (fly || joined(start, to)) add(found, side, start, to);
        }
        return found;
    }

    // Adds a move; where it closes a mill, it with each man that may be removed. -1 is a man in hand.
    void add(Moves &found, char side, int start, int to) const {
        std::string text = (start < 0 ? "" : std::to_string(start) + "-") + std::to_string(to);
        Position after = *this;
        if (start >= 0) after.points[start] = '.';
        after.points[to] = side;
        char other = side == 'X' ? 'O' : 'X';
        std::vector<int> men, outside;
        if (after.in_mill(to, side)) men = after.of(other);
        for (int man : men)
            if (!after.in_mill(man, other)) outside.push_back(man);
        for (int man : outside.empty() ? men : outside) found.push_back(text + "r" + std::to_string(man));
        if (men.empty()) found.push_back(text);
    }

    void play(char side, const std::string &move) {
        auto dash = move.find('-'), removed = move.find('r');
        if (dash != std::string::npos) points[std::stoi(move)] = '.';
        else hand[side]--;
        points[std::stoi(dash == std::string::npos ? move : move.substr(dash + 1))] = side;
        if (removed != std::string::npos) points[std::stoi(move.substr(removed + 1))] = '.';
    }
};

//: abalone
// The steps to the six neighbours. A cell is 10 * row + column; row f begins with column 2, so that a step
// is the same everywhere.
static const std::array<int, 6> STEPS = {1, -1, 10, -10, 11, -11};

static int cell(const std::string &name) {
    int row = name[0] - 'a';
    return 10 * (row + 1) + name[1] - '0' + std::max(0, row - 4);
}

static std::string name(int cell) {
    int row = cell / 10 - 1;
    return std::string(1, char('a' + row)) + std::to_string(cell % 10 - std::max(0, row - 4));
}

// The marbles, # for black and O for white, a blank off the board; and all boards so far.
struct Position {
    std::string cells = std::string(130, ' ');
    std::set<std::string> seen;

    Position() {
        for (int row = 8; row >= 0; row--) {
            std::string line = read_line();
            cells.replace(10 * (row + 1) + 1 + std::max(0, row - 4), line.size(), line);
        }
        read_line();  // the side to move
        seen.insert(cells);
    }

    // Moves along a line, with pushes. Broadside moves are left to you.
    Moves moves(char side) {
        Moves found;
        char mine = side == 'B' ? '#' : 'O', theirs = side == 'B' ? 'O' : '#';
        for (int tail = 0; tail < int(cells.size()); tail++) {
            if (cells[tail] != mine) continue;
            for (int step : STEPS) {
                int own = 0, pushed = 0;
                while (cells[tail + own * step] == mine) own++;
                while (cells[tail + (own + pushed) * step] == theirs) pushed++;
                char behind = cells[tail + (own + pushed) * step];
                if (own > 3 || pushed >= own || !(behind == '.' || (behind == ' ' && pushed > 0))) continue;
                std::string head = own > 1 ? name(tail + (own - 1) * step) : "";
                std::string move = name(tail) + head + "-" + name(tail + step);
                if (!seen.count(after(side, move))) found.push_back(move);  // no board may come back
            }
        }
        return found;
    }

    // The board after a move.
    std::string after(char side, const std::string &move) const {
        std::string board = cells;
        auto dash = move.find('-');
        int tail = cell(move), head = cell(move.substr(dash - 2)), step = cell(move.substr(dash + 1)) - tail;
        int line = step;
        for (int direction : STEPS)
            if (tail + direction == head || tail + 2 * direction == head) line = direction;
        if (line == step) {  // along the line: each marble moves the next one on
            char carried = '.';
            for (int place = tail; board[place] != ' '; place += step) {
                std::swap(carried, board[place]);
                if (carried == '.') break;
            }
        } else {
            for (int place = tail; place != head + line; place += line) {
                board[place] = '.';
                board[place + step] = side == 'B' ? '#' : 'O';
            }
        }
        return board;
    }

    void play(char side, const std::string &move) {
        cells = after(side, move);
        seen.insert(cells);
    }
};

//: letters
// The cube: letters[x][y] is the column from plane 1 down; x and y are counted from 0.
struct Position {
    int rows, columns, planes;
    std::vector<std::vector<std::string>> letters;
    std::unordered_map<std::string, std::string> words;  // the letters of a word in order, and the word

    Position() {
        std::istringstream(read_line()) >> rows >> columns >> planes;
        letters.assign(rows, std::vector<std::string>(columns));
        for (int line = 0; line < rows * planes;) {
            std::string row = read_line();
            if (row.empty()) continue;  // there may be an empty line between two planes
            for (int y = 0; y < columns; y++)
                if (row[y] != '_') letters[line % rows][y] += row[y];
            line++;
        }
        std::ifstream file("dictionary.sorted");
        for (std::string line, key, word; std::getline(file, line);) {
            std::istringstream(line) >> key >> word;
            words[key] = word;
        }
    }

    // Every line that makes a word, from its first cell to its last; without one, the pass.
    Moves moves(char) {
        Moves found;
        const int directions[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
        for (int x = 0; x < rows; x++)
            for (int y = 0; y < columns; y++)
                for (auto [dx, dy, dz] : directions) {
                    std::string line;
                    for (int a = x, b = y, c = 0; a < rows && b < columns && c < int(letters[a][b].size());
                         a += dx, b += dy, c += dz) {
                        line.push_back(letters[a][b][c]);
                        std::string key = line;
                        std::sort(key.begin(), key.end());
                        auto word = words.find(key);
                        if (key.size() < 3 || word == words.end()) continue;
                        std::ostringstream move;
                        move << x + 1 << ',' << y + 1 << ",1," << a + 1 << ',' << b + 1 << ',' << c + 1 << ','
                             << word->second;
                        found.push_back(move.str());
                    }
                }
        if (found.empty()) found.push_back("P");
        return found;
    }

    void play(char, const std::string &move) {
        if (move == "P") return;
        int x1, y1, z1, x2, y2, z2;
        char comma;
        std::istringstream(move) >> x1 >> comma >> y1 >> comma >> z1 >> comma >> x2 >> comma >> y2 >> comma >> z2;
        for (int x = std::min(x1, x2); x <= std::max(x1, x2); x++)
            for (int y = std::min(y1, y2); y <= std::max(y1, y2); y++)
                letters[x - 1][y - 1].erase(z1 - 1, z2 - z1 + 1);  // the column closes up
    }
};

//: all
// The move to play. Replace this by something better.
static std::string choose(Position &, char, const Moves &moves) {
    static std::mt19937 random{std::random_device{}()};
    return moves[random() % moves.size()];
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    char side = argv[1][0], to_move = argv[2][0];
    Position position;
    for (bool my_turn = side == to_move;; my_turn = !my_turn) {
        if (my_turn) {
            Moves moves = position.moves(side);
            if (moves.empty()) return 0;  // the game is over
            std::string move = choose(position, side, moves);
            position.play(side, move);
            std::cout << side << ',' << move << std::endl;  // endl flushes: it would wait in a buffer
        } else {
            std::string line = read_line();
            position.play(line[0], line.substr(2));
        }
    }
}
