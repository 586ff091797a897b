package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.Samples;
import java.security.SecureRandom;

/** Seeds for the walks over a data set, which may be shared by several. */
final class Seeds implements Resource {
    private final long first;
    private final long second;

    /** Where new seeds come from; null where all walks have the same. */
    private final Samples source;

    private Seeds(long first, long second, boolean again) {
        this.first = first;
        this.second = second;
        this.source = again ? numbers(first, second) : null;
    }

    /** Seeds of zeros are drawn; with {@code again} each walk has seeds of its own. */
    static Seeds of(long seed, long seed2, boolean again) {
        if (seed != 0 || seed2 != 0) return new Seeds(seed, seed2, again);
        SecureRandom random = new SecureRandom();
        return new Seeds(random.nextLong(), random.nextLong(), again);
    }

    /** Those of an input, or others where it has none. */
    static Seeds input(KernelContext c, int i, long seed, long seed2, boolean again) {
        return ResourceHandle.of(c.input(i)).resource() instanceof Seeds s ? s : of(seed, seed2, again);
    }

    /** The numbers of the next walk. */
    synchronized Samples next() {
        if (source == null) return numbers(first, second);
        long seed = Integer.toUnsignedLong(source.next());
        return numbers(seed, Integer.toUnsignedLong(source.next()));
    }

    private static Samples numbers(long seed, long seed2) {
        return new Samples(Philox.ofSeeds(seed, seed2));
    }

    @Override
    public void close() {}

    @Override
    public String kind() {
        return "generator of seeds";
    }
}
