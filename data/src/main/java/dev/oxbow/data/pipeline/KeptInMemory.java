package dev.oxbow.data.pipeline;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Elements in memory, up to a number of bytes. */
final class KeptInMemory<T> implements Kept<T> {
    private final long most;
    private final Map<Long, T> kept = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private volatile long size = -1;

    KeptInMemory(long most) {
        this.most = most;
    }

    @Override
    public T get(long index) {
        T there = kept.get(index);
        return there == null ? null : Ownership.share(there);
    }

    @Override
    public T put(long index, T element) {
        long more = Sizes.of(element);
        if (bytes.addAndGet(more) > most) {
            bytes.addAndGet(-more);
            return element;
        }
        if (kept.putIfAbsent(index, element) != null) {
            bytes.addAndGet(-more);
            return element;
        }
        return Ownership.share(element);
    }

    @Override
    public long count() {
        return kept.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void size(long all) {
        size = all;
    }

    @Override
    public String describe() {
        return "cache in memory";
    }
}
