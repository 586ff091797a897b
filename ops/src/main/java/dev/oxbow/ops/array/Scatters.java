package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What the pure scatter ops share. */
final class Scatters {
    private Scatters() {}

    /** Checks that updates have the shape that indices and the target ask for. */
    static void check(Shape target, Shape indices, Shape updates) {
        if (!target.isRankKnown() || !indices.isRankKnown() || !updates.isRankKnown()) return;
        require(target.rank() >= 1, INVALID_ARGUMENT, "Output must be at least 1-D, got shape: %s", target);
        if (indices.rank() == 0 || indices.dim(-1) < 0) return;
        long depth = indices.dim(-1);
        require(
                depth <= target.rank(),
                INVALID_ARGUMENT,
                "Index depth %d must be at most the rank of the output, shape %s",
                depth,
                target);
        Shape wanted = indices.slice(0, indices.rank() - 1).concat(target.slice((int) depth, target.rank()));
        require(
                wanted.isCompatibleWith(updates),
                INVALID_ARGUMENT,
                "updates must have shape %s for indices %s and output %s, got %s",
                wanted,
                indices,
                target,
                updates);
        require(
                !target.isFullyKnown()
                        || !indices.isFullyKnown()
                        || target.size() > 0
                        || indices.slice(0, indices.rank() - 1).size() == 0
                        || updates.isFullyKnown() && updates.size() == 0,
                INVALID_ARGUMENT,
                "Indices and updates specified for empty output tensor");
    }

    static List<TensorType> infer(InferenceContext c) {
        check(c.shape(0), c.shape(1), c.shape(2));
        return List.of(c.input(0));
    }

    /** {@code y} = the input with updates combined into it. */
    static Kernel kernel(Combine how) {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Fills.copy(x, y, c.parallel());
            if (c.input(2).size() > 0) Scatter.nd(y, c.input(1), c.input(2), how, c.memory(), c.parallel());
        };
    }

    /** {@code y} at the coordinates {@code indices}. */
    static Value at(Value y, Value indices) {
        return Value.apply(new GatherNd(), y, indices);
    }

    /** The gradient of TensorScatterMin and Max: shared evenly by all that gave the value. */
    static List<Value> share(GradientContext g) {
        Value x = g.input(0), indices = g.input(1), updates = g.input(2), y = g.output(0), dy = g.gradient(0);
        Value fromX = x.equalTo(y).cast(dy.dtype());
        Value fromUpdates = updates.equalTo(at(y, indices)).cast(dy.dtype());
        Value count = Value.apply(new TensorScatterAdd(), fromX, indices, fromUpdates);
        Value each = dy.dividedBy(count);
        return Arrays.asList(fromX.times(each), null, fromUpdates.times(at(each, indices)));
    }

    /** Adds slices. */
    interface Add extends Differentiable {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Scatters.infer(c);
        }

        @Override
        default Kernel cpu() {
            return Scatters.kernel(Combine.ADD);
        }

        /** {@code dx = dy}, {@code dupdates[i] = dy[indices[i]]}. */
        @Override
        default List<Value> gradient(GradientContext g) {
            return Arrays.asList(g.gradient(0), null, Scatters.at(g.gradient(0), g.input(1)));
        }
    }
}
