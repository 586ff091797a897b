package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What a gate has counted, for another that takes its place: see {@link GateImport}. */
@Signature("GateExport() -> (state: int64) {gate: string; container: string = \"\"} stateful")
public record GateExport(String gate, String container) implements NotDifferentiable, Asking, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long[] state = GradientPush.of(c, container, gate).exported();
            Tensor t = c.temporary(DType.I64, Shape.of(state.length));
            for (int i = 0; i < state.length; i++) t.setLong(i, state[i]);
            c.set(0, t);
        };
    }
}
