package dev.oxbow.data.pipeline;

import java.util.Arrays;
import java.util.List;

/** The rows of one worker of a batch that was not computed yet; threads may take some each. */
final class LazyBatch<T> implements Lazy<Batch> {
    private static final int PARTS = 8;

    /** What a part should take at least: giving it to a thread takes some microseconds. */
    private static final double PART_IN_NANOS = 100_000;

    private final List<Lazy<T>> members;
    private final long number;
    private final Share share;
    private final Assembly<T> assembly;
    private final Work pace;
    private final int parts;
    private final boolean[] done;
    private final RuntimeException[] failures;

    /** @param pace how long rows took so far */
    LazyBatch(List<Lazy<T>> members, long number, Share share, Assembly<T> assembly, Work pace) {
        this.members = members;
        this.number = number;
        this.share = share;
        this.assembly = assembly;
        this.pace = pace;
        this.failures = new RuntimeException[share.all()];
        this.parts = parts(share.to() - share.from(), pace);
        this.done = new boolean[parts];
        for (int i = 0; i < share.all(); i++)
            if (i < share.from() || i >= share.to()) members.get(i).drop();
    }

    private static int parts(int rows, Work pace) {
        int most = Math.clamp(rows, 1, PARTS);
        long seen = pace.count();
        return seen == 0 ? most : (int) Math.clamp(rows * (pace.nanos() / (double) seen) / PART_IN_NANOS, 1, most);
    }

    @Override
    public int parts() {
        return parts;
    }

    @Override
    public void compute(int part) {
        int n = share.to() - share.from();
        int from = share.from() + n * part / parts, to = share.from() + n * (part + 1) / parts;
        if (done[part] || from == to) return;
        long start = System.nanoTime();
        assembly.compute(members, from, to, failures);
        done[part] = true;
        pace.add(to - from, System.nanoTime() - start);
    }

    @Override
    public Batch get() {
        for (int p = 0; p < parts; p++) compute(p);
        try {
            for (RuntimeException e : failures) if (e != null) throw e;
            return new Batch(assembly.finish(), number, share.first(), share.all());
        } finally {
            assembly.close();
            Arrays.fill(failures, null);
            Arrays.fill(done, false);
        }
    }

    @Override
    public long bytes() {
        return members.stream().mapToLong(Lazy::bytes).sum();
    }

    @Override
    public void drop() {
        assembly.close();
        int n = share.to() - share.from();
        for (int p = 0; p < parts; p++)
            for (int i = n * p / parts; !done[p] && i < n * (p + 1) / parts; i++)
                members.get(share.from() + i).drop();
    }
}
