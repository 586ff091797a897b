package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Tuples that are put down and picked up in order, within a number of tuples and of bytes. */
final class StagingArea extends WaitingResource {
    private final long capacity;
    private final long memoryLimit;
    private final ArrayDeque<Tensor[]> tuples = new ArrayDeque<>();
    private final Deque<Attempt> puts = line(true);
    private final Deque<Attempt> gets = line(true);
    private final Deque<Attempt> peeks = line(false);
    private long bytes;

    StagingArea(String name, long capacity, long memoryLimit) {
        super(name);
        this.capacity = capacity;
        this.memoryLimit = memoryLimit;
    }

    static StagingArea of(KernelContext c, String container, String sharedName, long capacity, long memoryLimit) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        return c.containers()
                .lookupOrCreate(container, name, StagingArea.class, () -> new StagingArea(name, capacity, memoryLimit));
    }

    static long bytes(Tensor[] tuple) {
        long n = 0;
        for (Tensor t : tuple) if (t != null) n += t.byteSize();
        return n;
    }

    void put(KernelContext c) {
        Tensor[] tuple = Tuples.keep(c, 0);
        long size = bytes(tuple);
        submit(puts, new Attempt(c) {
            @Override
            Progress run() {
                require(
                        memoryLimit == 0 || size <= memoryLimit,
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a memory limit of '%d'.",
                        size,
                        memoryLimit);
                if (capacity > 0 && tuples.size() >= capacity || memoryLimit > 0 && bytes + size > memoryLimit)
                    return Progress.NONE;
                tuples.add(tuple);
                bytes += size;
                return Progress.DONE;
            }

            @Override
            void abandon() {
                Tuples.release(tuple);
            }
        });
    }

    void get(KernelContext c, List<DType> dtypes) {
        submit(gets, new Attempt(c) {
            private Tensor[] taken;

            @Override
            Progress run() {
                if (tuples.isEmpty()) return Progress.NONE;
                Tuples.require(tuples.peek(), dtypes);
                taken = tuples.poll();
                bytes -= bytes(taken);
                return Progress.DONE;
            }

            @Override
            void finish() {
                for (int i = 0; i < taken.length; i++) c.set(i, taken[i]);
            }
        });
    }

    /** Looks at the tuple at a position, once it is there. */
    void peek(KernelContext c, long index, List<DType> dtypes) {
        require(index >= 0, ErrorCode.INVALID_ARGUMENT, "index must not be negative, got %d", index);
        submit(peeks, new Attempt(c) {
            private Tensor[] seen;

            @Override
            Progress run() {
                if (tuples.size() <= index) return Progress.NONE;
                Tensor[] tuple = new ArrayList<>(tuples).get((int) index);
                Tuples.require(tuple, dtypes);
                seen = tuple;
                for (Tensor t : seen) t.retain();
                return Progress.DONE;
            }

            @Override
            void finish() {
                for (int i = 0; i < seen.length; i++) c.set(i, seen[i]);
            }
        });
    }

    int size() {
        return change(tuples::size);
    }

    void clear() {
        change(() -> {
            free();
            return null;
        });
    }

    @Override
    void free() {
        tuples.forEach(Tuples::release);
        tuples.clear();
        bytes = 0;
    }

    @Override
    public String kind() {
        return "StagingArea";
    }
}
