/*
 * One rank of Open MPI, driven by lines on rank 0's standard input; the protocol and the values are those of
 * CollectiveRank.java and Pattern.java. Between runs, ranks sleep, so that they do not disturb whoever runs meanwhile.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PERIOD = 1009, VALUES = 8, STRIDE = 3, LINE = 256, NAP_MICROSECONDS = 1000 };

static int rank, size;
static float *input, *output;

static float value(size_t i, int of) { return (float)((i % PERIOD + STRIDE * of) % VALUES); }

static float sum(size_t i) {
    float s = 0;
    for (int r = 0; r < size; r++) s += value(i, r);
    return s;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rank 0's next line on every rank; no line at the end of the input. */
static int next(char *line) {
    if (rank == 0 && !fgets(line, LINE, stdin)) strcpy(line, "quit");
    MPI_Request request;
    int done = 0;
    MPI_Ibcast(line, LINE, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        usleep(NAP_MICROSECONDS);
    return strncmp(line, "quit", 4) != 0;
}

/* Whether the collective is known. */
static int once(const char *what, size_t count) {
    int n = (int)count, part = n / size;
    MPI_Comm world = MPI_COMM_WORLD;
    if (!strcmp(what, "all-reduce")) MPI_Allreduce(input, output, n, MPI_FLOAT, MPI_SUM, world);
    else if (!strcmp(what, "reduce")) MPI_Reduce(input, output, n, MPI_FLOAT, MPI_SUM, 0, world);
    else if (!strcmp(what, "reduce-scatter")) MPI_Reduce_scatter_block(input, output, part, MPI_FLOAT, MPI_SUM, world);
    else if (!strcmp(what, "all-gather")) MPI_Allgather(input, part, MPI_FLOAT, output, part, MPI_FLOAT, world);
    else if (!strcmp(what, "broadcast")) MPI_Bcast(output, n, MPI_FLOAT, 0, world);
    else if (!strcmp(what, "scatter")) MPI_Scatter(input, part, MPI_FLOAT, output, part, MPI_FLOAT, 0, world);
    else if (!strcmp(what, "gather")) MPI_Gather(input, part, MPI_FLOAT, output, part, MPI_FLOAT, 0, world);
    else if (!strcmp(what, "all-to-all")) MPI_Alltoall(input, part, MPI_FLOAT, output, part, MPI_FLOAT, world);
    else if (!strcmp(what, "send") && rank == 0) MPI_Send(output, n, MPI_FLOAT, 1, 0, world);
    else if (!strcmp(what, "send") && rank == 1) MPI_Recv(output, n, MPI_FLOAT, 0, 0, world, MPI_STATUS_IGNORE);
    else return !strcmp(what, "send");
    return 1;
}

static void prepare(const char *what, size_t count) {
    size_t part = count / size, from = 0;
    if (!strcmp(what, "all-gather") || !strcmp(what, "gather")) from = part * rank;
    for (size_t i = 0; i < count; i++) input[i] = value(i + from, rank);
}

static int right(const char *what, size_t count) {
    size_t part = count / size, from = part * rank;
    int root = rank == 0;
    for (size_t i = 0; i < count; i++) {
        float want = output[i];
        if (!strcmp(what, "all-reduce") || (!strcmp(what, "reduce") && root)) want = sum(i);
        else if (!strcmp(what, "reduce-scatter")) want = i < part ? sum(from + i) : want;
        else if (!strcmp(what, "all-gather") || (!strcmp(what, "gather") && root)) want = value(i, (int)(i / part));
        else if (!strcmp(what, "broadcast") || (!strcmp(what, "send") && rank < 2)) want = value(i, 0);
        else if (!strcmp(what, "scatter")) want = i < part ? value(from + i, 0) : want;
        else if (!strcmp(what, "all-to-all")) want = value(from + i % part, (int)(i / part));
        if (output[i] != want) return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char line[LINE], what[64];
    while (next(line)) {
        size_t bytes, count;
        int iterations, ok = 1, all = 1;
        if (sscanf(line, "run %63s %zu %d", what, &bytes, &iterations) != 3) {
            if (rank == 0) printf("> ready\n"), fflush(stdout);
            continue;
        }
        count = bytes / sizeof(float) ? bytes / sizeof(float) : 1;
        int from_root = !strcmp(what, "broadcast") || !strcmp(what, "send");
        int segmented = strcmp(what, "all-reduce") && strcmp(what, "reduce") && !from_root;
        if (segmented) count = (count / size ? count / size : 1) * size;
        input = malloc(count * sizeof(float));
        output = malloc(count * sizeof(float));
        double *seconds = malloc(iterations * sizeof(double));
        prepare(what, count);
        for (int i = 0; i < iterations && ok; i++) {
            if (from_root && rank == 0) memcpy(output, input, count * sizeof(float));
            else for (size_t k = 0; k < count; k++) output[k] = -1;
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            ok = once(what, count);
            double mine = MPI_Wtime() - start;
            MPI_Allreduce(&mine, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            ok = ok && right(what, count);
        }
        MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (rank == 0) {
            qsort(seconds, iterations, sizeof(double), ascending);
            double median = (seconds[(iterations - 1) / 2] + seconds[iterations / 2]) / 2;
            if (all) printf("> seconds %.9f\n", median);
            else printf("> error %s gave a wrong result\n", what);
            fflush(stdout);
        }
        free(input), free(output), free(seconds);
    }
    MPI_Finalize();
    return 0;
}
