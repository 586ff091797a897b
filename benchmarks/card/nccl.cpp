/*
 * An NCCL of software, for cards of software: ranks are processes of one host that meet in shared memory, a piece at a time. As with the real
 * one, nobody compares what ranks ask for and whoever is alone waits until it is aborted; but here two that ask for different things say so.
 * NCCL_FAKE_VERSION has it pretend to be another one. Part of emulated.cpp.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <atomic>

namespace nccl {
const u64 PIECE = 1 << 16;
const int MOST = 8;
struct Ask { int kind, type, how, peer; u64 count; };
struct Shared {
    std::atomic<int> joined, arrived;
    std::atomic<unsigned> round;
    Ask asks[MOST];
    char pieces[MOST][PIECE];
};
struct Communicator {
    Shared *shared;
    std::string path;
    int rank, size;
    std::atomic<int> state{7};
    std::atomic<bool> aborted{false};
};
static thread_local std::vector<std::function<void()>> grouped;
static thread_local int depth;

/* Waits for the others, with the card's lock given away: a stream that stands still holds up nobody else. */
static bool meet(Communicator *c) {
    Shared *s = c->shared;
    unsigned round = s->round;
    if (++s->arrived == c->size) {
        s->arrived = 0;
        s->round++;
        return true;
    }
    lock.unlock();
    while (s->round == round && !c->aborted) usleep(20);
    lock.lock();
    return !c->aborted;
}

static double combined(double a, double b, int how) { return how == 1 ? a * b : how == 2 ? (b > a ? b : a) : how == 3 ? (b < a ? b : a) : a + b; }
static u64 width(int type) { return type <= 1 ? 1 : type == 6 || type == 9 ? 2 : type == 4 || type == 5 || type == 8 ? 8 : 4; }
static double get(const char *p, int type, u64 i) {
    switch (type) {
    case 0: return ((const signed char *)p)[i];
    case 1: return ((const unsigned char *)p)[i];
    case 2: return ((const int *)p)[i];
    case 4: return (double)((const long long *)p)[i];
    default: return element(p, type == 6 ? 2 : type == 7 ? 0 : type == 8 ? 1 : 14, i);
    }
}
static void set(char *p, int type, u64 i, double v) {
    switch (type) {
    case 0: ((signed char *)p)[i] = (signed char)v; break;
    case 1: ((unsigned char *)p)[i] = (unsigned char)v; break;
    case 2: ((int *)p)[i] = (int)v; break;
    case 4: ((long long *)p)[i] = (long long)v; break;
    default: put(p, type == 6 ? 2 : type == 7 ? 0 : type == 8 ? 1 : 14, i, v);
    }
}

/* One operation: kind 0 gives all ranks the combined elements, 1 the peer, 2 all those of the peer. */
static void operate(Communicator *c, Ask a, const char *from, char *to) {
    Shared *s = c->shared;
    s->asks[c->rank] = a;
    if (!meet(c)) return;
    for (int r = 0; r < c->size; r++)
        if (memcmp(&s->asks[r], &a, sizeof a)) {
            fprintf(stderr, "emulated NCCL: ranks ask for different things: %d %llu and %d %llu\n", a.kind, (unsigned long long)a.count, s->asks[r].kind, (unsigned long long)s->asks[r].count);
            c->state = 3;
        }
    if (!meet(c) || c->state != 0) return;
    u64 w = width(a.type), each = PIECE / w;
    for (u64 at = 0; at < a.count; at += each) {
        u64 n = a.count - at < each ? a.count - at : each;
        memcpy(s->pieces[c->rank], from + at * w, n * w);
        if (!meet(c)) return;
        if (a.kind == 2) memcpy(to + at * w, s->pieces[a.peer], n * w);
        else if (a.kind == 0 || a.peer == c->rank)
            for (u64 i = 0; i < n; i++) {
                double v = get(s->pieces[0], a.type, i);
                for (int r = 1; r < c->size; r++) {
                    v = combined(v, get(s->pieces[r], a.type, i), a.how);
                    if (a.type == 7) v = (float)v;
                }
                set(to + at * w, a.type, i, a.how == 4 ? v / c->size : v);
            }
        if (!meet(c)) return;
    }
}

static int asked(Communicator *c, Ask a, u64 from, u64 to, u64 stream) {
    auto work = [=] { enqueue(stream, [=] { operate(c, a, (const char *)from, (char *)to); }); };
    if (depth) grouped.push_back(work);
    else work();
    return 0;
}
}

struct Identity { char bytes[128]; };

extern "C" {
int ncclGetVersion(int *v) { *v = getenv("NCCL_FAKE_VERSION") ? atoi(getenv("NCCL_FAKE_VERSION")) : 22809; return 0; }
const char *ncclGetLastError(u64) { return "ranks ask for different things"; }
int ncclGetUniqueId(Identity *id) {
    static std::atomic<int> number;
    memset(id, 0, sizeof *id);
    snprintf(id->bytes, sizeof id->bytes, "/dev/shm/oxbow-nccl-%d-%d", getpid(), (int)++number);
    return 0;
}
int ncclCommInitRankConfig(u64 *made, int size, Identity id, int rank, void *) {
    using namespace nccl;
    if (size > MOST) return 4;
    int file = open(id.bytes, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof(Shared))) return 2;
    auto *c = new Communicator{(Shared *)mmap(0, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), id.bytes, rank, size};
    close(file);
    c->shared->joined++;
    give(made, c);
    return 7;
}
int ncclCommGetAsyncError(u64 p, int *state) {
    auto *c = (nccl::Communicator *)p;
    if (c->state == 7 && c->shared->joined == c->size) {
        unlink(c->path.c_str());
        c->state = 0;
    }
    *state = c->state;
    return 0;
}
int ncclCommFinalize(u64) { return 0; }
int ncclCommDestroy(u64) { return 0; } // graphs may still hold it
int ncclCommAbort(u64 p) { ((nccl::Communicator *)p)->aborted = true; return 0; }
int ncclGroupStart() { nccl::depth++; return 0; }
int ncclGroupEnd() {
    if (--nccl::depth) return 0;
    for (auto &work : nccl::grouped) work();
    nccl::grouped.clear();
    return 0;
}
int ncclAllReduce(u64 from, u64 to, u64 n, int t, int how, u64 c, u64 s) { return nccl::asked((nccl::Communicator *)c, {0, t, how, 0, n}, from, to, s); }
int ncclReduce(u64 from, u64 to, u64 n, int t, int how, int peer, u64 c, u64 s) { return nccl::asked((nccl::Communicator *)c, {1, t, how, peer, n}, from, to, s); }
int ncclBroadcast(u64 from, u64 to, u64 n, int t, int peer, u64 c, u64 s) { return nccl::asked((nccl::Communicator *)c, {2, t, 0, peer, n}, from, to, s); }
}
