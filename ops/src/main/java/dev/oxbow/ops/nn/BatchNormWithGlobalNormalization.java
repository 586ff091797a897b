package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code y = (t - m) / sqrt(v + epsilon) * gamma + beta}, without gamma unless it scales after normalisation. */
@Signature(
        "BatchNormWithGlobalNormalization(t: T, m: T, v: T, beta: T, gamma: T) -> (result: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 COMPLEX64 INT64 QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF UINT32 UINT64]; variance_epsilon: float; scale_after_normalization: bool}")
public record BatchNormWithGlobalNormalization(float varianceEpsilon, boolean scaleAfterNormalization)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(GlobalNormalization.images(c, 4));
    }

    @Override
    public Kernel cpu() {
        GlobalNormalization n = new GlobalNormalization(varianceEpsilon, scaleAfterNormalization);
        return c -> n.forward(c.input(0), c.input(1), c.input(2), c.input(3), c.input(4), c.output(0));
    }

    /** The gradients of all five inputs at once. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Value.applyAll(
                new BatchNormWithGlobalNormalizationGrad(varianceEpsilon, scaleAfterNormalization),
                g.input(0),
                g.input(1),
                g.input(2),
                g.input(4),
                g.gradient(0));
    }
}
