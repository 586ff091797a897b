package dev.oxbow.parallel.planner;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;
import java.util.Locale;

/** The ways to bring the gradients of n workers together, D bytes of each, over links of S bytes a second both ways. */
public enum Way {
    /** Each sends a share around, twice: {@code 2 D (n - 1) / (n S)} in {@code 2 (n - 1)} messages. */
    RING,
    /** All send to one, which sends back to all: {@code 2 D (n - 1) / S}. */
    STAR,
    /** Up a binary tree and down again: {@code 2 D log2(n) / S}. */
    TREE,
    /** Halves, quarters, ... and back: the ring's bytes in {@code 2 log2(n)} messages; n no power of two adds {@code 2 D / S}. */
    HALVING_DOUBLING,
    /** k servers on hosts of their own, which answer when they have all: {@code 2 D max(1, n / k) / S}. */
    PARAMETER_SERVER,
    /** The same where answers are on their way while gradients still come: {@code D max(1, n / k) / S}. */
    OVERLAPPED_SERVER,
    /** k servers, and all workers serve as well, each as much as its link is free for: {@code 2 D n (n - 1) / ((n^2 + k n - 2 k) S)}. */
    PUSH_PULL;

    /** Bytes that the busiest link carries in its busier direction, divided by its rate, are the time of this. */
    public double busiestBytes(double bytes, long n, long servers) {
        if (n <= 1 && this != PARAMETER_SERVER && this != OVERLAPPED_SERVER) return 0;
        double share = (double) (n - 1) / n, k = Math.max(1, servers);
        return switch (this) {
            case RING -> 2 * bytes * share;
            case STAR -> 2 * bytes * (n - 1);
            case TREE -> 2 * bytes * log2(n);
            case HALVING_DOUBLING -> 2 * bytes * share + (Long.bitCount(n) == 1 ? 0 : 2 * bytes);
            case PARAMETER_SERVER -> servers == 0 ? RING.busiestBytes(bytes, n, 0) : 2 * bytes * Math.max(1, n / k);
            case OVERLAPPED_SERVER -> servers == 0 ? RING.busiestBytes(bytes, n, 0) : bytes * Math.max(1, n / k);
            case PUSH_PULL -> {
                double nn = n, extra = Math.min(servers, n); // more than one for each worker are of no use
                yield 2 * bytes * nn * (nn - 1) / (nn * nn + extra * nn - 2 * extra);
            }
        };
    }

    /** Bytes that a worker sends in a step. */
    public double workerBytes(double bytes, long n, long servers) {
        return switch (this) {
            case STAR, PARAMETER_SERVER, OVERLAPPED_SERVER ->
                n <= 1 && this == STAR ? 0 : servers == 0 && this != STAR ? busiestBytes(bytes, n, 0) : bytes;
            case RING, HALVING_DOUBLING, PUSH_PULL -> busiestBytes(bytes, n, servers);
            case TREE -> n <= 1 ? 0 : 3 * bytes;
        };
    }

    /** Messages that follow one another. */
    public double steps(long n) {
        if (n <= 1) return 0;
        return switch (this) {
            case RING -> 2 * (n - 1);
            case STAR, PARAMETER_SERVER, OVERLAPPED_SERVER, PUSH_PULL -> 2;
            case TREE, HALVING_DOUBLING -> 2 * log2(n);
        };
    }

    /** Whether it needs, or can use, hosts beside the workers. */
    public boolean usesServers() {
        return this == PARAMETER_SERVER || this == OVERLAPPED_SERVER || this == PUSH_PULL;
    }

    /** The way of a name such as {@code ring} or {@code parameter-server}. */
    public static Way named(String name) {
        for (Way w : values()) if (w.toString().equals(name)) return w;
        throw new OxbowException(
                INVALID_ARGUMENT,
                "plan: there is no way '%s' to exchange gradients, only %s".formatted(name, Arrays.toString(values())));
    }

    private static int log2(long n) {
        return 64 - Long.numberOfLeadingZeros(n - 1);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
