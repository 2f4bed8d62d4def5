// An engine of UCI that plays the game in the file LINE: it answers with the move behind those so far.
// scripts/chess-bench builds it. At its end it adds a line to the file LOG: its answers, and its
// microseconds of processor time.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { LONGEST = 4096 };

int main(void) {
    static char line[LONGEST], said[2 * LONGEST];
    FILE *file = fopen(LINE, "r");
    if (file == NULL || fgets(line, LONGEST, file) == NULL) return 1;
    long answers = 0;
    // How many letters of the line have been played.
    size_t played = 0;
    while (fgets(said, sizeof said, stdin) != NULL) {
        if (strncmp(said, "uci\n", 4) == 0) {
            puts("id name mover\nuciok");
        } else if (strncmp(said, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(said, "position", 8) == 0) {
            const char *behind = strstr(said, " moves ");
            played = behind == NULL ? 0 : strlen(behind + 7);
        } else if (strncmp(said, "go", 2) == 0) {
            const char *move = line + played;
            printf("info depth 1 score cp 0 nodes 1\nbestmove %.*s\n", (int)strcspn(move, " \n"), move);
            answers++;
        } else if (strncmp(said, "quit", 4) == 0) {
            break;
        }
        fflush(stdout);
    }
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    FILE *log = fopen(LOG, "a");
    if (log != NULL)
        fprintf(log, "%ld %lld\n", answers,
                1000000LL * (own.ru_utime.tv_sec + own.ru_stime.tv_sec) + own.ru_utime.tv_usec +
                    own.ru_stime.tv_usec);
    return 0;
}
