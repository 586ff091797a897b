package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A reduction of the rows that have the same id. */
interface SegmentReduction extends Op {
    Segments.Kind kind();

    /** Of rows whose ids are sorted; a third input is the number of segments. */
    interface Sorted extends SegmentReduction {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Segments.inferSorted(c, 1, c.inputCount() > 2 ? 2 : -1);
        }

        @Override
        default Kernel cpu() {
            return Segments.sorted(kind());
        }
    }

    /** Of rows whose ids are in any order. */
    interface Unsorted extends SegmentReduction {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Segments.inferUnsorted(c);
        }

        @Override
        default Kernel cpu() {
            return Segments.unsorted(kind());
        }
    }

    /** Of rows picked by index; a fourth input is the number of segments. */
    interface Sparse extends SegmentReduction, Differentiable {
        /** The op that takes (dy, indices, ids, number of rows) to the gradient of the rows. */
        Op gradientOp();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Segments.inferSorted(c, 2, c.inputCount() > 3 ? 3 : -1);
        }

        @Override
        default Kernel cpu() {
            return Segments.sparse(kind());
        }

        /** The rows of dy back where they were picked. */
        @Override
        default List<Value> gradient(GradientContext g) {
            Value rows = g.ops().constant(new int[] {0});
            Value n = g.input(0).runtimeShape().gather(rows, 0).reshape();
            List<Value> dxs = new ArrayList<>(Collections.nCopies(g.node().inputCount(), null));
            dxs.set(0, Value.apply(gradientOp(), g.gradient(0), g.input(1), g.input(2), n));
            return dxs;
        }
    }

    /** The gradient of a reduction of picked rows, in the shape of all rows. */
    interface SparseGradient extends SegmentReduction {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return SegmentGradients.infer(c);
        }

        @Override
        default Kernel cpu() {
            return SegmentGradients.kernel(kind());
        }
    }

    /** The same as the rows that it touches and their indices. */
    interface SparseGradientRows extends SegmentReduction {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return SegmentGradients.inferSparse(c);
        }

        @Override
        default Kernel cpu() {
            return SegmentGradients.sparseKernel(kind());
        }
    }
}
