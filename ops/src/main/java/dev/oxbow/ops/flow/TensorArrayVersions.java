package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The ops on tensor arrays that there are in three versions, which differ in their handles. */
final class TensorArrayVersions {
    private TensorArrayVersions() {}

    /** Drops an array, in all versions. */
    interface Close extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> TensorArrays.of(c).close();
        }
    }

    /** The elements one after the other, in all versions. */
    interface Joined extends Differentiable, Giving {
        DType dtype();

        Shape elementShapeExcept0();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape s = elementShapeExcept0().isRankKnown() ? Shape.of(-1).concat(elementShapeExcept0()) : Shape.UNKNOWN;
            return List.of(new TensorType(dtype(), s), new TensorType(DType.I64, Shape.of(-1)));
        }

        @Override
        default Kernel cpu() {
            return c -> TensorArrays.concat(c, dtype(), elementShapeExcept0());
        }

        /** Splits {@code dy} into the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            Value flow = GradientArray.of(g, g.input(1)).split(g.gradient(0), g.output(1));
            return Arrays.asList(null, flow);
        }
    }

    /** Some elements, stacked, in all versions. */
    interface Gather extends Differentiable, Giving {
        DType dtype();

        Shape elementShape();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(
                    dtype(),
                    Shape.of(c.shape(1).rank() == 1 ? c.shape(1).dim(0) : -1).concat(elementShape())));
        }

        @Override
        default Kernel cpu() {
            return c -> TensorArrays.gather(c, Arguments.longs(c.input(1)), dtype(), elementShape());
        }

        /** Scatters {@code dy} into the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            Value flow = GradientArray.of(g, g.input(2)).scatter(g.input(1), g.gradient(0));
            return Arrays.asList(null, null, flow);
        }
    }

    /** One element, in all versions. */
    interface Read extends Differentiable, Giving {
        DType dtype();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.of(dtype()));
        }

        @Override
        default Kernel cpu() {
            return c -> TensorArrays.read(c, dtype());
        }

        /** Writes {@code dy} into the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            Value flow = GradientArray.of(g, g.input(2)).write(g.input(1), g.gradient(0));
            return Arrays.asList(null, null, flow);
        }
    }

    /** Writes rows to some elements, in all versions. */
    interface Scatter extends Differentiable, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorArrays.FLOW);
        }

        @Override
        default Kernel cpu() {
            return c -> TensorArrays.scatter(c, Arguments.longs(c.input(1)), 2);
        }

        /** Gathers from the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            DType dtype = g.node().input(2).type().dtype();
            Value dx = GradientArray.of(g, g.gradient(0)).gather(g.input(1), dtype);
            return Arrays.asList(null, null, dx, g.gradient(0));
        }
    }

    /** The number of elements, in all versions. */
    interface Size extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I32, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, TensorArrays.of(c).size());
        }
    }

    /** Writes pieces of a value to the elements, in all versions. */
    interface Split extends Differentiable, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorArrays.FLOW);
        }

        @Override
        default Kernel cpu() {
            return TensorArrays::split;
        }

        /** Concatenates the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            DType dtype = g.node().input(1).type().dtype();
            Value dx = GradientArray.of(g, g.gradient(0)).concat(dtype);
            return Arrays.asList(null, dx, null, g.gradient(0));
        }
    }

    /** Writes one element, in all versions. */
    interface Write extends Differentiable, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorArrays.FLOW);
        }

        @Override
        default Kernel cpu() {
            return TensorArrays::write;
        }

        /** The element of the gradient array. */
        @Override
        default List<Value> gradient(GradientContext g) {
            DType dtype = g.node().input(2).type().dtype();
            Value dx = GradientArray.of(g, g.gradient(0)).read(g.input(1), dtype);
            return Arrays.asList(null, null, dx, g.gradient(0));
        }
    }
}
