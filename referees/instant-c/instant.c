/* Referee of a game without sense, which costs as little time as possible: for measurements.

   Rules. Two seats write a digit from 1 to 9 in turn, `moves` digits in all. If the sum of the digits
   is even, the first seat wins, and otherwise the second. A seat that does not answer, or writes
   anything else, has lost. An engine reads `legal 1 2 3 4 5 6 7 8 9`, and the digit of the other seat as
   `move 7`. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[70000]; /* a line of agon has at most 64 KiB */

/* Reads a line from agon without its newline. Returns 0 when there are no more. */
static int hear(void) {
    if (!fgets(line, sizeof line, stdin))
        return 0;
    line[strcspn(line, "\n")] = 0;
    return 1;
}

/* Asks a seat. Returns its digit, or 0 if it has lost. */
static int ask(int seat) {
    printf("tell %d legal 1 2 3 4 5 6 7 8 9\nask %d\nwait\n", seat, seat);
    fflush(stdout);
    if (!hear() || strncmp(line, "answer ", 7))
        return 0;
    const char *text = line + 9; /* behind `answer 1 ` */
    if (strlen(line) == 10 && text[0] >= '1' && text[0] <= '9')
        return text[0] - '0';
    printf("bad %d the answer is not a digit from 1 to 9\n", seat);
    return 0;
}

static void play(long moves) {
    long sum = 0;
    for (long move = 0; move < moves; move++) {
        int seat = 1 + (int)(move % 2), other = 3 - seat;
        int digit = ask(seat);
        if (!digit) {
            printf("end %d %d : seat %d has lost\n", other == 1, other == 2, seat);
            fflush(stdout);
            return;
        }
        sum += digit;
        printf("move %d %d\ntell %d move %d\n", seat, digit, other, digit);
    }
    printf("end %d %d : the sum is %ld\n", sum % 2 == 0, sum % 2 == 1, sum);
    fflush(stdout);
}

int main(void) {
    long moves = 0;
    while (hear()) {
        if (!strncmp(line, "game ", 5)) {
            const char *option = strstr(line, " moves=");
            moves = option ? atol(option + 7) : 100;
        } else if (!strncmp(line, "clock ", 6)) {
            printf("referee 1 instant-c 1\nseats 2 2\nscores win\nready\n");
            fflush(stdout);
        } else if (!strcmp(line, "start")) {
            play(moves);
        }
    }
    return 0;
}
