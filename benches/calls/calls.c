/* How many system calls should a ply be? The exchange of a line with two engines in turn, on one
   core, in three ways:

   bare     write the question, read the answer; nothing else is watched
   polled   write, wait for answer, stderr, end and deadline at once, read: as agon does
   ring     all of that in one call of io_uring, with the stderr and the ends of both engines armed
            once

   Prints microseconds an exchange for each way, as the median of rounds that follow each other.
   Needs Linux; without io_uring it says so and leaves that line out.

   cc -O2 -o calls calls.c && ./calls */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EXCHANGES = 100000, ROUNDS = 7, ENGINES = 2, ANSWER = 1, WATCHED = 2, SECONDS = 10 };

struct engine {
    pid_t process;
    int question, answer, complaints, end;
};

static const char QUESTION[] = "position startpos moves a1 b2\ngo movetime 10000\n";
static const char REPLY[] = "bestmove c3\n";
static char heard[4096];

static void must(int holds, const char *what) {
    if (holds) return;
    perror(what);
    exit(1);
}

/* Starts an engine that answers each question at once. */
static struct engine start(void) {
    int question[2], answer[2], complaints[2];
    must(!pipe2(question, O_CLOEXEC) && !pipe2(answer, O_CLOEXEC) && !pipe2(complaints, O_CLOEXEC), "pipe");
    struct engine engine = {fork(), question[1], answer[0], complaints[0], -1};
    must(engine.process >= 0, "fork");
    if (engine.process == 0) {
        close(question[1]);
        while (read(question[0], heard, sizeof heard) > 0)
            if (write(answer[1], REPLY, sizeof REPLY - 1) < 0) break;
        _exit(0);
    }
    close(question[0]);
    close(answer[1]);
    engine.end = (int)syscall(SYS_pidfd_open, engine.process, 0);
    must(engine.end >= 0, "pidfd_open");
    return engine;
}

static void bare(const struct engine *engine) {
    must(write(engine->question, QUESTION, sizeof QUESTION - 1) > 0, "write");
    must(read(engine->answer, heard, sizeof heard) > 0, "read");
}

static void polled(const struct engine *engine) {
    must(write(engine->question, QUESTION, sizeof QUESTION - 1) > 0, "write");
    struct pollfd watched[] = {{engine->answer, POLLIN, 0}, {engine->complaints, POLLIN, 0}, {engine->end, POLLIN, 0}};
    must(poll(watched, 3, SECONDS * 1000) > 0, "poll");
    must(read(engine->answer, heard, sizeof heard) > 0, "read");
}

/* The rings that the kernel shares, with the few fields that are used. */
static struct {
    int fd;
    unsigned *tail, *mask, *array, *head_of_answers, *tail_of_answers, *mask_of_answers;
    struct io_uring_sqe *orders;
    struct io_uring_cqe *answers;
} ring;

static int set_up(void) {
    struct io_uring_params wanted = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    ring.fd = (int)syscall(SYS_io_uring_setup, 16, &wanted);
    if (ring.fd < 0) return 0;
    const int shown = PROT_READ | PROT_WRITE, shared = MAP_SHARED | MAP_POPULATE;
    char *orders = mmap(NULL, wanted.sq_off.array + wanted.sq_entries * sizeof(unsigned), shown, shared, ring.fd,
                        IORING_OFF_SQ_RING);
    char *answers = mmap(NULL, wanted.cq_off.cqes + wanted.cq_entries * sizeof(struct io_uring_cqe), shown, shared,
                         ring.fd, IORING_OFF_CQ_RING);
    ring.orders = mmap(NULL, wanted.sq_entries * sizeof(struct io_uring_sqe), shown, shared, ring.fd, IORING_OFF_SQES);
    must(orders != MAP_FAILED && answers != MAP_FAILED && ring.orders != MAP_FAILED, "mmap");
    ring.tail = (unsigned *)(orders + wanted.sq_off.tail);
    ring.mask = (unsigned *)(orders + wanted.sq_off.ring_mask);
    ring.array = (unsigned *)(orders + wanted.sq_off.array);
    ring.head_of_answers = (unsigned *)(answers + wanted.cq_off.head);
    ring.tail_of_answers = (unsigned *)(answers + wanted.cq_off.tail);
    ring.mask_of_answers = (unsigned *)(answers + wanted.cq_off.ring_mask);
    ring.answers = (struct io_uring_cqe *)(answers + wanted.cq_off.cqes);
    return 1;
}

