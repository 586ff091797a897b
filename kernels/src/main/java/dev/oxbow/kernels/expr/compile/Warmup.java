package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
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
     * on a method after 5,000 calls; most of them are made with nothing to do, and while the compiler is at work
     * this thread rests, so that many kernels do not take a core from the program that waits for them.
     *
     * A large kernel may be too much for the JIT compiler's first tier with a profile. If its second tier, which comes
     * before while many methods wait, has had it by then, it stays there. Code made anew has another chance; those
     * kernels that wait behind it come first.
     */

    private static final int ELEMENTS = 256;
    private static final int ROWS = 2;
    private static final int CALLS = 5_500;
    /** One call of so many has work. */
    private static final int EVERY = 25;

    private static final int FAST_CALLS = 20;
    /** Calls until the code is made anew: more each time. */
    private static final int PATIENCE = 1_000;

    private static final int MOST_PATIENCE = 16 * PATIENCE;
    private static final long PAUSE_NANOS = 500_000;
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
            if (code != null) warm(new CompiledRows(p, code), 0, 1);
        }
    }

    /** Compiles and warms later, then gives the kernel, or never when there is no fast one. */
    static void start(RowProgram program, Consumer<CompiledRows> ready) {
        start(program, PATIENCE, ready);
    }

    private static void start(RowProgram program, int patience, Consumer<CompiledRows> ready) {
        THREAD.execute(() -> {
            RowCode code = Compiler.compile(program);
            if (code == null) return;
            CompiledRows compiled = new CompiledRows(program, code);
            if (warm(compiled, CALLS, patience)) ready.accept(compiled);
            else if (patience < MOST_PATIENCE) start(program, 2 * patience, ready);
        });
    }

    private static boolean warm(CompiledRows k, int calls, int patience) {
        int streams = k.program.tensors + k.program.kept.length + k.program.outputs.length;
        try (Arena arena = Memory.arena()) { // the shared pool's use tells what callers hold
            long memory = Memory.address(arena.allocate(16L * ELEMENTS * streams, 64));
            long[] addresses = new long[streams], steps = new long[streams];
            for (int i = 0; i < streams; i++) addresses[i] = memory + 16L * ELEMENTS * i;
            double limit = 1_000
                    + (k.program.operations() + 40.0) * ROWS * (ELEMENTS + 64) / k.lanes * NANOS_PER_VECTOR_OPERATION;
            for (int call = 0; call < calls; call++) {
                k.code.run(addresses, steps, call % EVERY == 0 ? ROWS : 0, columns(call / EVERY));
            }
            int fast = 0;
            for (int call = 0; call < patience && fast < FAST_CALLS; call++) {
                long start = System.nanoTime();
                k.code.run(addresses, steps, ROWS, columns(call));
                fast = System.nanoTime() - start < limit ? fast + 1 : 0;
                if (fast > 0) continue;
                for (int i = 0; i < EVERY; i++) k.code.run(addresses, steps, 0, 0);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return fast == FAST_CALLS;
        }
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
