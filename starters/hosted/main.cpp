// A starter for @GAME@: it answers at random. Your ideas go into choose().
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
// When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
// error.
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

static int seat, seats;
static double seconds;
static std::mt19937_64 chance;

// The answer. `told` has all lines of the game so far, and `legal` the answers of the last line `legal`.
// A referee that lists no legal answers leaves it empty: then the rules of the game say what an answer is.
static std::string choose(const std::vector<std::string> &told, const std::vector<std::string> &legal) {
    (void)told;
    return legal.empty() ? "0" : legal[chance() % legal.size()];
}

int main(int argc, char **argv) {
    if (argc < 5) return 1;
    seat = std::stoi(argv[1]);
    seats = std::stoi(argv[2]);
    seconds = std::stod(argv[3]);
    chance.seed(std::stoull(argv[4]));
    std::vector<std::string> told, legal;
    for (std::string line; std::getline(std::cin, line);) { // at the end of the game the input ends
        if (line == "@PROMPT@") {
            // std::endl also flushes; without it the answer would wait in a buffer.
            std::cout << choose(told, legal) << std::endl;
            continue;
        }
        told.push_back(line);
        std::istringstream words(line);
        std::string word;
        if (words >> word && word == "legal") {
            legal.clear();
            while (words >> word) legal.push_back(word);
        }
    }
}
