package dev.oxbow.data.pipeline;

import java.util.List;

/**
 * Elements that are kept once they were computed; others are computed again. All epochs have the elements of epoch 0, and a worker
 * keeps those that it was asked for.
 */
record CacheStage<T>(Stage<T> from, Kept<T> kept) implements Stage<T> {

    @Override
    public Cursor<T> open(Setting setting) {
        kept.begin(); // fails where it can not be used
        try {
            long size = kept.size();
            boolean complete = size >= 0 && kept.count() == size;
            return cursor(
                    size, complete, complete ? null : from.open(setting.whole().at(0)), setting);
        } catch (RuntimeException e) {
            kept.end();
            throw e;
        }
    }

    private Cursor<T> cursor(long size, boolean complete, Cursor<T> upstream, Setting setting) {
        return new Cursor<>() {
            private long index;
            private boolean closed;

            @Override
            public Lazy<T> next() {
                if (complete && index == size) return null;
                Lazy<T> computed = complete ? null : upstream.next();
                if (!complete && computed == null) {
                    kept.size(index);
                    return null;
                }
                return setting.own(cached(index++, computed));
            }

            @Override
            public long skip(long n) {
                long some = complete ? Math.min(n, size - index) : upstream.skip(n);
                index += some;
                return some;
            }

            @Override
            public void close() {
                if (closed) return;
                closed = true;
                try {
                    if (upstream != null) upstream.close();
                } finally {
                    kept.end();
                }
            }
        };
    }

    private Lazy<T> cached(long index, Lazy<T> computed) {
        return new Lazy<>() {
            @Override
            public T get() {
                T there = kept.get(index);
                if (there == null) return kept.put(index, computed.get());
                if (computed != null) computed.drop();
                return there;
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

    @Override
    public String describe() {
        return kept.describe();
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
