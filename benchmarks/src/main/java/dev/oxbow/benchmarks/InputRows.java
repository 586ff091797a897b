package dev.oxbow.benchmarks;

/** A batch of a plain loop: rows beside each other, as a model wants them. */
final class InputRows {
    final float[] x;
    final long[] y = new long[OxbowInput.BATCH];
    final byte[][] names = new byte[OxbowInput.BATCH][];
    int rows;

    InputRows(int width) {
        x = new float[OxbowInput.BATCH * width];
    }

    /** What is done with a whole batch. */
    interface Taker {
        /** Has batches made, and no more. */
        Taker NOBODY = _ -> {};

        void take(InputRows batch);
    }
}
