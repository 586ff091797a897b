package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.QI32;
import static dev.oxbow.tensor.DType.QI8;
import static dev.oxbow.tensor.DType.QU8;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples of arithmetic on levels between limits. */
public final class QuantisedSamples extends SampleFamily {
    private static final List<Long> ONES = List.of(1L, 1L, 1L, 1L);

    @Override
    public String name() {
        return "quantised";
    }

    @Override
    protected void define() {
        pairs();
        products();
        windows();
        clipped();
        narrowed();
        moved();
        normed();
    }

    private static Tensor levels(long seed, long... dims) {
        return random(QU8, 0, 256, seed, dims);
    }

    private static Tensor wide(double limit, long seed, long... dims) {
        return random(QI32, -limit, limit, seed, dims);
    }

    private static Tensor limit(double value) {
        return Tensor.scalar((float) value);
    }

    private void pairs() {
        for (String op : List.of("QuantizedAdd", "QuantizedMul")) {
            sample(named(op), levels(1, 2, 3), levels(2, 2, 3), limit(-1), limit(3), limit(-2), limit(2.5));
            sample(named(op), levels(3, 4, 3), levels(4, 3), limit(0), limit(6), limit(-7), limit(7));
            sample(named(op), levels(5), levels(6, 5), limit(-3), limit(0), limit(-1), limit(1));
            sample(named(op), levels(7, 0), levels(8, 0), limit(-3), limit(0), limit(-1), limit(1));
            sample(named(op), levels(9, 2), levels(9, 2), limit(1), limit(1), limit(-1), limit(1));
        }
        for (DType t : List.of(QU8, QI8)) {
            int low = t == QU8 ? 0 : -128;
            sample(
                    named("QuantizedBiasAdd", "out_type", QI32),
                    random(t, low, low + 256, 10, 2, 2, 3),
                    random(t, low, low + 256, 11, 3),
                    limit(-4),
                    limit(3),
                    limit(-0.5),
                    limit(0.25));
        }
    }

    private void products() {
        for (boolean a : new boolean[] {false, true})
            for (boolean b : new boolean[] {false, true})
                sample(
                        named("QuantizedMatMul", "transpose_a", a, "transpose_b", b),
                        levels(12, a ? 3 : 2, a ? 2 : 3),
                        levels(13, b ? 4 : 3, b ? 3 : 4),
                        limit(-1),
                        limit(2),
                        limit(-6),
                        limit(0.5));
        sample(named("QuantizedMatMul"), levels(14, 0, 3), levels(15, 3, 2), limit(0), limit(1), limit(0), limit(1));
        for (String padding : List.of("SAME", "VALID"))
            for (long stride : new long[] {1, 2})
                sample(
                        named("QuantizedConv2D", "strides", List.of(1L, stride, stride, 1L), "padding", padding),
                        levels(16, 2, 5, 4, 3),
                        levels(17, 3, 2, 3, 2),
                        limit(-1),
                        limit(3),
                        limit(-2),
                        limit(0.75));
        sample(
                named("QuantizedConv2D", "strides", ONES, "padding", "VALID"),
                levels(18, 1, 1, 1, 1),
                levels(19, 1, 1, 1, 1),
                limit(0),
                limit(255),
                limit(0),
                limit(255));
    }

    private void windows() {
        for (String op : List.of("QuantizedAvgPool", "QuantizedMaxPool"))
            for (String padding : List.of("SAME", "VALID")) {
                sample(
                        named(
                                op,
                                "ksize",
                                List.of(1L, 2L, 3L, 1L),
                                "strides",
                                List.of(1L, 2L, 1L, 1L),
                                "padding",
                                padding),
                        levels(20, 2, 5, 4, 3),
                        limit(-1),
                        limit(2));
                sample(
                        named(op, "ksize", ONES, "strides", ONES, "padding", padding),
                        levels(21, 1, 1, 1, 1),
                        limit(0),
                        limit(1));
            }
    }

