package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Rows that a function writes where the batch has them. */
final class FilledRows<T> implements Assembly<T> {

    /** Those of the threads of an epoch; what one has learned from the rows of a batch it knows in the next. */
    static final class Writers<T> {
        private final RowMapper<? super T> f;
        private final List<Row.Column> columns;
        private final Queue<RowMapper<? super T>> free = new ConcurrentLinkedQueue<>();

        Writers(RowMapper<? super T> f) {
            this.f = f;
            this.columns = f.columns().orElseThrow();
        }

        private RowMapper<? super T> take() {
            RowMapper<? super T> writer = free.poll();
            return writer != null ? writer : f.forRows();
        }
    }

    private final MapStage<T, ?> map;
    private final Writers<T> writers;
    private final List<Row.Column> columns;
    private final Share share;
    private final long epoch;
    private final long index;
    private List<Tensor> tensors;

    /** @param index the number of the first member among the elements of the epoch */
    FilledRows(MapStage<T, ?> map, Writers<T> writers, Share share, long epoch, long index) {
        this.map = map;
        this.writers = writers;
        this.columns = writers.columns;
        this.share = share;
        this.epoch = epoch;
        this.index = index;
    }

    private synchronized List<Tensor> tensors() {
        if (tensors == null) tensors = Row.allocate(columns, Shape.of(share.end() - share.first()));
        return tensors;
    }

    @Override
    public void compute(List<Lazy<T>> members, int from, int to, RuntimeException[] failures) {
        Object[] all = new Object[to - from];
        boolean whole = true;
        for (int i = from; i < to; i++) {
            try {
                all[i - from] = members.get(i).get();
            } catch (Throwable e) {
                failures[i] = Failure.of(e);
                whole = false;
            }
        }
        long start = System.nanoTime();
        Row row = new Row(tensors(), columns);
        RowMapper<? super T> writer = writers.take();
        boolean written = whole && writtenAtOnce(row, writer, all, from - share.first());
        for (int i = from; i < to && !written; i++)
            if (failures[i] == null) failures[i] = write(writer, all[i - from], index + i, row.at(i - share.first()));
        row.close();
        writers.free.add(writer);
        map.work().add(to - from, System.nanoTime() - start);
    }

    /** Where that fails, rows are written one by one, so that errors name their elements. */
    private static boolean writtenAtOnce(Row row, RowMapper<?> writer, Object[] all, long first) {
        try {
            return row.writeMany(writer, all, first);
        } catch (RuntimeException e) {
            return false;
        }
    }

    @SuppressWarnings("unchecked")
    private RuntimeException write(RowMapper<? super T> writer, Object x, long number, Row row) {
        try {
            writer.write((T) x, new Draw(map.seed(), epoch, number), row);
            return null;
        } catch (Throwable e) {
            return map.failed(e, epoch, number);
        } finally {
            Ownership.close(x);
        }
    }

    @Override
    public List<Tensor> finish() {
        List<Tensor> all = tensors();
        tensors = null;
        return all;
    }

    @Override
    public synchronized void close() {
        if (tensors != null) tensors.forEach(Tensor::close);
        tensors = null;
    }
}
