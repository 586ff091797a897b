package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.BroadcastIndex;
import dev.oxbow.kernels.random.TruncatedNormals;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Erfc;
import dev.oxbow.ops.math.Exp;
import dev.oxbow.ops.math.Log1p;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Normal numbers between bounds, of the broadcast of their parameters; the same for the same seeds. */
@Signature(
        "StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype) -> (output: dtype) {S: type in [INT32 INT64]; Tseed: type in [INT32 INT64] = INT64; dtype: type in [HALF FLOAT DOUBLE]}")
public record StatelessParameterizedTruncatedNormal() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 1);
        return List.of(new TensorType(c.dtype(2), Randoms.inferBroadcast(c, 0, 2)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() == 0) return;
            Shape batch = Shape.SCALAR;
            for (int i = 2; i < 6; i++)
                batch = Shape.broadcast(batch, c.input(i).shape());
            long[][] from = new long[4][];
            for (int i = 0; i < 4; i++)
                from[i] = BroadcastIndex.of(c.input(i + 2).shape(), batch);
            TruncatedNormals numbers = new TruncatedNormals(Randoms.stateless(c, 1), y.dtype());
            int batches = (int) batch.size();
            double[] p = new double[4];
            for (int b = 0; b < batches; b++) {
                for (int i = 0; i < 4; i++) p[i] = c.input(i + 2).getDouble(from[i][b]);
                numbers.fill(y, b, y.size(), batches, p[0], p[1], p[2], p[3]);
            }
        };
    }

    /**
     * Implicit derivatives of the sample y: with {@code z}, {@code u} and {@code v} what y and its bounds are in deviations from
     * the mean, and {@code c} the part of the distribution below y, 1, z, {@code (1 - c) exp((z^2 - u^2) / 2)} and
     * {@code c exp((z^2 - v^2) / 2)}.
     */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value mean = g.input(2), deviation = g.input(3), y = g.output(0), dy = g.gradient(0);
        Value z = y.minus(mean).dividedBy(deviation);
        Value u = g.input(4).minus(mean).dividedBy(deviation);
        Value v = g.input(5).minus(mean).dividedBy(deviation);
        Value c = below(z).minus(below(u)).dividedBy(below(v).minus(below(u)));
        boolean wide = y.dtype() == DType.F64;
        c = c.maximum(c.constantLike(wide ? Double.MIN_NORMAL : Float.MIN_NORMAL))
                .minimum(c.constantLike(1 - (wide ? Math.ulp(1.0) : Math.ulp(1f))));
        Value low = Value.apply(new Exp(), half(z, u).plus(Value.apply(new Log1p(), c.negated())));
        Value high = Value.apply(new Exp(), half(z, v).plus(c.log()));
        List<Value> all = new ArrayList<>(Arrays.asList(null, null));
        int i = 2;
        for (Value d : Arrays.asList(dy, dy.times(z), dy.times(low), dy.times(high)))
            all.add(Broadcasting.reduce(g.input(i++), y, d, null).get(0));
        return all;
    }

    /** The part of the normal distribution below x. */
    private static Value below(Value x) {
        return Value.apply(new Erfc(), x.times(x.constantLike(-Math.sqrt(0.5)))).times(x.constantLike(0.5));
    }

    private static Value half(Value z, Value bound) {
        return z.times(z).minus(bound.times(bound)).times(z.constantLike(0.5));
    }
}
