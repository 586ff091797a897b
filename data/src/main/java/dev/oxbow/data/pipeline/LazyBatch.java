package dev.oxbow.data.pipeline;

import java.util.Arrays;
import java.util.List;

/** The rows of one worker of a batch that was not computed yet; threads may take some each. */
final class LazyBatch<T> implements Lazy<Batch> {
    private static final int PARTS = 8;

    private final List<Lazy<T>> members;
    private final long number;
    private final Rows rows;
    private final Work work;

    /** The rows of this worker, and those that it computes: more, where shapes depend on all. */
    private final int first, end, firstComputed, endComputed;

    private final Object[] computed;
    private final RuntimeException[] failures;

    LazyBatch(List<Lazy<T>> members, long number, Setting setting, Rows rows, Work work) {
        this.members = members;
        this.number = number;
        this.rows = rows;
        this.work = work;
        int all = members.size();
        this.first = (int) Batch.first(all, setting.rank(), setting.ranks());
        this.end = (int) Batch.first(all, setting.rank() + 1, setting.ranks());
        boolean some = !rows.needsAll() && first < end;
        this.firstComputed = some ? first : 0;
        this.endComputed = some ? end : rows.needsAll() ? all : 1;
        this.computed = new Object[all];
        this.failures = new RuntimeException[all];
        for (int i = 0; i < all; i++)
            if (i < firstComputed || i >= endComputed) members.get(i).drop();
    }

    @Override
    public int parts() {
        return Math.min(PARTS, endComputed - firstComputed);
    }

    @Override
    public void compute(int part) {
        int n = endComputed - firstComputed, parts = parts();
        for (int i = firstComputed + n * part / parts; i < firstComputed + n * (part + 1) / parts; i++) compute1(i);
    }

    private void compute1(int row) {
        if (computed[row] != null || failures[row] != null) return;
        try {
            computed[row] = members.get(row).get();
        } catch (RuntimeException e) {
            failures[row] = e;
        }
    }

    @Override
    public Batch get() {
        for (int i = firstComputed; i < endComputed; i++) compute1(i);
        List<Object> values = Arrays.asList(computed).subList(firstComputed, endComputed);
        long start = System.nanoTime();
        try {
            for (RuntimeException e : failures) if (e != null) throw e;
            return new Batch(
                    rows.stack(values, first - firstComputed, end - firstComputed), number, first, members.size());
        } finally {
            values.forEach(Ownership::close);
            Arrays.fill(computed, null);
            Arrays.fill(failures, null);
            work.add(System.nanoTime() - start);
        }
    }

    @Override
    public long bytes() {
        return members.stream().mapToLong(Lazy::bytes).sum();
    }

    @Override
    public void drop() {
        members.forEach(Lazy::drop);
    }
}
