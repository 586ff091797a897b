package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The elements of a data set, once a walk has seen all of them. */
final class MemoryCache implements Resource {
    private List<List<Tensor>> whole;

    /** The one of an input, or a new one where it has none. */
    static MemoryCache input(KernelContext c, int i) {
        return ResourceHandle.of(c.input(i)).resource() instanceof MemoryCache m ? m : new MemoryCache();
    }

    /** All elements; null before a walk has seen them. */
    synchronized List<List<Tensor>> kept() {
        return whole;
    }

    synchronized void keep(List<List<Tensor>> all) {
        if (whole == null) whole = all;
    }

    @Override
    public synchronized void close() {
        whole = null;
    }

    @Override
    public String kind() {
        return "memory of elements";
    }
}
