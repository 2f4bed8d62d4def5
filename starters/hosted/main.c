/* A starter for @GAME@: it answers at random. Your ideas go into choose().
 *
 * Handed in alone, without its engine.toml, it is started as these two lines say:
 * agon: args = @ARGS@
 * agon: games = @GAMES@
 *
 * agon starts it as: main SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
 * When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
 * error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 70000, MOST = 20000 };

static int seat, seats;
static double seconds;

/* The answers of the last line `legal`. A referee that lists no legal answers leaves them empty: then the
 * rules of the game say what an answer is. */
static char listed[LONGEST];
static const char *legal[MOST];
static int count;

/* The answer. Replace this by something better. */
static const char *choose(void) { return count > 0 ? legal[rand() % count] : "0"; }

/* Takes a line that the referee tells this seat. */
static void hear(const char *line) {
    if (strncmp(line, "legal", 5) != 0 || (line[5] != ' ' && line[5] != '\0')) return;
    strcpy(listed, line + 5);
    count = 0;
    for (char *word = strtok(listed, " "); word && count < MOST; word = strtok(NULL, " ")) legal[count++] = word;
}

int main(int argc, char **argv) {
    static char line[LONGEST];
    if (argc < 5) return 1;
    seat = atoi(argv[1]);
    seats = atoi(argv[2]);
    seconds = atof(argv[3]);
    srand((unsigned)strtoul(argv[4], NULL, 10));
    while (fgets(line, sizeof line, stdin)) { /* at the end of the game the input ends */
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "@PROMPT@") == 0) {
            printf("%s\n", choose());
            fflush(stdout); /* without it the answer would wait in a buffer */
        } else {
            hear(line);
        }
    }
    return 0;
}
