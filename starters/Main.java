// A starter for @GAME@: it plays random legal moves. Your ideas go into choose().
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: Main SIDE TO_MOVE SECONDS. The position comes on standard input, then each move of
// the opponent. A move of ours is one line on standard output; notes belong on standard error.
import java.io.*;
import java.nio.file.*;
import java.util.*;

public class Main {
    static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    /** The next line. At the end of the input the game is over. */
    static String readLine() throws IOException {
        String line = INPUT.readLine();
        if (line == null) System.exit(0);
        return line;
    }

    static int[] numbers(String text, String separator) {
        return Arrays.stream(text.split(separator)).mapToInt(Integer::parseInt).toArray();
    }

//: mnk connect4
    /** The rows of the board from the top; a cell is X, O or a dot. */
    static class Position {
        final int columns, rows, k;
        final char[][] cells;

        Position() throws IOException {
            int[] sizes = numbers(readLine(), " ");
            columns = sizes[0];
            rows = sizes[1];
            k = sizes[2];
            cells = new char[rows][];
            for (int row = 0; row < rows; row++) cells[row] = readLine().toCharArray();
        }

//: mnk
        /** All free cells: the letter of the column, and the number of the row from the bottom. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            for (int row = 0; row < rows; row++)
                for (int column = 0; column < columns; column++)
                    if (cells[row][column] == '.') found.add("" + (char) ('a' + column) + (rows - row));
            return found;
        }

        void play(char side, String move) {
            cells[rows - Integer.parseInt(move.substring(1))][move.charAt(0) - 'a'] = side;
        }
    }

//: connect4
        /** The numbers of the columns that are not full. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            for (int column = 0; column < columns; column++)
                if (cells[0][column] == '.') found.add("" + (column + 1));
            return found;
        }

        void play(char side, String move) {
            int column = Integer.parseInt(move) - 1, row = rows - 1;
            while (cells[row][column] != '.') row--;
            cells[row][column] = side;
        }
    }

//: chess
    /**
     * The board as FEN writes it: cells[rank][file], both from 0, capitals for white, a dot for a free square.
     * This starter never castles itself; to know when it may is left to you.
     */
    static class Position {
        // The steps of a rook, then those of a bishop, then those of a knight.
        static final int[][] STEPS = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
            {1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};
        final char[][] cells = new char[8][];
        /** The square that a pawn has passed, or "-". */
        String passed;

        Position() throws IOException {
            String[] fields = readLine().split(" ");
            int rank = 7;
            for (String row : fields[0].split("/")) {
                for (int free = 1; free <= 8; free++) row = row.replace("" + free, ".".repeat(free));
                cells[rank--] = row.toCharArray();
            }
            passed = fields[3];
        }

        Position(Position other) {
            for (int rank = 0; rank < 8; rank++) cells[rank] = other.cells[rank].clone();
            passed = other.passed;
        }

        static String name(int rank, int file) {
            return "" + (char) ('a' + file) + (rank + 1);
        }

        /** The side of a piece; a dot for a free square. */
        static char sideOf(char piece) {
            return piece == '.' ? '.' : Character.isUpperCase(piece) ? 'W' : 'B';
        }

        /** The piece on a square, or a blank off the board. */
        char at(int rank, int file) {
            return (rank | file) < 0 || rank > 7 || file > 7 ? ' ' : cells[rank][file];
        }

        static int[][] steps(char kind) {
            int first = kind == 'n' ? 8 : kind == 'b' ? 4 : 0;
            return Arrays.copyOfRange(STEPS, first, kind == 'n' ? 16 : kind == 'r' ? 4 : 8);
        }

        static int farthest(char kind) {
            return kind == 'k' || kind == 'n' ? 1 : 7;
        }

        boolean is(int rank, int file, char side, char kind) {
            return at(rank, file) == (side == 'W' ? Character.toUpperCase(kind) : kind);
        }

        /** Whether a side attacks a square. */
        boolean isAttacked(int rank, int file, char by) {
            int behind = rank + (by == 'W' ? -1 : 1);
            if (is(behind, file - 1, by, 'p') || is(behind, file + 1, by, 'p')) return true;
            for (char kind : "rbqkn".toCharArray())
                for (int[] step : steps(kind)) {
                    int far = 1;
                    while (far < farthest(kind) && at(rank + far * step[0], file + far * step[1]) == '.') far++;
                    if (is(rank + far * step[0], file + far * step[1], by, kind)) return true;
                }
            return false;
        }

