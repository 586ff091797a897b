package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Recurrent;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import java.util.Collections;
import java.util.List;

/** One step of a layer of GRU cells: {@code [r, u] = sigmoid([x, h'] w_ru + b_ru)}, {@code c = tanh([x, r h'] w_c + b_c)}, {@code h = u h' + (1 - u) c}. */
@Signature(
        "GRUBlockCell(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> (r: T, u: T, c: T, h: T) {T: type in [FLOAT]}")
public record GRUBlockCell() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape h = check(c);
        return Collections.nCopies(4, c.input(1).withShape(h));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int batch = Counts.toInt(c.input(0).shape().dim(0));
            float[][] in = new float[6][];
            for (int i = 0; i < 6; i++) in[i] = Recurrent.floats(c.input(i));
            float[][] y = Recurrent.gru(in[0], in[1], in[2], in[3], in[4], in[5], batch, c.parallel());
            for (int i = 0; i < 4; i++) Recurrent.store(y[i], c.output(i), 0);
        };
    }

    /** Checks that the first six inputs fit each other; the shape [batch, cells] of h. */
    static Shape check(InferenceContext c) {
        c.rank(0, 2);
        c.rank(1, 2);
        Shape h = c.shape(1).isRankKnown() ? c.shape(1) : Shape.ofRank(2);
        long inputs = c.shape(0).isRankKnown() ? c.shape(0).dim(1) : -1, cells = h.dim(1);
        long both = inputs < 0 || cells < 0 ? -1 : inputs + cells, two = cells < 0 ? -1 : 2 * cells;
        c.sameDim(0, 0, 1, 0);
        c.shape(2, Shape.of(both, two));
        c.shape(3, Shape.of(both, cells));
        c.shape(4, Shape.of(two));
        c.shape(5, Shape.of(cells));
        return h;
    }
}
