package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Recurrent;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code GRUBlockCell} to x, to the previous h, and to c and [r, u] before their functions. */
@Signature(
        "GRUBlockCellGrad(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> (d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T) {T: type in [FLOAT]}")
public record GRUBlockCellGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape h = c.shape(1).isRankKnown() ? c.shape(1) : Shape.ofRank(2);
        require(h.rank() == 2, INVALID_ARGUMENT, "GRUBlockCellGrad: h_prev must be 2-dimensional, got %s", h);
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
            GRUBlockCell.check(x, h, c.input(2).shape(), c.input(3).shape());
            float[][] rucD = new float[4][];
            for (int i = 0; i < 4; i++) rucD[i] = Recurrent.floats(c.input(6 + i));
            float[][] d = Recurrent.gruGradient(
                    Recurrent.floats(c.input(1)),
                    Recurrent.floats(c.input(2)),
                    Recurrent.floats(c.input(3)),
                    rucD,
                    Math.toIntExact(x.dim(0)),
                    Math.toIntExact(x.dim(1)),
                    Math.toIntExact(h.dim(1)),
                    c.parallel());
            for (int i = 0; i < 4; i++) Recurrent.store(d[i], c.output(i), 0);
        };
    }
}
