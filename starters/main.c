/* A starter for @GAME@: it plays random legal moves. Your ideas go into choose().
 *
 * Handed in alone, without its engine.toml, it is started as these two lines say:
 * agon: args = @ARGS@
 * agon: games = @GAMES@
 *
 * agon starts it as: main SIDE TO_MOVE SECONDS. The position comes on standard input, then each move of
 * the opponent. A move of ours is one line on standard output; notes belong on standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_MOVES = 5000, LONGEST = 160 };

static char moves[MOST_MOVES][LONGEST];
static int count;

/* The next line. At the end of the input the game is over. */
static char *read_line(void) {
    static char line[1000];
    if (!fgets(line, sizeof line, stdin)) exit(0);
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

static void add(const char *move) {
    if (count < MOST_MOVES) snprintf(moves[count++], LONGEST, "%s", move);
}

//: mnk connect4
/* The rows of the board from the top; a cell is X, O or a dot. */
static int columns, rows, k;
static char cells[30][30];

static void read_position(void) {
    sscanf(read_line(), "%d %d %d", &columns, &rows, &k);
    for (int row = 0; row < rows; row++) memcpy(cells[row], read_line(), (size_t)columns);
}

//: mnk
/* All free cells: the letter of the column, and the number of the row from the bottom. */
static void list_moves(char side) {
    (void)side;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            char move[20];
            snprintf(move, sizeof move, "%c%d", 'a' + column, rows - row);
            if (cells[row][column] == '.') add(move);
        }
}

static void play(char side, const char *move) {
    cells[rows - atoi(move + 1)][move[0] - 'a'] = side;
}

//: connect4
/* The numbers of the columns that are not full. */
static void list_moves(char side) {
    (void)side;
    for (int column = 0; column < columns; column++) {
        char move[20];
        snprintf(move, sizeof move, "%d", column + 1);
        if (cells[0][column] == '.') add(move);
    }
}

static void play(char side, const char *move) {
    int column = atoi(move) - 1, row = rows - 1;
    while (cells[row][column] != '.') row--;
    cells[row][column] = side;
}

//: chess
/* The board as FEN writes it: cells[rank][file], both from 0, capitals for white, a dot for a free square.
 * This starter never castles itself; to know when it may is left to you. */
static char cells[8][8], passed[3] = "-";

static void read_position(void) {
    const char *sign = read_line();
    for (int rank = 7, file = 0; *sign != ' '; sign++) {
        if (*sign == '/') rank--, file = 0;
        else if (*sign >= '1' && *sign <= '8') for (int free = *sign - '0'; free > 0; free--) cells[rank][file++] = '.';
        else cells[rank][file++] = *sign;
    }
    sscanf(sign, " %*s %*s %2s", passed);
}

static char side_of(char piece) {
    if (piece == '.') return '.';
    return piece >= 'a' ? 'B' : 'W';
}

static char kind_of(char piece) { return piece >= 'a' ? piece : (char)(piece - 'A' + 'a'); }

static int is_on_board(int rank, int file) { return rank >= 0 && rank < 8 && file >= 0 && file < 8; }

