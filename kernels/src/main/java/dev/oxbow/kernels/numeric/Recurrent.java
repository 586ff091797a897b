package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Recurrent cells over a batch, in f32: LSTM and GRU steps with their gradients. */
public final class Recurrent {
    private Recurrent() {}

    /** Values of a tensor as floats. */
    public static float[] floats(Tensor t) {
        float[] v = new float[Counts.toInt(t.size())];
        for (int i = 0; i < v.length; i++) v[i] = (float) t.getDouble(i);
        return v;
    }

    /** Stores values from element {@code at} on. */
    public static void store(float[] v, Tensor t, long at) {
        for (int i = 0; i < v.length; i++) t.set(at + i, v[i]);
    }

    /** {@code c[m, n] += a[m, k] b[k, n]}. */
    public static void multiply(float[] a, float[] b, float[] c, int m, int k, int n, Parallel parallel) {
        parallel.run(m, Math.max(1, (1 << 15) / Math.max(1, k * n)), (from, to) -> {
            for (int i = (int) from; i < to; i++) {
                for (int p = 0; p < k; p++) {
                    float x = a[i * k + p];
                    for (int j = 0; j < n; j++) c[i * n + j] += x * b[p * n + j];
                }
            }
        });
    }

    /** The transpose of a matrix of m rows and n columns. */
    public static float[] transposed(float[] a, int m, int n) {
        float[] t = new float[a.length];
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) t[j * m + i] = a[i * n + j];
        return t;
    }

    /** Columns {@code [from, to)} of a matrix of n columns. */
    public static float[] columns(float[] a, int n, int from, int to) {
        int m = n == 0 ? 0 : a.length / n, w = to - from;
        float[] part = new float[m * w];
        for (int i = 0; i < m; i++) System.arraycopy(a, i * n + from, part, i * w, w);
        return part;
    }

    /** Two matrices of m rows side by side. */
    public static float[] beside(float[] a, float[] b, int m) {
        int n = m == 0 ? 0 : a.length / m, k = m == 0 ? 0 : b.length / m;
        float[] both = new float[m * (n + k)];
        for (int i = 0; i < m; i++) {
            System.arraycopy(a, i * n, both, i * (n + k), n);
            System.arraycopy(b, i * k, both, i * (n + k) + n, k);
        }
        return both;
    }

    private static float sigmoid(float x) {
        return (float) (1 / (1 + Math.exp(-x)));
    }

    /** A matrix with {@code row} in each of its m rows. */
    private static float[] rows(float[] row, int m) {
        float[] all = new float[m * row.length];
        for (int i = 0; i < m; i++) System.arraycopy(row, 0, all, i * row.length, row.length);
        return all;
    }

    /**
     * A layer of LSTM cells: {@code [i, ci, f, o] = [x, h'] w + b}, the gates through sigmoid and ci through tanh,
     * {@code cs = ci i + cs' f}, {@code co = tanh(cs)}, {@code h = co o}. Peepholes add {@code wci cs'},
     * {@code wcf cs'} and {@code wco cs} to the gates; null means none. In version 2 the columns of w are i, f, ci, o.
     */
    public static final class Lstm {
        private final float[] w;
        private final float[] b;
        private final float[] wci;
        private final float[] wcf;
        private final float[] wco;
        private final float forgetBias;
        private final float cellClip;
        private final int batch;
        private final int inputs;
        private final int cells;
        private final int[] column;
        private final Parallel parallel;

        /** {@code peepholes} are wci, wcf and wco, or null. A clip of 0 or less means none. */
        public Lstm(
                Tensor w,
                Tensor b,
                Tensor[] peepholes,
                boolean version2,
                float forgetBias,
                float cellClip,
                int batch,
                int inputs,
                Parallel parallel) {
            this.w = floats(w);
            this.b = floats(b);
            this.wci = peepholes == null ? null : floats(peepholes[0]);
            this.wcf = peepholes == null ? null : floats(peepholes[1]);
            this.wco = peepholes == null ? null : floats(peepholes[2]);
            this.forgetBias = forgetBias;
            this.cellClip = cellClip;
            this.batch = batch;
            this.inputs = inputs;
            this.cells = this.b.length / 4;
            this.column =
                    version2 ? new int[] {0, 2 * cells, cells, 3 * cells} : new int[] {0, cells, 2 * cells, 3 * cells};
            this.parallel = parallel;
        }

        /** One step: i, cs, f, o, ci, co and h, each [batch, cells]. */
        public float[][] step(float[] x, float[] csPrevious, float[] hPrevious) {
            float[] gates = rows(b, batch);
            multiply(beside(x, hPrevious, batch), w, gates, batch, inputs + cells, 4 * cells, parallel);
            float[][] y = new float[7][batch * cells];
            for (int n = 0; n < batch; n++) {
                for (int k = 0; k < cells; k++) {
                    int at = n * cells + k, g = n * 4 * cells + k;
                    float previous = csPrevious[at];
                    float in = sigmoid(gates[g + column[0]] + (wci == null ? 0 : wci[k] * previous));
                    float ci = (float) Math.tanh(gates[g + column[1]]);
                    float f = sigmoid(gates[g + column[2]] + forgetBias + (wcf == null ? 0 : wcf[k] * previous));
                    float cs = ci * in + previous * f;
                    if (cellClip > 0) cs = Math.max(-cellClip, Math.min(cellClip, cs));
                    float o = sigmoid(gates[g + column[3]] + (wco == null ? 0 : wco[k] * cs));
                    float co = (float) Math.tanh(cs);
                    y[0][at] = in;
                    y[1][at] = cs;
                    y[2][at] = f;
                    y[3][at] = o;
                    y[4][at] = ci;
                    y[5][at] = co;
                    y[6][at] = co * o;
                }
            }
            return y;
        }

        /**
         * The gradients of one step from those of cs and h: to the previous cs, to the gates before their functions
         * [batch, 4 cells] in the order of w's columns, and to the three peepholes.
         */
        public float[][] gradient(float[] csPrevious, float[][] y, float[] dCs, float[] dH) {
            float[] in = y[0], cs = y[1], f = y[2], o = y[3], ci = y[4], co = y[5];
            float[][] d = {
                new float[batch * cells],
                new float[batch * 4 * cells],
                new float[cells],
                new float[cells],
                new float[cells]
            };
            for (int n = 0; n < batch; n++) {
                for (int k = 0; k < cells; k++) {
                    int at = n * cells + k, g = n * 4 * cells + k;
                    float dO = o[at] * (1 - o[at]) * dH[at] * co[at];
                    float d1 = (1 - co[at] * co[at]) * dH[at] * o[at] + dCs[at];
                    if (wco != null) d1 += dO * wco[k];
                    float dCi = (1 - ci[at] * ci[at]) * d1 * in[at];
                    float dF = f[at] * (1 - f[at]) * d1 * csPrevious[at];
                    float dI = in[at] * (1 - in[at]) * d1 * ci[at];
                    d[0][at] = d1 * f[at];
                    if (wci != null) {
                        d[0][at] += dI * wci[k] + dF * wcf[k];
                        d[2][k] += dI * csPrevious[at];
                        d[3][k] += dF * csPrevious[at];
                        d[4][k] += dO * cs[at];
                    }
                    d[1][g + column[0]] = dI;
                    d[1][g + column[1]] = dCi;
                    d[1][g + column[2]] = dF;
                    d[1][g + column[3]] = dO;
                }
            }
            return d;
        }

        /** The gradient to {@code [x, h']} from that of the gates. */
        public float[] inputGradient(float[] dGates) {
            float[] d = new float[batch * (inputs + cells)];
            multiply(dGates, transposed(w, inputs + cells, 4 * cells), d, batch, 4 * cells, inputs + cells, parallel);
            return d;
        }

        /** Adds the gradients to w and b of one step. */
        public void weightGradient(float[] x, float[] hPrevious, float[] dGates, float[] dW, float[] dB) {
            float[] xh = transposed(beside(x, hPrevious, batch), batch, inputs + cells);
            multiply(xh, dGates, dW, inputs + cells, batch, 4 * cells, parallel);
            for (int n = 0; n < batch; n++) for (int j = 0; j < 4 * cells; j++) dB[j] += dGates[n * 4 * cells + j];
        }
    }

    /** One GRU step: r, u, c and h of {@code [r, u] = sigmoid([x, h'] wRu + bRu)}, {@code c = tanh([x, h' r] wC + bC)}. */
    public static float[][] gru(
            float[] x, float[] h, float[] wRu, float[] wC, float[] bRu, float[] bC, int batch, Parallel parallel) {
        int cells = bC.length, inputs = batch == 0 ? 0 : x.length / batch;
        float[] ru = rows(bRu, batch);
        multiply(beside(x, h, batch), wRu, ru, batch, inputs + cells, 2 * cells, parallel);
        float[] r = columns(ru, 2 * cells, 0, cells), u = columns(ru, 2 * cells, cells, 2 * cells);
        float[] hr = new float[batch * cells];
        for (int i = 0; i < r.length; i++) {
            r[i] = sigmoid(r[i]);
            u[i] = sigmoid(u[i]);
            hr[i] = h[i] * r[i];
        }
        float[] c = rows(bC, batch), y = new float[batch * cells];
        multiply(beside(x, hr, batch), wC, c, batch, inputs + cells, cells, parallel);
        for (int i = 0; i < c.length; i++) {
            c[i] = (float) Math.tanh(c[i]);
            y[i] = u[i] * h[i] + (1 - u[i]) * c[i];
        }
        return new float[][] {r, u, c, y};
    }

    /** The gradients of a GRU step: to x, to h', to c and to [r, u] before their functions. */
    public static float[][] gruGradient(
            float[] h, float[] wRu, float[] wC, float[][] rucD, int batch, int inputs, int cells, Parallel parallel) {
        float[] r = rucD[0], u = rucD[1], c = rucD[2], dH = rucD[3];
        int n = batch * cells;
        float[] dC = new float[n], dU = new float[n], dR = new float[n];
        for (int i = 0; i < n; i++) {
            dC[i] = dH[i] * (1 - u[i]) * (1 - c[i] * c[i]);
            dU[i] = dH[i] * (h[i] - c[i]) * u[i] * (1 - u[i]);
        }
        int xh = inputs + cells;
        float[] second = new float[batch * xh];
        multiply(dC, transposed(wC, xh, cells), second, batch, cells, xh, parallel);
        float[] dHr = columns(second, xh, inputs, xh);
        for (int i = 0; i < n; i++) dR[i] = dHr[i] * h[i] * r[i] * (1 - r[i]);
        float[] dRu = beside(dR, dU, batch), first = new float[batch * xh];
        multiply(dRu, transposed(wRu, xh, 2 * cells), first, batch, 2 * cells, xh, parallel);
        float[] dX = columns(first, xh, 0, inputs), part = columns(second, xh, 0, inputs);
        for (int i = 0; i < dX.length; i++) dX[i] += part[i];
        float[] dHp = columns(first, xh, inputs, xh);
        for (int i = 0; i < n; i++) dHp[i] += dHr[i] * r[i] + dH[i] * u[i];
        return new float[][] {dX, dHp, dC, dRu};
    }

    /** Adds {@code b} to {@code a}. */
    public static float[] sum(float[] a, float[] b) {
        float[] s = Arrays.copyOf(a, a.length);
        for (int i = 0; i < s.length; i++) s[i] += b[i];
        return s;
    }
}
