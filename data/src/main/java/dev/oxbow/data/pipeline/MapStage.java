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
        return new Cursor<>() {
            private long index;

            @Override
            public Lazy<U> next() {
                Lazy<T> next = upstream.next();
                if (next == null) return null;
                long number = index++;
                return next.then(x -> apply(x, setting.epoch(), number));
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
        } catch (OxbowException e) {
            throw e.saying("%s of element %d of epoch %d: %s".formatted(name, index, epoch, e.text()));
        } catch (RuntimeException e) {
            throw new OxbowException(INTERNAL, "%s of element %d of epoch %d: %s".formatted(name, index, epoch, e), e);
        } finally {
            Ownership.passOn(x, y);
            work.add(System.nanoTime() - start);
        }
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
