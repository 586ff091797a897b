package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.move.RowCopies;
import dev.oxbow.kernels.move.RowGroups;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The CPU kernel of every optimizer: its formula as one fused elementwise kernel over variables, scalars and gradient. */
final class OptimizerKernel implements Kernel {
    private final OptimizerStep op;
    private final Layout layout;
    /** The op when it computes the gradient itself; null when that is an input. */
    private final GradientStep made;

    private List<DType> dtypes;
    private ElementwiseKernel kernel;

    OptimizerKernel(OptimizerStep op) {
        this(op, null);
    }

    OptimizerKernel(OptimizerStep op, GradientStep made) {
        this.op = op;
        this.made = made;
        this.layout = new Layout(op.signature());
    }

    @Override
    public void run(KernelContext c) {
        int variables = layout.variables;
        Variable[] vars = new Variable[variables];
        for (int i = 0; i < variables; i++) {
            vars[i] = Variables.of(c, i);
            require(
                    vars[i].isInitialised(),
                    FAILED_PRECONDITION,
                    "Attempting to use uninitialized variables: %s; run its initialiser first, and those of all slots",
                    vars[i].name());
        }
        // what the gradient is made of stands in its place; all but the first of it come last here
        int names = layout.names.size(), more = made == null ? 0 : made.operands() - 1;
        Tensor[] inputs = new Tensor[names + more];
        for (int i = variables; i < names; i++) inputs[i] = c.input(i > layout.gradient ? i + more : i);
        for (int i = names; i < inputs.length; i++) inputs[i] = c.input(layout.gradient + 1 + i - names);
        lockAndRun(c, vars, 0, inputs, new Tensor[variables]);
        if (!layout.isResource) c.forward(0, 0);
    }

