package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * What a normalisation of images, channels last, takes from a batch: mean and variance mixed into the old ones, the batch's own,
 * and mean and factor by which it is applied. Made when a card's part is compiled.
 */
@Signature(
        "_NormStatistics(x: T, scale: float, mean: float, variance: float) -> (batch_mean: float, batch_variance: float, saved_mean: float, saved_variance: float, centre: float, factor: float) {T: type in [HALF BFLOAT16 FLOAT]; epsilon: float = 1.0E-4; exponential_avg_factor: float = 1.0}")
public record NormStatistics(float epsilon, float exponentialAvgFactor) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) all.add(new TensorType(DType.F32, c.shape(1)));
        return all;
    }

    @Override
    public Kernel cpu() {
        return this::onHost;
    }

    private void onHost(KernelContext c) {
        Tensor x = c.input(0), scale = c.input(1);
        long channels = scale.size(), rows = channels == 0 ? 0 : x.size() / channels;
        double f = exponentialAvgFactor, unbiased = (double) rows / Math.max(1, rows - 1);
        for (long k = 0; k < channels; k++) {
            double sum = 0, squares = 0;
            for (long r = 0; r < rows; r++) sum += x.getDouble(r * channels + k);
            double mean = sum / rows;
            for (long r = 0; r < rows; r++) squares += Math.pow(x.getDouble(r * channels + k) - mean, 2);
            double variance = squares / rows;
            c.output(0).set(k, f == 1 ? mean : (1 - f) * c.input(2).getDouble(k) + f * mean);
            double free = unbiased * variance;
            c.output(1).set(k, f == 1 ? free : (1 - f) * c.input(3).getDouble(k) + f * free);
            c.output(2).set(k, mean);
            c.output(3).set(k, variance);
            c.output(4).set(k, mean);
            c.output(5).set(k, scale.getDouble(k) / Math.sqrt(variance + epsilon));
        }
    }
}
