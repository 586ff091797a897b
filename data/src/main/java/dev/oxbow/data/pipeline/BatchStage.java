package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;

/**
 * So many elements as rows of tensors. The last batch stage before whoever takes the elements is where work is shared out: all
 * workers know all batches, each computes its own rows. What lies before it is whole for everybody.
 *
 * @param pace how long rows take, which decides into how many parts a batch is cut
 */
record BatchStage<T>(Stage<T> from, int size, boolean dropRest, Rows rows, Work work, Work pace)
        implements Stage<Batch> {

    BatchStage {
        require(size > 0, INVALID_ARGUMENT, "batch: needs a row at least, got %d", size);
    }

    BatchStage(Stage<T> from, int size, boolean dropRest, Rows rows) {
        this(from, size, dropRest, rows, new Work(), new Work());
    }

    /** How a batch begins whose first member is a certain element of the epoch. */
    private interface Beginning<X> {
        LazyBatch<X> batch(List<Lazy<X>> members, long number, long index);
    }

    @Override
    public Cursor<Batch> open(Setting setting) {
        if (!rows.isPadded()
                && from instanceof MapStage<?, ?> map
                && map.f() instanceof RowMapper<?> f
                && f.columns().isPresent()) return filled(map, f, setting);
        return cursor(from.open(setting.whole()), (members, number, _) -> {
            Share share = Share.of(members.size(), setting).stacked(rows.needsAll());
            return new LazyBatch<>(members, number, share, new StackedRows<>(rows, share, work), pace);
        });
    }

    /** The function of the map before it writes the rows. */
    @SuppressWarnings("unchecked")
    private <X> Cursor<Batch> filled(MapStage<X, ?> map, RowMapper<?> f, Setting setting) {
        FilledRows.Writers<X> writers = new FilledRows.Writers<>((RowMapper<? super X>) f);
        return cursor(map.from().open(setting.whole()), (members, number, index) -> {
            Share share = Share.of(members.size(), setting);
            var rows = new FilledRows<>(map, writers, share, setting.epoch(), index);
            return new LazyBatch<>(members, number, share, rows, pace);
        });
    }

    private <X> Cursor<Batch> cursor(Cursor<X> upstream, Beginning<X> beginning) {
        return new Cursor<>() {
            private long number;
            private long index;

            @Override
            public Lazy<Batch> next() {
                List<Lazy<X>> members = new ArrayList<>(size);
                while (members.size() < size) {
                    Lazy<X> next = upstream.next();
                    if (next == null) break;
                    members.add(next);
                }
                if (members.isEmpty() || dropRest && members.size() < size) {
                    members.forEach(Lazy::drop);
                    return null;
                }
                long first = index;
                index += members.size();
                return beginning.batch(members, number++, first);
            }

            @Override
            public long skip(long n) {
                long elements = Math.multiplyExact(n, (long) size), there = upstream.skip(elements);
                long batches = there / size + (there % size > 0 && !dropRest ? 1 : 0);
                number += batches;
                index += there;
                return batches;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String describe() {
        return "batch " + size + (rows.isPadded() ? " padded" : "");
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
