package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Compiles kernels on a daemon thread and runs them on private memory until the JIT compiler has made them fast. */
final class Warmup {

    /*
     * Before that every vector is an object and a kernel a hundred times slower than its interpretation,
     * so it is handed over only when twenty calls in a row took about what vector code takes. Only speed
     * depends on these measurements: both ways of running give the same bits. The JIT compiler starts
     * on a method after thousands of calls, more when it has much to do. Nearly all of them are made with nothing
     * to do: what slow vectors call would itself be compiled for no use but this. Rounds of calls grow, and so do the
     * pauses between them, so that many kernels do not take a core from the compiler and from the program.
     */

    private static final int ELEMENTS = 256;
    private static final int ROWS = 2;
    /** One call of so many has work: with fewer, the compiler would take the work for an exception. */
    private static final int EVERY = 100;

    private static final int ROUNDS = 600;
    private static final int FIRST_CALLS = 300;
    private static final int MOST_DOUBLINGS = 5;
    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final int FAST_CALLS = 20;
    private static final double NANOS_PER_VECTOR_OPERATION = 3;

    private static final Executor THREAD = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("oxbow-kernel-compiler").factory());

    static {
        THREAD.execute(Warmup::touchFamilies);
    }

    private Warmup() {}

    /** Loads the classes behind every sort of operation: loading them later would undo the JIT compiler's work. */
    private static void touchFamilies() {
        RowFormula all = new RowFormula();
        Expr f = all.matrix(DType.F32), i = all.perRow(DType.I32).plus(all.column());
        Expr d = f.sin().cast(DType.F64).log(), l = i.cast(DType.I64).shiftRight(d.cast(DType.I64));
        Expr max = all.fold(Fold.GREATEST, f), sum = all.fold(Fold.SUM, f.minus(max));
        all.store(d.exp().abs()).store(l.max(l.not())).store(f.less(sum)).storePerRow(all.fold(Fold.MAX, l));
        RowFormula narrow = new RowFormula();
        Expr x = narrow.matrix(DType.F32), n = x.exp().max(x.sqrt()).cast(DType.I32);
        narrow.store(n.min(n.not())).store(x.log().times(narrow.fold(Fold.SUM, x)));
        for (RowFormula formula : List.of(all, narrow)) {
            RowProgram p = Compiler.prepare(formula.kernel().program);
            RowCode code = p == null ? null : Compiler.compile(p);
            if (code != null) warm(new CompiledRows(p, code), 0);
        }
    }

    /** Compiles and warms later, then gives the kernel, or never when there is no fast one. */
    static void start(RowProgram program, Consumer<CompiledRows> ready) {
        THREAD.execute(() -> {
            RowCode code = Compiler.compile(program);
            if (code == null) return;
            CompiledRows compiled = new CompiledRows(program, code);
            if (warm(compiled, ROUNDS)) ready.accept(compiled);
        });
    }

    /** Runs the kernel once, then in rounds until it is fast; says whether it is. */
    private static boolean warm(CompiledRows k, int rounds) {
        int streams = k.program.tensors + k.program.kept.length + k.program.outputs.length;
        Buffer memory = MemoryPool.shared().allocate(16L * ELEMENTS * streams, "kernel warm-up");
        try {
            Memory.zero(memory.address(), 16L * ELEMENTS * streams);
            long[] addresses = new long[streams], steps = new long[streams];
            for (int i = 0; i < streams; i++) addresses[i] = memory.address() + 16L * ELEMENTS * i;
            double limit = 1_000
                    + (k.program.operations() + 40.0) * ROWS * (ELEMENTS + 64) / k.lanes * NANOS_PER_VECTOR_OPERATION;
            k.code.run(addresses, steps, ROWS, ELEMENTS);
            int work = 0;
            for (int round = 0; round < rounds; round++) {
                int doublings = Math.min(round, MOST_DOUBLINGS);
                for (int call = 1; call <= FIRST_CALLS << doublings; call++) {
                    boolean works = call % EVERY == 0;
                    k.code.run(addresses, steps, works ? 1 + work % ROWS : 0, columns(work));
                    if (works) work++;
                }
                LockSupport.parkNanos(FIRST_PAUSE_NANOS << doublings);
                if (isFast(k, addresses, steps, limit)) return true;
            }
            return false;
        } finally {
            memory.release();
        }
    }

    private static boolean isFast(CompiledRows k, long[] addresses, long[] steps, double limit) {
        for (int call = 0; call < FAST_CALLS; call++) {
            long start = System.nanoTime();
            k.code.run(addresses, steps, ROWS, columns(call));
            if (System.nanoTime() - start >= limit) return false;
        }
        return true;
    }

    /** Rows of every sort: what the JIT compiler has not seen taken would be compiled away. */
    private static int columns(int call) {
        return switch (call % 4) {
            case 0 -> ELEMENTS;
            case 1 -> 1 + call / 4 % 31;
            case 2 -> ELEMENTS / 4 + call / 4 % 31;
            default -> 64;
        };
    }
}