/* The steps of the pieces, as ranks and files; a knight has the last eight, a bishop the second four. */
static const int STEPS[16][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
    {1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};

static int first_step(char kind) { return kind == 'n' ? 8 : kind == 'b' ? 4 : 0; }
static int last_step(char kind) { return kind == 'n' ? 16 : kind == 'r' ? 4 : 8; }

/* Whether a side attacks a square. */
static int is_attacked(int rank, int file, char side) {
    for (int step = 0; step < 16; step++)
        for (int far = 1; far < 8; far++) {
            int r = rank + far * STEPS[step][0], f = file + far * STEPS[step][1];
            if (!is_on_board(r, f)) break;
            char piece = cells[r][f], kind = kind_of(piece);
            if (piece == '.') { if (step >= 8) break; else continue; }
            if (side_of(piece) != side) break;
            if (kind == 'p') {
                if (far == 1 && step >= 4 && step < 8 && rank - r == (side == 'W' ? 1 : -1)) return 1;
            } else if (step >= first_step(kind) && step < last_step(kind) && (far == 1 || (kind != 'k' && kind != 'n'))) {
                return 1;
            }
            break;
        }
    return 0;
}

static void play(char side, const char *move);

/* Adds a move if it does not leave the own king in check. */
static void add_legal(char side, int rank, int file, int r, int f, char promotion) {
    char move[6] = {(char)('a' + file), (char)('1' + rank), (char)('a' + f), (char)('1' + r), promotion, 0};
    char before[8][8], passed_before[3];
    memcpy(before, cells, sizeof cells);
    memcpy(passed_before, passed, sizeof passed);
    play(side, move);
    int attacked = 0;
    for (int at = 0; at < 64; at++)
        if (cells[at / 8][at % 8] == (side == 'W' ? 'K' : 'k'))
            attacked = is_attacked(at / 8, at % 8, side == 'W' ? 'B' : 'W');
    memcpy(cells, before, sizeof cells);
    memcpy(passed, passed_before, sizeof passed);
    if (!attacked) add(move);
}

static void add_pawn_move(char side, int rank, int file, int r, int f) {
    if (r > 0 && r < 7) add_legal(side, rank, file, r, f, 0);
    else for (const char *promotion = "qrbn"; *promotion; promotion++) add_legal(side, rank, file, r, f, *promotion);
}

static void list_pawn_moves(char side, int rank, int file) {
    int ahead = side == 'W' ? 1 : -1, home = side == 'W' ? 1 : 6;
    for (int f = file - 1; f <= file + 1; f += 2) {
        if (!is_on_board(rank + ahead, f)) continue;
        char taken = side_of(cells[rank + ahead][f]);
        int passes = passed[0] == 'a' + f && passed[1] == '1' + rank + ahead;
        if (passes || (taken != '.' && taken != side)) add_pawn_move(side, rank, file, rank + ahead, f);
    }
    if (cells[rank + ahead][file] != '.') return;
    add_pawn_move(side, rank, file, rank + ahead, file);
    if (rank == home && cells[rank + 2 * ahead][file] == '.') add_pawn_move(side, rank, file, rank + 2 * ahead, file);
}

static void list_moves(char side) {
    for (int at = 0; at < 64; at++) {
        int rank = at / 8, file = at % 8;
        char piece = cells[rank][file], kind = kind_of(piece);
        if (side_of(piece) != side) continue;
        if (kind == 'p') list_pawn_moves(side, rank, file);
        else for (int step = first_step(kind); step < last_step(kind); step++)
            for (int far = 1; far < 8; far++) {
                int r = rank + far * STEPS[step][0], f = file + far * STEPS[step][1];
                if (!is_on_board(r, f) || side_of(cells[r][f]) == side) break;
                add_legal(side, rank, file, r, f, 0);
                if (cells[r][f] != '.' || kind == 'k' || kind == 'n') break;
            }
    }
}

static void play(char side, const char *move) {
    int file = move[0] - 'a', rank = move[1] - '1', f = move[2] - 'a', r = move[3] - '1';
    char piece = cells[rank][file], kind = kind_of(piece);
    int passes = kind == 'p' && move[2] == passed[0] && move[3] == passed[1];
    strcpy(passed, "-");
    cells[rank][file] = '.';
    if (kind == 'k' && (side_of(cells[r][f]) == side || abs(f - file) > 1)) {
        /* Castling: the king goes two files, or in Chess960 takes its own rook. */
        int is_short = f > file, rook = f;
        if (side_of(cells[r][f]) != side)
            for (rook = is_short ? 7 : 0; kind_of(cells[r][rook]) != 'r'; rook += is_short ? -1 : 1) {}
        cells[r][rook] = '.';
        cells[r][is_short ? 6 : 2] = piece;
        cells[r][is_short ? 5 : 3] = side == 'W' ? 'R' : 'r';
        return;
    }
    if (passes) cells[rank][f] = '.';
    if (kind == 'p' && abs(r - rank) == 2) {
        passed[0] = (char)('a' + f);
        passed[1] = (char)('1' + (r + rank) / 2);
        passed[2] = '\0';
    }
    cells[r][f] = move[4] ? (side == 'W' ? (char)(move[4] - 'a' + 'A') : move[4]) : piece;
}

//: mill
/* The cube as cells[z][y][x], with the bottom plane first: 1 for W, 2 for B, or a dot. */
static char cells[4][4][4];

static void read_position(void) {
    read_line(); /* the size is always 4 4 4 */
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++) memcpy(cells[z][y], read_line(), 4);
}

