// A program of Gomocup for the tests: it takes the first free point, and tries the folders that it is told of.
// With the word drop it refuses some commands, as engines do that are not ready.
#include <stdio.h>
#include <string.h>
#include <windows.h>

static char taken[64][64];
static int columns, rows;

static void move(void)
{
    int x, y;
    for (y = 0; y < rows; y++)
        for (x = 0; x < columns; x++)
            if (!taken[x][y]) {
                taken[x][y] = 1;
                printf("%d,%d\n", x, y);
                return;
            }
}

int main(int count, char **words)
{
    int drops = count > 1 && strcmp(words[1], "drop") == 0, turns = 0;
    char line[1000], place[MAX_PATH], file[MAX_PATH];
    int x, y, side;
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "START %d", &columns) == 1) {
            rows = columns;
            GetTempPathA(sizeof place, place);
            printf("MESSAGE temporary files %s\n", GetTempFileNameA(place, "agn", 0, file) ? "work" : "fail");
            printf("OK\n");
        } else if (strncmp(line, "INFO folder ", 12) == 0) {
            line[strcspn(line, "\r\n")] = 0;
            printf("MESSAGE folder %s %s\n", line + 12,
                   GetFileAttributesA(line + 12) == INVALID_FILE_ATTRIBUTES ? "missing" : "exists");
        } else if (strncmp(line, "ABOUT", 5) == 0) {
            printf("name=\"first\", version=\"1.0\"\n");
        } else if (strncmp(line, "BEGIN", 5) == 0) {
            move();
        } else if (sscanf(line, "TURN %d,%d", &x, &y) == 2) {
            taken[x][y] = 1;
            if (drops && ++turns % 3 == 2) // and waits for another command
                printf("ERROR not ready\n");
            else
                move();
        } else if (strncmp(line, "BOARD", 5) == 0) {
            while (fgets(line, sizeof line, stdin) && sscanf(line, "%d,%d,%d", &x, &y, &side) == 3)
                taken[x][y] = 1;
            move();
        } else if (strncmp(line, "END", 3) == 0) {
            return 0;
        }
    }
    return 0;
}
