/*
 * A driver, a cuBLASLt and an NVRTC for machines without a card: they answer every call at once, keep memory and copies, and compute
 * nothing. With them one sees what the host does and how long it takes; with a real NVRTC, also that every kernel compiles.
 *   gcc -O2 -shared -fPIC -o libcuda.so.1 fake.c && ln -s libcuda.so.1 libcublasLt.so.13   (and libnvrtc.so.13 for the fake one)
 *   LD_LIBRARY_PATH=. OXBOW_JAVA_OPTS=-Doxbow.cuda.path=FOLDER_OF_NVRTC ./oxbow bench gpu --steps 0
 * Counts of calls go to standard error when the process ends. With FAKE_LOST=N the card is lost after N launches: kernels, graphs,
 * copies and events fail from then on, as after an illegal address. With FAKE_CAPABILITY=N it is a card of another generation.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint64_t u64;
static long launches, graphs, captures, copies, synchronised, products;
static int capturing;
static u64 next_handle = 0x1000;

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "fake card: %ld launches, %ld products, %ld copies, %ld graphs, %ld captures, %ld waits\n", launches, products, copies,
            graphs, captures, synchronised);
}

static int lost(void) {
    static long after = -1;
    if (after < 0) after = getenv("FAKE_LOST") ? atol(getenv("FAKE_LOST")) : 1L << 62;
    return launches + graphs > after ? 700 : 0;
}

static int give(u64 *p) {
    *p = next_handle += 16;
    return 0;
}

int cuInit(int flags) { return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "fake card"); return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) {
    const char *major = getenv("FAKE_CAPABILITY");
    *v = a == 75 ? major ? atoi(major) : 9 : a == 76 ? 0 : a == 16 ? 132 : 65536;
    return 0;
}
int cuDeviceTotalMem_v2(u64 *n, int d) { *n = 16ull << 30; return 0; }
int cuDevicePrimaryCtxRetain(u64 *c, int d) { return give(c); }
int cuCtxSetCurrent(u64 c) { return 0; }
int cuMemGetInfo_v2(u64 *a, u64 *b) { *a = *b = 16ull << 30; return 0; }
int cuMemAlloc_v2(u64 *p, u64 n) {
    void *m = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *p = (u64)m;
    return m == MAP_FAILED ? 2 : 0;
}
int cuMemFree_v2(u64 p) { return 0; }
int cuMemHostAlloc(u64 *p, u64 n, int f) { return cuMemAlloc_v2(p, n); }
int cuMemFreeHost(u64 p) { return 0; }
static int copy(u64 to, u64 from, u64 n) {
    copies++;
    if (!capturing) memcpy((void *)to, (void *)from, n);
    return 0;
}
int cuMemcpyHtoDAsync_v2(u64 to, u64 from, u64 n, u64 s) { return copy(to, from, n); }
int cuMemcpyDtoHAsync_v2(u64 to, u64 from, u64 n, u64 s) { return copy(to, from, n); }
int cuMemcpyAsync(u64 to, u64 from, u64 n, u64 s) { copies++; return 0; }
int cuMemcpyPeerAsync(u64 to, u64 tc, u64 from, u64 fc, u64 n, u64 s) { return copy(to, from, n); }
int cuMemsetD8Async(u64 to, unsigned char v, u64 n, u64 s) { return 0; }
int cuStreamCreate(u64 *s, int f) { return give(s); }
int cuStreamSynchronize(u64 s) { synchronised++; return 0; }
int cuStreamBeginCapture_v2(u64 s, int m) { capturing = 1; captures++; return 0; }
int cuStreamEndCapture(u64 s, u64 *g) { capturing = 0; return give(g); }
int cuStreamGetCaptureInfo_v2(u64 s, int *status, u64 *id, u64 *g, u64 **deps, u64 *n) {
    static u64 node;
    if (status) *status = 1;
    if (id) *id = 1;
    if (g) *g = 1;
    node++;
    if (deps) *deps = &node;
    if (n) *n = 1;
    return 0;
}
int cuStreamUpdateCaptureDependencies(u64 s, u64 *d, u64 n, int f) { return 0; }
int cuStreamUpdateCaptureDependencies_v2(u64 s, u64 *d, u64 e, u64 n, int f) { return 0; }
int cuGraphNodeGetType(u64 n, int *kind) { *kind = 0; return 0; }
int cuGraphInstantiateWithFlags(u64 *e, u64 g, u64 f) { return give(e); }
int cuGraphLaunch(u64 e, u64 s) { graphs++; return lost(); }
int cuGraphDestroy(u64 g) { return 0; }
int cuGraphExecDestroy(u64 e) { return 0; }
int cuEventCreate(u64 *e, int f) { return give(e); }
int cuEventRecord(u64 e, u64 s) { return 0; }
int cuStreamWaitEvent(u64 s, u64 e, int f) { return lost(); }
int cuEventQuery(u64 e) { return lost(); }
int cuEventSynchronize(u64 e) { synchronised++; return lost(); }
int cuEventElapsedTime(float *t, u64 a, u64 b) { *t = 0.001f; return 0; }
int cuModuleLoadData(u64 *m, const void *d) { return give(m); }
int cuModuleGetFunction(u64 *f, u64 m, const char *name) { return give(f); }
int cuFuncSetAttribute(u64 f, int a, int v) { return 0; }
int cuLaunchCooperativeKernel(u64 f, int gx, int gy, int gz, int bx, int by, int bz, int shared, u64 s, void **p) { launches++; return lost(); }
int cuLaunchKernel(u64 f, int gx, int gy, int gz, int bx, int by, int bz, int shared, u64 s, void **p, void **e) { launches++; return lost(); }
int cuGetExportTable(const void **t, const void *id) { return 500; }
int cuGetErrorName(int e, const char **s) { *s = "FAKE"; return 0; }

u64 cublasLtGetVersion(void) { return 130000; }
int cublasLtCreate(u64 *h) { return give(h); }
int cublasLtMatmulDescCreate(u64 *d, int c, int s) { return give(d); }
int cublasLtMatmulDescSetAttribute(u64 d, int a, u64 p, u64 n) { return 0; }
int cublasLtMatrixLayoutCreate(u64 *l, int t, u64 r, u64 c, u64 ld) { return give(l); }
int cublasLtMatrixLayoutSetAttribute(u64 l, int a, u64 p, u64 n) { return 0; }
int cublasLtMatmulPreferenceCreate(u64 *p) { return give(p); }
int cublasLtMatmulPreferenceSetAttribute(u64 p, int a, u64 v, u64 n) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(u64 h, u64 d, u64 a, u64 b, u64 c, u64 e, u64 p, int n, char *results, int *found) {
    memset(results, 0, 96);
    *found = 1;
    return 0;
}
int cublasLtMatmul(u64 h, u64 d, u64 al, u64 a, u64 la, u64 b, u64 lb, u64 be, u64 c, u64 lc, u64 e, u64 le, u64 algo, u64 w, u64 n, u64 s) {
    products++;
    return 0;
}

int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcCreateProgram(u64 *p, const char *s, const char *n, int h, u64 hs, u64 ns) { return give(p); }
int nvrtcCompileProgram(u64 p, int n, u64 o) { return 0; }
int nvrtcGetProgramLogSize(u64 p, u64 *n) { *n = 0; return 0; }
int nvrtcGetProgramLog(u64 p, char *to) { return 0; }
int nvrtcGetCUBINSize(u64 p, u64 *n) { *n = 8; return 0; }
int nvrtcGetCUBIN(u64 p, char *to) { memset(to, 0, 8); return 0; }
int nvrtcDestroyProgram(u64 *p) { return 0; }
