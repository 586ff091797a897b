package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A random one of the next so many elements, each time; the order follows from the seed and the number of the epoch. */
record ShuffleStage<T>(Stage<T> from, long size, long bytes, long seed) implements Stage<T> {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    ShuffleStage {
        require(size > 0, INVALID_ARGUMENT, "shuffle: needs room for an element, got %d", size);
        require(bytes > 0, INVALID_ARGUMENT, "shuffle: needs room for a byte, got %d", bytes);
    }

    @Override
    public Cursor<T> open(Setting setting) {
        Cursor<T> upstream = from.open(setting);
        SplittableRandom random = new SplittableRandom(seed * GOLDEN + setting.epoch());
        return new Cursor<>() {
            private final List<Lazy<T>> buffer = new ArrayList<>();
            private long held;
            private boolean ended;

            @Override
            public Lazy<T> next() {
                while (!ended && buffer.size() < size && (held < bytes || buffer.isEmpty())) {
                    Lazy<T> more = upstream.next();
                    if (more == null) ended = true;
                    else {
                        buffer.add(more);
                        held += more.bytes();
                    }
                }
                if (buffer.isEmpty()) return null;
                int i = random.nextInt(buffer.size());
                Lazy<T> taken = buffer.get(i), last = buffer.removeLast();
                if (taken != last) buffer.set(i, last);
                held -= taken.bytes();
                return taken;
            }

            @Override
            public void close() {
                buffer.forEach(Lazy::drop);
                upstream.close();
            }
        };
    }

    @Override
    public String describe() {
        return size == Long.MAX_VALUE ? "shuffle all" : "shuffle " + size;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
