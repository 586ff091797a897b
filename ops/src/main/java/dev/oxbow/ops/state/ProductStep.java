package dev.oxbow.ops.state;

import static dev.oxbow.kernels.Parallel.SERIAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * A step of an optimizer whose gradient is a product, the usual gradient of a weight: some rows of the product are
 * computed and used while they are in the cache.
 */
record ProductStep(OptimizerStep step, MatMul product) implements GradientStep {

    /*
     * The gradient of a weight of 3136 x 1024 takes 12.8 MB, which are written once and read once for an update that reads
     * and writes as much again; tile by tile it stays in the cache of a core. So it has to be larger than that cache, and
     * the product so shallow that moving its elements matters: an element takes k multiplications, some nanoseconds from
     * k = 256 on, beside about one for writing and reading it, and each tile packs the factors once more. Where the depth
     * is known only when it runs and turns out larger, tiles are taller, so that they are packed less often.
     */

    /** Elements from which a gradient does not stay in a core's cache until it is used. */
    private static final long LARGE = 1 << 20;

    /** Elements of a tile, 256 KB of floats. */
    private static final long TILE = 1 << 16;

    /** The depth from which a product is left to itself. */
    private static final long SHALLOW = 256;

    /** Rows of a tile of a deeper product, and the tiles that there are at least. */
    private static final long TALL = 256, TASKS = 4;

    /** Tiles have a multiple of so many rows, which products take at once. */
    private static final long ALIGNMENT = 16;

    /** The step with the gradient's product inside; null where it would not pay. */
    static Op of(OptimizerStep step, Node gradient) {
        TensorType t = gradient.output(0);
        boolean large = t.shape().isFullyKnown() && t.shape().size() >= LARGE;
        boolean computable = t.dtype() == DType.F32 || t.dtype() == DType.F64;
        if (!large || !computable || !(gradient.op() instanceof MatMul m)) return null;
        Shape a = gradient.input(0).type().shape();
        return a.isFullyKnown() && a.dim(m.transposeA() ? 0 : 1) > SHALLOW ? null : new ProductStep(step, m);
    }

    @Override
    public int operands() {
        return 2;
    }

    @Override
    public String kind() {
        return "Product";
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        int a = new OptimizerKernel.Layout(step.signature()).gradient;
        return 2.0 * c.shape(a).size() * c.shape(a + 1).dim(product.transposeB() ? 0 : 1);
    }

    /** The shape of the gradient. */
    Shape shape(Tensor a, Tensor b) {
        require(
                a.shape().rank() == 2 && b.shape().rank() == 2,
                INVALID_ARGUMENT,
                "needs matrices, got %s and %s",
                a.shape(),
                b.shape());
        long k = a.shape().dim(product.transposeA() ? 0 : 1), other = b.shape().dim(product.transposeB() ? 1 : 0);
        require(
                k == other,
                INVALID_ARGUMENT,
                "Matrix size-incompatible: In[0]: %s, In[1]: %s: inner dimensions differ",
                a.shape(),
                b.shape());
        return Shape.of(a.shape().dim(product.transposeA() ? 1 : 0), b.shape().dim(product.transposeB() ? 0 : 1));
    }

    /**
     * Runs {@code kernel} on all rows of {@code outputs}, the first of which are the variables, as they are of {@code inputs}; the
     * first factor is in the place of the gradient, whose shape is {@code s}.
     */
    void run(
            ElementwiseKernel kernel,
            Tensor[] inputs,
            Tensor[] outputs,
            int gradient,
            Tensor b,
            Shape s,
            MemoryPool pool,
            Parallel parallel) {
        Tensor a = inputs[gradient];
        long m = s.dim(0),
                n = s.dim(1),
                k = a.size() / Math.max(1, m),
                width = a.dtype().size();
        if (s.size() == 0) return;
        Product whole = Product.of(a.dtype(), m, n, k, product.transposeA(), product.transposeB());
        long most = k > SHALLOW ? Math.min(TALL, (m + TASKS - 1) / TASKS) : TILE / n;
        long height = Math.min(m, Math.max(1, most / ALIGNMENT) * ALIGNMENT);
        parallel.run((m + height - 1) / height, 1, (from, to) -> {
            Tensor tile = pool.tensor(a.dtype(), Shape.of(height, n), "kernel scratch");
            try {
                for (long i = from * height; i < Math.min(m, to * height); i += height) {
                    long rows = Math.min(height, m - i);
                    Product some = whole.part(rows, n, k, false);
                    Gemm.run(some, a.address() + i * whole.rowA() * width, b.address(), tile.address(), pool, SERIAL);
                    update(kernel, inputs, outputs, gradient, tile, i, rows);
                }
            } finally {
                tile.release();
            }
        });
    }

    /** Runs {@code kernel} on some rows of the variables and the tile with their gradient. */
    private static void update(
            ElementwiseKernel kernel, Tensor[] inputs, Tensor[] outputs, int gradient, Tensor tile, long i, long rows) {
        Tensor[] some = inputs.clone(), out = new Tensor[outputs.length];
        for (int v = 0; v < out.length; v++) {
            out[v] = outputs[v].viewRows(i, rows);
            if (outputs[v] == inputs[v]) some[v] = out[v];
        }
        some[gradient] = tile.viewRows(0, rows);
        try {
            kernel.run(SERIAL, some[0].shape(), some, out);
        } finally {
            for (Tensor t : out) t.release();
            some[gradient].release();
        }
    }
}
