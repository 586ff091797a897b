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

/**
 * Where a gate is, for one of its workers: the version, the first step that the worker has not pushed, the number of the run
 * of which it holds a push, that of the last one that counted, -1 for none, a number that no other gate has, and how many
 * pushes it has taken of all workers.
 */
@Signature("GateState(worker: int64) -> (state: int64) {gate: string; container: string = \"\"} stateful")
public record GateState(String gate, String container) implements NotDifferentiable, Asking, Supplying {
    public static final int VERSION = 0;
    public static final int MISSING = 1;
    public static final int HELD = 2;
    public static final int COMMITTED = 3;
    public static final int LIFE = 4;
    public static final int TAKEN = 5;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(new TensorType(DType.I64, Shape.of(6)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long[] state = GradientPush.of(c, container, gate).state(c.input(0).getLong(0));
            Tensor t = c.temporary(DType.I64, Shape.of(state.length));
            for (int i = 0; i < state.length; i++) t.setLong(i, state[i]);
            c.set(0, t);
        };
    }
}
