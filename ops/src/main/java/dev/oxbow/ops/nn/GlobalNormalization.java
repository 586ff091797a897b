package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Normalisation of images with given statistics per channel, and its gradient; channels are last. */
record GlobalNormalization(double epsilon, boolean scaled) {

    static TensorType images(InferenceContext c, int vectors) {
        Shape x = c.shape(0).isRankKnown() ? c.shape(0) : Shape.ofRank(4);
        require(x.rank() == 4, INVALID_ARGUMENT, "input must be 4-dimensional %s", x);
        for (int i = 1; i <= vectors; i++) c.vector(i, x.dim(3));
        return c.input(0).withShape(x);
    }

    void forward(Tensor x, Tensor mean, Tensor variance, Tensor beta, Tensor gamma, Tensor y) {
        int c = Counts.toInt(mean.size());
        double[] factor = factors(variance, gamma);
        for (long at = 0; at < x.size(); at++) {
            int k = (int) (at % c);
            y.set(at, (x.getDouble(at) - mean.getDouble(k)) * factor[k] + beta.getDouble(k));
        }
    }

    private double[] factors(Tensor variance, Tensor gamma) {
        double[] f = new double[Counts.toInt(variance.size())];
        Arrays.setAll(f, k -> (scaled ? gamma.getDouble(k) : 1) / Math.sqrt(variance.getDouble(k) + epsilon));
        return f;
    }

    void gradient(
            Tensor x,
            Tensor mean,
            Tensor variance,
            Tensor gamma,
            Tensor dy,
            Tensor dx,
            Tensor[] dMeanVarianceBetaGamma) {
        int c = Counts.toInt(mean.size());
        double[] factor = factors(variance, gamma), sum = new double[c], moment = new double[c];
        for (long at = 0; at < x.size(); at++) {
            int k = (int) (at % c);
            double d = dy.getDouble(at);
            dx.set(at, d * factor[k]);
            sum[k] += d;
            moment[k] += d * (x.getDouble(at) - mean.getDouble(k));
        }
        for (int k = 0; k < c; k++) {
            double v = variance.getDouble(k) + epsilon;
            dMeanVarianceBetaGamma[0].set(k, -sum[k] * factor[k]);
            dMeanVarianceBetaGamma[1].set(k, -0.5 * moment[k] * factor[k] / v);
            dMeanVarianceBetaGamma[2].set(k, sum[k]);
            dMeanVarianceBetaGamma[3].set(k, scaled ? moment[k] / Math.sqrt(v) : 0);
        }
    }
}
