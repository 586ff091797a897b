package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.cuda.Convolution.Way;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What cuDNN is told of a convolution, and, where its library is ({@code -Doxbow.cuda.path}), that it has plans for a card. */
final class ConvolutionTest {

    /** An H200, as cuDNN describes one. */
    static final String CARD = """
            {"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,
             "multiProcessorCount":132,"warpSize":32,"maxSharedMemoryPerBlock":49152,
             "maxSharedMemoryPerBlockOptin":232448,"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,
             "maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":6,"isTccDriver":0,
             "supportCoopLaunch":1,"totalGlobalMem":150109880320,"smClockRateKHz":1980000,
             "memClockRateKHz":3201000,"l2CacheSize":62914560,"cudaDeviceId":0,"deviceVer":900,"driverVer":13000,
             "deviceName":"NVIDIA H200"}""";

    private static Convolution of(
            Way way, DType dtype, Shape images, String format, long kernel, long stride, long in) {
        List<Long> strides = List.of(1L, stride, stride, 1L), one = List.of(1L, 1L, 1L, 1L);
        Geometry g = Geometry.of(images, kernel, kernel, strides, one, "SAME", List.of(), format);
        return Convolution.of(way, dtype, g, format.equals("NCHW"), in, 64);
    }

    @Test
    void paddingIsTheSameOnBothSidesWhereThatGivesTheSameResults() {
        Convolution odd = of(Way.FORWARD, DType.F32, Shape.of(8, 14, 14, 32), "NHWC", 5, 1, 32);
        assertEquals(List.of(2L, 2L), odd.before());
        assertEquals(List.of(2L, 2L), odd.after());
        Convolution even = of(Way.FORWARD, DType.F32, Shape.of(8, 14, 14, 32), "NHWC", 3, 2, 32);
        assertEquals(List.of(0L, 0L), even.before());
        assertEquals(List.of(1L, 1L), even.after());
    }

    @Test
    void sizesHaveChannelsFirstWhateverTheFormat() {
        Convolution last = of(Way.FORWARD, DType.F32, Shape.of(8, 14, 12, 32), "NHWC", 3, 1, 16);
        assertEquals(List.of(8L, 32L, 14L, 12L), last.images());
        assertEquals(List.of(64L, 16L, 3L, 3L), last.filter());
        assertEquals(List.of(8L, 64L, 14L, 12L), last.results());
        assertFalse(last.isFilterSame());
        assertEquals(
                List.of(8L, 32L, 14L, 12L),
                of(Way.FORWARD, DType.F32, Shape.of(8, 32, 14, 12), "NCHW", 3, 1, 16)
                        .images());
    }

    @Test
    void cuDnnHasPlansForAllThreeWaysInAllDtypes() {
        String missing = Libraries.missingDnn();
        assumeTrue(missing == null, missing);
        DnnPlans plans = new DnnPlans(CARD);
        for (Way way : Way.values())
            for (DType t : List.of(DType.F32, DType.F16, DType.BF16))
                for (boolean exact : new boolean[] {true, false}) {
                    Convolution v = of(way, t, Shape.of(8, 14, 14, 32), "NHWC", 3, 1, 32);
                    assertTrue(
                            !plans.of(exact && t == DType.F32, 2, v.operations())
                                    .isEmpty(),
                            v::toString);
                }
    }
}