    private void lockAndRun(KernelContext c, Variable[] vars, int at, Tensor[] inputs, Tensor[] shadows) {
        if (at < vars.length) {
            vars[at].updateBoth(c.memory(), (t, shadow) -> {
                inputs[at] = t;
                shadows[at] = shadow;
                lockAndRun(c, vars, at + 1, inputs, shadows);
                return layout.indices < 0;
            });
            return;
        }
        Shape[] shapes = new Shape[inputs.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = inputs[i].shape();
        int gradient = layout.gradient, names = layout.names.size();
        if (made instanceof ProductStep p) shapes[gradient] = p.shape(inputs[gradient], inputs[names]);
        else if (made != null) shapes[gradient] = broadcast(shapes);
        layout.check(shapes);
        for (int i = 0; i < vars.length; i++) Variables.requireType(inputs[i], inputs[gradient].dtype());
        if (layout.indices >= 0) {
            sparse(c, kernel(inputs, List.of()), inputs);
            return;
        }
        Tensor[] outputs = Updating.outputs(inputs, shadows);
        ElementwiseKernel k = kernel(inputs, Updating.shadowed(shadows));
        if (made instanceof ProductStep p)
            p.run(k, inputs, outputs, gradient, inputs[names], shapes[gradient], c.scratch(), c.parallel());
        else k.run(c.parallel(), shapes[0], inputs, outputs);
    }

    /** The shape of a formula: that of its operands which are no scalars. */
    private Shape broadcast(Shape[] shapes) {
        Shape s = shapes[layout.gradient];
        for (int i = layout.names.size(); i < shapes.length; i++) {
            require(
                    s.isScalar() || shapes[i].isScalar() || s.equals(shapes[i]),
                    INVALID_ARGUMENT,
                    "operands of the gradient do not have the same shape: %s %s",
                    s,
                    shapes[i]);
            if (s.isScalar()) s = shapes[i];
        }
        return s;
    }

    /** Every row takes its steps in the order of the indices, so that repeated indices are repeated steps. */
    private void sparse(KernelContext c, ElementwiseKernel k, Tensor[] inputs) {
        Tensor indices = inputs[layout.indices];
        long bound = inputs[0].shape().dim(0), bad = RowGroups.firstOutside(indices, 0, bound);
        if (bad >= 0) {
            require(
                    false,
                    INVALID_ARGUMENT,
                    "Index %d at offset %d in indices is out of range",
                    indices.getLong(bad),
                    bad);
        }
        if (inputs[0].size() == 0) return;
        long inner = inputs[0].size() / bound, width = inner * inputs[0].dtype().size();
        try (RowGroups groups = RowGroups.of(indices, 4 * width, c.memory())) {
            groups.run(c.parallel(), (from, to) -> {
                try (Batch batch = new Batch(c, k, inputs, inner)) {
                    for (long i = from; i < to; i++) batch.add(groups.position(i), groups.row(groups.position(i)));
                    batch.flush();
                }
            });
        }
    }

    /** Rows brought together so that the kernel runs on many at once; no row is in it twice. */
    private final class Batch implements AutoCloseable {
        private static final long ELEMENTS = 1 << 12;
        private static final int MOST_ROWS = 256;
        private static final int SLOTS = 4 * MOST_ROWS;

        private final ElementwiseKernel kernel;
        private final Tensor[] inputs;
        private final Tensor[] row;
        private final long inner;
        private final int capacity;
        /** By place: the row, and the position of its gradient; and where these two lists of i64 lie. */
        private final Tensor rows;

        private final Tensor positions;
        private final long rowsAt;
        private final long positionsAt;
        /** An open hash table of the rows that are in: one more than the row's place, 0 where free. */
        private final int[] places = new int[SLOTS];

        private int count;

        Batch(KernelContext c, ElementwiseKernel kernel, Tensor[] inputs, long inner) {
            this.kernel = kernel;
            this.inputs = inputs;
            this.inner = inner;
            capacity = (int) Math.max(1, Math.min(MOST_ROWS, ELEMENTS / inner));
            rows = c.temporary(DType.I64, Shape.of(capacity));
            positions = c.temporary(DType.I64, Shape.of(capacity));
            rowsAt = rows.address();
            positionsAt = positions.address();
            row = inputs.clone();
            for (int i = 0; i < row.length; i++)
                if (isByRow(i)) row[i] = c.temporary(inputs[i].dtype(), Shape.of(capacity, inner));
        }

        private boolean isByRow(int i) {
            return i < layout.variables || i == layout.gradient;
        }

        void add(long position, long target) {
            int slot = slot(target);
            if (count == capacity || places[slot] != 0) {
                flush();
                slot = slot(target);
            }
            Memory.putLong(positionsAt + 8L * count, position);
            Memory.putLong(rowsAt + 8L * count++, target);
            places[slot] = count;
        }

        /** The slot where {@code target} is, or would be. */
        private int slot(long target) {
            int slot = (int) (target * 0x9E3779B97F4A7C15L >>> 54) & SLOTS - 1;
            while (places[slot] != 0 && Memory.getLong(rowsAt + 8L * (places[slot] - 1)) != target)
                slot = slot + 1 & SLOTS - 1;
            return slot;
        }

        void flush() {
            if (count == 0) return;
            Tensor[] some = row.clone();
            for (int i = 0; i < row.length; i++) {
                if (!isByRow(i)) continue;
                some[i] = row[i].viewRows(0, count);
                Tensor from = i == layout.gradient ? positions : rows;
                RowCopies.gather(
                        inputs[i].address(), from, count, inner * row[i].dtype().size(), row[i].address());
            }
            kernel.run(Parallel.SERIAL, some[0].shape(), some, Arrays.copyOf(some, layout.variables));
            for (int i = 0; i < row.length; i++) if (isByRow(i)) some[i].release();
            for (int v = 0; v < layout.variables; v++)
                RowCopies.scatter(row[v].address(), inner * row[v].dtype().size(), inputs[v].address(), rows, count);
            count = 0;
            Arrays.fill(places, 0);
        }

        @Override
        public void close() {
            for (int i = 0; i < row.length; i++) if (isByRow(i)) row[i].release();
            rows.release();
            positions.release();
        }
    }

    /** The kernel for these, and for what of the new values is wanted in another dtype as well, by variable; null for none. */
    private synchronized ElementwiseKernel kernel(Tensor[] inputs, List<DType> shadowed) {
        List<DType> now = new ArrayList<>(shadowed);
        now.add(inputs[0].dtype());
        if (!now.equals(dtypes)) {
            List<Expr> exprs = new ArrayList<>();
            for (int i = 0; i < layout.names.size(); i++) exprs.add(Expr.input(i, inputs[i].dtype()));
            OptimizerInputs named = layout.named(exprs, inputs[0].dtype());
            if (made instanceof FormulaStep f)
                named.byName().put(layout.names.get(layout.gradient), f.gradient(operands(inputs)));
            kernel = ElementwiseKernel.of(Updating.withShadows(op.step(named), shadowed));
            dtypes = now;
        }
        return kernel;
    }

    /** The inputs of the formula. */
    private List<Expr> operands(Tensor[] inputs) {
        List<Expr> list = new ArrayList<>();
        list.add(Expr.input(layout.gradient, inputs[layout.gradient].dtype()));
        for (int i = layout.names.size(); i < inputs.length; i++) list.add(Expr.input(i, inputs[i].dtype()));
        return list;
    }

    /** Which input is what, by the names of the signature. */
    static final class Layout {
        final List<String> names;
        final int variables;
        final int gradient;
        final int indices;
        final boolean isResource;

        Layout(OpSignature signature) {
            names = signature.inputs().stream().map(OpSignature.Arg::name).toList();
            isResource = signature.inputs().get(0).dtype() == DType.RESOURCE;
            variables = (int) signature.inputs().stream()
                    .filter(a -> a.isRef() || a.dtype() == DType.RESOURCE)
                    .count();
            gradient = Math.max(names.indexOf("grad"), names.indexOf("delta"));
            indices = names.indexOf("indices");
        }

        boolean isVariable(int i) {
            return i < variables;
        }

        /** The inputs of the formula by their names, in the dtype of the variables. */
        OptimizerInputs named(List<Expr> inputs, DType dtype) {
            Map<String, Expr> exprs = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                if (i == indices) continue;
                Expr e = inputs.get(i);
                exprs.put(names.get(i), e.dtype() == dtype ? e : e.cast(dtype));
            }
            return new OptimizerInputs(exprs);
        }

        void check(Shape[] shapes) {
            Shape v = shapes[0];
            for (int i = 1; i < names.size(); i++) {
                if (i < variables) same(v, shapes[i], i);
                else if (i == gradient && indices < 0) same(v, shapes[i], i);
                else if (i != gradient && i != indices)
                    require(shapes[i].rank() <= 0, INVALID_ARGUMENT, "%s is not a scalar: %s", names.get(i), shapes[i]);
            }
            if (indices >= 0) checkRows(v, shapes[gradient], shapes[indices]);
        }

        private void same(Shape v, Shape other, int i) {
            require(
                    v.isCompatibleWith(other),
                    INVALID_ARGUMENT,
                    "var and %s do not have the same shape: %s %s",
                    names.get(i),
                    v,
                    other);
        }

        private void checkRows(Shape v, Shape grad, Shape at) {
            require(v.rank() != 0, INVALID_ARGUMENT, "var must be at least 1 dimensional");
            require(
                    at.rank() == 1 || !at.isRankKnown(),
                    INVALID_ARGUMENT,
                    "indices must be one-dimensional, got %s",
                    at);
            if (!v.isRankKnown() || !grad.isRankKnown()) return;
            require(
                    grad.rank() == v.rank() && v.slice(1, v.rank()).isCompatibleWith(grad.slice(1, grad.rank())),
                    INVALID_ARGUMENT,
                    "var and grad must match in all but the first dimension: %s %s",
                    v,
                    grad);
            require(
                    at.dim(0) < 0 || grad.dim(0) < 0 || at.dim(0) == grad.dim(0),
                    INVALID_ARGUMENT,
                    "grad must be the same size as indices in the first dimension: %s %s",
                    grad,
                    at);
        }
    }
}
