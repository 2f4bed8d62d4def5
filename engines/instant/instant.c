/* An engine that answers at once: it plays the moves of a script, so that all time measured is the harness's and the
   pipe's. One read and one write a move, nothing buffered, no library needed when linked statically.

   instant lines SIDE FIRST SCRIPT   one line a move; SIDE is the seat it has, FIRST the one that moves first
   instant ugi SCRIPT                the Universal Game Interface
   instant echo                      a line for each line, for the bare exchange

   SCRIPT: the number of lines of the board, then the moves of both seats, one a line. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8192 };

static char script[1 << 20];
static char *moves[MOST];
static size_t lengths[MOST];
static int count;
static long board_lines;

static void fail(const char *why) {
    ssize_t ignored = write(2, why, strlen(why)); /* there is nobody else to tell */
    (void)ignored;
    _exit(2);
}

/* Each move with its newline, so that it goes out in one write. */
static void load(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, script, sizeof script - 1);
    if (size <= 0) fail("instant: the script cannot be read\n");
    char *at = script, *end;
    board_lines = strtol(at, &end, 10);
    at = end + 1;
    while (count < MOST && (end = memchr(at, '\n', (size_t)(script + size - at)))) {
        moves[count] = at;
        lengths[count++] = (size_t)(end + 1 - at);
        at = end + 1;
    }
}

static void say(const char *text, size_t length) {
    if (write(1, text, length) != (ssize_t)length) _exit(0);
}

static void play(int number) {
    if (number < count) say(moves[number], lengths[number]);
}

static void lines(int mine) {
    static char buffer[1 << 16];
    long heard = 0;
    for (;;) {
        ssize_t size = read(0, buffer, sizeof buffer);
        if (size <= 0) return;
        for (char *at = buffer; (at = memchr(at, '\n', (size_t)(buffer + size - at))); at++) {
            heard++;
            if (heard == board_lines && mine == 0) play(0);
            if (heard > board_lines) play((int)(2 * (heard - board_lines)) - 1 + (mine == 0));
        }
    }
}

/* How many moves stand behind "moves" in a line of position. */
static int words_after_moves(const char *line, size_t length) {
    const char *at = memmem(line, length, " moves", 6);
    int words = 0;
    if (!at) return 0;
    for (const char *end = line + length; at < end; at++) words += *at == ' ';
    return words - 1;
}

static void ugi(void) {
    static char buffer[1 << 20];
    size_t held = 0;
    int next = 0;
    for (;;) {
        ssize_t size = read(0, buffer + held, sizeof buffer - held);
        if (size <= 0) return;
        held += (size_t)size;
        char *at = buffer, *end;
        while ((end = memchr(at, '\n', (size_t)(buffer + held - at)))) {
            size_t length = (size_t)(end - at);
            if (length >= 8 && !memcmp(at, "position", 8)) next = words_after_moves(at, length);
            else if (length >= 2 && !memcmp(at, "go", 2)) {
                static char answer[4096] = "bestmove ";
                if (next < count) {
                    memcpy(answer + 9, moves[next], lengths[next]);
                    say(answer, 9 + lengths[next]);
                }
            } else if (length == 3 && !memcmp(at, "ugi", 3)) say("ugiok\n", 6);
            else if (length == 7 && !memcmp(at, "isready", 7)) say("readyok\n", 8);
            else if (length == 4 && !memcmp(at, "quit", 4)) return;
            at = end + 1;
        }
        held = (size_t)(buffer + held - at);
        memmove(buffer, at, held);
    }
}

static void echo(void) {
    static char buffer[4096];
    for (;;) {
        ssize_t size = read(0, buffer, sizeof buffer);
        if (size <= 0) return;
        say(buffer, (size_t)size);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "echo")) {
        echo();
    } else if (argc == 5 && !strcmp(argv[1], "lines")) {
        load(argv[4]);
        lines(strcmp(argv[2], argv[3]) ? 1 : 0);
    } else if (argc == 3 && !strcmp(argv[1], "ugi")) {
        load(argv[2]);
        ugi();
    } else {
        fail("usage: instant lines SIDE FIRST SCRIPT | instant ugi SCRIPT | instant echo\n");
    }
    return 0;
}
