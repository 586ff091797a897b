package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Compiles kernels on a daemon thread and runs them on private memory until the JIT compiler has made them fast. */
final class Warmup {

    /*
     * Before that every vector is an object and a kernel a hundred times slower than its interpretation,
     * so it is handed over only when twenty calls in a row took about what vector code takes. Only speed
     * depends on these measurements: both ways of running give the same bits.
     */

    private static final int ELEMENTS = 256;
    private static final int FAST_CALLS = 20;
    private static final int MOST_CALLS = 100_000;
    private static final double NANOS_PER_VECTOR_OPERATION = 3;

    private static final Executor THREAD = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("oxbow-kernel-compiler").factory());

    static {
        THREAD.execute(Warmup::touchFamilies);
    }

    private Warmup() {}

    /** Loads the classes behind every sort of operation: loading them later would undo the JIT compiler's work. */
    private static void touchFamilies() {
        Expr f = Expr.input(0, DType.F32), i = Expr.input(1, DType.I32);
        Expr d = f.sin().cast(DType.F64).log(), l = i.cast(DType.I64).shiftRight(d.cast(DType.I64));
        Expr narrow = f.exp().max(f.sqrt()).cast(DType.I32).min(i);
        for (List<Expr> outputs :
                List.of(List.of(narrow, f.log()), List.of(d.exp().abs(), l.max(l.not()), f.less(f)))) {
            Program p = Compiler.prepare(outputs);
            TileKernel kernel = p == null ? null : Compiler.compile(p);
            if (kernel != null) warm(new CompiledKernel(p, kernel), 1);
        }
    }

    /** Compiles and warms later, then gives the kernel, or never when there is no fast one. */
    static void start(Program program, Consumer<CompiledKernel> ready) {
        THREAD.execute(() -> {
            TileKernel kernel = Compiler.compile(program);
            if (kernel == null) return;
            CompiledKernel compiled = new CompiledKernel(program, kernel);
            if (warm(compiled, MOST_CALLS)) ready.accept(compiled);
        });
    }

    /** The same for rows. */
    static void start(RowProgram program, Consumer<CompiledRows> ready) {
        THREAD.execute(() -> {
            RowCode code = Compiler.compile(program);
            if (code == null) return;
            CompiledRows compiled = new CompiledRows(program, code);
            if (warm(compiled, MOST_CALLS)) ready.accept(compiled);
        });
    }

    private static boolean warm(CompiledKernel k, int mostCalls) {
        int streams = k.program.loads.length + k.program.stores.length;
        double operations = (double) (k.program.code.length + streams) * ELEMENTS / k.lanes;
        return warm(streams, operations, mostCalls, (addresses, _) -> k.kernel.run(addresses, ELEMENTS));
    }

    /** Rows of every sort: what the JIT compiler has not seen taken would be compiled away. */
    private static boolean warm(CompiledRows k, int mostCalls) {
        int streams = k.program.tensors + k.program.kept.length + k.program.outputs.length;
        long[] steps = new long[streams];
        double operations = (k.program.operations() + 40.0) * ELEMENTS / k.lanes;
        return warm(streams, operations, mostCalls, (addresses, call) -> {
            int columns = switch (call % 4) {
                case 0 -> ELEMENTS;
                case 1 -> 1 + call / 4 % 31;
                case 2 -> ELEMENTS / 4 + call / 4 % 31;
                default -> 64;
            };
            k.code.run(addresses, steps, Math.max(1, ELEMENTS / 2 / columns), columns);
        });
    }

    private interface Trial {
        void run(long[] addresses, int call);
    }

    /** Calls until enough calls in a row were fast, each of about {@code operations} vector operations. */
    private static boolean warm(int streams, double operations, int mostCalls, Trial trial) {
        Buffer memory = MemoryPool.shared().allocate(8L * ELEMENTS * streams, "kernel warm-up");
        try {
            Memory.zero(memory.address(), 8L * ELEMENTS * streams);
            long[] addresses = new long[streams];
            for (int i = 0; i < streams; i++) addresses[i] = memory.address() + 8L * ELEMENTS * i;
            double limit = 1_000 + operations * NANOS_PER_VECTOR_OPERATION;
            int fast = 0;
            for (int call = 0; call < mostCalls && fast < FAST_CALLS; call++) {
                long start = System.nanoTime();
                trial.run(addresses, call);
                fast = System.nanoTime() - start < limit ? fast + 1 : 0;
            }
            return fast == FAST_CALLS;
        } finally {
            memory.release();
        }
    }
}
