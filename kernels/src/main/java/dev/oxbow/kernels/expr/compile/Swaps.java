package dev.oxbow.kernels.expr.compile;

import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** Shuffles that exchange each lane with the one so many further on; constants for generated code. */
final class Swaps {
    static final VectorShuffle<Float> F32_1 = of(Lanes.F32, 1), F32_2 = of(Lanes.F32, 2), F32_4 = of(Lanes.F32, 4);
    static final VectorShuffle<Float> F32_8 = of(Lanes.F32, 8);
    static final VectorShuffle<Integer> I32_1 = of(Lanes.I32, 1), I32_2 = of(Lanes.I32, 2), I32_4 = of(Lanes.I32, 4);
    static final VectorShuffle<Integer> I32_8 = of(Lanes.I32, 8);
    static final VectorShuffle<Double> F64_1 = of(Lanes.F64, 1), F64_2 = of(Lanes.F64, 2), F64_4 = of(Lanes.F64, 4);
    static final VectorShuffle<Long> I64_1 = of(Lanes.I64, 1), I64_2 = of(Lanes.I64, 2), I64_4 = of(Lanes.I64, 4);
    static final VectorShuffle<Float> F32_BESIDE_64_1 = of(Lanes.F32_BESIDE_64, 1);
    static final VectorShuffle<Float> F32_BESIDE_64_2 = of(Lanes.F32_BESIDE_64, 2);
    static final VectorShuffle<Float> F32_BESIDE_64_4 = of(Lanes.F32_BESIDE_64, 4);
    static final VectorShuffle<Integer> I32_BESIDE_64_1 = of(Lanes.I32_BESIDE_64, 1);
    static final VectorShuffle<Integer> I32_BESIDE_64_2 = of(Lanes.I32_BESIDE_64, 2);
    static final VectorShuffle<Integer> I32_BESIDE_64_4 = of(Lanes.I32_BESIDE_64, 4);

    private Swaps() {}

    /** Null where the vector has no lane that far. */
    private static <E> VectorShuffle<E> of(VectorSpecies<E> species, int distance) {
        return distance < species.length() ? VectorShuffle.fromOp(species, i -> i ^ distance) : null;
    }
}
