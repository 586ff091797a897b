package dev.oxbow.collective.cost;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.DirectAllReduce;
import dev.oxbow.collective.algorithm.DoublingAllReduce;
import dev.oxbow.collective.algorithm.FlatAllReduce;
import dev.oxbow.collective.algorithm.HalvingDoublingAllReduce;
import dev.oxbow.collective.algorithm.HierarchicalAllReduce;
import dev.oxbow.collective.algorithm.RingAllReduce;
import dev.oxbow.collective.algorithm.SharedAllReduce;
import dev.oxbow.collective.algorithm.StarAllReduce;
import dev.oxbow.collective.algorithm.TreeAllReduce;
import dev.oxbow.collective.codec.CodedExchange;
import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The ways to do an all-reduce. */
public enum Method {
    /** {@link FlatAllReduce}. */
    FLAT(true, true, false),
    /** {@link DoublingAllReduce}. */
    DOUBLING(true, false, false),
    /** {@link StarAllReduce}. */
    STAR(true, true, true),
    /** {@link TreeAllReduce}. */
    TREE(false, false, true),
    /** {@link RingAllReduce}. */
    RING(false, false, true),
    /** {@link HalvingDoublingAllReduce}. */
    HALVING_DOUBLING(false, false, true),
    /** {@link DirectAllReduce}. */
    DIRECT(true, true, true),
    /** {@link HierarchicalAllReduce}. */
    HIERARCHICAL(false, false, true),
    /** {@link SharedAllReduce}. */
    SHARED(true, true, false);

    private final boolean ordered;
    private final boolean serial;
    private final boolean coded;

    Method(boolean ordered, boolean serial, boolean coded) {
        this.ordered = ordered;
        this.serial = serial;
        this.coded = coded;
    }

    /** Whether values are combined in the order of the ranks, so that the reduction need not be commutative. */
    public boolean isOrdered() {
        return ordered;
    }

    /** Whether the result is the serial one bit for bit. */
    public boolean isSerial() {
        return serial;
    }

    /** Whether ranks end with the same bits over a {@link CodedExchange}. */
    public boolean isCoded() {
        return coded;
    }

    /** An all-reduce of {@code count} elements; {@code chunk} is the most elements of a message, or 0 for no limit. */
    public Algorithm allReduce(long address, long count, long chunk, int[] hostOf) {
        return switch (this) {
            case FLAT -> new FlatAllReduce(address, count);
            case DOUBLING -> new DoublingAllReduce(address, count);
            case STAR -> new StarAllReduce(address, count, chunk);
            case TREE -> new TreeAllReduce(address, count, chunk);
            case RING -> new RingAllReduce(address, count, chunk);
            case HALVING_DOUBLING -> new HalvingDoublingAllReduce(address, count);
            case DIRECT -> new DirectAllReduce(address, count, chunk);
            case HIERARCHICAL -> new HierarchicalAllReduce(address, count, hostOf, chunk);
            case SHARED -> new SharedAllReduce(address, count, chunk);
        };
    }

    /** The method with a name such as {@code ring} or {@code halving-doubling}. */
    public static Method named(String name) {
        for (Method m : values()) if (m.toString().equals(name)) return m;
        throw new OxbowException(
                INVALID_ARGUMENT,
                "all-reduce: no algorithm is called '" + name + "'; there are "
                        + Arrays.stream(values()).map(Method::toString).collect(Collectors.joining(", ")));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
