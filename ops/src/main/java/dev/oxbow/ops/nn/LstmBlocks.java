package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Recurrent;
import dev.oxbow.kernels.numeric.Recurrent.Lstm;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * What single LSTM steps and whole sequences share. Inputs are x, cs_prev, h_prev, w, wci, wcf, wco and b, for
 * sequences after seq_len_max, and for gradients before the seven outputs and the gradients of cs and h.
 */
record LstmBlocks(String op, boolean version2, boolean usePeephole, float forgetBias, float cellClip) {

    private static Lstm layer(KernelContext c, int first, LstmBlocks of, int batch, int inputs) {
        Tensor[] peepholes = {c.input(first + 4), c.input(first + 5), c.input(first + 6)};
        return new Lstm(
                c.input(first + 3),
                c.input(first + 7),
                of.usePeephole ? peepholes : null,
                of.version2,
                of.forgetBias,
                of.cellClip,
                batch,
                inputs,
                c.parallel());
    }

    /** Seven outputs of [batch, cells], or [time, batch, cells] when x has time. */
    List<TensorType> infer(InferenceContext c, int first) {
        Shape x = c.shape(first), cs = c.shape(first + 1), b = c.shape(first + 7);
        int rank = first == 0 ? 2 : 3;
        require(
                !x.isRankKnown() || x.rank() == rank,
                INVALID_ARGUMENT,
                "%s: x must be %d-dimensional, got %s",
                op,
                rank,
                x);
        long cells = b.rank() == 1 && b.dim(0) >= 0 ? b.dim(0) / 4 : cs.rank() == 2 ? cs.dim(1) : -1;
        Shape y = (x.isRankKnown() ? x : Shape.ofRank(rank)).withDim(-1, cells);
        return Collections.nCopies(7, new TensorType(c.dtype(first), y));
    }

    /** Checks the sizes at run time and gives batch, inputs and cells. */
    private int[] sizes(KernelContext c, int first) {
        Shape x = c.input(first).shape(), w = c.input(first + 3).shape();
        int batch = Math.toIntExact(x.dim(-2)), inputs = Math.toIntExact(x.dim(-1));
        int cells = Math.toIntExact(c.input(first + 7).size() / 4);
        for (int i = 1; i <= 2; i++)
            require(
                    c.input(first + i).shape().equals(Shape.of(batch, cells)),
                    INVALID_ARGUMENT,
                    "%s: the previous state must be [%d, %d], got %s",
                    op,
                    batch,
                    cells,
                    c.input(first + i).shape());
        require(
                w.equals(Shape.of(inputs + cells, 4L * cells)),
                INVALID_ARGUMENT,
                "%s: w must be [%d, %d], got %s",
                op,
                inputs + cells,
                4 * cells,
                w);
        return new int[] {batch, inputs, cells};
    }

    Kernel step() {
        return c -> {
            int[] n = sizes(c, 0);
            float[][] y = layer(c, 0, this, n[0], n[1])
                    .step(Recurrent.floats(c.input(0)), Recurrent.floats(c.input(1)), Recurrent.floats(c.input(2)));
            for (int i = 0; i < 7; i++) Recurrent.store(y[i], c.output(i), 0);
        };
    }

    Kernel stepGradient() {
        return c -> {
            int[] n = sizes(c, 0);
            float[][] y = new float[6][];
            for (int i = 0; i < 6; i++) y[i] = Recurrent.floats(c.input(8 + i));
            float[][] d = layer(c, 0, this, n[0], n[1])
                    .gradient(
                            Recurrent.floats(c.input(1)),
                            y,
                            Recurrent.floats(c.input(14)),
                            Recurrent.floats(c.input(15)));
            for (int i = 0; i < 5; i++) Recurrent.store(d[i], c.output(i), 0);
        };
    }

    private int length(KernelContext c) {
        long steps = c.input(1).shape().dim(0), most = c.input(0).getLong(0);
        require(
                most >= 0 && most <= steps,
                INVALID_ARGUMENT,
                "%s: seq_len_max must be in [0, %d], got %d",
                op,
                steps,
                most);
        return Math.toIntExact(most);
    }

    Kernel sequence() {
        return c -> {
            int[] n = sizes(c, 1);
            int steps = length(c), size = n[0] * n[2];
            Lstm layer = layer(c, 1, this, n[0], n[1]);
            for (int i = 0; i < 7; i++)
                Memory.zero(c.output(i).address(), c.output(i).byteSize());
            float[] x = Recurrent.floats(c.input(1)),
                    cs = Recurrent.floats(c.input(2)),
                    h = Recurrent.floats(c.input(3));
            for (int t = 0; t < steps; t++) {
                float[][] y = layer.step(slice(x, t, n[0] * n[1]), cs, h);
                for (int i = 0; i < 7; i++) Recurrent.store(y[i], c.output(i), (long) t * size);
                cs = y[1];
                h = y[6];
            }
        };
    }

    Kernel sequenceGradient() {
        return c -> {
            int[] n = sizes(c, 1);
            int steps = length(c), size = n[0] * n[2];
            Lstm layer = layer(c, 1, this, n[0], n[1]);
            float[] x = Recurrent.floats(c.input(1)),
                    cs0 = Recurrent.floats(c.input(2)),
                    h0 = Recurrent.floats(c.input(3));
            float[][] all = new float[7][];
            for (int i = 0; i < 7; i++) all[i] = Recurrent.floats(c.input(9 + i));
            float[] dCsAll = Recurrent.floats(c.input(16)), dHAll = Recurrent.floats(c.input(17));
            float[] dX = new float[x.length], dCs = new float[size], dH = new float[size];
            float[] dW = new float[(n[1] + n[2]) * 4 * n[2]], dB = new float[4 * n[2]];
            float[][] dPeepholes = new float[3][n[2]];
            for (int t = steps - 1; t >= 0; t--) {
                float[][] y = new float[6][];
                for (int i = 0; i < 6; i++) y[i] = slice(all[i], t, size);
                float[] csPrevious = t == 0 ? cs0 : slice(all[1], t - 1, size),
                        hPrevious = t == 0 ? h0 : slice(all[6], t - 1, size);
                float[] xt = slice(x, t, n[0] * n[1]);
                float[][] d = layer.gradient(
                        csPrevious,
                        y,
                        Recurrent.sum(slice(dCsAll, t, size), dCs),
                        Recurrent.sum(slice(dHAll, t, size), dH));
                float[] dXh = layer.inputGradient(d[1]);
                System.arraycopy(Recurrent.columns(dXh, n[1] + n[2], 0, n[1]), 0, dX, t * n[0] * n[1], n[0] * n[1]);
                dCs = d[0];
                dH = Recurrent.columns(dXh, n[1] + n[2], n[1], n[1] + n[2]);
                layer.weightGradient(xt, hPrevious, d[1], dW, dB);
                for (int i = 0; i < 3; i++) dPeepholes[i] = Recurrent.sum(dPeepholes[i], d[2 + i]);
            }
            List<float[]> results = new ArrayList<>(List.of(dX, dCs, dH, dW));
            results.addAll(Arrays.asList(dPeepholes));
            results.add(dB);
            for (int i = 0; i < 8; i++) Recurrent.store(results.get(i), c.output(i), 0);
        };
    }

    private static float[] slice(float[] all, int t, int size) {
        return Arrays.copyOfRange(all, t * size, (t + 1) * size);
    }
}
