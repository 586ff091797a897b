package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;

/**
 * So many elements as rows of tensors. The last batch stage before whoever takes the elements is where work is shared out: all
 * workers know all batches, each computes its own rows. What lies before it is whole for everybody.
 */
record BatchStage<T>(Stage<T> from, int size, boolean dropRest, Rows rows, Work work) implements Stage<Batch> {

    BatchStage {
        require(size > 0, INVALID_ARGUMENT, "batch: needs a row at least, got %d", size);
    }

    @Override
    public Cursor<Batch> open(Setting setting) {
        Cursor<T> upstream = from.open(setting.whole());
        return new Cursor<>() {
            private long number;

            @Override
            public Lazy<Batch> next() {
                List<Lazy<T>> members = new ArrayList<>(size);
                while (members.size() < size) {
                    Lazy<T> next = upstream.next();
                    if (next == null) break;
                    members.add(next);
                }
                if (members.isEmpty() || dropRest && members.size() < size) {
                    members.forEach(Lazy::drop);
                    return null;
                }
                return new LazyBatch<>(members, number++, setting, rows, work);
            }

            @Override
            public long skip(long n) {
                long elements = Math.multiplyExact(n, (long) size), there = upstream.skip(elements);
                long batches = there / size + (there % size > 0 && !dropRest ? 1 : 0);
                number += batches;
                return batches;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
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
