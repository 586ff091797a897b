package dev.oxbow.data.pipeline;

/**
 * Which rows of a batch of {@code all} a worker has, {@code [first, end)}, and which it computes, {@code [from, to)}: more, where
 * shapes depend on all.
 */
record Share(int all, int first, int end, int from, int to) {

    static Share of(int all, Setting setting) {
        int first = (int) Batch.first(all, setting.rank(), setting.ranks());
        int end = (int) Batch.first(all, setting.rank() + 1, setting.ranks());
        return new Share(all, first, end, first, end);
    }

    /** For rows whose shapes are those of their elements: a worker without rows computes one to know them. */
    Share stacked(boolean needsAll) {
        if (needsAll) return new Share(all, first, end, 0, all);
        return first < end ? this : new Share(all, first, end, 0, 1);
    }
}