        /** All legal moves, but for castling: e2e4, e7e8q. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            for (int rank = 0; rank < 8; rank++)
                for (int file = 0; file < 8; file++) {
                    char piece = cells[rank][file], kind = Character.toLowerCase(piece);
                    if (sideOf(piece) != side) continue;
                    if (kind == 'p') {
                        addPawnMoves(found, side, rank, file);
                        continue;
                    }
                    for (int[] step : steps(kind))
                        for (int far = 1; far <= farthest(kind); far++) {
                            int r = rank + far * step[0], f = file + far * step[1];
                            char there = at(r, f);
                            if (there == ' ' || sideOf(there) == side) break;
                            add(found, side, name(rank, file) + name(r, f));
                            if (there != '.') break;
                        }
                }
            return found;
        }

        void addPawnMoves(List<String> found, char side, int rank, int file) {
            int ahead = side == 'W' ? 1 : -1, home = side == 'W' ? 1 : 6;
            List<String> targets = new ArrayList<>();
            for (int f = file - 1; f <= file + 1; f += 2) {
                char taken = at(rank + ahead, f);
                boolean takes = taken != ' ' && taken != '.' && sideOf(taken) != side;
                if (takes || passed.equals(name(rank + ahead, f))) targets.add(name(rank + ahead, f));
            }
            if (at(rank + ahead, file) == '.') {
                targets.add(name(rank + ahead, file));
                if (rank == home && at(rank + 2 * ahead, file) == '.') targets.add(name(rank + 2 * ahead, file));
            }
            boolean promotes = rank + ahead == 0 || rank + ahead == 7;
            for (String to : targets)
                for (String promotion : promotes ? List.of("q", "r", "b", "n") : List.of(""))
                    add(found, side, name(rank, file) + to + promotion);
        }

        /** Adds a move if it does not leave the own king in check. */
        void add(List<String> found, char side, String move) {
            Position after = new Position(this);
            after.play(side, move);
            for (int rank = 0; rank < 8; rank++)
                for (int file = 0; file < 8; file++)
                    if (after.is(rank, file, side, 'k') && after.isAttacked(rank, file, side == 'W' ? 'B' : 'W')) return;
            found.add(move);
        }

        void play(char side, String move) {
            int file = move.charAt(0) - 'a', rank = move.charAt(1) - '1';
            int f = move.charAt(2) - 'a', r = move.charAt(3) - '1';
            char piece = cells[rank][file], kind = Character.toLowerCase(piece);
            boolean passes = kind == 'p' && move.startsWith(passed, 2);
            passed = "-";
            cells[rank][file] = '.';
            if (kind == 'k' && (sideOf(cells[r][f]) == side || Math.abs(f - file) > 1)) {
                // Castling: the king goes two files, or in Chess960 takes its own rook.
                boolean isShort = f > file;
                int rook = f;
                if (sideOf(cells[r][f]) != side)
                    for (rook = isShort ? 7 : 0; !is(r, rook, side, 'r'); ) rook += isShort ? -1 : 1;
                cells[r][rook] = '.';
                cells[r][isShort ? 6 : 2] = piece;
                cells[r][isShort ? 5 : 3] = side == 'W' ? 'R' : 'r';
                return;
            }
            if (passes) cells[rank][f] = '.';
            if (kind == 'p' && Math.abs(r - rank) == 2) passed = name((r + rank) / 2, f);
            cells[r][f] = move.length() < 5 ? piece : side == 'W' ? Character.toUpperCase(move.charAt(4)) : move.charAt(4);
        }
    }

//: mill
    /** The cube as cells[z][y][x], with the bottom plane first: 1 for W, 2 for B, or a dot. */
    static class Position {
        final char[][][] cells = new char[4][4][];

        Position() throws IOException {
            readLine(); // the size is always 4 4 4
            for (char[][] plane : cells) for (int y = 0; y < 4; y++) plane[y] = readLine().toCharArray();
        }

        /** The columns, x and y, whose top cell is free. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            for (int x = 0; x < 4; x++)
                for (int y = 0; y < 4; y++)
                    if (cells[3][y][x] == '.') found.add("" + (x + 1) + (y + 1));
            return found;
        }

        void play(char side, String move) {
            int x = move.charAt(0) - '1', y = move.charAt(1) - '1', z = 0;
            while (cells[z][y][x] != '.') z++;
            cells[z][y][x] = side == 'W' ? '1' : '2';
        }
    }

//: morris
    // The lines of the board. Those of three points are mills; those of two only join their points.
    static final String SIX = "0-1-2 3-4-5 10-11-12 13-14-15 0-6-13 3-7-10 5-8-12 2-9-15 1-4 6-7 8-9 11-14";
    static final String NINE = "0-1-2 3-4-5 6-7-8 9-10-11 12-13-14 15-16-17 18-19-20 21-22-23 "
            + "0-9-21 3-10-18 6-11-15 1-4-7 16-19-22 8-12-17 5-13-20 2-14-23";

    /** The points in order, each X, O or a dot, and the men in hand of X and of O. */
    static class Position {
        char[] points;
        final int[] hand;
        final List<int[]> lines = new ArrayList<>();

