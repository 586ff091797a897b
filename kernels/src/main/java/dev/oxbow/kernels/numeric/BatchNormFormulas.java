package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import java.util.List;

/** What batch normalisation computes, for whoever has kernels of expressions: images first, then vectors of channels. */
public final class BatchNormFormulas {
    private BatchNormFormulas() {}

    /** What vectors of channels are for images of a dtype. */
    public static DType computed(DType dtype) {
        return Scratch.computed(dtype);
    }

    private static Expr image(int input, DType dtype) {
        return Expr.input(input, dtype).cast(computed(dtype));
    }

    private static Expr vector(int input, DType dtype) {
        return Expr.input(input, computed(dtype));
    }

    /** To be summed up, of x and each channel's first element: its distance from that, and the square. */
    public static List<Expr> moments(DType dtype) {
        Expr distance = image(0, dtype).minus(vector(1, dtype)).cast(DType.F64);
        return List.of(distance, distance.times(distance));
    }

    /** y, of x with vectors mean, factor and offset. */
    public static Expr apply(DType dtype) {
        Expr y = image(0, dtype).minus(vector(1, dtype)).times(vector(2, dtype)).plus(vector(3, dtype));
        return y.cast(dtype);
    }

    /** To be summed up, of x, dy and the mean: the gradients to offset and, but for the deviation, to scale. */
    public static List<Expr> sums(DType dtype) {
        Expr dy = image(1, dtype), centred = image(0, dtype).minus(vector(2, dtype));
        return List.of(dy, dy.times(centred));
    }

    /** dx, of x and dy with vectors mean, factor, mean of dy, and slope. */
    public static Expr dx(DType dtype) {
        Expr centred = image(0, dtype).minus(vector(2, dtype));
        Expr dx = image(1, dtype)
                .minus(vector(4, dtype))
                .minus(centred.times(vector(5, dtype)))
                .times(vector(3, dtype));
        return dx.cast(dtype);
    }

    /**
     * Of the two sums of {@link #moments}, in f64, the first elements, scale, and the old statistics: mean and variance mixed
     * into the old ones by {@code factor} unless that is 1, the variance unbiased; the batch's own; mean and factor for
     * {@link #apply}. {@code vectors} is the dtype of all but the last two.
     */
    public static List<Expr> statistics(DType dtype, DType vectors, long rows, double factor, double epsilon) {
        DType wide = DType.F64;
        Expr[] in = new Expr[4];
        for (int i = 0; i < in.length; i++)
            in[i] = Expr.input(2 + i, i == 0 ? computed(dtype) : vectors).cast(wide);
        Expr n = Expr.constant(wide, (double) rows),
                distance = Expr.input(0, wide).dividedBy(n);
        Expr mean = in[0].plus(distance);
        Expr variance =
                Expr.constant(wide, 0.0).max(Expr.input(1, wide).dividedBy(n).minus(distance.times(distance)));
        Expr unbiased = variance.times(Expr.constant(wide, (double) rows / Math.max(1, rows - 1)));
        boolean mixes = factor != 1;
        Expr old = Expr.constant(wide, 1 - factor), fresh = Expr.constant(wide, factor);
        return List.of(
                (mixes ? old.times(in[2]).plus(fresh.times(mean)) : mean).cast(vectors),
                (mixes ? old.times(in[3]).plus(fresh.times(unbiased)) : unbiased).cast(vectors),
                mean.cast(vectors),
                variance.cast(vectors),
                mean.cast(computed(dtype)),
                deviations(in[1], variance, epsilon).cast(computed(dtype)));
    }

    /** The factor for {@link #apply}, of scale and variance. */
    public static Expr factor(DType dtype, DType vectors, double epsilon) {
        return deviations(
                        Expr.input(0, vectors).cast(DType.F64),
                        Expr.input(1, vectors).cast(DType.F64),
                        epsilon)
                .cast(computed(dtype));
    }

    private static Expr deviations(Expr scale, Expr variance, double epsilon) {
        return scale.dividedBy(variance.plus(Expr.constant(DType.F64, epsilon)).sqrt());
    }

    /**
     * Of the two sums of {@link #sums}, scale and variance: the gradients to scale and to offset, and the last three vectors for
     * {@link #dx}, which are constants where the statistics are.
     */
    public static List<Expr> gradients(
            DType dtype, DType scale, DType vectors, DType results, long rows, double epsilon, boolean training) {
        DType wide = DType.F64, computed = computed(dtype);
        Expr sum = Expr.input(0, computed).cast(wide),
                moment = Expr.input(1, computed).cast(wide);
        Expr v = Expr.input(3, vectors).cast(wide).plus(Expr.constant(wide, epsilon)), deviation = v.sqrt();
        Expr n = Expr.constant(wide, (double) rows), none = Expr.constant(wide, 0.0);
        return List.of(
                moment.dividedBy(deviation).cast(results),
                sum.cast(results),
                Expr.input(2, scale).cast(wide).dividedBy(deviation).cast(computed),
                (training ? sum.dividedBy(n) : none).cast(computed),
                (training ? moment.dividedBy(n).dividedBy(v) : none).cast(computed));
    }
}
