package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Rows that are samples or tensors first and then copied beside each other. */
final class StackedRows<T> implements Assembly<T> {
    private final Rows rows;
    private final Share share;
    private final Object[] computed;
    private final Work work;

    StackedRows(Rows rows, Share share, Work work) {
        this.rows = rows;
        this.share = share;
        this.work = work;
        this.computed = new Object[share.all()];
    }

    @Override
    public void compute(List<Lazy<T>> members, int from, int to, RuntimeException[] failures) {
        for (int i = from; i < to; i++) {
            try {
                computed[i] = members.get(i).get();
            } catch (Throwable e) {
                failures[i] = Failure.of(e);
            }
        }
    }

    @Override
    public List<Tensor> finish() {
        long start = System.nanoTime();
        List<Object> values = Arrays.asList(computed).subList(share.from(), share.to());
        try {
            return rows.stack(values, share.first() - share.from(), share.end() - share.from());
        } finally {
            work.add(1, System.nanoTime() - start);
        }
    }

    @Override
    public void close() {
        for (Object o : computed) Ownership.close(o);
        Arrays.fill(computed, null);
    }
}
