/* The limit of memory for relu(a*b+c) on 16M floats: the best of ten passes of one fused loop, with plain and with
   non-temporal stores, in GB/s (16 bytes per element). Usage: fused THREADS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

enum { COUNT = 16 << 20, PASSES = 10, MOST_THREADS = 256 };

static float *a, *b, *c, *y;
static int threads;
static pthread_barrier_t barrier;
static double best;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void plain(long from, long to) {
    for (long i = from; i < to; i++) {
        float v = a[i] * b[i] + c[i];
        y[i] = v > 0 ? v : 0;
    }
}

static void past_the_cache(long from, long to) {
#ifdef __SSE__
    for (long i = from; i < to; i += 4) {
        __m128 v = _mm_add_ps(_mm_mul_ps(_mm_load_ps(a + i), _mm_load_ps(b + i)), _mm_load_ps(c + i));
        _mm_stream_ps(y + i, _mm_max_ps(v, _mm_setzero_ps()));
    }
    _mm_sfence();
#else
    plain(from, to);
#endif
}

static void *work(void *argument) {
    long t = (long)argument, part = COUNT / threads / 16 * 16;
    long from = t * part, to = t == threads - 1 ? COUNT : from + part;
    for (long i = from; i < to; i++) a[i] = 1, b[i] = 2, c[i] = (float)(i % 5 - 3), y[i] = 0;
    for (int pass = 0; pass < 2 * PASSES; pass++) {
        pthread_barrier_wait(&barrier);
        double start = now();
        if (pass % 2) past_the_cache(from, to);
        else plain(from, to);
        pthread_barrier_wait(&barrier);
        double rate = 16e-9 * COUNT / (now() - start);
        if (t == 0 && rate > best) best = rate;
    }
    return NULL;
}

int main(int count, char **arguments) {
    threads = count > 1 ? atoi(arguments[1]) : 1;
    if (threads < 1 || threads > MOST_THREADS) return 2;
    size_t bytes = sizeof(float) * COUNT;
    a = aligned_alloc(64, bytes), b = aligned_alloc(64, bytes), c = aligned_alloc(64, bytes), y = aligned_alloc(64, bytes);
    if (!a || !b || !c || !y) return 1;
    pthread_barrier_init(&barrier, NULL, threads);
    pthread_t other[MOST_THREADS];
    for (long t = 1; t < threads; t++) pthread_create(&other[t], NULL, work, (void *)t);
    work(NULL);
    for (int t = 1; t < threads; t++) pthread_join(other[t], NULL);
    printf("%.3f\n", best);
    return 0;
}
