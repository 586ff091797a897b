package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** What is used of NCCL. Communicators are those whose calls return at once, so that none of them waits for a rank that never comes. */
final class Nccl {
    static final int IDENTITY = 128;
    static final int SUCCESS = 0;
    static final int IN_PROGRESS = 7;

    private static final int MAGIC = 0xcafebeef;

    /** The version of the configuration that we write, of which later ones know what follows. */
    private static final int CONFIGURATION = 21400;

    private static final MemoryLayout IDENTITY_LAYOUT =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(IDENTITY, JAVA_BYTE));

    private static final MethodHandle VERSION = bind("ncclGetVersion", JAVA_LONG);
    private static final MethodHandle MAKE_IDENTITY = bind("ncclGetUniqueId", JAVA_LONG);
    private static final MethodHandle JOIN =
            bind("ncclCommInitRankConfig", JAVA_LONG, JAVA_INT, IDENTITY_LAYOUT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle STATE = bind("ncclCommGetAsyncError", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FINALIZE = bind("ncclCommFinalize", JAVA_LONG);
    private static final MethodHandle DESTROY = bind("ncclCommDestroy", JAVA_LONG);
    private static final MethodHandle ABORT = bind("ncclCommAbort", JAVA_LONG);
    private static final MethodHandle BEGIN = bind("ncclGroupStart");
    private static final MethodHandle END = bind("ncclGroupEnd");
    private static final MethodHandle ALL_REDUCE =
            bind("ncclAllReduce", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REDUCE =
            bind("ncclReduce", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle BROADCAST =
            bind("ncclBroadcast", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LAST_ERROR =
            Natives.function(Libraries.Name.NCCL, "ncclGetLastError", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private Nccl() {}

    private static MethodHandle bind(String name, MemoryLayout... parameters) {
        return Natives.function(Libraries.Name.NCCL, name, parameters);
    }

    /** A call that gives its status. */
    private interface Call {
        int run() throws Throwable;
    }

    private static int status(Call call) {
        try {
            return call.run();
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Fails for a status that says that something went wrong. */
    static void check(String function, int status, long communicator) {
        if (status == SUCCESS || status == IN_PROGRESS) return;
        throw new OxbowException(
                ErrorCode.UNAVAILABLE,
                "NCCL: %s failed with %d: %s".formatted(function, status, lastError(communicator)));
    }

    @SuppressWarnings("restricted")
    private static String lastError(long communicator) {
        try {
            long text = (long) LAST_ERROR.invokeExact(communicator);
            return text == 0
                    ? "it does not say why"
                    : MemorySegment.ofAddress(text)
                            .reinterpret(1024)
                            .getString(0)
                            .strip();
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Such as 22809 for 2.28.9. */
    static int version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            check("ncclGetVersion", status(() -> (int) VERSION.invokeExact(p.address())), 0);
            return p.get(JAVA_INT, 0);
        }
    }

    static byte[] identity() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(IDENTITY);
            check("ncclGetUniqueId", status(() -> (int) MAKE_IDENTITY.invokeExact(p.address())), 0);
            return p.toArray(JAVA_BYTE);
        }
    }

    /** Begins to join; the communicator is there when its {@link #state} says so. The context of the card must be entered. */
    static long join(byte[] identity, int rank, int size) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment made = arena.allocate(JAVA_LONG), id = arena.allocate(IDENTITY_LAYOUT);
            id.copyFrom(MemorySegment.ofArray(identity));
            MemorySegment configuration = arena.allocate(24, 8);
            configuration.set(JAVA_LONG, 0, 24); // its size
            configuration.set(JAVA_INT, 8, MAGIC);
            configuration.set(JAVA_INT, 12, CONFIGURATION);
            configuration.set(JAVA_INT, 16, 0); // does not block
            int status = status(() -> (int) JOIN.invokeExact(made.address(), size, id, rank, configuration.address()));
            check("ncclCommInitRankConfig", status, 0);
            return made.get(JAVA_LONG, 0);
        }
    }

    /** How what was asked for last goes on: {@link #SUCCESS}, {@link #IN_PROGRESS} or what went wrong. */
    static int state(long communicator) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            int status = status(() -> (int) STATE.invokeExact(communicator, p.address()));
            return status != SUCCESS ? status : p.get(JAVA_INT, 0);
        }
    }

    static int finish(long communicator) {
        return status(() -> (int) FINALIZE.invokeExact(communicator));
    }

    static int destroy(long communicator) {
        return status(() -> (int) DESTROY.invokeExact(communicator));
    }

    static int abort(long communicator) {
        return status(() -> (int) ABORT.invokeExact(communicator));
    }

    /** Puts all of this into a stream at once; how that goes, {@link #state} says. */
    static void run(long communicator, List<Fabric.Work> all, long stream) {
        check("ncclGroupStart", status(() -> (int) BEGIN.invokeExact()), communicator);
        int first = SUCCESS;
        for (Fabric.Work w : all) {
            int s = status(() -> one(communicator, w, stream));
            if (first == SUCCESS && s != IN_PROGRESS) first = s;
        }
        int ended = status(() -> (int) END.invokeExact());
        check(all.getFirst().kind().toString(), first, communicator);
        check("ncclGroupEnd", ended, communicator);
    }

    private static int one(long c, Fabric.Work w, long stream) throws Throwable {
        int t = type(w.dtype()), how = w.how() == null ? 0 : how(w.how());
        return switch (w.kind()) {
            case ALL_REDUCE -> (int) ALL_REDUCE.invokeExact(w.from(), w.to(), w.count(), t, how, c, stream);
            case REDUCE -> (int) REDUCE.invokeExact(w.from(), w.to(), w.count(), t, how, w.peer(), c, stream);
            case BROADCAST -> (int) BROADCAST.invokeExact(w.from(), w.to(), w.count(), t, w.peer(), c, stream);
        };
    }

    private static int how(Fabric.Combining how) {
        return switch (how) {
            case SUM -> 0;
            case PRODUCT -> 1;
            case MAX -> 2;
            case MIN -> 3;
            case MEAN -> 4;
        };
    }

    /** Its number of a dtype; -1 where there is none. */
    static int type(DType t) {
        return switch (t) {
            case I8 -> 0;
            case U8 -> 1;
            case I32 -> 2;
            case U32 -> 3;
            case I64 -> 4;
            case U64 -> 5;
            case F16 -> 6;
            case F32 -> 7;
            case F64 -> 8;
            case BF16 -> 9;
            default -> -1;
        };
    }
}