        Position() throws IOException {
            StringBuilder rows = new StringBuilder();
            String line = readLine();
            for (; !line.contains(" "); line = readLine()) rows.append(line);
            points = rows.toString().toCharArray();
            hand = numbers(line.substring(2), " ");
            for (String text : (points.length == 16 ? SIX : NINE).split(" ")) lines.add(numbers(text, "-"));
        }

        List<Integer> of(char mark) {
            List<Integer> found = new ArrayList<>();
            for (int point = 0; point < points.length; point++) if (points[point] == mark) found.add(point);
            return found;
        }

        boolean joined(int one, int other) {
            for (int[] line : lines)
                for (int i = 0; i + 1 < line.length; i++)
                    if (line[i] == one && line[i + 1] == other || line[i] == other && line[i + 1] == one) return true;
            return false;
        }

        boolean inMill(int point, char side) {
            return lines.stream().anyMatch(line -> line.length == 3
                    && Arrays.stream(line).anyMatch(there -> there == point)
                    && Arrays.stream(line).allMatch(there -> points[there] == side));
        }

        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            List<Integer> own = of(side), free = of('.');
            if (hand[side == 'X' ? 0 : 1] > 0) {
                for (int to : free) add(found, side, -1, to);
                return found;
            }
            for (boolean fly : new boolean[] {false, true}) {
                if (fly && (!found.isEmpty() || own.size() != 3)) break; // three men may fly
                for (int start : own) for (int to : free) if (fly || joined(start, to)) add(found, side, start, to);
            }
            return found;
        }

        /** Adds a move; where it closes a mill, it with each man that may be removed. -1 is a man in hand. */
        void add(List<String> found, char side, int start, int to) {
            String text = (start < 0 ? "" : start + "-") + to;
            char[] before = points.clone();
            if (start >= 0) points[start] = '.';
            points[to] = side;
            char other = side == 'X' ? 'O' : 'X';
            List<Integer> men = inMill(to, side) ? of(other) : new ArrayList<>();
            List<Integer> outside = new ArrayList<>(men);
            outside.removeIf(man -> inMill(man, other));
            for (int man : outside.isEmpty() ? men : outside) found.add(text + "r" + man);
            if (men.isEmpty()) found.add(text);
            points = before;
        }

        void play(char side, String move) {
            String[] parts = move.split("r");
            int[] ends = numbers(parts[0], "-");
            if (ends.length == 2) points[ends[0]] = '.';
            else hand[side == 'X' ? 0 : 1]--;
            points[ends[ends.length - 1]] = side;
            if (parts.length == 2) points[Integer.parseInt(parts[1])] = '.';
        }
    }

//: abalone
    // The steps to the six neighbours. A cell is 10 * row + column; row f begins with column 2, so that a
    // step is the same everywhere.
    static final int[] STEPS = {1, -1, 10, -10, 11, -11};

    static int cell(String name) {
        int row = name.charAt(0) - 'a';
        return 10 * (row + 1) + name.charAt(1) - '0' + Math.max(0, row - 4);
    }

    static String name(int cell) {
        int row = cell / 10 - 1;
        return "" + (char) ('a' + row) + (cell % 10 - Math.max(0, row - 4));
    }

    /** The marbles, # for black and O for white, a blank off the board; and all boards so far. */
    static class Position {
        char[] cells = " ".repeat(130).toCharArray();
        final Set<String> seen = new HashSet<>();

        Position() throws IOException {
            for (int row = 8; row >= 0; row--) {
                String line = readLine();
                line.getChars(0, line.length(), cells, 10 * (row + 1) + 1 + Math.max(0, row - 4));
            }
            readLine(); // the side to move
            seen.add(new String(cells));
        }

