package dev.oxbow.kernels.expr.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Dag;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.kernels.expr.interpret.Transfer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
    private static volatile Mode defaultMode = Mode.valueOf(System.getProperty("oxbow.kernels.mode", "AUTO"));

    private static final Map<List<Expr>, ElementwiseKernel> CACHE =
            Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<List<Expr>, ElementwiseKernel> eldest) {
                    return size() > CACHE_SIZE;
                }
            });

    private final List<Expr> outputs;
    private final Program program;
    /** Compiled forms, by which inputs stand still along the last dimension. */
    private final Map<BitSet, RowKernel> forms = new ConcurrentHashMap<>();

    private final Use shared = new Use();

    /** How inputs of given shapes are read. */
    private record Layout(Broadcast broadcast, RowKernel form) {}

    /** A call of generated code on few elements at given addresses, as plans repeat it: ready to be made again. */
    private record Small(RowCode code, Shape[] shapes, long[] addresses, long[] steps, long rows, long columns) {}

    private ElementwiseKernel(List<Expr> outputs) {
        this.outputs = outputs;
        this.program = Assembler.assemble(outputs);
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
        return forms.values().stream().anyMatch(RowKernel::isCompiled);
    }

    public List<Expr> outputs() {
        return outputs;
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
        run(mode, parallel, out, inputs, outputs, shared);
    }

    /** A place of use, which remembers the shapes that it met last. */
    public Use use() {
        return new Use();
    }

    /** One use of the kernel among others with other shapes. */
    public final class Use {
        private volatile Layout last;
        private volatile Small small;

        private Use() {}

        /** As {@link ElementwiseKernel#run(Parallel, Shape, Tensor[], Tensor[])}. */
        public void run(Parallel parallel, Shape out, Tensor[] inputs, Tensor[] outputs) {
            ElementwiseKernel.this.run(defaultMode, parallel, out, inputs, outputs, this);
        }
    }

    private void run(Mode mode, Parallel parallel, Shape out, Tensor[] inputs, Tensor[] outputs, Use use) {
        Small known = use.small;
        if (known != null && mode != Mode.INTERPRETED && isAgain(known, inputs, outputs)) {
            known.code.run(known.addresses, known.steps, known.rows, known.columns);
            return;
        }
        check(out, inputs, outputs);
        long n = out.size();
        if (n == 0) return;
        Layout layout = layout(out, inputs, use);
        CompiledRows code = layout.form.code(mode, n);
        if (n <= Tile.SIZE) {
            range(code, layout.broadcast, inputs, outputs, 0, n);
            if (code != null) use.small = small(code, layout.broadcast, inputs, outputs);
        } else {
            long grain = Math.max(1, 65_536 / (Tile.SIZE * (1L + program.code.length / 8))) * Tile.SIZE;
            parallel.run(n, grain, (from, to) -> range(code, layout.broadcast, inputs, outputs, from, to));
        }
    }

    /** Whether everything that was checked then holds now, and the memory is the same. */
    private boolean isAgain(Small s, Tensor[] inputs, Tensor[] outputs) {
        int tensors = s.addresses.length - outputs.length;
        if (inputs.length < tensors || outputs.length != this.outputs.size()) return false;
        for (int i = 0; i < tensors; i++) {
            Tensor t = inputs[i];
            if (t.address() != s.addresses[i] || t.shape() != s.shapes[i] || t.dtype() != program.inputTypes[i])
                return false;
        }
        for (int i = 0; i < outputs.length; i++) {
            Tensor t = outputs[i];
            if (t.address() != s.addresses[tensors + i]
                    || t.shape() != s.shapes[tensors + i]
                    || t.dtype() != this.outputs.get(i).dtype()) return false;
        }
        return true;
    }

    /** The call as one run of rows in place, or null where it is more than that. */
    private Small small(CompiledRows code, Broadcast b, Tensor[] inputs, Tensor[] outputs) {
        int tensors = code.program.tensors;
        if (!code.runsInPlace() || b.dims.length > 2 || tensors != program.inputs) return null;
        for (boolean read : code.program.reads) if (!read) return null;
        Shape[] shapes = new Shape[tensors + outputs.length];
        for (int i = 0; i < tensors; i++) shapes[i] = inputs[i].shape();
        for (int i = 0; i < outputs.length; i++) shapes[tensors + i] = outputs[i].shape();
        BroadcastRun run = new BroadcastRun(code, b, inputs, outputs);
        long rows = b.dims.length == 2 ? b.dims[0] : 1;
        return new Small(code.code, shapes, run.addresses(0), run.steps(), rows, b.dims[b.dims.length - 1]);
    }

    /** The last one again while shapes stay what they were. */
    private Layout layout(Shape out, Tensor[] inputs, Use use) {
        Layout known = use.last;
        if (known != null && known.broadcast.isFor(out, inputs)) return known;
        Shape[] shapes = new Shape[program.inputs];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = program.inputTypes[i] == null ? Shape.SCALAR : inputs[i].shape();
        }
        Broadcast b = Broadcast.of(out, shapes);
        BitSet still = new BitSet();
        for (int i = 0; i < shapes.length; i++) if (b.strides[i][b.dims.length - 1] == 0) still.set(i);
        return use.last = new Layout(b, forms.computeIfAbsent(still, this::form));
    }

    private RowKernel form(BitSet still) {
        RowFormula f = new RowFormula();
        List<Expr> leaves = new ArrayList<>();
        for (int i = 0; i < program.inputs; i++) {
            // Unused inputs keep their numbers.
            DType dtype = program.inputTypes[i] == null ? DType.I32 : program.inputTypes[i];
            leaves.add(still.get(i) ? f.perRow(dtype) : f.matrix(dtype));
        }
        for (Expr e : Dag.substitute(outputs, leaves)) f.store(e);
        return f.kernel();
    }

    private void range(CompiledRows code, Broadcast b, Tensor[] inputs, Tensor[] outputs, long from, long to) {
        if (code != null) new BroadcastRun(code, b, inputs, outputs).range(from, to);
        else interpret(b, inputs, outputs, from, to);
    }

    private void check(Shape out, Tensor[] inputs, Tensor[] outputs) {
        require(
                inputs.length >= program.inputs && outputs.length == this.outputs.size(),
                INVALID_ARGUMENT,
                "ElementwiseKernel: wants %d inputs and %d outputs, got %d and %d",
                program.inputs,
                this.outputs.size(),
                inputs.length,
                outputs.length);
        for (int i = 0; i < program.inputs; i++) {
            DType wanted = program.inputTypes[i];
            if (wanted == null || inputs[i].dtype() == wanted) continue;
            require(
                    false,
                    INVALID_ARGUMENT,
                    "ElementwiseKernel: input %d must be %s, got %s",
                    i,
                    wanted,
                    inputs[i].describe());
        }
        for (int i = 0; i < outputs.length; i++) {
            DType wanted = this.outputs.get(i).dtype();
            if (outputs[i].dtype() == wanted && outputs[i].shape().equals(out)) continue;
            require(
                    false,
                    INVALID_ARGUMENT,
                    "ElementwiseKernel: output %d must be %s%s, got %s",
                    i,
                    wanted,
                    out,
                    outputs[i].describe());
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
