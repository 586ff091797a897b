package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Fourteen numbers of a tensor: whether it is there, its size, how many elements are of which kind, and moments of the others. */
@Signature(
        "DebugNumericSummary(input: T) -> (output: double) {T: type; device_name: string = \"\"; tensor_name: string = \"\"; debug_urls: list(string) = []; lower_bound: float = -Infinity; upper_bound: float = Infinity; mute_if_healthy: bool = false; gated_grpc: bool = false}")
public record DebugNumericSummary(
        String deviceName,
        String tensorName,
        List<String> debugUrls,
        float lowerBound,
        float upperBound,
        boolean muteIfHealthy,
        boolean gatedGrpc)
        implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        return List.of(new TensorType(DType.F64, s.isRankKnown() ? Shape.of(14 + s.rank()) : Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            DebugUrls.none(tensorName, debugUrls);
            Tensor x = c.input(0), y = c.allocate(0, Shape.of(14 + x.shape().rank()));
            double[] counts = new double[8];
            double least = Double.POSITIVE_INFINITY, most = Double.NEGATIVE_INFINITY, sum = 0, squares = 0, n = 0;
            for (long i = 0; i < x.size(); i++) {
                double v = x.getDouble(i);
                counts[kind(v)]++;
                if (Double.isNaN(v) || Double.isInfinite(v)) continue;
                n++;
                least = Math.min(least, v);
                most = Math.max(most, v);
                sum += v;
                squares += v * v;
            }
            double mean = n > 0 ? sum / n : Double.NaN;
            double variance = n > 0 ? squares / n - mean * mean : Double.NaN;
            double[] all = {
                1, x.size(), counts[2], counts[3], counts[4], counts[5], counts[6], counts[7], least, most, mean,
                variance
            };
            for (int i = 0; i < all.length; i++) y.set(i, all[i]);
            y.set(12, x.dtype().number());
            y.set(13, x.shape().rank());
            for (int d = 0; d < x.shape().rank(); d++) y.set(14 + d, x.shape().dim(d));
        };
    }

    /** Where a number is counted: NaN, -inf or below the bound, negative, zero, positive, inf or above the bound. */
    private int kind(double v) {
        if (Double.isNaN(v)) return 2;
        if (v == Double.NEGATIVE_INFINITY || v <= lowerBound) return 3;
        if (v == Double.POSITIVE_INFINITY || v >= upperBound) return 7;
        return v < 0 ? 4 : v == 0 ? 5 : 6;
    }
}