static struct io_uring_sqe *order(unsigned char what, int fd, uint64_t name) {
    unsigned at = *ring.tail & *ring.mask;
    struct io_uring_sqe *next = &ring.orders[at];
    memset(next, 0, sizeof *next);
    next->opcode = what;
    next->fd = fd;
    next->user_data = name;
    ring.array[at] = at;
    __atomic_store_n(ring.tail, *ring.tail + 1, __ATOMIC_RELEASE);
    return next;
}

static void enter(unsigned orders, unsigned awaited) {
    struct __kernel_timespec deadline = {.tv_sec = SECONDS};
    struct io_uring_getevents_arg until = {.ts = (uint64_t)(uintptr_t)&deadline};
    const unsigned how = awaited ? IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG : 0;
    long done = syscall(SYS_io_uring_enter, ring.fd, orders, awaited, how, awaited ? &until : NULL, sizeof until);
    must(done >= 0, "io_uring_enter");
}

/* Watches the stderr and the end of an engine, once for all exchanges. */
static void watch(const struct engine *engine) {
    const int watched[] = {engine->complaints, engine->end};
    for (int at = 0; at < 2; at++) {
        struct io_uring_sqe *armed = order(IORING_OP_POLL_ADD, watched[at], WATCHED);
        armed->poll32_events = POLLIN;
        armed->len = IORING_POLL_ADD_MULTI;
    }
    enter(2, 0);
}

static void ringed(const struct engine *engine) {
    struct io_uring_sqe *told = order(IORING_OP_WRITE, engine->question, 0);
    told->addr = (uint64_t)(uintptr_t)QUESTION;
    told->len = sizeof QUESTION - 1;
    told->flags = IOSQE_CQE_SKIP_SUCCESS;
    struct io_uring_sqe *hears = order(IORING_OP_READ, engine->answer, ANSWER);
    hears->addr = (uint64_t)(uintptr_t)heard;
    hears->len = sizeof heard;
    hears->off = (uint64_t)-1;
    enter(2, 1);
    unsigned at = *ring.head_of_answers;
    while (at == __atomic_load_n(ring.tail_of_answers, __ATOMIC_ACQUIRE)) enter(0, 1);
    struct io_uring_cqe *answer = &ring.answers[at & *ring.mask_of_answers];
    must(answer->user_data == ANSWER && answer->res == (int)sizeof REPLY - 1, "an answer of the ring");
    __atomic_store_n(ring.head_of_answers, at + 1, __ATOMIC_RELEASE);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int by_size(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(void) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    struct engine engines[ENGINES];
    for (int at = 0; at < ENGINES; at++) engines[at] = start();
    struct {
        const char *name;
        void (*exchange)(const struct engine *);
        double rounds[ROUNDS];
    } ways[] = {{"bare", bare, {0}}, {"polled", polled, {0}}, {"ring", ringed, {0}}};
    int count = 3;
    if (set_up())
        for (int at = 0; at < ENGINES; at++) watch(&engines[at]);
    else {
        printf("no ring: %s\n", strerror(errno));
        count = 2;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < count; way++) {
            double begun = seconds();
            for (int number = 0; number < EXCHANGES; number++) ways[way].exchange(&engines[number % ENGINES]);
            ways[way].rounds[round] = (seconds() - begun) / EXCHANGES * 1e6;
        }
    for (int way = 0; way < count; way++) {
        qsort(ways[way].rounds, ROUNDS, sizeof(double), by_size);
        printf("%-7s %.2f us\n", ways[way].name, ways[way].rounds[ROUNDS / 2]);
    }
    for (int at = 0; at < ENGINES; at++) kill(engines[at].process, SIGKILL);
    return 0;
}
