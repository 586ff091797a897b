package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Resources that only who has their handle can find. */
final class Anonymous {
    private Anonymous() {}

    /** What a handle stands for that stands for nothing. */
    static final class Nothing implements Resource {
        @Override
        public void close() {}

        @Override
        public String kind() {
            return "nothing";
        }
    }

    /** What frees a resource; the handle says which. */
    private record Deleter() {}

    /** Frees the resource of input 0. */
    interface Freeing extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> ResourceHandle.of(c.input(0)).resource().close();
        }
    }

    /** Gives the handle of a resource and, where there is room for it, what frees it. */
    static void give(KernelContext c, Resource resource) {
        c.set(0, ResourceHandle.tensor("", c.node(), resource, List.of()));
        if (c.outputCount() > 1) c.set(1, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, new Deleter()));
    }
}