        /** Moves along a line, with pushes. Broadside moves are left to you. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            char mine = side == 'B' ? '#' : 'O', theirs = side == 'B' ? 'O' : '#';
            for (int tail = 0; tail < cells.length; tail++) {
                if (cells[tail] != mine) continue;
                for (int step : STEPS) {
                    int own = 0, pushed = 0;
                    while (cells[tail + own * step] == mine) own++;
                    while (cells[tail + (own + pushed) * step] == theirs) pushed++;
                    char behind = cells[tail + (own + pushed) * step];
                    boolean room = behind == '.' || behind == ' ' && pushed > 0;
                    if (own > 3 || pushed >= own || !room) continue;
                    String head = own > 1 ? name(tail + (own - 1) * step) : "";
                    String move = name(tail) + head + "-" + name(tail + step);
                    if (!seen.contains(new String(after(side, move)))) found.add(move); // no board may come back
                }
            }
            return found;
        }

        /** The cells after a move. */
        char[] after(char side, String move) {
            char[] board = cells.clone();
            int dash = move.indexOf('-');
            int tail = cell(move), head = cell(move.substring(dash - 2)), step = cell(move.substring(dash + 1)) - tail;
            int line = step;
            for (int direction : STEPS)
                if (tail + direction == head || tail + 2 * direction == head) line = direction;
            if (line == step) { // along the line: each marble moves the next one on
                char carried = '.';
                for (int place = tail; board[place] != ' '; place += step) {
                    char there = board[place];
                    board[place] = carried;
                    if (there == '.') break;
                    carried = there;
                }
            } else {
                for (int place = tail; place != head + line; place += line) {
                    board[place] = '.';
                    board[place + step] = side == 'B' ? '#' : 'O';
                }
            }
            return board;
        }

        void play(char side, String move) {
            cells = after(side, move);
            seen.add(new String(cells));
        }
    }

//: letters
    /** The cube: letters[x][y] is the column from plane 1 down; x and y are counted from 0. */
    static class Position {
        final int rows, columns;
        final StringBuilder[][] letters;
        final Map<String, String> words = new HashMap<>(); // the letters of a word in order, and the word

        Position() throws IOException {
            int[] sizes = numbers(readLine(), " ");
            rows = sizes[0];
            columns = sizes[1];
            letters = new StringBuilder[rows][columns];
            for (StringBuilder[] row : letters) Arrays.setAll(row, y -> new StringBuilder());
            for (int line = 0; line < rows * sizes[2]; ) {
                String row = readLine();
                if (row.isEmpty()) continue; // there may be an empty line between two planes
                for (int y = 0; y < columns; y++)
                    if (row.charAt(y) != '_') letters[line % rows][y].append(row.charAt(y));
                line++;
            }
            for (String line : Files.readAllLines(Path.of("dictionary.sorted"))) {
                String[] parts = line.split(" ");
                words.put(parts[0], parts[1]);
            }
        }

        /** Every line that makes a word, from its first cell to its last; without one, the pass. */
        List<String> moves(char side) {
            List<String> found = new ArrayList<>();
            for (int x = 0; x < rows; x++)
                for (int y = 0; y < columns; y++)
                    for (int[] d : new int[][] {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}) {
                        String line = "";
                        int a = x, b = y, c = 0;
                        while (a < rows && b < columns && c < letters[a][b].length()) {
                            line += letters[a][b].charAt(c);
                            char[] key = line.toCharArray();
                            Arrays.sort(key);
                            String word = key.length < 3 ? null : words.get(new String(key));
                            if (word != null)
                                found.add((x + 1) + "," + (y + 1) + ",1," + (a + 1) + "," + (b + 1) + "," + (c + 1) + "," + word);
                            a += d[0];
                            b += d[1];
                            c += d[2];
                        }
                    }
            return found.isEmpty() ? List.of("P") : found;
        }

        void play(char side, String move) {
            if (move.equals("P")) return;
            int[] ends = numbers(move.substring(0, move.lastIndexOf(',')), ",");
            for (int x = Math.min(ends[0], ends[3]); x <= Math.max(ends[0], ends[3]); x++)
                for (int y = Math.min(ends[1], ends[4]); y <= Math.max(ends[1], ends[4]); y++)
                    letters[x - 1][y - 1].delete(ends[2] - 1, ends[5]); // the column closes up
        }
    }

//: all
    static final Random RANDOM = new Random();

    /** The move to play. Replace this by something better. */
    static String choose(Position position, char side, List<String> moves) {
        return moves.get(RANDOM.nextInt(moves.size()));
    }

    public static void main(String[] arguments) throws IOException {
        char side = arguments[0].charAt(0), toMove = arguments[1].charAt(0);
        Position position = new Position();
        for (boolean myTurn = side == toMove; ; myTurn = !myTurn) {
            if (myTurn) {
                List<String> moves = position.moves(side);
                if (moves.isEmpty()) return; // the game is over
                String move = choose(position, side, moves);
                position.play(side, move);
                System.out.println(side + "," + move);
                System.out.flush(); // without it the move could wait in a buffer
            } else {
                String line = readLine();
                position.play(line.charAt(0), line.substring(2));
            }
        }
    }
}
