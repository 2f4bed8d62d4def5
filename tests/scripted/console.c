/* A console program as they are found: boards in colours, a prompt without a newline, no flush.

   console GAME MODE...: GAME is cells (1 to 9), columns (0 to 6) or cube (A1 to D4). It plays any free
   place. A line "go" makes it begin. The modes are in `has`; each is a quirk of a real program. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int places, room, taken[16], own_moves, modes;
static char **mode;

static int has(const char *name) {
    for (int i = 0; i < modes; i++)
        if (!strcmp(mode[i], name)) return 1;
    return 0;
}

static void name(int place, char *to) {
    if (places == 9) sprintf(to, "%d", place + 1);
    else if (places == 7) sprintf(to, "%d", place);
    else sprintf(to, "%c%d", 'A' + place / 4, place % 4 + 1);
}

static int find(const char *text) {
    char own[8];
    for (int place = 0; place < places; place++) {
        name(place, own);
        if (!strcmp(own, text)) return place;
    }
    return -1;
}

static void pause_for(int milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static void draw(void) {
    char own[8];
    printf("\033]0;console\007\033[2J\033[H");
    for (int place = 0; place < places; place++) {
        name(place, own);
        printf("\033[1;3%dm%s\033[0m ", taken[place] ? 1 : 2, taken[place] ? "##" : own);
    }
    printf("\n");
}

static void move(void) {
    static unsigned seed = 12345;
    char own[8];
    int place, free = 0;
    for (place = 0; place < places; place++) free += taken[place] < room;
    own_moves++;
    if (has("crash") && own_moves == 2) exit(3);
    if (has("late") && own_moves == 2) pause_for(10000);
    if (has("garbage")) { printf("beep boop\n"); return; }
    if (has("wrong")) { printf("I play z9\n"); return; }
    if (has("flood")) for (;;) printf("\033[31mthinking about it ");
    if (has("slow")) pause_for(30);
    if (!free) return;
    do place = (seed = seed * 1103515245u + 12345u) / 65536u % (unsigned)places; while (taken[place] >= room);
    taken[place]++;
    name(place, own);
    if (has("drips")) { printf("\033[33mI "); fflush(stdout); pause_for(20); }
    printf("\033[33mI play \033[1m%s\033[0m", own);
    if (has("leaves")) exit(0);
    printf(has("one-line") ? ". " : "\n");
    if (has("twice")) { fflush(stdout); pause_for(3); printf("So: I play %s\n", own); }
}

static int line(const char *prompt, char *to, int size) {
    printf("%s", prompt);
    if (!fgets(to, size, stdin)) return 0;
    to[strcspn(to, "\r\n")] = 0;
    if (has("echo")) printf("%s\n", to);
    return 1;
}

int main(int argc, char **argv) {
    char told[64];
    int driver = 0;
    mode = argv + 2;
    modes = argc - 2;
    places = !strcmp(argv[1], "cells") ? 9 : !strcmp(argv[1], "columns") ? 7 : 16;
    room = places == 9 ? 1 : places == 7 ? 6 : 4;
    fprintf(stderr, "terminal %d %d\n", isatty(0), isatty(1));
    if (has("driver")) fprintf(stderr, "driver %d\n", ioctl(0, TIOCSETD, &driver));
    /* Otherwise a buffer that only a terminal empties, as real programs have it. */
    if (has("flushes")) setvbuf(stdout, NULL, _IONBF, 0);
    if (has("lots") || has("biased")) {
        /* Who begins is drawn, and nothing changes it. */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        int begins = has("lots") && (now.tv_nsec / 1000 + getpid()) % 2;
        printf("%s\n", begins ? "\033[1mThe computer begins.\033[0m" : "You begin.");
        if (begins) move();
    }
    if (has("asks")) {
        if (!line("\033[1mWelcome!\033[0m\nWho begins (1 you, 2 me)? ", told, sizeof told)) return 0;
        if (!strcmp(told, "2")) move();
    }
    for (;;) {
        draw();
        if (!line("Your move: ", told, sizeof told)) {
            if (!has("undo")) return 0;
            for (;;) printf("Move taken back.\n");
        }
        if (!strcmp(told, "go")) { move(); continue; }
        int place = find(told);
        if (place < 0 || taken[place] >= room || has("strict")) {
            printf("Illegal move: %s\n", told);
            continue;
        }
        taken[place]++;
        move();
    }
}
