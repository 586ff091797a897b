package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import java.util.List;

/** What the versions of ops on stacks share. */
final class Stacks {
    private Stacks() {}

    /** Drops a stack. */
    interface Close extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> StepResources.of(c, 0, StackResource.class).close();
        }
    }

    /** Takes the top element. */
    interface Pop extends NotDifferentiable, Giving {
        DType elemType();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.of(elemType()));
        }

        @Override
        default Kernel cpu() {
            return c -> c.set(0, StepResources.of(c, 0, StackResource.class).pop(elemType()));
        }
    }

    /** Puts an element on top, and gives it. */
    interface Push extends NotDifferentiable, Giving {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(1));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                StepResources.of(c, 0, StackResource.class).push(c.keep(1));
                c.forward(0, 1);
            };
        }
    }
}
