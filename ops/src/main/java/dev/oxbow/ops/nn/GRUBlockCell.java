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
import java.util.Collections;
import java.util.List;

/** One step of a layer of GRU cells: {@code [r, u] = sigmoid([x, h'] w_ru + b_ru)}, {@code c = tanh([x, r h'] w_c + b_c)}, {@code h = u h' + (1 - u) c}. */
@Signature(
        "GRUBlockCell(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> (r: T, u: T, c: T, h: T) {T: type in [FLOAT]}")
public record GRUBlockCell() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape h = c.shape(1).isRankKnown() ? c.shape(1) : Shape.ofRank(2);
        require(
                h.rank() == 2 && (c.shape(0).rank() == 2 || !c.shape(0).isRankKnown()),
                INVALID_ARGUMENT,
                "GRUBlockCell: x and h_prev must be 2-dimensional, got %s and %s",
                c.shape(0),
                h);
        return Collections.nCopies(4, c.input(1).withShape(h));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int batch = Math.toIntExact(c.input(0).shape().dim(0));
            check(
                    c.input(0).shape(),
                    c.input(1).shape(),
                    c.input(2).shape(),
                    c.input(3).shape());
            float[][] in = new float[6][];
            for (int i = 0; i < 6; i++) in[i] = Recurrent.floats(c.input(i));
            float[][] y = Recurrent.gru(in[0], in[1], in[2], in[3], in[4], in[5], batch, c.parallel());
            for (int i = 0; i < 4; i++) Recurrent.store(y[i], c.output(i), 0);
        };
    }

    static void check(Shape x, Shape h, Shape wRu, Shape wC) {
        long both = x.dim(1) + h.dim(1), cells = h.dim(1);
        require(
                x.dim(0) == h.dim(0) && wRu.equals(Shape.of(both, 2 * cells)) && wC.equals(Shape.of(both, cells)),
                INVALID_ARGUMENT,
                "GRUBlockCell: x, h_prev, w_ru and w_c do not fit: %s, %s, %s, %s",
                x,
                h,
                wRu,
                wC);
    }
}