/* The columns, x and y, whose top cell is free. */
static void list_moves(char side) {
    (void)side;
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            if (cells[3][y][x] == '.') {
                char move[] = {(char)('1' + x), (char)('1' + y), '\0'};
                add(move);
            }
}

static void play(char side, const char *move) {
    int x = move[0] - '1', y = move[1] - '1', z = 0;
    while (cells[z][y][x] != '.') z++;
    cells[z][y][x] = side == 'W' ? '1' : '2';
}

//: morris
/* The lines of the board. Those of three points are mills; those of two only join their points. */
static const int SIX[][3] = {{0, 1, 2},  {3, 4, 5},  {10, 11, 12}, {13, 14, 15}, {0, 6, 13}, {3, 7, 10},
                             {5, 8, 12}, {2, 9, 15}, {1, 4, -1},   {6, 7, -1},   {8, 9, -1}, {11, 14, -1}};
static const int NINE[][3] = {{0, 1, 2},    {3, 4, 5},    {6, 7, 8},    {9, 10, 11}, {12, 13, 14}, {15, 16, 17},
                              {18, 19, 20}, {21, 22, 23}, {0, 9, 21},   {3, 10, 18}, {6, 11, 15},  {1, 4, 7},
                              {16, 19, 22}, {8, 12, 17},  {5, 13, 20},  {2, 14, 23}};

/* The points in order, each X, O or a dot, and the men in hand of X and of O. */
static char points[30];
static int size, hand[2], line_count;
static const int (*lines)[3];

static void read_position(void) {
    char *line = read_line();
    for (; !strchr(line, ' '); line = read_line()) {
        strcpy(points + size, line);
        size += (int)strlen(line);
    }
    sscanf(line + 1, "%d %d", &hand[0], &hand[1]);
    lines = size == 16 ? SIX : NINE;
    line_count = size == 16 ? 12 : 16;
}

static int joined(int one, int other) {
    for (int i = 0; i < line_count; i++)
        for (int j = 0; j < 2; j++) {
            int a = lines[i][j], b = lines[i][j + 1];
            if ((a == one && b == other) || (a == other && b == one)) return 1;
        }
    return 0;
}

static int in_mill(int point, char side) {
    for (int i = 0; i < line_count; i++) {
        int own = 0, contains = 0;
        for (int j = 0; j < 3 && lines[i][j] >= 0; j++) {
            own += points[lines[i][j]] == side;
            contains |= lines[i][j] == point;
        }
        if (contains && own == 3) return 1;
    }
    return 0;
}

/* Adds a move; where it closes a mill, it with each man that may be removed. -1 is a man in hand. */
static void add_step(char side, int start, int to) {
    char text[30], move[50], other = side == 'X' ? 'O' : 'X';
    int outside = 0, before = count;
    if (start < 0) snprintf(text, sizeof text, "%d", to);
    else snprintf(text, sizeof text, "%d-%d", start, to);
    if (start >= 0) points[start] = '.';
    points[to] = side;
    if (in_mill(to, side)) {
        for (int man = 0; man < size; man++) outside += points[man] == other && !in_mill(man, other);
        for (int man = 0; man < size; man++)
            if (points[man] == other && (outside == 0 || !in_mill(man, other))) {
                snprintf(move, sizeof move, "%sr%d", text, man);
                add(move);
            }
    }
    if (count == before) add(text);
    points[to] = '.';
    if (start >= 0) points[start] = side;
}

static void add_steps(char side, int fly) {
    for (int start = 0; start < size; start++)
        for (int to = 0; to < size; to++)
            if (points[start] == side && points[to] == '.' && (fly || joined(start, to))) add_step(side, start, to);
}

static void list_moves(char side) {
    int men = 0;
    for (int point = 0; point < size; point++) men += points[point] == side;
    if (hand[side == 'O'] > 0) {
        for (int to = 0; to < size; to++)
            if (points[to] == '.') add_step(side, -1, to);
        return;
    }
    add_steps(side, 0);
    if (count == 0 && men == 3) add_steps(side, 1); /* three men may fly */
}

