package dev.oxbow.data.pipeline;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Elements that are kept in memory once they were computed, up to a number of bytes; others are computed again. All epochs have
 * the elements of epoch 0, and a worker keeps those that it was asked for.
 */
final class CacheStage<T> implements Stage<T> {
    private final Stage<T> from;
    private final long most;
    private final Map<Long, T> kept = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    /** How many there are, once somebody has seen the end; -1 before. */
    private volatile long size = -1;

    CacheStage(Stage<T> from, long most) {
        this.from = from;
        this.most = most;
    }

    @Override
    public Cursor<T> open(Setting setting) {
        boolean complete = size >= 0 && kept.size() == size;
        Cursor<T> upstream = complete ? null : from.open(setting.whole().at(0));
        return new Cursor<>() {
            private long index;

            @Override
            public Lazy<T> next() {
                if (complete && index == size) return null;
                Lazy<T> computed = complete ? null : upstream.next();
                if (!complete && computed == null) {
                    size = index;
                    return null;
                }
                return cached(index++, computed);
            }

            @Override
            public long skip(long n) {
                long some = complete ? Math.min(n, size - index) : upstream.skip(n);
                index += some;
                return some;
            }

            @Override
            public void close() {
                if (upstream != null) upstream.close();
            }
        };
    }

    private Lazy<T> cached(long index, Lazy<T> computed) {
        return new Lazy<>() {
            @Override
            public T get() {
                T there = kept.get(index);
                if (there != null) {
                    if (computed != null) computed.drop();
                    return Ownership.share(there);
                }
                return keep(index, computed.get());
            }

            @Override
            public long bytes() {
                return computed == null ? Sizes.REFERENCE : computed.bytes();
            }

            @Override
            public void drop() {
                if (computed != null) computed.drop();
            }
        };
    }

    private T keep(long index, T value) {
        long more = Sizes.of(value);
        if (bytes.addAndGet(more) > most) {
            bytes.addAndGet(-more);
            return value;
        }
        T before = kept.putIfAbsent(index, value);
        if (before != null) {
            bytes.addAndGet(-more);
            return value;
        }
        return Ownership.share(value);
    }

    @Override
    public String describe() {
        return "cache in memory";
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
