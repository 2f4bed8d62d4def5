// A starter for @GAME@: it plays random legal moves. Your ideas go into choose.
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main SIDE TO_MOVE SECONDS. The position comes on standard input, then each move of
// the opponent. A move of ours is one line on standard output; notes belong on standard error.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"
)

var input = bufio.NewReader(os.Stdin)

// The next line. At the end of the input the game is over.
func readLine() string {
	line, err := input.ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	return strings.TrimSpace(line)
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

//: mnk connect4
// The rows of the board from the top; a cell is X, O or a dot.
type Position struct {
	columns, rows, k int
	cells            [][]byte
}

func readPosition() *Position {
	p := &Position{}
	fmt.Sscan(readLine(), &p.columns, &p.rows, &p.k)
	for row := 0; row < p.rows; row++ {
		p.cells = append(p.cells, []byte(readLine()))
	}
	return p
}

//: mnk
// All free cells: the letter of the column, and the number of the row from the bottom.
func (p *Position) moves(side byte) []string {
	var found []string
	for row := range p.cells {
		for column, cell := range p.cells[row] {
			if cell == '.' {
				found = append(found, fmt.Sprintf("%c%d", 'a'+column, p.rows-row))
			}
		}
	}
	return found
}

func (p *Position) play(side byte, move string) {
	p.cells[p.rows-number(move[1:])][move[0]-'a'] = side
}

//: connect4
// The numbers of the columns that are not full.
func (p *Position) moves(side byte) []string {
	var found []string
	for column, cell := range p.cells[0] {
		if cell == '.' {
			found = append(found, strconv.Itoa(column+1))
		}
	}
	return found
}

func (p *Position) play(side byte, move string) {
	column, row := number(move)-1, p.rows-1
	for p.cells[row][column] != '.' {
		row--
	}
	p.cells[row][column] = side
}

//: chess
// The steps of a rook, then those of a bishop, then those of a knight.
var steps = [16][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
	{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}}

// The steps of a kind of piece, and how many of them it takes at most.
func stepsOf(kind byte) ([][2]int, int) {
	switch kind {
	case 'r':
		return steps[:4], 7
	case 'b':
		return steps[4:8], 7
	case 'q':
		return steps[:8], 7
	case 'k':
		return steps[:8], 1
	}
	return steps[8:], 1
}

// The board as FEN writes it: cells[rank][file], both from 0, capitals for white, a dot for a free square.
// This starter never castles itself; to know when it may is left to you.
type Position struct {
	cells  [8][8]byte
	passed string // the square that a pawn has passed, or "-"
}

func readPosition() *Position {
	fields := strings.Fields(readLine())
	p := &Position{passed: fields[3]}
	for row, text := range strings.Split(fields[0], "/") {
		for free := 1; free <= 8; free++ {
			text = strings.Replace(text, strconv.Itoa(free), strings.Repeat(".", free), -1)
		}
		copy(p.cells[7-row][:], text)
	}
	return p
}

// The side of a piece; a dot for a free square.
func sideOf(piece byte) byte {
	switch {
	case piece == '.':
		return '.'
	case piece >= 'a':
		return 'B'
	}
	return 'W'
}

func name(rank, file int) string {
	return fmt.Sprintf("%c%d", 'a'+file, rank+1)
}

// The piece on a square, or 0 off the board.
func (p *Position) at(rank, file int) byte {
	if rank < 0 || rank > 7 || file < 0 || file > 7 {
		return 0
	}
	return p.cells[rank][file]
}

// Whether this piece of a side stands on a square.
func (p *Position) is(rank, file int, side, kind byte) bool {
	if side == 'W' {
		kind -= 'a' - 'A'
	}
	return p.at(rank, file) == kind
}

// Whether a side attacks a square.
func (p *Position) isAttacked(rank, file int, by byte) bool {
	behind := rank + 1
	if by == 'W' {
		behind = rank - 1
	}
	if p.is(behind, file-1, by, 'p') || p.is(behind, file+1, by, 'p') {
		return true
	}
	for _, kind := range []byte("rbqkn") {
		ways, most := stepsOf(kind)
		for _, step := range ways {
			far := 1
			for far < most && p.at(rank+far*step[0], file+far*step[1]) == '.' {
				far++
			}
			if p.is(rank+far*step[0], file+far*step[1], by, kind) {
				return true
			}
		}
	}
	return false
}

// All legal moves, but for castling: e2e4, e7e8q.
func (p *Position) moves(side byte) []string {
	var found []string
	for rank := range p.cells {
		for file, piece := range p.cells[rank] {
			if sideOf(piece) != side {
				continue
			}
			if piece|32 == 'p' {
				found = p.addPawnMoves(found, side, rank, file)
				continue
			}
			ways, most := stepsOf(piece | 32)
			for _, step := range ways {
				for far := 1; far <= most; far++ {
					r, f := rank+far*step[0], file+far*step[1]
					there := p.at(r, f)
					if there == 0 || sideOf(there) == side {
						break
					}
					found = p.add(found, side, name(rank, file)+name(r, f))
					if there != '.' {
						break
					}
				}
			}
		}
	}
	return found
}

func (p *Position) addPawnMoves(found []string, side byte, rank, file int) []string {
	ahead, home := 1, 1
	if side == 'B' {
		ahead, home = -1, 6
	}
	var targets []string
	for f := file - 1; f <= file+1; f += 2 {
		taken := p.at(rank+ahead, f)
		takes := taken != 0 && taken != '.' && sideOf(taken) != side
		if takes || p.passed == name(rank+ahead, f) {
			targets = append(targets, name(rank+ahead, f))
		}
	}
	if p.at(rank+ahead, file) == '.' {
		targets = append(targets, name(rank+ahead, file))
		if rank == home && p.at(rank+2*ahead, file) == '.' {
			targets = append(targets, name(rank+2*ahead, file))
		}
	}
	promotions := []string{""}
	if rank+ahead == 0 || rank+ahead == 7 {
		promotions = []string{"q", "r", "b", "n"}
	}
	for _, to := range targets {
		for _, promotion := range promotions {
			found = p.add(found, side, name(rank, file)+to+promotion)
		}
	}
	return found
}

// Adds a move if it does not leave the own king in check.
func (p *Position) add(found []string, side byte, move string) []string {
	after := *p
	after.play(side, move)
	for rank := range after.cells {
		for file := range after.cells[rank] {
			if after.is(rank, file, side, 'k') && after.isAttacked(rank, file, 'W'+'B'-side) {
				return found
			}
		}
	}
	return append(found, move)
}

func (p *Position) play(side byte, move string) {
	file, rank, f, r := int(move[0]-'a'), int(move[1]-'1'), int(move[2]-'a'), int(move[3]-'1')
	piece, passed := p.cells[rank][file], p.passed
	p.passed = "-"
	p.cells[rank][file] = '.'
	takesOwn := sideOf(p.cells[r][f]) == side
	if piece|32 == 'k' && (takesOwn || f > file+1 || f < file-1) {
		// Castling: the king goes two files, or in Chess960 takes its own rook.
		corner, inward, king, rook := 0, 1, 2, 3
		if f > file {
			corner, inward, king, rook = 7, -1, 6, 5
		}
		if takesOwn {
			corner = f
		}
		for !p.is(r, corner, side, 'r') {
			corner += inward
		}
		own := p.cells[r][corner]
		p.cells[r][corner] = '.'
		p.cells[r][king], p.cells[r][rook] = piece, own
		return
	}
	if piece|32 == 'p' && move[2:4] == passed {
		p.cells[rank][f] = '.'
	}
	if piece|32 == 'p' && (r == rank+2 || r == rank-2) {
		p.passed = name((r+rank)/2, f)
	}
	if len(move) > 4 {
		piece = move[4]
		if side == 'W' {
			piece -= 'a' - 'A'
		}
	}
	p.cells[r][f] = piece
}

//: mill
// The cube as cells[z][y][x], with the bottom plane first: 1 for W, 2 for B, or a dot.
type Position struct {
	cells [4][4][]byte
}

func readPosition() *Position {
	p := &Position{}
	readLine() // the size is always 4 4 4
	for z := range p.cells {
		for y := range p.cells[z] {
			p.cells[z][y] = []byte(readLine())
		}
	}
	return p
}

// The columns, x and y, whose top cell is free.
func (p *Position) moves(side byte) []string {
	var found []string
	for x := 0; x < 4; x++ {
		for y := 0; y < 4; y++ {
			if p.cells[3][y][x] == '.' {
				found = append(found, fmt.Sprint(10*(x+1)+y+1))
			}
		}
	}
	return found
}

func (p *Position) play(side byte, move string) {
	x, y, z := move[0]-'1', move[1]-'1', 0
	for p.cells[z][y][x] != '.' {
		z++
	}
	p.cells[z][y][x] = map[byte]byte{'W': '1', 'B': '2'}[side]
}

//: morris
// The lines of the board. Those of three points are mills; those of two only join their points.
const six = "0-1-2 3-4-5 10-11-12 13-14-15 0-6-13 3-7-10 5-8-12 2-9-15 1-4 6-7 8-9 11-14"
const nine = "0-1-2 3-4-5 6-7-8 9-10-11 12-13-14 15-16-17 18-19-20 21-22-23 " +
	"0-9-21 3-10-18 6-11-15 1-4-7 16-19-22 8-12-17 5-13-20 2-14-23"

// The points in order, each X, O or a dot, and the men in hand.
type Position struct {
	points []byte
	hand   map[byte]int
	lines  [][]int
}

func readPosition() *Position {
	p := &Position{hand: map[byte]int{}}
	line := readLine()
	for ; !strings.Contains(line, " "); line = readLine() {
		p.points = append(p.points, line...)
	}
	words := strings.Fields(line)
	p.hand['X'], p.hand['O'] = number(words[1]), number(words[2])
	text := nine
	if len(p.points) == 16 {
		text = six
	}
	for _, line := range strings.Fields(text) {
		var points []int
		for _, point := range strings.Split(line, "-") {
			points = append(points, number(point))
		}
		p.lines = append(p.lines, points)
	}
	return p
}

func (p *Position) of(mark byte) []int {
	var found []int
	for point, there := range p.points {
		if there == mark {
			found = append(found, point)
		}
	}
	return found
}

func (p *Position) joined(one, other int) bool {
	for _, line := range p.lines {
		for i := 0; i+1 < len(line); i++ {
			if line[i] == one && line[i+1] == other || line[i] == other && line[i+1] == one {
				return true
			}
		}
	}
	return false
}

func (p *Position) inMill(point int, side byte) bool {
	for _, line := range p.lines {
		own, contains := 0, false
		for _, there := range line {
			if p.points[there] == side {
				own++
			}
			contains = contains || there == point
		}
		if contains && own == 3 {
			return true
		}
	}
	return false
}

func (p *Position) moves(side byte) []string {
	var found []string
	own, free := p.of(side), p.of('.')
	if p.hand[side] > 0 {
		for _, to := range free {
			found = append(found, p.withRemovals(side, -1, to)...)
		}
		return found
	}
	for _, fly := range []bool{false, true} {
		if fly && (len(found) > 0 || len(own) != 3) {
			break // only three men may fly
		}
		for _, start := range own {
			for _, to := range free {
				if fly || p.joined(start, to) {
					found = append(found, p.withRemovals(side, start, to)...)
				}
			}
		}
	}
	return found
}

// The move, or where it closes a mill, the move with each man that may be removed. -1 is a man in hand.
func (p *Position) withRemovals(side byte, start, to int) []string {
	text := strconv.Itoa(to)
	before := append([]byte(nil), p.points...)
	if start >= 0 {
		text = fmt.Sprintf("%d-%d", start, to)
		p.points[start] = '.'
	}
	p.points[to] = side
	other := map[byte]byte{'X': 'O', 'O': 'X'}[side]
	var outside, inside []string
	if p.inMill(to, side) {
		for _, man := range p.of(other) {
			removal := fmt.Sprintf("%sr%d", text, man)
			if p.inMill(man, other) {
				inside = append(inside, removal)
			} else {
				outside = append(outside, removal)
			}
		}
	}
	p.points = before
	if len(outside) > 0 {
		return outside
	} else if len(inside) > 0 {
		return inside
	}
	return []string{text}
}

func (p *Position) play(side byte, move string) {
	parts := strings.Split(move, "r")
	ends := strings.Split(parts[0], "-")
	if len(ends) == 2 {
		p.points[number(ends[0])] = '.'
	} else {
		p.hand[side]--
	}
	p.points[number(ends[len(ends)-1])] = side
	if len(parts) == 2 {
		p.points[number(parts[1])] = '.'
	}
}

//: abalone
// The steps to the six neighbours. A cell is 10 * row + column; row f begins with column 2, so that a step
// is the same everywhere.
var steps = []int{1, -1, 10, -10, 11, -11}
var marbles = map[byte]byte{'B': '#', 'W': 'O'}

// How far a row is moved to the right.
func shift(row int) int {
	if row > 4 {
		return row - 4
	}
	return 0
}

func cell(name string) int {
	row := int(name[0] - 'a')
	return 10*(row+1) + int(name[1]-'0') + shift(row)
}

func name(cell int) string {
	row := cell/10 - 1
	return fmt.Sprintf("%c%d", 'a'+row, cell%10-shift(row))
}

// The marbles, # for black and O for white, a blank off the board; and all boards so far.
type Position struct {
	cells string
	seen  map[string]bool
}

func readPosition() *Position {
	cells := []byte(strings.Repeat(" ", 130))
	for row := 8; row >= 0; row-- {
		copy(cells[10*(row+1)+1+shift(row):], readLine())
	}
	readLine() // the side to move
	return &Position{string(cells), map[string]bool{string(cells): true}}
}

// Moves along a line, with pushes. Broadside moves are left to you.
func (p *Position) moves(side byte) []string {
	var found []string
	mine := marbles[side]
	theirs := '#' + 'O' - mine
	for tail := range p.cells {
		for _, step := range steps {
			own, pushed := 0, 0
			for p.cells[tail] == mine && p.cells[tail+own*step] == mine {
				own++
			}
			for own > 0 && p.cells[tail+(own+pushed)*step] == theirs {
				pushed++
			}
			if own == 0 || own > 3 || pushed >= own {
				continue
			}
			behind := p.cells[tail+(own+pushed)*step]
			if behind != '.' && (behind != ' ' || pushed == 0) {
				continue
			}
			head := ""
			if own > 1 {
				head = name(tail + (own-1)*step)
			}
			move := name(tail) + head + "-" + name(tail+step)
			if !p.seen[p.after(side, move)] { // no board may come back
				found = append(found, move)
			}
		}
	}
	return found
}

// The board after a move.
func (p *Position) after(side byte, move string) string {
	cells := []byte(p.cells)
	dash := strings.Index(move, "-")
	tail, head := cell(move), cell(move[dash-2:])
	step := cell(move[dash+1:]) - tail
	line := step
	for _, direction := range steps {
		if tail+direction == head || tail+2*direction == head {
			line = direction
		}
	}
	if line == step { // along the line: each marble moves the next one on
		carried := byte('.')
		for place := tail; cells[place] != ' '; place += step {
			carried, cells[place] = cells[place], carried
			if carried == '.' {
				break
			}
		}
	} else {
		for place := tail; place != head+line; place += line {
			cells[place], cells[place+step] = '.', marbles[side]
		}
	}
	return string(cells)
}

func (p *Position) play(side byte, move string) {
	p.cells = p.after(side, move)
	p.seen[p.cells] = true
}

//: letters
// The cube: letters[x][y] is the column from plane 1 down; x and y are counted from 0.
type Position struct {
	rows, columns, planes int
	letters               [][]string
	words                 map[string]string // the letters of a word in alphabetical order, and the word
}

func readPosition() *Position {
	p := &Position{words: map[string]string{}}
	fmt.Sscan(readLine(), &p.rows, &p.columns, &p.planes)
	for x := 0; x < p.rows; x++ {
		p.letters = append(p.letters, make([]string, p.columns))
	}
	for line := 0; line < p.rows*p.planes; {
		row := readLine()
		if row == "" { // there may be an empty line between two planes
			continue
		}
		for y, letter := range row {
			if letter != '_' {
				p.letters[line%p.rows][y] += string(letter)
			}
		}
		line++
	}
	text, _ := os.ReadFile("dictionary.sorted")
	for _, line := range strings.Split(string(text), "\n") {
		if parts := strings.Fields(line); len(parts) > 1 {
			p.words[parts[0]] = parts[1]
		}
	}
	return p
}

// Every line that makes a word, from its first cell to its last; without one, the pass.
func (p *Position) moves(side byte) []string {
	var found []string
	for x := range p.letters {
		for y := range p.letters[x] {
			for _, d := range [][3]int{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}} {
				key := ""
				for a, b, c := x, y, 0; a < p.rows && b < p.columns && c < len(p.letters[a][b]); a, b, c = a+d[0], b+d[1], c+d[2] {
					letter := p.letters[a][b][c : c+1]
					at := strings.IndexFunc(key, func(other rune) bool { return string(other) > letter })
					if at < 0 {
						at = len(key)
					}
					key = key[:at] + letter + key[at:]
					if word, known := p.words[key]; known && len(key) >= 3 {
						found = append(found, fmt.Sprintf("%d,%d,1,%d,%d,%d,%s", x+1, y+1, a+1, b+1, c+1, word))
					}
				}
			}
		}
	}
	if len(found) == 0 {
		return []string{"P"}
	}
	return found
}

