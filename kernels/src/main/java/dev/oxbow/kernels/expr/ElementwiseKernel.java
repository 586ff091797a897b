package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Computes expressions for every element of broadcast inputs. Thread-safe; made once per list of expressions. */
public final class ElementwiseKernel {

    /** How expressions are computed; all ways give the same bits. */
    public enum Mode {
        /** Instruction by instruction over tiles. */
        INTERPRETED,
        /** By generated code where there is any, even before the JIT compiler has seen it. */
        COMPILED,
        /** Interpreted until generated code is worth its while and has become fast. */
        AUTO
    }

    private static final int CACHE_SIZE = 4096;
    /** Elements that a kernel must have seen, in runs of at least {@link #LEAST}, before it is compiled. */
    private static final long WORTH_COMPILING = 1 << 18;

    private static final long LEAST = 256;
    private static volatile Mode defaultMode = Mode.valueOf(System.getProperty("oxbow.kernels.mode", "AUTO"));

    private static final Map<List<Expr>, ElementwiseKernel> CACHE =
            Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<List<Expr>, ElementwiseKernel> eldest) {
                    return size() > CACHE_SIZE;
                }
            });

    private final Program program;
    private final AtomicLong seen = new AtomicLong();
    private volatile CompiledKernel compiled;
    private volatile boolean hasNoCode;
    private volatile Broadcast last;

    private ElementwiseKernel(List<Expr> outputs) {
        this.program = new Program(outputs);
    }

    /** The kernel with one output for each expression. */
    public static ElementwiseKernel of(List<Expr> outputs) {
        return CACHE.computeIfAbsent(List.copyOf(outputs), ElementwiseKernel::new);
    }

    public static ElementwiseKernel of(Expr... outputs) {
        return of(List.of(outputs));
    }

    /** Sets how kernels run that are not told; for tests. */
    public static void setDefaultMode(Mode mode) {
        defaultMode = mode;
    }

    public static Mode defaultMode() {
        return defaultMode;
    }

    /** One more than the highest input that the expressions use. */
    public int inputs() {
        return program.inputs;
    }

    /** Whether there is generated code, ready to run. */
    public boolean isCompiled() {
        return compiled != null;
    }

    public List<Expr> outputs() {
        return program.outputs;
    }

    /**
     * Fills {@code outputs}, each of shape {@code out}, from {@code inputs} broadcast to it. An output may be the same
     * memory as inputs of its shape and element width.
     */
    public void run(Parallel parallel, Shape out, Tensor[] inputs, Tensor[] outputs) {
        run(defaultMode, parallel, out, inputs, outputs);
    }

    /** As above, in a given mode. */
    public void run(Mode mode, Parallel parallel, Shape out, Tensor[] inputs, Tensor[] outputs) {
        check(out, inputs, outputs);
        long n = out.size();
        if (n == 0) return;
        Broadcast broadcast = broadcast(out, inputs);
        CompiledKernel code = mode == Mode.INTERPRETED ? null : code(mode, n);
        if (n <= Tile.SIZE) {
            range(code, broadcast, inputs, outputs, 0, n);
        } else {
            long grain = Math.max(1, 65_536 / (Tile.SIZE * (1L + program.code.length / 8))) * Tile.SIZE;
            parallel.run(n, grain, (from, to) -> range(code, broadcast, inputs, outputs, from, to));
        }
    }

    /** The last one again while shapes stay what they were. */
    private Broadcast broadcast(Shape out, Tensor[] inputs) {
        Broadcast b = last;
        if (b != null && b.isFor(out, inputs)) return b;
        Shape[] shapes = new Shape[program.inputs];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = program.inputTypes[i] == null ? Shape.SCALAR : inputs[i].shape();
        }
        return last = Broadcast.of(out, shapes);
    }

    /** The generated code to run {@code n} elements with, or null to interpret. */
    private CompiledKernel code(Mode mode, long n) {
        CompiledKernel code = compiled;
        if (mode == Mode.COMPILED) {
            if (code != null || hasNoCode) return code;
            Program p = Compiler.prepare(program.outputs);
            TileKernel kernel = p == null ? null : Compiler.compile(p);
            hasNoCode = kernel == null;
            return hasNoCode ? null : (compiled = new CompiledKernel(p, kernel));
        }
        if (n < LEAST || code != null) return n < LEAST ? null : code;
        long before = seen.getAndAdd(n);
        if (before < WORTH_COMPILING && before + n >= WORTH_COMPILING) {
            Program p = Compiler.prepare(program.outputs);
            if (p != null) Warmup.start(p, ready -> compiled = ready);
        }
        return null;
    }

    private void range(CompiledKernel code, Broadcast b, Tensor[] inputs, Tensor[] outputs, long from, long to) {
        if (code != null) code.run(b, inputs, outputs, from, to);
        else interpret(b, inputs, outputs, from, to);
    }

    private void check(Shape out, Tensor[] inputs, Tensor[] outputs) {
        require(
                inputs.length >= program.inputs && outputs.length == program.outputs.size(),
                INVALID_ARGUMENT,
                "ElementwiseKernel: wants %d inputs and %d outputs, got %d and %d",
                program.inputs,
                program.outputs.size(),
                inputs.length,
                outputs.length);
        for (int i = 0; i < program.inputs; i++) {
            DType wanted = program.inputTypes[i];
            if (wanted == null || inputs[i].dtype() == wanted) continue;
            require(false, INVALID_ARGUMENT, "ElementwiseKernel: input %d must be %s, got %s", i, wanted, inputs[i]);
        }
        for (int i = 0; i < outputs.length; i++) {
            DType wanted = program.outputs.get(i).dtype();
            if (outputs[i].dtype() == wanted && outputs[i].shape().equals(out)) continue;
            require(
                    false,
                    INVALID_ARGUMENT,
                    "ElementwiseKernel: output %d must be %s%s, got %s",
                    i,
                    wanted,
                    out,
                    outputs[i]);
        }
    }

    private void interpret(Broadcast broadcast, Tensor[] inputs, Tensor[] outputs, long from, long to) {
        int most = (int) Math.min(Tile.SIZE, to - from);
        Tile tile = Tile.of(program, most);
        for (Program.Load load : program.loads) {
            if (broadcast.isScalar(load.index())) Gather.repeat(tile, load, inputs[load.index()].address(), 0, most);
        }
        for (long at = from; at < to; at += Tile.SIZE) {
            int n = (int) Math.min(Tile.SIZE, to - at);
            for (Program.Load load : program.loads) {
                if (!broadcast.isScalar(load.index())) {
                    Gather.load(tile, load, broadcast, inputs[load.index()].address(), at, n);
                }
            }
            Interpreter.run(program, tile, n);
            for (Program.Store store : program.stores) {
                Tensor t = outputs[store.index()];
                Transfer.store(tile, store, t.address() + at * t.dtype().size(), n);
            }
        }
    }
}
