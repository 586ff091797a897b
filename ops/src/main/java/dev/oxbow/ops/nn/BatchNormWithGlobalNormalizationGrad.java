package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code BatchNormWithGlobalNormalization} to t, m, v, beta and gamma. */
@Signature(
        "BatchNormWithGlobalNormalizationGrad(t: T, m: T, v: T, gamma: T, backprop: T) -> (dx: T, dm: T, dv: T, db: T, dg: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 COMPLEX64 INT64 QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF UINT32 UINT64]; variance_epsilon: float; scale_after_normalization: bool}")
public record BatchNormWithGlobalNormalizationGrad(float varianceEpsilon, boolean scaleAfterNormalization)
        implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.sameShape(4, 0);
        TensorType x = GlobalNormalization.images(c, 3);
        TensorType v = x.withShape(Shape.of(x.shape().dim(3)));
        return List.of(x, v, v, v, v);
    }

    @Override
    public Kernel cpu() {
        GlobalNormalization n = new GlobalNormalization(varianceEpsilon, scaleAfterNormalization);
        return c -> n.gradient(c.input(0), c.input(1), c.input(2), c.input(3), c.input(4), c.output(0), new Tensor[] {
            c.output(1), c.output(2), c.output(3), c.output(4)
        });
    }
}
