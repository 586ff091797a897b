package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.kernels.NativeLibrary.Convolution;
import dev.oxbow.kernels.NativeLibrary.ConvolutionShape;
import dev.oxbow.kernels.NativeLibrary.Direction;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process of its own that computes on a thread which gets signals all the while, as from a profiler. */
final class Signalled {

    /** What the JVM sends to a thread that it wants to look at; one that it did not send does nothing. */
    private static final int SIGUSR2 = 12;

    private static final int RUNS = 500;
    private static final int BLOCKS = 64;
    private static final byte FILL = 0x55;

    private Signalled() {}

    public static void main(String[] arguments) throws Throwable {
        long thread = (long) function("pthread_self", JAVA_LONG).invokeExact();
        MethodHandle kill = function("pthread_kill", JAVA_INT, JAVA_LONG, JAVA_INT);
        AtomicBoolean done = new AtomicBoolean();
        Thread sender = Thread.ofPlatform().start(() -> {
            try {
                for (int status = 0; status == 0 && !done.get(); ) status = (int) kill.invokeExact(thread, SIGUSR2);
            } catch (Throwable e) {
                throw SharedLibrary.unexpected(e);
            }
        });
        try (Arena arena = Arena.ofConfined()) {
            System.out.println(List.of(
                    leavesTheHeapAlone(product(512, arena)),
                    leavesTheHeapAlone(product(OneDnn.MOST_ON_STACK, arena)),
                    leavesTheHeapAlone(gradient(arena))));
        } finally {
            done.set(true);
            sender.join();
        }
    }

    private static Runnable product(long k, Arena arena) {
        long m = 64, n = 256, a = floats(m * k, arena), b = floats(k * n, arena), c = floats(m * n, arena);
        Product product = Product.of(DType.F32, m, n, k);
        return () -> OneDnn.sgemm(product, a, b, c);
    }

    /** The gradient to the filter of a dilated convolution, which oneDNN computes by products where it has no AVX-512. */
    private static Runnable gradient(Arena arena) {
        List<Long> ones = List.of(1L, 1L, 1L), size = List.of(1L, 16L, 16L), kernel = List.of(1L, 3L, 3L);
        ConvolutionShape shape = new ConvolutionShape(
                1, 32, 128, 1, size, kernel, ones, List.of(1L, 2L, 3L), List.of(0L, 2L, 3L), size, false);
        Convolution c = DnnConvolution.of(shape, Direction.FILTER_GRADIENT).orElseThrow();
        long x = floats(16 * 16 * 32, arena), dy = floats(16 * 16 * 128, arena);
        long gradient = arena.allocate(c.packedFilterBytes(), 64).address();
        long scratch = arena.allocate(Math.max(1, c.scratchBytes()), 64).address();
        return () -> c.run(x, gradient, dy, scratch);
    }

    private static long floats(long count, Arena arena) {
        return arena.allocate(Float.BYTES * count, 64).address();
    }

    /** Runs {@code work} many times among blocks of the C heap that come and go. */
    private static boolean leavesTheHeapAlone(Runnable work) {
        Random random = new Random(7);
        Deque<Arena> arenas = new ArrayDeque<>();
        Deque<MemorySegment> blocks = new ArrayDeque<>();
        for (int i = 0; i < RUNS; i++) {
            for (int j = 0; j < BLOCKS / 4; j++) {
                arenas.add(Arena.ofConfined());
                blocks.add(arenas.getLast().allocate(512 + random.nextInt(2048)).fill(FILL));
            }
            while (blocks.size() > BLOCKS) {
                blocks.remove();
                arenas.remove().close();
            }
            work.run();
            if (!blocks.stream().allMatch(Signalled::isWhole)) return false;
        }
        return true;
    }

    private static boolean isWhole(MemorySegment block) {
        for (long at = 0; at < block.byteSize(); at++) if (block.get(JAVA_BYTE, at) != FILL) return false;
        return true;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(), FunctionDescriptor.of(result, arguments));
    }
}
