package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Tuples that are put down under keys, whole or in parts, and picked up again. */
final class StagingMap extends WaitingResource {
    private final long capacity;
    private final long memoryLimit;
    private final int width;
    private final Map<Long, Tensor[]> incomplete = new TreeMap<>();
    private final Map<Long, Tensor[]> complete;
    private final Deque<Attempt> puts = line(true);
    private final Deque<Attempt> gets = line(false);
    private long bytes;

    StagingMap(String name, boolean ordered, int width, long capacity, long memoryLimit) {
        super(name);
        this.complete = ordered ? new TreeMap<>() : new LinkedHashMap<>();
        this.width = width;
        this.capacity = capacity;
        this.memoryLimit = memoryLimit;
    }

    static StagingMap of(
            KernelContext c,
            String container,
            String sharedName,
            boolean ordered,
            int width,
            long capacity,
            long memoryLimit) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        return c.containers()
                .lookupOrCreate(
                        container,
                        name + (ordered ? ":ordered" : ":map"),
                        StagingMap.class,
                        () -> new StagingMap(name, ordered, width, capacity, memoryLimit));
    }

    /** Puts the values after input 1 down as the components that input 1 names, under the key in input 0. */
    void put(KernelContext c) {
        long key = c.input(0).getLong(0);
        int[] at = distinct(indices(c, 1, c.inputCount() - 2));
        Tensor[] values = Tuples.keep(c, 2);
        long size = StagingArea.bytes(values);
        submit(puts, new Attempt(c) {
            @Override
            Progress run() {
                require(
                        memoryLimit == 0 || size <= memoryLimit,
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a memory limit of '%d'.",
                        size,
                        memoryLimit);
                Tensor[] tuple = incomplete.get(key);
                boolean begins = tuple == null;
                require(
                        !begins || !complete.containsKey(key) || at.length < width,
                        INVALID_ARGUMENT,
                        "Key '%d' already exists.",
                        key);
                if (begins && capacity > 0 && complete.size() + incomplete.size() >= capacity) return Progress.NONE;
                if (memoryLimit > 0 && bytes + size > memoryLimit) return Progress.NONE;
                if (begins) tuple = new Tensor[width];
                for (int i : at)
                    require(
                            tuple[i] == null,
                            INVALID_ARGUMENT,
                            "The tensor for index '%d' for key '%d' was already initialized",
                            i,
                            key);
                for (int i = 0; i < at.length; i++) tuple[at[i]] = values[i];
                bytes += size;
                boolean full = true;
                for (Tensor t : tuple) full &= t != null;
                if (!full) {
                    incomplete.put(key, tuple);
                    return Progress.DONE;
                }
                incomplete.remove(key);
                complete.put(key, tuple);
                return Progress.DONE;
            }

            @Override
            void abandon() {
                Tuples.release(values);
            }
        });
    }

    /** Picks up, or only looks at, the components that input 1 names of the tuple under the key in input 0. */
    void get(KernelContext c, List<DType> dtypes, boolean remove) {
        long key = c.input(0).getLong(0);
        int[] at = indices(c, 1, dtypes.size());
        if (remove) distinct(at);
        submit(gets, new Take(c, at, dtypes, 0, remove) {
            @Override
            Long key() {
                return complete.containsKey(key) ? key : null;
            }
        });
    }

    /** Picks up components of any complete tuple, of the one with the smallest key if keys are in order. */
    void getAny(KernelContext c, List<DType> dtypes) {
        int[] at = distinct(indices(c, 0, dtypes.size()));
        submit(gets, new Take(c, at, dtypes, 1, true) {
            @Override
            Long key() {
                return complete.isEmpty() ? null : complete.keySet().iterator().next();
            }

            @Override
            void finish() {
                super.finish();
                c.allocate(0, Shape.SCALAR).setLong(0, found);
            }
        });
    }

    private abstract class Take extends Attempt {
        private final int[] at;
        private final List<DType> dtypes;
        private final int first;
        private final boolean remove;
        private final Tensor[] taken;
        Long found;

        Take(KernelContext c, int[] at, List<DType> dtypes, int first, boolean remove) {
            super(c);
            this.at = at;
            this.dtypes = dtypes;
            this.first = first;
            this.remove = remove;
            this.taken = new Tensor[at.length];
        }

        abstract Long key();

        @Override
        Progress run() {
            found = key();
            if (found == null) return Progress.NONE;
            Tensor[] tuple = complete.get(found);
            for (int i : at)
                require(
                        tuple[i] != null,
                        INVALID_ARGUMENT,
                        "Tensor at index '%d' for key '%d' has already been removed.",
                        i,
                        found);
            Tuples.require(IntStream.of(at).mapToObj(i -> tuple[i]).toArray(Tensor[]::new), dtypes);
            for (int i = 0; i < at.length; i++) {
                taken[i] = tuple[at[i]];
                if (remove) {
                    tuple[at[i]] = null;
                    bytes -= taken[i].byteSize();
                } else {
                    taken[i].retain();
                }
            }
            boolean gone = true;
            for (Tensor t : tuple) gone &= t == null;
            if (gone) complete.remove(found);
            return Progress.DONE;
        }

        @Override
        void finish() {
            for (int i = 0; i < taken.length; i++) c.set(first + i, taken[i]);
        }
    }

    /** The components that an input names, one for each of {@code count} values. */
    private int[] indices(KernelContext c, int input, int count) {
        Tensor t = c.input(input);
        require(t.size() == count, INVALID_ARGUMENT, "there are %d indices and %d values", t.size(), count);
        int[] at = new int[count];
        for (int i = 0; i < at.length; i++) {
            at[i] = (int) t.getLong(i);
            require(
                    at[i] >= 0 && at[i] < width,
                    INVALID_ARGUMENT,
                    "Index '%d' is out of bounds for '%d' components",
                    at[i],
                    width);
        }
        return at;
    }

    private static int[] distinct(int[] at) {
        require(
                IntStream.of(at).distinct().count() == at.length,
                INVALID_ARGUMENT,
                "an index is given twice: %s",
                Arrays.toString(at));
        return at;
    }

    int size() {
        return change(complete::size);
    }

    int incompleteSize() {
        return change(incomplete::size);
    }

    void clear() {
        change(() -> {
            free();
            return null;
        });
    }

    @Override
    void free() {
        complete.values().forEach(Tuples::release);
        incomplete.values().forEach(Tuples::release);
        complete.clear();
        incomplete.clear();
        bytes = 0;
    }

    @Override
    public String kind() {
        return "StagingMap";
    }
}