static void play(char side, const char *move) {
    const char *dash = strchr(move, '-'), *removed = strchr(move, 'r');
    if (dash) points[atoi(move)] = '.';
    else hand[side == 'O']--;
    points[atoi(dash ? dash + 1 : move)] = side;
    if (removed) points[atoi(removed + 1)] = '.';
}

//: abalone
/* The marbles, # for black and O for white; 0 is off the board. A cell is 10 * row + column; row f begins
 * with column 2, so that a step to a neighbour is the same everywhere. */
static char cells[130];
static const int STEPS[] = {1, -1, 10, -10, 11, -11};

/* All boards so far. No board may come back. */
static char seen[1000][130];
static int seen_count;

static int cell(const char *name) {
    int row = name[0] - 'a';
    return 10 * (row + 1) + name[1] - '0' + (row > 4 ? row - 4 : 0);
}

static void name(int cell, char *text) {
    int row = cell / 10 - 1;
    text[0] = (char)('a' + row);
    text[1] = (char)('0' + cell % 10 - (row > 4 ? row - 4 : 0));
    text[2] = '\0';
}

static void remember(void) {
    if (seen_count < 1000) memcpy(seen[seen_count++], cells, sizeof cells);
}

static void read_position(void) {
    for (int row = 8; row >= 0; row--) {
        const char *line = read_line();
        for (int at = 0; line[at]; at++) cells[10 * (row + 1) + at + 1 + (row > 4 ? row - 4 : 0)] = line[at];
    }
    read_line(); /* the side to move */
    remember();
}

static void make(char side, const char *move) {
    const char *dash = strchr(move, '-');
    int tail = cell(move), head = cell(dash - 2), step = cell(dash + 1) - tail, line = step;
    for (int i = 0; i < 6; i++)
        if (tail + STEPS[i] == head || tail + 2 * STEPS[i] == head) line = STEPS[i];
    if (line == step) { /* along the line: each marble moves the next one on */
        char carried = '.';
        for (int place = tail; cells[place]; place += step) {
            char there = cells[place];
            cells[place] = carried;
            if (there == '.') return;
            carried = there;
        }
    } else {
        for (int place = tail; place != head + line; place += line) {
            cells[place] = '.';
            cells[place + step] = side == 'B' ? '#' : 'O';
        }
    }
}

static int comes_back(char side, const char *move) {
    char before[sizeof cells];
    int found = 0;
    memcpy(before, cells, sizeof cells);
    make(side, move);
    for (int i = 0; i < seen_count; i++) found |= memcmp(seen[i], cells, sizeof cells) == 0;
    memcpy(cells, before, sizeof cells);
    return found;
}

/* Moves along a line, with pushes. Broadside moves are left to you. */
static void list_moves(char side) {
    char mine = side == 'B' ? '#' : 'O', theirs = side == 'B' ? 'O' : '#';
    for (int tail = 0; tail < (int)sizeof cells; tail++)
        for (int i = 0; i < 6 && cells[tail] == mine; i++) {
            int step = STEPS[i], own = 0, pushed = 0;
            char from[3], head[3] = "", to[3], move[20];
            while (cells[tail + own * step] == mine) own++;
            while (cells[tail + (own + pushed) * step] == theirs) pushed++;
            char behind = cells[tail + (own + pushed) * step]; /* 0 over the edge */
            if (own > 3 || pushed >= own || !(behind == '.' || (behind == 0 && pushed > 0))) continue;
            name(tail, from);
            if (own > 1) name(tail + (own - 1) * step, head);
            name(tail + step, to);
            snprintf(move, sizeof move, "%s%s-%s", from, head, to);
            if (!comes_back(side, move)) add(move);
        }
}

static void play(char side, const char *move) {
    make(side, move);
    remember();
}

//: letters
enum { WORD = 80 };

/* The cube: cube[z][x][y], all from 0; a blank is '_'. */
static int rows, columns, planes;
static char *cube;

/* The lines of dictionary.sorted: the letters of a word in alphabetical order, and the word. */
struct entry {
    char key[WORD], word[WORD];
};
static struct entry *words;
static size_t word_count;

static char *at(int x, int y, int z) { return &cube[((z - 1) * rows + x - 1) * columns + y - 1]; }

