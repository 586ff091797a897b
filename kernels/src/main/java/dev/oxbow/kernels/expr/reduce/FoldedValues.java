package dev.oxbow.kernels.expr.reduce;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Dag;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.compile.CompiledRows;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.compile.RowKernel;
import dev.oxbow.kernels.expr.compile.RowView;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Folds expressions over broadcast inputs along marked dimensions, by row kernels. Thread-safe. */
final class FoldedValues {

    /** Rows of twice this are cut into pieces of this. */
    private static final long PIECE = 1 << 15;
    /** Columns that one task takes, at least. */
    private static final long CHUNK = 256;

    private static final long TASK = 1 << 16;
    private static final long MOST_BLOCKS = 64;

    /** How inputs lie: which stand still along the last dimension, and how the fold goes. */
    private record Variant(BitSet still, boolean alongRows, boolean straight) {}

    final Fold fold;
    final List<Expr> values;
    final List<DType> accumulators;

    private final DType[] inputTypes;
    private final Map<Variant, RowKernel> kernels = new ConcurrentHashMap<>();
    private volatile FoldedValues again;
    private volatile Broadcast last;

    FoldedValues(Fold fold, List<Expr> values) {
        this.fold = fold;
        this.values = values;
        this.accumulators = values.stream().map(v -> fold.wide(v.dtype())).toList();
        this.inputTypes = Assembler.assemble(values).inputTypes;
    }

    /**
     * The accumulators of each value, one for each index of the dimensions that are not reduced: {@code outputs}, where
     * that is not null and they can hold them as they are, else new tensors that the caller releases.
     */
    Tensor[] fold(Mode mode, Parallel parallel, Shape shape, boolean[] reduced, Tensor[] inputs, Tensor[] outputs) {
        Job job = new Job(mode, parallel, broadcast(shape, reduced, inputs), inputs);
        return job.alongRows ? job.rows(outputs) : job.columns();
    }

