package dev.oxbow.train.state;

/** Where a run is: steps done in all, the epoch it is in, and batches of that epoch that were used; all counted from 0. */
public record Position(long step, long epoch, long batch) {
    public static final Position START = new Position(0, 0, 0);

    /** After a step on so many batches. */
    public Position afterBatches(int count) {
        return new Position(step + 1, epoch, batch + count);
    }

    public Position afterEpoch() {
        return new Position(step, epoch + 1, 0);
    }
}
