package dev.oxbow.data.pipeline;

import java.util.List;

/** All elements of one stage, then those of the next. */
record ChainStage<T>(List<Stage<? extends T>> from) implements Stage<T> {

    ChainStage {
        from = List.copyOf(from);
    }

    @Override
    public Cursor<T> open(Setting setting) {
        List<Cursor<? extends T>> all = Opened.all(from, setting);
        return new Cursor<>() {
            private int at;

            @Override
            public Lazy<T> next() {
                for (; at < all.size(); at++) {
                    Lazy<? extends T> next = all.get(at).next();
                    if (next != null) return next.then(x -> x);
                }
                return null;
            }

            @Override
            public long skip(long n) {
                long done = 0;
                for (; at < all.size(); at++) {
                    done += all.get(at).skip(n - done);
                    if (done == n) return n;
                }
                return done;
            }

            @Override
            public void close() {
                Opened.close(all);
            }
        };
    }

    @Override
    public String describe() {
        return "then";
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.copyOf(from);
    }
}
