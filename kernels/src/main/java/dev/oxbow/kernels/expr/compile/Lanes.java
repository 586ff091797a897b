package dev.oxbow.kernels.expr.compile;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The vector shapes of compiled kernels. All vectors of one kernel have the same number of lanes. */
final class Lanes {
    static final VectorSpecies<Integer> I32 = IntVector.SPECIES_PREFERRED;
    static final VectorSpecies<Float> F32 = FloatVector.SPECIES_PREFERRED;
    static final VectorSpecies<Long> I64 = LongVector.SPECIES_PREFERRED;
    static final VectorSpecies<Double> F64 = DoubleVector.SPECIES_PREFERRED;

    /** 32-bit lanes beside 64-bit ones: half of the bits for as many lanes. */
    static final VectorSpecies<Integer> I32_BESIDE_64 = VectorSpecies.of(int.class, half());

    static final VectorSpecies<Float> F32_BESIDE_64 = VectorSpecies.of(float.class, half());

    private Lanes() {}

    private static VectorShape half() {
        return VectorShape.forBitSize(I64.vectorBitSize() / 2);
    }

    /** Lanes of a kernel that has, or has not, 64-bit values. */
    static int count(boolean has64) {
        return has64 ? I64.length() : I32.length();
    }
}
