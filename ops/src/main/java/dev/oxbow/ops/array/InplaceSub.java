package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import java.util.List;

/** {@code y = x} with {@code y[i] -= v}. */
@Signature("InplaceSub(x: T, i: int32, v: T) -> (y: T) {T: type}")
public record InplaceSub() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return InplaceRows.infer(c);
    }

    @Override
    public Kernel cpu() {
        return InplaceRows.kernel(Combine.SUB);
    }
}
