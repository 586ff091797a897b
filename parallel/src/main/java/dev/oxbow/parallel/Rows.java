package dev.oxbow.parallel;

/**
 * Which rows of a batch one device has.
 *
 * @param before rows of devices before it
 * @param count its own rows
 * @param total rows of all devices together
 */
record Rows(long before, long count, long total) {

    /** The share of device {@code i} of {@code n}: as even as whole rows can be. */
    static Rows share(long total, int i, int n) {
        long from = total * i / n;
        return new Rows(from, total * (i + 1) / n - from, total);
    }

    /** The share of device {@code i} of {@code n} in these rows. */
    Rows part(int i, int n) {
        Rows mine = share(count, i, n);
        return new Rows(before + mine.before, mine.count, total);
    }

    /** Whether a dimension of this size is made of rows of the batch, some indices for each. */
    boolean divide(long dim) {
        return total == 0 ? dim == 0 : dim % total == 0;
    }

    /** The first of this device's indices of a dimension. */
    long from(long dim) {
        return total == 0 ? 0 : dim / total * before;
    }

    /** How many indices of a dimension this device has. */
    long of(long dim) {
        return total == 0 ? 0 : dim / total * count;
    }
}