func (p *Position) play(side byte, move string) {
	var x1, y1, z1, x2, y2, z2 int
	if ends, _ := fmt.Sscanf(move, "%d,%d,%d,%d,%d,%d", &x1, &y1, &z1, &x2, &y2, &z2); ends != 6 {
		return // a pass
	}
	for x := range p.letters {
		for y := range p.letters[x] {
			if (x+1-x1)*(x+1-x2) <= 0 && (y+1-y1)*(y+1-y2) <= 0 { // between the two ends
				column := p.letters[x][y]
				p.letters[x][y] = column[:z1-1] + column[z2:] // the column closes up
			}
		}
	}
}

//: all
// The move to play. Replace this by something better.
func choose(p *Position, side byte, moves []string) string {
	return moves[rand.Intn(len(moves))]
}

func main() {
	rand.Seed(time.Now().UnixNano() ^ int64(os.Getpid())<<32) // two processes of one moment differ
	side, myTurn := os.Args[1][0], os.Args[1] == os.Args[2]
	position := readPosition()
	for ; ; myTurn = !myTurn {
		if myTurn {
			moves := position.moves(side)
			if len(moves) == 0 {
				return // the game is over
			}
			move := choose(position, side, moves)
			position.play(side, move)
			fmt.Printf("%c,%s\n", side, move) // not buffered
		} else {
			line := readLine()
			position.play(line[0], line[2:])
		}
	}
}
