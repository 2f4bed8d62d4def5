/* An engine that answers at once: it plays the moves of a script, so that all measured time is
   that of the harness and the pipe. It makes one read and one write per move, without buffers.

   instant lines SIDE FIRST SCRIPT   one line a move; SIDE is the seat it has, FIRST the one that moves first
   instant ugi SCRIPT                the Universal Game Interface
   instant echo                      a line for each line, for the bare exchange

   SCRIPT: the number of lines of the board, then the moves of both seats, one per line.

   With -DFREESTANDING -nostdlib it needs no C library (Linux on x86-64). The library's start
   queries the processor, which takes five times as long as the rest of a start in a virtual
   machine. */
#include <stddef.h>
#include <string.h>

enum { MOST = 8192 };

static char script[1 << 20];
static char *moves[MOST];
static size_t lengths[MOST];
static int count;
static long board_lines;

#ifdef FREESTANDING

#include <emmintrin.h>

enum { READ = 0, WRITE = 1, OPEN = 2, EXIT = 60 };

static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static long take(int fd, void *to, size_t size) { return call(READ, fd, (long)to, (long)size); }
static long give(int fd, const void *from, size_t size) { return call(WRITE, fd, (long)from, (long)size); }
static int look_into(const char *path) { return (int)call(OPEN, (long)path, 0, 0); }
static void leave(int status) {
    for (;;) call(EXIT, status, 0, 0);
}

/* What the compiler itself calls for. */
void *memcpy(void *to, const void *from, size_t size) {
    void *start = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return start;
}

void *memmove(void *to, const void *from, size_t size) {
    if (to <= from) return memcpy(to, from, size);
    for (size_t at = size; at--;) ((char *)to)[at] = ((const char *)from)[at];
    return to;
}

int memcmp(const void *one, const void *other, size_t size) {
    const unsigned char *a = one, *b = other;
    for (; size--; a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

void *memchr(const void *in, int byte, size_t size) {
    const char *at = in;
    /* Sixteen at a time: late in a long game a line of UGI has thousands. */
    for (__m128i all = _mm_set1_epi8((char)byte); size >= 16; at += 16, size -= 16) {
        int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), all));
        if (found) return (void *)(at + __builtin_ctz((unsigned)found));
    }
    for (; size--; at++)
        if (*at == (char)byte) return (void *)at;
    return NULL;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

int strcmp(const char *one, const char *other) {
    while (*one && *one == *other) one++, other++;
    return (unsigned char)*one - (unsigned char)*other;
}

#else

#include <fcntl.h>
#include <unistd.h>

static long take(int fd, void *to, size_t size) { return read(fd, to, size); }
static long give(int fd, const void *from, size_t size) { return write(fd, from, size); }
static int look_into(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }
static void leave(int status) { _exit(status); }

#endif

static void fail(const char *why) {
    give(2, why, strlen(why));
    leave(2);
}

/* Each move with its newline, so that it goes out in one write. */
static void load(const char *path) {
    int fd = look_into(path);
    long size = fd < 0 ? -1 : take(fd, script, sizeof script - 1);
    if (size <= 0) fail("instant: the script cannot be read\n");
    char *at = script, *end;
    for (; *at >= '0' && *at <= '9'; at++) board_lines = 10 * board_lines + *at - '0';
    at++;
    while (count < MOST && (end = memchr(at, '\n', (size_t)(script + size - at)))) {
        moves[count] = at;
        lengths[count++] = (size_t)(end + 1 - at);
        at = end + 1;
    }
}

static void say(const char *text, size_t length) {
    if (give(1, text, length) != (long)length) leave(0);
}

static void play(int number) {
    if (number < count) say(moves[number], lengths[number]);
}

static void lines(int mine) {
    static char buffer[1 << 16];
    long heard = 0;
    for (;;) {
        long size = take(0, buffer, sizeof buffer);
        if (size <= 0) return;
        for (char *at = buffer; (at = memchr(at, '\n', (size_t)(buffer + size - at))); at++) {
            heard++;
            if (heard == board_lines && mine == 0) play(0);
            if (heard > board_lines) play((int)(2 * (heard - board_lines)) - 1 + (mine == 0));
        }
    }
}

/* The number of words after "position startpos moves". Only a short line is counted: a longer one
   has two moves more than the one before. */
static int moves_of(const char *line, size_t length, int before) {
    int words = 0;
    if (before >= 0) return before + 2;
    for (const char *at = line; at < line + length; at++) words += *at == ' ';
    return words > 1 ? words - 2 : 0;
}

static void ugi(void) {
    static char buffer[1 << 20];
    size_t held = 0;
    int next = -1; /* not in a game */
    for (;;) {
        long size = take(0, buffer + held, sizeof buffer - held);
        if (size <= 0) return;
        held += (size_t)size;
        char *at = buffer, *end;
        while ((end = memchr(at, '\n', (size_t)(buffer + held - at)))) {
            size_t length = (size_t)(end - at);
            if (length >= 8 && !memcmp(at, "position", 8)) next = moves_of(at, length, next);
            else if (length >= 2 && !memcmp(at, "go", 2)) {
                static char answer[4096] = "bestmove ";
                if (next < count) {
                    memcpy(answer + 9, moves[next], lengths[next]);
                    say(answer, 9 + lengths[next]);
                }
            } else if (length == 3 && !memcmp(at, "ugi", 3)) say("ugiok\n", 6);
            else if (length == 7 && !memcmp(at, "isready", 7)) say("readyok\n", 8);
            else if (length == 10 && !memcmp(at, "uginewgame", 10)) next = -1;
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
        long size = take(0, buffer, sizeof buffer);
        if (size <= 0) return;
        say(buffer, (size_t)size);
    }
}

static int run(int argc, char **argv) {
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

#ifdef FREESTANDING

/* The kernel leaves the arguments on the stack, their number first. */
__attribute__((noreturn, used)) static void begin(long *stack) {
    leave(run((int)stack[0], (char **)(stack + 1)));
    __builtin_unreachable();
}

__attribute__((naked, noreturn)) void _start(void) {
    __asm__("mov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin");
}

#else

int main(int argc, char **argv) { return run(argc, argv); }

#endif
