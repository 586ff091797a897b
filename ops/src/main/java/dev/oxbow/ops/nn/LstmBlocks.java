package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Recurrent;
import dev.oxbow.kernels.numeric.Recurrent.Lstm;
import dev.oxbow.tensor.Counts;
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
record LstmBlocks(boolean version2, boolean usePeephole, float forgetBias, float cellClip) {

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
        return Collections.nCopies(7, new TensorType(c.dtype(first), check(c, first)));
    }

    /** Checks that all inputs of a step or sequence fit each other; the shape of its outputs. */
    private Shape check(InferenceContext c, int first) {
        boolean isSequence = first == 1;
        if (isSequence) c.scalar(0);
        c.rank(first, isSequence ? 3 : 2);
        c.rank(first + 1, 2);
        c.vector(first + 7);
        Shape x = c.shape(first).isRankKnown() ? c.shape(first) : Shape.ofRank(isSequence ? 3 : 2);
        long batch = x.dim(-2), inputs = x.dim(-1), gates = c.shape(first + 7).dim(0);
        require(gates < 0 || gates % 4 == 0, INVALID_ARGUMENT, "b must hold four gates, got %d elements", gates);
        long cells = gates >= 0 ? gates / 4 : c.shape(first + 1).dim(1);
        c.shape(first + 1, Shape.of(batch, cells));
        c.shape(first + 2, Shape.of(batch, cells));
        c.shape(first + 3, Shape.of(inputs < 0 || cells < 0 ? -1 : inputs + cells, cells < 0 ? -1 : 4 * cells));
        for (int i = 4; usePeephole && i < 7; i++) c.shape(first + i, Shape.of(cells));
        return x.withDim(-1, cells);
    }

    /** Checks the inputs of a gradient too: {@code states} outputs of the forward op, then the gradients of cs and h. */
    Shape checkGradient(InferenceContext c, int first, int states) {
        Shape y = check(c, first);
        for (int i = 0; i < states + 2; i++) c.shape(first + 8 + i, y);
        return y;
    }

    /** Batch, inputs and cells. */
    private static int[] sizes(KernelContext c, int first) {
        Shape x = c.input(first).shape();
        return new int[] {
            Counts.toInt(x.dim(-2)),
            Counts.toInt(x.dim(-1)),
            Counts.toInt(c.input(first + 7).size() / 4)
        };
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
            for (int i = 0; i < 5; i++) give(d[i], c.output(i), i >= 2);
        };
    }

    private int length(KernelContext c) {
        long steps = c.input(1).shape().dim(0), most = c.input(0).getLong(0);
        require(most >= 0 && most <= steps, INVALID_ARGUMENT, "seq_len_max must be in [0, %d], got %d", steps, most);
        return Counts.toInt(most);
    }

    Kernel sequence() {
        return c -> {
            int[] n = sizes(c, 1);
            int size = n[0] * n[2], steps = size == 0 ? 0 : length(c);
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
            int size = n[0] * n[2], steps = size == 0 ? 0 : length(c);
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
            for (int i = 0; i < 8; i++) give(results.get(i), c.output(i), i >= 4 && i < 7);
        };
    }

    /** Fills an output; weights of peepholes that are not used may have any shape, and no gradient. */
    private void give(float[] values, Tensor y, boolean isPeephole) {
        if (isPeephole && !usePeephole) Memory.zero(y.address(), y.byteSize());
        else Recurrent.store(values, y, 0);
    }

    private static float[] slice(float[] all, int t, int size) {
        return Arrays.copyOfRange(all, t * size, (t + 1) * size);
    }
}
