package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Resources that live as long as their step (stacks, tensor arrays), behind the three kinds of handles they have had. */
final class StepResources {

    /** Makes names of resources different when one node makes several in a step. */
    private static final AtomicLong NUMBERS = new AtomicLong();

    private StepResources() {}

    /** A name that no other resource of the step has. */
    static String unique(KernelContext c, String name) {
        return (name.isEmpty() ? c.node() : name) + "_" + NUMBERS.getAndIncrement();
    }

    /** The resource behind input {@code i}: a resource handle, or two strings of which the second is its name, or a reference to those. */
    static <T extends Resource> T of(KernelContext c, int i, Class<T> type) {
        Tensor t = c.input(i);
        if (t.dtype() == DType.STRING) return byName(c, t, type);
        Object o = t.size() == 1 ? t.objects()[0] : null;
        if (o instanceof ResourceHandle h && h.resource() instanceof Variable v) {
            Tensor names = v.read();
            try {
                return byName(c, names, type);
            } finally {
                names.release();
            }
        }
        return ResourceHandle.resource(t, type);
    }

    private static <T extends Resource> T byName(KernelContext c, Tensor names, Class<T> type) {
        require(
                names.size() == 2,
                INVALID_ARGUMENT,
                "the handle must be a 2-element vector, but had shape: %s",
                names.shape());
        return c.stepContainers().lookup("", new String((byte[]) names.objects()[1], StandardCharsets.UTF_8), type);
    }

    /** Gives the handle of a resource as the output's dtype asks. */
    static void give(KernelContext c, int output, DType dtype, boolean isRef, String name, Resource r) {
        if (dtype == DType.RESOURCE) {
            c.set(output, ResourceHandle.tensor("", name, r, List.of()));
            return;
        }
        Tensor names = Tensor.of(Shape.of(2), "", name);
        if (!isRef) {
            c.set(output, names);
            return;
        }
        Variable v = c.stepContainers()
                .lookupOrCreate(
                        "", name + ":handle", Variable.class, () -> new Variable(name, DType.STRING, Shape.of(2)));
        v.assign(names);
        c.set(output, ResourceHandle.tensor("", name, v, List.of()));
    }
}
