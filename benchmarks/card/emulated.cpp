/*
 * A card of software, for machines without one: a driver, a cuBLASLt and an NVRTC that compute. Sources are compiled for the host by g++,
 * with the header below in place of CUDA's; threads of a block are fibers that meet at barriers; memory is the host's. What is
 * captured is run in an order that its edges allow, another one each time, so that a missing edge is found. EMULATED_SEED begins
 * those orders; compiled sources are kept in EMULATED_FOLDER, by their hash. There are EMULATED_CARDS of it (1), and an NCCL (nccl.cpp).
 *   g++ -O2 -shared -fPIC -std=c++17 -o libcuda.so.1 emulated.cpp
 *   for l in libcublasLt.so.13 libnvrtc.so.13 libnccl.so.2; do ln -s libcuda.so.1 $l; done
 *   LD_LIBRARY_PATH=. OXBOW_JAVA_OPTS='-Doxbow.cuda.path=. -Doxbow.cuda.dnn=off' ./oxbow bench gpu --only =mlp
 * Nothing is timed by it.
 */
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

typedef uint64_t u64;

/* What stands before a source: the language's words, what NVIDIA documents of each function, and how a grid is run. */
static const char *HEADER = R"HEADER(
#include <ucontext.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static
#define __grid_constant__
struct Dim { unsigned x, y, z; };
static Dim threadIdx, blockIdx, blockDim, gridDim;
namespace emulated {
enum State { RUNS, AT_BLOCK, AT_WARP, ENDED };
struct Fiber { ucontext_t context; State state; void *stack; };
static Fiber fibers[1024];
static ucontext_t scheduler;
static unsigned current;
static uint64_t slots[1024];
static void (*body)(void *);
static void *arguments;
static void wait(State s) {
    fibers[current].state = s;
    swapcontext(&fibers[current].context, &scheduler);
}
static void entry() {
    body(arguments);
    fibers[current].state = ENDED;
    swapcontext(&fibers[current].context, &scheduler);
}
static void release(State s, unsigned from, unsigned to) {
    bool all = true, any = false;
    for (unsigned t = from; t < to; t++) {
        any |= fibers[t].state == s;
        all &= fibers[t].state == s || fibers[t].state == ENDED;
    }
    for (unsigned t = from; t < to && all && any; t++) if (fibers[t].state == s) fibers[t].state = RUNS;
}
static void block(unsigned threads) {
    const size_t SIZE = 1 << 16;
    for (unsigned t = 0; t < threads; t++) {
        Fiber &f = fibers[t];
        if (!f.stack) f.stack = malloc(SIZE);
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack;
        f.context.uc_stack.ss_size = SIZE;
        f.context.uc_link = 0;
        f.state = RUNS;
        makecontext(&f.context, entry, 0);
    }
    for (bool left = true; left;) {
        left = false;
        bool moved = false;
        for (unsigned t = 0; t < threads; t++) {
            if (fibers[t].state != RUNS) continue;
            current = t;
            threadIdx = {t, 0, 0};
            swapcontext(&scheduler, &fibers[t].context);
            moved = true;
        }
        for (unsigned w = 0; w < threads; w += 32) release(AT_WARP, w, w + 32 < threads ? w + 32 : threads);
        release(AT_BLOCK, 0, threads);
        bool runs = false;
        for (unsigned t = 0; t < threads; t++) {
            left |= fibers[t].state != ENDED;
            runs |= fibers[t].state == RUNS;
        }
        if (left && !runs && !moved) abort(); // they wait for each other
    }
}
template <class... A, size_t... I> static void *pack(void (*)(A...), void **p, std::index_sequence<I...>) {
    return new std::tuple<A...>(*(A *)p[I]...);
}
template <auto F> struct Kernel;
template <class... A, void (*F)(A...)> struct Kernel<F> {
    static void *packed(void **p) { return pack(F, p, std::index_sequence_for<A...>()); }
    static void call(void *p) { std::apply(F, *(std::tuple<A...> *)p); }
    static void run(void *p, unsigned gx, unsigned gy, unsigned threads) {
        gridDim = {gx, gy, 1};
        blockDim = {threads, 1, 1};
        body = call;
        arguments = p;
        for (unsigned y = 0; y < gy; y++)
            for (unsigned x = 0; x < gx; x++) {
                blockIdx = {x, y, 0};
#ifdef MEETS
                block(threads);
#else
                for (unsigned t = 0; t < threads; t++) {
                    threadIdx = {t, 0, 0};
                    call(p);
                }
#endif
            }
    }
    static void free(void *p) { delete (std::tuple<A...> *)p; }
};
template <class To, class From> static To as(From f) {
    static_assert(sizeof(To) == sizeof(From), "");
    To t;
    memcpy(&t, &f, sizeof(t));
    return t;
}
}
static inline void __syncthreads() { emulated::wait(emulated::AT_BLOCK); }
static inline void __syncwarp(unsigned = ~0u) { emulated::wait(emulated::AT_WARP); }
template <class T> static inline T __shfl_xor_sync(unsigned, T v, int by, int = 32) {
    memcpy(&emulated::slots[emulated::current], &v, sizeof(T));
    __syncwarp();
    T r;
    memcpy(&r, &emulated::slots[emulated::current ^ by], sizeof(T));
    __syncwarp();
    return r;
}
static inline unsigned __ballot_sync(unsigned, int p) {
    emulated::slots[emulated::current] = p != 0;
    __syncwarp();
    unsigned r = 0, first = emulated::current / 32 * 32;
    for (unsigned i = 0; i < 32; i++) r |= (unsigned)emulated::slots[first + i] << i;
    __syncwarp();
    return r;
}
template <class T, class U> static inline T atomicAdd(T *p, U v) { T old = *p; *p = old + (T)v; return old; }
template <class T, class U> static inline T atomicExch(T *p, U v) { T old = *p; *p = (T)v; return old; }
template <class T, class U, class V> static inline T atomicCAS(T *p, U a, V b) { T old = *p; if (old == (T)a) *p = (T)b; return old; }
template <class T> static inline T __ldg(const T *p) { return *p; }
template <class T> static inline T __ldcg(const T *p) { return *p; }
struct alignas(16) ulonglong2 { unsigned long long x, y; };
struct alignas(16) float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __int2float_rn(int a) { return (float)a; }
static inline double __int2double_rn(int a) { return a; }
static inline float __ll2float_rn(long long a) { return (float)a; }
static inline double __ll2double_rn(long long a) { return (double)a; }
static inline float __uint2float_rn(unsigned a) { return (float)a; }
static inline double __uint2double_rn(unsigned a) { return a; }
static inline float __ull2float_rn(unsigned long long a) { return (float)a; }
static inline double __ull2double_rn(unsigned long long a) { return (double)a; }
static inline float __double2float_rn(double a) { return (float)a; }
template <class I> static inline I emulated_whole(double a, double end) {
    return a != a ? 0 : a >= end ? (I)(((uint64_t)1 << (8 * sizeof(I) - 1)) - 1) : a < -end ? (I)((uint64_t)1 << (8 * sizeof(I) - 1)) : (I)a;
}
static inline int __float2int_rz(float a) { return emulated_whole<int>(a, 2147483648.0); }
static inline int __double2int_rz(double a) { return emulated_whole<int>(a, 2147483648.0); }
static inline long long __float2ll_rz(float a) { return emulated_whole<long long>(a, 9223372036854775808.0); }
static inline long long __double2ll_rz(double a) { return emulated_whole<long long>(a, 9223372036854775808.0); }
static inline float __int_as_float(int a) { return emulated::as<float>(a); }
static inline int __float_as_int(float a) { return emulated::as<int>(a); }
static inline float __uint_as_float(unsigned a) { return emulated::as<float>(a); }
static inline unsigned __float_as_uint(float a) { return emulated::as<unsigned>(a); }
static inline double __longlong_as_double(long long a) { return emulated::as<double>(a); }
static inline long long __double_as_longlong(double a) { return emulated::as<long long>(a); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline int __popc(unsigned a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
static inline float ox_min_f32(float a, float b) { return a != a ? a : b != b ? b : a < b ? a : b < a ? b : __int_as_float(__float_as_int(a) | __float_as_int(b)); }
static inline float ox_max_f32(float a, float b) { return a != a ? a : b != b ? b : a < b ? b : b < a ? a : __int_as_float(__float_as_int(a) & __float_as_int(b)); }
static inline float ox_from_f16(unsigned short h) { return (float)emulated::as<_Float16>(h); }
static inline unsigned short ox_to_f16(float x) { return emulated::as<unsigned short>((_Float16)x); }
static inline unsigned short ox_to_bf16(float x) {
    unsigned b = __float_as_uint(x);
    return x != x ? 0x7fff : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
)HEADER";

static std::mutex lock;

/* Work of a stream: done at once, or noted while that is captured. */
struct Work {
    std::function<void()> run;
    std::vector<u64> after;
};
typedef std::vector<Work> Graph;
static u64 capturing;
static Graph *noted;
static std::vector<u64> next_after;
static std::mt19937_64 chance(getenv("EMULATED_SEED") ? atoll(getenv("EMULATED_SEED")) : 1);

static int enqueue(u64 stream, std::function<void()> work) {
    std::lock_guard<std::mutex> held(lock);
    if (noted && stream == capturing) {
        noted->push_back({work, next_after});
        next_after = {noted->size()};
    } else work();
    return 0;
}

/* Does the work of a graph in an order that its edges allow. */
static void run(const Graph &g) {
    std::vector<int> left(g.size());
    std::vector<std::vector<size_t>> then(g.size());
    std::vector<size_t> ready;
    for (size_t i = 0; i < g.size(); i++) {
        left[i] = (int)g[i].after.size();
        for (u64 a : g[i].after) then[a - 1].push_back(i);
        if (!left[i]) ready.push_back(i);
    }
    while (!ready.empty()) {
        size_t at = chance() % ready.size(), i = ready[at];
        ready[at] = ready.back();
        ready.pop_back();
        g[i].run();
        for (size_t t : then[i]) if (!--left[t]) ready.push_back(t);
    }
}

static u64 handles = 0x1000;
static int give(u64 *p) {
    *p = handles += 16;
    return 0;
}
template <class T> static int give(u64 *p, T *t) {
    *p = (u64)t;
    return 0;
}

extern "C" {
int cuInit(int) { return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = getenv("EMULATED_CARDS") ? atoi(getenv("EMULATED_CARDS")) : 1; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *s, int n, int) { snprintf(s, n, "card of software"); return 0; }
int cuDeviceGetAttribute(int *v, int a, int) { *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 16 : 65536; return 0; }
int cuDeviceTotalMem_v2(u64 *n, int) { *n = 4ull << 30; return 0; }
int cuDevicePrimaryCtxRetain(u64 *c, int) { return give(c); }
int cuCtxSetCurrent(u64) { return 0; }
int cuMemGetInfo_v2(u64 *a, u64 *b) { *a = *b = 4ull << 30; return 0; }
int cuMemAlloc_v2(u64 *p, u64 n) {
    *p = (u64)aligned_alloc(256, (n + 255) / 256 * 256);
    if (*p) memset((void *)*p, 0xab, n < (1 << 24) ? n : 1 << 24); // what nobody wrote looks like nothing
    return *p ? 0 : 2;
}
int cuMemFree_v2(u64 p) { free((void *)p); return 0; }
int cuMemHostAlloc(u64 *p, u64 n, int) { return cuMemAlloc_v2(p, n); }
int cuMemFreeHost(u64 p) { return cuMemFree_v2(p); }
int cuMemcpyAsync(u64 to, u64 from, u64 n, u64 s) { return enqueue(s, [=] { memmove((void *)to, (void *)from, n); }); }
int cuMemcpyHtoDAsync_v2(u64 to, u64 from, u64 n, u64 s) { return cuMemcpyAsync(to, from, n, s); }
int cuMemcpyDtoHAsync_v2(u64 to, u64 from, u64 n, u64 s) { return cuMemcpyAsync(to, from, n, s); }
int cuMemcpyPeerAsync(u64 to, u64, u64 from, u64, u64 n, u64 s) { return cuMemcpyAsync(to, from, n, s); }
int cuMemsetD8Async(u64 to, unsigned char v, u64 n, u64 s) { return enqueue(s, [=] { memset((void *)to, v, n); }); }
int cuStreamCreate(u64 *s, int) { return give(s); }
int cuStreamSynchronize(u64) { return 0; }
int cuStreamBeginCapture_v2(u64 s, int) { capturing = s; noted = new Graph; next_after.clear(); return 0; }
int cuStreamEndCapture(u64, u64 *g) { *g = (u64)noted; noted = 0; return 0; }
int cuStreamGetCaptureInfo_v2(u64, int *status, u64 *id, u64 *g, u64 **after, u64 *n) {
    if (status) *status = 1;
    if (id) *id = 1;
    if (g) *g = 1;
    if (after) *after = next_after.data();
    if (n) *n = next_after.size();
    return 0;
}
int cuStreamUpdateCaptureDependencies(u64, u64 *nodes, u64 n, int) { next_after.assign(nodes, nodes + n); return 0; }
int cuStreamUpdateCaptureDependencies_v2(u64 s, u64 *nodes, u64, u64 n, int f) { return cuStreamUpdateCaptureDependencies(s, nodes, n, f); }
int cuGraphNodeGetType(u64, int *kind) { *kind = 0; return 0; }
int cuGraphInstantiateWithFlags(u64 *e, u64 g, u64) { return give(e, new Graph(*(Graph *)g)); }
int cuGraphLaunch(u64 e, u64 s) { return enqueue(s, [=] { run(*(Graph *)e); }); }
int cuGraphDestroy(u64 g) { delete (Graph *)g; return 0; }
int cuGraphExecDestroy(u64 e) { delete (Graph *)e; return 0; }
int cuEventCreate(u64 *e, int) { return give(e); }
int cuEventRecord(u64, u64) { return 0; }
int cuEventQuery(u64) { return 0; }
int cuEventSynchronize(u64) { return 0; }
int cuStreamWaitEvent(u64, u64, int) { return 0; }
int cuEventElapsedTime(float *t, u64, u64) { *t = 0.001f; return 0; }
int cuGetErrorName(int, const char **s) { *s = "EMULATED"; return 0; }
int cuGetExportTable(const void **, const void *) { return 500; }

struct Function {
    void *(*packed)(void **);
    void (*run)(void *, unsigned, unsigned, unsigned);
};
int cuModuleLoadData(u64 *m, const void *path) {
    void *library = dlopen((const char *)path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "emulated card: %s\n", dlerror());
    *m = (u64)library;
    return library ? 0 : 200;
}
int cuModuleGetFunction(u64 *f, u64 m, const char *name) {
    auto *made = new Function;
    made->packed = (void *(*)(void **))dlsym((void *)m, (std::string("packed_") + name).c_str());
    made->run = (void (*)(void *, unsigned, unsigned, unsigned))dlsym((void *)m, (std::string("run_") + name).c_str());
    return made->packed && made->run ? give(f, made) : 500;
}
int cuFuncSetAttribute(u64, int, int) { return 0; }
int cuLaunchCooperativeKernel(u64, int, int, int, int, int, int, int, u64, void **) { return 801; } // blocks run one after the other
int cuLaunchKernel(u64 f, int gx, int gy, int, int threads, int, int, int, u64 s, void **p, void **) {
    Function *k = (Function *)f;
    std::shared_ptr<void> arguments(k->packed(p), [](void *) {});
    return enqueue(s, [=] { k->run(arguments.get(), gx, gy, threads); });
}

/* Products: columns lie one after the other, as in the library. */
struct Layout { int type; u64 rows, columns, stride, batch = 1, step = 0; };
struct Product { int transposeA = 0, transposeB = 0, epilogue = 1; u64 bias = 0, beside = 0, stride = 0; };
u64 cublasLtGetVersion() { return 130000; }
int cublasLtCreate(u64 *h) { return give(h); }
int cublasLtMatmulDescCreate(u64 *d, int, int) { return give(d, new Product); }
int cublasLtMatmulDescSetAttribute(u64 d, int a, const void *v, u64 n) {
    Product *p = (Product *)d;
    if (a == 3) memcpy(&p->transposeA, v, 4);
    else if (a == 4) memcpy(&p->transposeB, v, 4);
    else if (a == 7) memcpy(&p->epilogue, v, 4);
    else if (a == 8) memcpy(&p->bias, v, 8);
    else if (a == 11) memcpy(&p->beside, v, 8);
    else if (a == 12) memcpy(&p->stride, v, 8);
    else return 7;
    return 0;
}
int cublasLtMatrixLayoutCreate(u64 *l, int t, u64 r, u64 c, u64 stride) { return give(l, new Layout{t, r, c, stride}); }
int cublasLtMatrixLayoutSetAttribute(u64 l, int a, const void *v, u64 n) {
    if (a == 5) { int count; memcpy(&count, v, 4); ((Layout *)l)->batch = count; }
    else if (a == 6) memcpy(&((Layout *)l)->step, v, 8);
    else return 7;
    return 0;
}
int cublasLtMatmulPreferenceCreate(u64 *p) { return give(p); }
int cublasLtMatmulPreferenceSetAttribute(u64, int, const void *, u64) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(u64, u64, u64, u64, u64, u64, u64, int, char *results, int *found) {
    memset(results, 0, 96);
    *found = 1;
    return 0;
}
}

static double element(const void *p, int type, u64 i) {
    switch (type) {
    case 0: return ((const float *)p)[i];
    case 1: return ((const double *)p)[i];
    case 2: return (double)((const _Float16 *)p)[i];
    default: {
        unsigned bits = (unsigned)((const unsigned short *)p)[i] << 16;
        float f;
        memcpy(&f, &bits, 4);
        return f;
    }
    }
}
static void put(void *p, int type, u64 i, double v) {
    float f = (float)v;
    unsigned bits;
    memcpy(&bits, &f, 4);
    switch (type) {
    case 0: ((float *)p)[i] = f; break;
    case 1: ((double *)p)[i] = v; break;
    case 2: ((_Float16 *)p)[i] = (_Float16)f; break;
    default: ((unsigned short *)p)[i] = v != v ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}
static u64 size(int type) { return type == 1 ? 8 : type == 0 ? 4 : 2; }

/* GELU by tanh, or its derivative. */
static double gelu(double x, bool slope) {
    double scale = std::sqrt(2 / M_PI), t = std::tanh(scale * (x + 0.044715 * x * x * x));
    return slope ? 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x) : 0.5 * x * (1 + t);
}

/* One matrix as doubles, the sum's index running fastest. */
static std::vector<double> taken(const char *p, const Layout &l, bool along) {
    std::vector<double> v(l.rows * l.columns);
    for (u64 c = 0; c < l.columns; c++)
        for (u64 r = 0; r < l.rows; r++) v[along ? c * l.rows + r : r * l.columns + c] = element(p, l.type, c * l.stride + r);
    return v;
}

extern "C" int cublasLtMatmul(u64, u64 d, const void *alpha, u64 a, u64 la, u64 b, u64 lb, const void *beta, u64 c, u64, u64 out, u64 lo, u64, u64, u64, u64 s) {
    Product p = *(Product *)d;
    Layout A = *(Layout *)la, B = *(Layout *)lb, D = *(Layout *)lo;
    double x = D.type == 1 ? *(const double *)alpha : *(const float *)alpha, y = D.type == 1 ? *(const double *)beta : *(const float *)beta;
    return enqueue(s, [=] {
        u64 m = D.rows, n = D.columns, k = p.transposeA ? A.rows : A.columns;
        for (u64 t = 0; t < D.batch; t++) {
            std::vector<double> left = taken((char *)a + t * A.step * size(A.type), A, p.transposeA);
            std::vector<double> right = taken((char *)b + t * B.step * size(B.type), B, !p.transposeB);
            for (u64 j = 0; j < n; j++)
                for (u64 i = 0; i < m; i++) {
                    double sum = 0;
                    for (u64 q = 0; q < k; q++) sum += left[i * k + q] * right[j * k + q];
                    u64 at = t * D.step + j * D.stride + i;
                    sum *= x;
                    if (y != 0) sum += y * element((void *)c, D.type, at);
                    if (p.epilogue & 4) sum += element((void *)p.bias, D.type, i);
                    if (p.epilogue == 6 && !(sum > 0) && sum == sum) sum = 0;
                    u64 beside = j * p.stride + i;
                    if (p.epilogue == 164) {
                        put((void *)p.beside, D.type, beside, sum);
                        sum = gelu(sum, false);
                    } else if (p.epilogue == 192) sum *= gelu(element((void *)p.beside, D.type, beside), true);
                    put((void *)out, D.type, at, sum);
                }
        }
    });
}

/* The compiler: a source becomes a library of the host, and its binary is the path of that. */
struct Source { std::string text, path, log; };

extern "C" {
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcCreateProgram(u64 *p, const char *s, const char *, int, u64, u64) { return give(p, new Source{s, "", ""}); }
int nvrtcCompileProgram(u64 program, int, u64) {
    Source *s = (Source *)program;
    std::stringstream text;
    static const std::regex meets("__syncthreads|__syncwarp|__shfl|__ballot");
    static const std::regex kernel("__global__ void (__launch_bounds__\\([^)]*\\) )?(\\w+)\\(");
    if (std::regex_search(s->text, meets)) text << "#define MEETS\n";
    text << HEADER;
    std::stringstream lines(s->text);
    for (std::string line; std::getline(lines, line);)
        if (line.find("asm(") == std::string::npos) text << line << "\n"; // those are in the header
    for (std::sregex_iterator i(s->text.begin(), s->text.end(), kernel), end; i != end; ++i) {
        std::string name = (*i)[2];
        text << "extern \"C\" void *packed_" << name << "(void **p) { return emulated::Kernel<" << name << ">::packed(p); }\n";
        text << "extern \"C\" void run_" << name << "(void *p, unsigned x, unsigned y, unsigned t) { emulated::Kernel<" << name << ">::run(p, x, y, t); }\n";
    }
    std::string folder = getenv("EMULATED_FOLDER") ? getenv("EMULATED_FOLDER") : "/tmp/oxbow-emulated";
    mkdir(folder.c_str(), 0700);
    std::string name = folder + "/" + std::to_string(std::hash<std::string>()(text.str())), part = name + "." + std::to_string(getpid()) + "-" + std::to_string((u64)s);
    s->path = name + ".so";
    if (access(s->path.c_str(), R_OK) == 0) return 0;
    std::ofstream(part + ".cpp") << text.str();
    std::string command = "g++ -O1 -w -shared -fPIC -std=c++17 -ffp-contract=off -fno-strict-aliasing -fwrapv -Wl,-Bsymbolic -o " + part + ".so " + part + ".cpp 2> " + part + ".log";
    int status = system(command.c_str());
    std::ifstream log(part + ".log");
    s->log.assign(std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>());
    if (status == 0) rename((part + ".so").c_str(), s->path.c_str());
    for (const char *end : {".cpp", ".log"}) unlink((part + end).c_str());
    return status == 0 ? 0 : 6;
}
int nvrtcGetProgramLogSize(u64 p, u64 *n) { *n = ((Source *)p)->log.size() + 1; return 0; }
int nvrtcGetProgramLog(u64 p, char *to) { strcpy(to, ((Source *)p)->log.c_str()); return 0; }
int nvrtcGetCUBINSize(u64 p, u64 *n) { *n = ((Source *)p)->path.size() + 1; return 0; }
int nvrtcGetCUBIN(u64 p, char *to) { strcpy(to, ((Source *)p)->path.c_str()); return 0; }
int nvrtcDestroyProgram(u64 *p) { delete (Source *)*p; return 0; }
}

#include "nccl.cpp"
