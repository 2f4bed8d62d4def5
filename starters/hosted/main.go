// A starter for @GAME@: it answers at random. Your ideas go into choose.
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
// When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
// error.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

var (
	seat, seats int
	seconds     float64
	chance      *rand.Rand
)

// The answer. told has all lines of the game so far, and legal the answers of the last line `legal`.
// A referee that lists no legal answers leaves it empty: then the rules of the game say what an answer is.
func choose(told, legal []string) string {
	if len(legal) == 0 {
		return "0"
	}
	return legal[chance.Intn(len(legal))]
}

func main() {
	seat, _ = strconv.Atoi(os.Args[1])
	seats, _ = strconv.Atoi(os.Args[2])
	seconds, _ = strconv.ParseFloat(os.Args[3], 64)
	seed, _ := strconv.ParseUint(os.Args[4], 10, 64)
	chance = rand.New(rand.NewSource(int64(seed)))
	var told, legal []string
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return // the game is over
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "@PROMPT@" {
			fmt.Println(choose(told, legal))
			continue
		}
		told = append(told, line)
		if words := strings.Fields(line); len(words) > 0 && words[0] == "legal" {
			legal = words[1:]
		}
	}
}
