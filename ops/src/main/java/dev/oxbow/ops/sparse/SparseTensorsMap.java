package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sparse tensors by numbers, which stand for them in queues; each is taken once. Thread-safe. */
final class SparseTensorsMap implements Resource {
    private final String name;
    private final Map<Long, List<Tensor>> all = new HashMap<>();
    private long next;

    private SparseTensorsMap(String name) {
        this.name = name;
    }

    static SparseTensorsMap of(KernelContext c, String container, String sharedName) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        return c.containers().lookupOrCreate(container, name, SparseTensorsMap.class, () -> new SparseTensorsMap(name));
    }

    /** Takes over references to indices, values and shape. */
    synchronized long put(List<Tensor> sparse) {
        all.put(next, sparse);
        return next++;
    }

    /** Indices, values and shape of each, one behind the other, which the caller owns; all of them are there, or none is taken. */
    synchronized List<Tensor> take(long[] handles) {
        Set<Long> wanted = new HashSet<>();
        for (long h : handles)
            require(
                    all.containsKey(h) && wanted.add(h),
                    INVALID_ARGUMENT,
                    "Unable to find SparseTensor: %d in map: %s",
                    h,
                    name);
        List<Tensor> taken = new ArrayList<>();
        for (long h : handles) taken.addAll(all.remove(h));
        return taken;
    }

    @Override
    public synchronized void close() {
        for (List<Tensor> each : all.values()) each.forEach(Tensor::release);
        all.clear();
    }

    @Override
    public String kind() {
        return "map of sparse tensors";
    }
}