static int by_key(const void *one, const void *other) {
    return strcmp(((const struct entry *)one)->key, ((const struct entry *)other)->key);
}

static void read_position(void) {
    sscanf(read_line(), "%d %d %d", &rows, &columns, &planes);
    cube = malloc((size_t)(rows * columns * planes));
    for (int line = 0; line < rows * planes;) {
        const char *row = read_line();
        if (*row) memcpy(cube + columns * line++, row, (size_t)columns); /* there may be empty lines */
    }
    FILE *file = fopen("dictionary.sorted", "r");
    if (!file) exit(1);
    struct entry entry;
    size_t room = 0;
    char rest[1000];
    while (fscanf(file, "%79s %79s%999[^\n]", entry.key, entry.word, rest) >= 2) {
        if (word_count == room) words = realloc(words, (room = 2 * room + 1000) * sizeof *words);
        words[word_count++] = entry;
    }
    fclose(file);
    qsort(words, word_count, sizeof *words, by_key);
}

/* Adds the line between two cells if its letters make a word. */
static void add_word(int x1, int y1, int x2, int y2, int z2) {
    struct entry wanted = {"", ""};
    int length = x2 - x1 + y2 - y1 + z2;
    for (int i = 0; i < length; i++) { /* each letter goes to its place in the alphabet */
        char letter = *at(x2 > x1 ? x1 + i : x1, y2 > y1 ? y1 + i : y1, z2 > 1 ? 1 + i : 1);
        int place = i;
        for (; place > 0 && wanted.key[place - 1] > letter; place--) wanted.key[place] = wanted.key[place - 1];
        wanted.key[place] = letter;
    }
    struct entry *found = bsearch(&wanted, words, word_count, sizeof *words, by_key);
    char move[LONGEST];
    if (!found) return;
    snprintf(move, sizeof move, "%d,%d,1,%d,%d,%d,%s", x1, y1, x2, y2, z2, found->word);
    add(move);
}

/* Every line that makes a word, from its first cell to its last; without one, the pass. */
static void list_moves(char side) {
    (void)side;
    for (int x = 1; x <= rows; x++)
        for (int y = 1; y <= columns; y++) {
            for (int end = y; end <= columns && *at(x, end, 1) != '_'; end++)
                if (end - y >= 2) add_word(x, y, x, end, 1);
            for (int end = x; end <= rows && *at(end, y, 1) != '_'; end++)
                if (end - x >= 2) add_word(x, y, end, y, 1);
            for (int end = 1; end <= planes && *at(x, y, end) != '_'; end++)
                if (end >= 3) add_word(x, y, x, y, end);
        }
    if (count == 0) add("P");
}

static void play(char side, const char *move) {
    int x1, y1, z1, x2, y2, z2;
    (void)side;
    if (sscanf(move, "%d,%d,%d,%d,%d,%d", &x1, &y1, &z1, &x2, &y2, &z2) != 6) return; /* a pass */
    for (int x = x1 < x2 ? x1 : x2; x <= x1 || x <= x2; x++)
        for (int y = y1 < y2 ? y1 : y2; y <= y1 || y <= y2; y++)
            for (int z = z2; z >= z1; z--) { /* the deepest first: the letters below move up */
                for (int deeper = z; deeper < planes; deeper++) *at(x, y, deeper) = *at(x, y, deeper + 1);
                *at(x, y, planes) = '_';
            }
}

//: all
/* The move to play. Replace this by something better. */
static const char *choose(char side) {
    (void)side;
    return moves[rand() % count];
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    char side = argv[1][0], to_move = argv[2][0];
    /* Two processes of one second must not play alike. */
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    srand((unsigned)now.tv_sec ^ (unsigned)now.tv_nsec ^ (unsigned)getpid() << 16);
    read_position();
    for (int my_turn = side == to_move;; my_turn = !my_turn) {
        if (my_turn) {
            count = 0;
            list_moves(side);
            if (count == 0) return 0; /* the game is over */
            const char *move = choose(side);
            play(side, move);
            printf("%c,%s\n", side, move);
            fflush(stdout); /* without it the move would wait in a buffer */
        } else {
            const char *line = read_line();
            play(line[0], line + 2);
        }
    }
}
