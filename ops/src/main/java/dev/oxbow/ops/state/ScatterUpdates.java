package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What scatter updates of variables share: by rows of the first dimension, or by coordinates. */
public final class ScatterUpdates {
    private ScatterUpdates() {}

    /** Updates must have the shape of indices, then that of a row; a scalar serves every row. */
    static void checkRows(Shape v, Shape indices, Shape updates) {
        if (!v.isRankKnown() || !indices.isRankKnown() || updates.rank() <= 0) return;
        require(v.rank() >= 1, INVALID_ARGUMENT, "the variable must have rank 1 at least, got %s", v);
        Shape wanted = indices.concat(v.slice(1, v.rank()));
        require(
                wanted.isCompatibleWith(updates),
                INVALID_ARGUMENT,
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
                updates,
                indices,
                v);
    }

    static void checkNd(Shape v, Shape indices, Shape updates) {
        if (!v.isRankKnown() || indices.rank() < 1 || indices.dim(-1) < 0) return;
        int depth = Counts.toInt(indices.dim(-1));
        require(depth == 0 || v.rank() > 0, INVALID_ARGUMENT, "Output must be at least 1-D, got shape: %s", v);
        require(
                depth <= v.rank(),
                INVALID_ARGUMENT,
                "The last dimension of indices must be <= params rank, got indices.shape %s, params.shape %s",
                indices,
                v);
        Shape wanted = indices.slice(0, indices.rank() - 1).concat(v.slice(depth, v.rank()));
        require(
                wanted.isCompatibleWith(updates),
                INVALID_ARGUMENT,
                "Must have updates.shape = indices.shape[:-1] + params.shape[indices.shape[-1]:], got updates.shape %s, indices.shape %s, params.shape %s",
                updates,
                indices,
                v);
    }

    /** The kernel on the variable behind input 0; a referenced variable is also output 0. */
    static Kernel kernel(Combine combine, boolean nd, boolean ref) {
        return c -> {
            Variable v = ref ? Variables.of(c, 0) : Variables.existing(c, 0);
            Tensor indices = c.input(1), updates = c.input(2);
            v.update(c.memory(), t -> {
                Variables.requireType(t, updates.dtype());
                if (nd) {
                    checkNd(t.shape(), indices.shape(), updates.shape());
                    Scatter.nd(t, indices, updates, combine, c.memory(), c.parallel());
                } else {
                    checkRows(t.shape(), indices.shape(), updates.shape());
                    require(
                            t.shape().rank() >= 1,
                            INVALID_ARGUMENT,
                            "the variable must have rank 1 at least, got %s",
                            t.shape());
                    Scatter.rows(t, indices, updates, combine, c.memory(), c.parallel());
                }
            });
            if (ref) c.forward(0, 0);
        };
    }

    /** Combines updates into parts of a variable. */
    public interface Update extends NotDifferentiable, Changing {
        Combine combine();
    }

    /** Of rows of a variable. */
    public interface Rows extends Update {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkRows(Variables.type(c, 0, c.dtype(2)).shape(), c.shape(1), c.shape(2));
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return kernel(combine(), false, false);
        }
    }

    /** Of rows of a referenced variable, which is also the output. */
    interface RefRows extends Update, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkRows(c.shape(0), c.shape(1), c.shape(2));
            return List.of(TensorType.ref(c.dtype(2), c.shape(0)));
        }

        @Override
        default Kernel cpu() {
            return kernel(combine(), false, true);
        }
    }

    /** By coordinates in a variable. */
    interface Nd extends Update {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkNd(Variables.type(c, 0, c.dtype(2)).shape(), c.shape(1), c.shape(2));
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return kernel(combine(), true, false);
        }
    }

    /** By coordinates in a referenced variable, which is also the output. */
    interface RefNd extends Update, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkNd(c.shape(0), c.shape(1), c.shape(2));
            return List.of(TensorType.ref(c.dtype(2), c.shape(0)));
        }

        @Override
        default Kernel cpu() {
            return kernel(combine(), true, true);
        }
    }
}
