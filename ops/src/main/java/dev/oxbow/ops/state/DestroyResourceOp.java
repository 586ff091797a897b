package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Deletes the resource behind a handle; an unknown one is an error only when asked for. */
@Signature("DestroyResourceOp(resource: resource) -> () {ignore_lookup_error: bool = true} stateful")
public record DestroyResourceOp(boolean ignoreLookupError) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            ResourceHandle h = ResourceHandle.of(c.input(0));
            boolean found;
            if (h.resource() instanceof Variable v) {
                found = v.isInitialised();
                v.close();
            } else {
                found = h.resource() != null
                        && c.containers()
                                .delete(h.container(), h.name(), h.resource().getClass());
            }
            require(found || ignoreLookupError, NOT_FOUND, "Resource %s/%s does not exist", h.container(), h.name());
        };
    }
}
