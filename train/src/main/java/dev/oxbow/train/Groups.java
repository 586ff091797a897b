package dev.oxbow.train;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import java.util.List;

/** The batches of an epoch by steps; where it is wanted, those of the next step are taken before one begins. */
final class Groups implements AutoCloseable {
    private final Feed<Batch> all;
    private final int size;
    private final Coming coming;
    private final InputWaits waits;
    /** Of the next step; null where it is not taken yet. */
    private List<Batch> next;

    Groups(Feed<Batch> all, int size, Coming coming, InputWaits waits) {
        this.all = all;
        this.size = size;
        this.coming = coming;
        this.waits = waits;
    }

    boolean hasNext() {
        return next != null || all.hasNext();
    }

    /** The batches of a step: so many, or what is left; the caller closes them. */
    List<Batch> next() {
        List<Batch> now = next != null ? next : Runs.group(all, size);
        next = null;
        waits.step();
        if (!coming.isWanted()) return now;
        try {
            if (all.hasNext()) next = Runs.group(all, size);
        } catch (RuntimeException e) {
            now.forEach(Batch::close);
            throw e;
        }
        coming.set(next == null ? null : next.getFirst());
        return now;
    }

    @Override
    public void close() {
        coming.set(null);
        if (next != null) next.forEach(Batch::close);
    }
}