    private Broadcast broadcast(Shape shape, boolean[] reduced, Tensor[] inputs) {
        Broadcast b = last;
        if (b != null && b.isFor(shape, inputs, reduced)) return b;
        Shape[] shapes = new Shape[inputTypes.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = inputTypes[i] == null ? Shape.SCALAR : inputs[i].shape();
        return last = Broadcast.of(shape, shapes, reduced);
    }

    private RowKernel kernel(Variant v) {
        RowFormula f = new RowFormula();
        List<Expr> leaves = new ArrayList<>();
        for (int i = 0; i < inputTypes.length; i++) {
            if (inputTypes[i] == null) leaves.add(null);
            else leaves.add(v.still.get(i) ? f.perRow(inputTypes[i]) : f.matrix(inputTypes[i]));
        }
        for (Expr value : Dag.substitute(values, leaves)) {
            if (!v.alongRows) f.accumulate(fold, value);
            else f.storePerRow(v.straight ? f.fold(fold, value) : f.wideFold(fold, value));
        }
        return f.kernel();
    }

    private FoldedValues again() {
        FoldedValues a = again;
        if (a != null) return a;
        List<Expr> inputs = new ArrayList<>();
        for (DType dtype : accumulators) inputs.add(Expr.input(inputs.size(), dtype));
        return again = new FoldedValues(fold, inputs);
    }

    /** One fold. */
    private final class Job {
        final Mode mode;
        final Parallel parallel;
        final Broadcast b;
        final Tensor[] inputs;
        final int rank;
        final boolean alongRows;
        /** The inputs that are used. */
        final int[] used;

        Job(Mode mode, Parallel parallel, Broadcast b, Tensor[] inputs) {
            this.mode = mode;
            this.parallel = parallel;
            this.b = b;
            this.inputs = inputs;
            this.rank = b.dims.length;
            this.alongRows = b.marked[rank - 1];
            int n = 0;
            for (DType t : inputTypes) if (t != null) n++;
            this.used = new int[n];
            for (int i = 0, k = 0; i < inputTypes.length; i++) if (inputTypes[i] != null) used[k++] = i;
        }

        RowKernel kernel(boolean straight) {
            BitSet still = new BitSet();
            for (int i : used) if (b.strides[i][rank - 1] == 0) still.set(i);
            return kernels.computeIfAbsent(new Variant(still, alongRows, straight), FoldedValues.this::kernel);
        }

        Tensor[] allocate(long n) {
            Tensor[] t = new Tensor[values.size()];
            for (int i = 0; i < t.length; i++) {
                t[i] = MemoryPool.shared().tensor(accumulators.get(i), Shape.of(n), "reduction");
            }
            return t;
        }

        /** Folds what is left of {@code dims}, where any is marked. */
        Tensor[] rest(Tensor[] partial, long[] dims, boolean[] marked) {
            boolean any = false;
            for (int d = 0; d < dims.length; d++) any |= marked[d] && dims[d] > 1;
            if (!any) return partial;
            Shape shape = Shape.of(dims);
            Tensor[] shaped = new Tensor[partial.length];
            for (int i = 0; i < shaped.length; i++) {
                shaped[i] = partial[i].view(shape);
                partial[i].release();
            }
            try {
                return again().fold(mode, parallel, shape, marked, shaped, null);
            } finally {
                for (Tensor t : shaped) t.release();
            }
        }

        /** Addresses where the given index of all dimensions starts, and steps along {@code dim}. */
        RowView view(long[] index, int dim, Tensor[] outputs, long outputAt, long outputStep, long columns) {
            long[] addresses = new long[used.length + outputs.length], steps = new long[addresses.length];
            for (int k = 0; k < used.length; k++) {
                int i = used[k];
                long at = 0, width = inputTypes[i].size();
                for (int d = 0; d < rank; d++) at += index[d] * b.strides[i][d];
                addresses[k] = inputs[i].address() + at * width;
                steps[k] = dim < 0 ? 0 : b.strides[i][dim] * width;
            }
            for (int k = 0; k < outputs.length; k++) {
                long width = outputs[k].dtype().size();
                addresses[used.length + k] = outputs[k].address() + outputAt * width;
                steps[used.length + k] = outputStep * width;
            }
            return new RowView(addresses, steps, columns);
        }

        Tensor[] rows(Tensor[] outputs) {
            long columns = b.dims[rank - 1], rows = 1;
            boolean more = false;
            for (int d = 0; d < rank - 1; d++) {
                rows *= b.dims[d];
                more |= b.marked[d];
            }
            long pieces = columns > 2 * PIECE ? (columns + PIECE - 1) / PIECE : 1;
            boolean straight = outputs != null && !more && pieces == 1;
            RowKernel kernel = kernel(straight);
            CompiledRows code = kernel.code(mode, rows * columns);
            Tensor[] to = straight ? outputs : allocate(rows * pieces);
            if (pieces == 1) {
                long grain = Math.max(1, TASK / 2 / columns);
                if (rows <= grain) rowRange(kernel, code, to, 0, rows);
                else parallel.run(rows, grain, (from, end) -> rowRange(kernel, code, to, from, end));
            } else {
                parallel.run(rows * pieces, 1, (from, end) -> {
                    for (long t = from; t < end; t++) {
                        long[] index = index(t / pieces, rank - 1);
                        index[rank - 1] = t % pieces * PIECE;
                        long n = Math.min(PIECE, columns - index[rank - 1]);
                        kernel.range(code, view(index, -1, to, t, 0, n), 0, 1);
                    }
                });
            }
            if (straight) return outputs;
            long[] dims = Arrays.copyOf(b.dims, rank);
            boolean[] marked = Arrays.copyOf(b.marked, rank);
            dims[rank - 1] = pieces;
            return rest(to, dims, marked);
        }

        /** Rows that follow one another along the last dimension but one are run together. */
        void rowRange(RowKernel kernel, CompiledRows code, Tensor[] to, long from, long end) {
            long inner = rank > 1 ? b.dims[rank - 2] : 1;
            for (long row = from; row < end; ) {
                long n = Math.min(end - row, inner - row % inner);
                RowView view = view(index(row, rank - 1), rank - 2, to, row, 1, b.dims[rank - 1]);
                kernel.range(code, view, 0, n);
                row += n;
            }
        }

        /** The index of the {@code at}-th element of the first dimensions. */
        long[] index(long at, int dimensions) {
            long[] index = new long[rank];
            for (int d = dimensions - 1; d >= 0; d--) {
                index[d] = at % b.dims[d];
                at /= b.dims[d];
            }
            return index;
        }

        Tensor[] columns() {
            int r = rank - 1;
            while (r >= 0 && !b.marked[r]) r--;
            int dim = r;
            long columns = b.dims[rank - 1], rows = dim < 0 ? 1 : b.dims[dim];
            long block =
                    Math.max(Math.max(256, TASK / Math.min(columns, CHUNK)), (rows + MOST_BLOCKS - 1) / MOST_BLOCKS);
            long blocks = (rows + block - 1) / block;
            long chunk = Math.max(CHUNK, TASK / 4 / Math.min(rows, block) / Fold.LANES * Fold.LANES);
            long chunks = (columns + chunk - 1) / chunk;
            long[] dims = b.dims.clone();
            if (dim >= 0) dims[dim] = blocks;
            long size = 1;
            for (long d : dims) size *= d;
            Tensor[] to = allocate(size);
            RowKernel kernel = kernel(false);
            CompiledRows code = kernel.code(mode, size / blocks * rows);
            Parallel.Range task = (from, end) -> {
                int width = 8, n = values.size();
                Buffer memory = MemoryPool.shared().allocate(n * (chunk + Fold.LANES) * width, "reduction");
                try {
                    for (long t = from; t < end; t++) {
                        long[] index = new long[rank];
                        long rest = t / chunks, first = t % chunks * chunk, at = 0, step = columns;
                        index[rank - 1] = first;
                        for (int d = rank - 2; d >= 0; d--) {
                            index[d] = rest % dims[d];
                            rest /= dims[d];
                            at += index[d] * step;
                            step *= dims[d];
                        }
                        long count = rows;
                        if (dim >= 0) {
                            index[dim] *= block;
                            count = Math.min(block, rows - index[dim]);
                        }
                        long wide = Math.min(chunk, columns - first);
                        piece(kernel, code, index, dim, count, wide, memory.address(), to, at + first);
                    }
                } finally {
                    memory.release();
                }
            };
            long tasks = size / columns * chunks;
            if (tasks == 1) task.run(0, 1);
            else parallel.run(tasks, Math.max(1, TASK / 4 / Math.max(1, chunk * Math.min(rows, block))), task);
            return rest(to, dims, b.marked);
        }

        /** Folds {@code rows} rows of some columns in memory of its own and copies the accumulators. */
        void piece(
                RowKernel kernel,
                CompiledRows code,
                long[] index,
                int dim,
                long rows,
                long columns,
                long memory,
                Tensor[] to,
                long at) {
            RowView view = view(index, dim, to, at, 0, columns);
            long room = (columns + Fold.LANES - 1) / Fold.LANES * Fold.LANES;
            for (int k = 0; k < to.length; k++) {
                Kind kind = Kind.of(to[k].dtype());
                long bits = fold.neutral(kind), address = memory + 8 * room * k;
                for (long i = 0; i < room; i++) {
                    if (kind.is64()) Memory.putLong(address + 8 * i, bits);
                    else Memory.putInt(address + 4 * i, (int) bits);
                }
                view.addresses()[used.length + k] = address;
            }
            kernel.range(code, view, 0, rows);
            for (int k = 0; k < to.length; k++) {
                int width = to[k].dtype().size();
                Memory.copy(memory + 8 * room * k, to[k].address() + at * width, columns * width);
            }
        }
    }
}
