package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.tensor.OxbowException;
import java.util.List;

/** Each element after a function. */
record MapStage<T, U>(Stage<T> from, String name, long seed, Pipeline.Mapper<? super T, ? extends U> f, Work work)
        implements Stage<U> {

    @Override
    public Cursor<U> open(Setting setting) {
        Cursor<T> upstream = from.open(setting);
        boolean shared = from.isShared();
        return new Cursor<>() {
            private long index;

            @Override
            public Lazy<U> next() {
                Lazy<T> next = upstream.next();
                if (next == null) return null;
                long number = index++;
                return next.then(x -> {
                    U y = apply(x, setting.epoch(), number);
                    return shared || x instanceof Batch ? y : setting.own(y); // a batch of a batch has its rows
                });
            }

            @Override
            public long skip(long n) {
                long skipped = upstream.skip(n);
                index += skipped;
                return skipped;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
    }

    private U apply(T x, long epoch, long index) {
        long start = System.nanoTime();
        U y = null;
        try {
            y = f.apply(x, new Draw(seed, epoch, index));
            return y;
        } catch (Throwable e) {
            throw failed(e, epoch, index);
        } finally {
            Ownership.passOn(x, y);
            work.add(1, System.nanoTime() - start);
        }
    }

    /** What went wrong, and with which element. */
    OxbowException failed(Throwable e, long epoch, long index) {
        String place = "%s of element %d of epoch %d: ".formatted(name, index, epoch);
        return e instanceof OxbowException known
                ? known.saying(place + known.text())
                : new OxbowException(INTERNAL, place + e, e);
    }

    @Override
    public String describe() {
        return name;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
