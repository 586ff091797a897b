package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Batch normalisation of the last axis (Ioffe and Szegedy, 2015): {@code y = (x - mean) / sqrt(variance + epsilon) * scale
 * + offset}, by the batch's moments in training, of which averages are kept for evaluation:
 * {@code average = momentum * average + (1 - momentum) * moment}.
 */
public record BatchNorm(double momentum, double epsilon) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        long n = x.shape().dim(x.shape().rank() - 1);
        Value scale = b.parameter("scale", Initialiser.ones(), n),
                offset = b.parameter("offset", Initialiser.zeros(), n);
        Value mean = b.state("mean", Initialiser.zeros(), n), variance = b.state("variance", Initialiser.ones(), n);
        if (x.shape().rank() == 4 && x.dtype() != DType.F64) return fused(b, x, scale, offset, mean, variance);
        if (b.training()) {
            int[] axes = new int[x.shape().rank() - 1];
            for (int i = 0; i < axes.length; i++) axes[i] = i;
            Value m = x.mean(axes), v = x.minus(m).square().mean(axes);
            keep(b, mean, m, variance, v);
            mean = m;
            variance = v;
        }
        return x.minus(mean).times(variance.plus(epsilon).rsqrt().times(scale)).plus(offset);
    }

    private Value fused(Build b, Value x, Value scale, Value offset, Value mean, Value variance) {
        boolean training = b.training();
        Value m = training ? x.ops().constant(Tensor.zeros(scale.dtype(), Shape.of(0))) : mean;
        List<Value> out = Value.applyAll(
                new FusedBatchNormV3((float) epsilon, 1, "NHWC", training),
                x,
                scale,
                offset,
                m,
                training ? m : variance);
        if (training) keep(b, mean, out.get(1), variance, out.get(2));
        return out.get(0);
    }

    private void keep(Build b, Value mean, Value m, Value variance, Value v) {
        b.update("mean", mean.times(momentum).plus(m.times(1 - momentum)));
        b.update("variance", variance.times(momentum).plus(v.times(1 - momentum)));
    }

    @Override
    public String kind() {
        return "norm";
    }
}
