package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Recurrent;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code GRUBlockCell} to x, to the previous h, and to c and [r, u] before their functions. */
@Signature(
        "GRUBlockCellGrad(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> (d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T) {T: type in [FLOAT]}")
public record GRUBlockCellGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape h = GRUBlockCell.check(c);
        for (int i = 6; i < 10; i++) c.shape(i, h);
        long cells = h.dim(1);
        return List.of(
                c.input(0),
                c.input(1).withShape(h),
                c.input(1).withShape(h),
                c.input(1).withShape(Shape.of(h.dim(0), cells < 0 ? -1 : 2 * cells)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape x = c.input(0).shape(), h = c.input(1).shape();
            float[][] rucD = new float[4][];
            for (int i = 0; i < 4; i++) rucD[i] = Recurrent.floats(c.input(6 + i));
            float[][] d = Recurrent.gruGradient(
                    Recurrent.floats(c.input(1)),
                    Recurrent.floats(c.input(2)),
                    Recurrent.floats(c.input(3)),
                    rucD,
                    Counts.toInt(x.dim(0)),
                    Counts.toInt(x.dim(1)),
                    Counts.toInt(h.dim(1)),
                    c.parallel());
            for (int i = 0; i < 4; i++) Recurrent.store(d[i], c.output(i), 0);
        };
    }
}