    private void clipped() {
        for (String op : List.of("QuantizedRelu", "QuantizedRelu6")) {
            sample(named(op), levels(22, 3, 4), limit(-3), limit(9));
            sample(named(op, "out_type", QI32), wide(2e9, 23, 5), limit(-30), limit(40));
            sample(named(op), levels(24, 0), limit(-3), limit(9));
        }
        sampleUnanswered(named("QuantizedReluX"), levels(25, 4), limit(4), limit(-3), limit(9));
    }

    private void narrowed() {
        for (double most : new double[] {100, 5e4, 2e9}) {
            sample(named("QuantizeDownAndShrinkRange", "out_type", QU8), wide(most, 26, 2, 5), limit(-256), limit(256));
            sample(named("RequantizationRange"), wide(most, 27, 7), limit(-4), limit(4));
            for (DType to : List.of(QU8, QI8))
                sample(
                        named("Requantize", "out_type", to),
                        wide(most, 28, 2, 3),
                        limit(-5),
                        limit(5),
                        limit(-2),
                        limit(3));
        }
        sample(named("Requantize", "out_type", QU8), wide(10, 29, 0), limit(-5), limit(5), limit(-2), limit(3));
        sample(named("Requantize", "out_type", QU8), wide(10, 30, 2), limit(-5), limit(5), limit(1), limit(3));
    }

    private void moved() {
        for (DType t : List.of(QU8, QI32)) {
            Tensor x = t == QU8 ? levels(31, 2, 3) : wide(1e9, 31, 2, 3);
            sample(named("QuantizedReshape"), x, ints(3, -1), limit(-1), limit(1));
            sample(
                    named("QuantizedConcat"),
                    scalar(1),
                    x,
                    t == QU8 ? levels(32, 2, 1) : wide(1e9, 32, 2, 1),
                    limit(-1),
                    limit(-3),
                    limit(2),
                    limit(1));
            sample(named("QuantizedConcat"), scalar(0), x, x, limit(-1), limit(-1), limit(1), limit(1));
        }
        sampleUnanswered(
                named("QuantizedConcatV2"),
                levels(33, 2, 3),
                levels(34, 2, 2),
                scalar(-1),
                limit(-1),
                limit(-3),
                limit(2),
                limit(1));
        for (boolean corners : new boolean[] {false, true})
            for (DType t : List.of(QU8, QI32, F32)) {
                Tensor x = t == QU8
                        ? levels(35, 1, 3, 4, 2)
                        : t == QI32 ? wide(1e9, 36, 1, 3, 4, 2) : floats(37, 1, 3, 4, 2);
                sample(named("QuantizedResizeBilinear", "align_corners", corners), x, ints(5, 3), limit(0), limit(1));
            }
        sample(
                named("QuantizedResizeBilinear", "half_pixel_centers", true),
                levels(38, 2, 2, 3, 1),
                ints(4, 6),
                limit(-2),
                limit(5));
    }

    private void normed() {
        sample(named("QuantizedInstanceNorm"), levels(39, 2, 3, 4, 2), limit(-1), limit(3));
        sample(
                named("QuantizedInstanceNorm", "output_range_given", true, "given_y_min", -1.5f, "given_y_max", 2f),
                levels(40, 1, 4, 4, 3),
                limit(0),
                limit(1));
        sample(
                named("QuantizedInstanceNorm", "min_separation", 10f, "variance_epsilon", 0.5f),
                levels(41, 1, 2, 2, 1),
                limit(-1),
                limit(1));
        for (boolean scaled : new boolean[] {false, true})
            sample(
                    named(
                            "QuantizedBatchNormWithGlobalNormalization",
                            "out_type",
                            QI32,
                            "variance_epsilon",
                            0.01f,
                            "scale_after_normalization",
                            scaled),
                    levels(42, 1, 2, 3, 2),
                    limit(-3),
                    limit(4),
                    levels(43, 2),
                    limit(-1),
                    limit(1),
                    levels(44, 2),
                    limit(0.5),
                    limit(3),
                    levels(45, 2),
                    limit(-2),
                    limit(2),
                    levels(46, 2),
                    limit(0),
                    limit(2));
    }
}
