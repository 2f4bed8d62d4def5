/* An engine for the letter cube in plain C: it plays the word that scores most. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 40 /* rows, columns and planes of the largest board, and so letters of the longest word */

struct entry {
    char key[MOST + 1];  /* the letters of the word in alphabetical order */
    char word[MOST + 1];
};

static struct entry *entries;
static size_t entry_count;

static int rows, columns, planes;
static char board[MOST][MOST][MOST + 1]; /* row, column, plane, each from 0; 0 is a blank */

static const int points[26] = {1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10};

static void die(const char *why)
{
    fprintf(stderr, "plain: %s\n", why);
    exit(1);
}

static int compare_letters(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void read_dictionary(void)
{
    char line[1000];
    size_t room = 0;
    FILE *file = fopen("dictionary", "r");
    if (file == NULL)
        die("there is no dictionary here");
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strcspn(line, "\r\n");
        line[length] = '\0';
        if (length < 3 || length > MOST)
            continue;
        if (entry_count == room) {
            room = room * 2 + 1000;
            entries = realloc(entries, room * sizeof *entries);
            if (entries == NULL)
                die("no memory");
        }
        strcpy(entries[entry_count].word, line);
        strcpy(entries[entry_count].key, line);
        qsort(entries[entry_count].key, length, 1, compare_letters);
        entry_count++;
    }
    fclose(file);
    if (entry_count > 0)
        qsort(entries, entry_count, sizeof *entries, compare_entries);
}

/* Reads a line from the harness; 0 when the game is over. */
static int read_line(char *line, int size)
{
    if (fgets(line, size, stdin) == NULL)
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    return 1;
}

static void read_board(void)
{
    char line[1000];
    int x, y, z;
    if (!read_line(line, sizeof line) || sscanf(line, "%d %d %d", &rows, &columns, &planes) != 3)
        die("the board does not begin with its sizes");
    if (rows < 1 || rows > MOST || columns < 1 || columns > MOST || planes < 1 || planes > MOST)
        die("the board is too large");
    for (z = 0; z < planes; z++) {
        for (x = 0; x < rows; x++) {
            do { /* there may be an empty line between two planes */
                if (!read_line(line, sizeof line))
                    die("the board ends too early");
            } while (line[0] == '\0');
            for (y = 0; y < columns && line[y] != '\0'; y++)
                board[x][y][z] = islower((unsigned char)line[y]) ? line[y] : 0;
        }
    }
}

/* Removes the letters of a line that begins on plane 1; the letters below them move up. */
static void take(int x, int y, int dx, int dy, int length)
{
    int i;
    for (i = 0; i < length; i++) {
        char *column = board[x + i * dx][y + i * dy]; /* a vertical word takes the top letter each time */
        memmove(column, column + 1, MOST);
        column[MOST] = 0;
    }
}

static void play_best(const char *side)
{
    static const int direction[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    const struct entry *best = NULL;
    int best_points = 0, best_x = 0, best_y = 0, best_d = 0, best_length = 0;
    int x, y, d;
    for (x = 0; x < rows; x++) {
        for (y = 0; y < columns; y++) {
            for (d = 0; d < 3; d++) {
                struct entry wanted;
                int length = 0, sum = 0;
                for (;;) {
                    int cx = x + length * direction[d][0];
                    int cy = y + length * direction[d][1];
                    int cz = length * direction[d][2];
                    if (cx >= rows || cy >= columns || cz >= planes || board[cx][cy][cz] == 0)
                        break;
                    wanted.key[length++] = board[cx][cy][cz];
                    wanted.key[length] = '\0';
                    sum += points[board[cx][cy][cz] - 'a'];
                    if (length >= 3 && sum > best_points && entry_count > 0) {
                        const struct entry *found;
                        qsort(wanted.key, length, 1, compare_letters);
                        found = bsearch(&wanted, entries, entry_count, sizeof *entries, compare_entries);
                        if (found != NULL) {
                            best = found;
                            best_points = sum;
                            best_x = x;
                            best_y = y;
                            best_d = d;
                            best_length = length;
                        }
                    }
                }
            }
        }
    }
    if (best == NULL) {
        printf("%s,P\n", side);
    } else {
        const int *to = direction[best_d];
        int last = best_length - 1;
        printf("%s,%d,%d,1,%d,%d,%d,%s\n", side, best_x + 1, best_y + 1, best_x + 1 + last * to[0],
               best_y + 1 + last * to[1], 1 + last * to[2], best->word);
        take(best_x, best_y, to[0], to[1], best_length);
    }
    fflush(stdout); /* or the answer waits in a buffer, and the harness waits for the answer */
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void opponent_played(const char *line)
{
    int x1, y1, z1, x2, y2, z2;
    if (sscanf(line, "%*[^,],%d,%d,%d,%d,%d,%d", &x1, &y1, &z1, &x2, &y2, &z2) != 6)
        return; /* a pass */
    if (x1 != x2)
        take(smaller(x1, x2) - 1, y1 - 1, 1, 0, abs(x2 - x1) + 1);
    else if (y1 != y2)
        take(x1 - 1, smaller(y1, y2) - 1, 0, 1, abs(y2 - y1) + 1);
    else
        take(x1 - 1, y1 - 1, 0, 0, z2);
}

int main(int argc, char *argv[])
{
    char line[1000];
    if (argc < 2)
        die("started with SIDE ROWS COLUMNS PLANES SECONDS");
    read_dictionary();
    read_board();
    if (argv[1][0] == 'W') /* white begins */
        play_best(argv[1]);
    while (read_line(line, sizeof line)) {
        opponent_played(line);
        play_best(argv[1]);
    }
    return 0;
}
