package dev.oxbow.collective.ops;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gives every rank of a group the tensor of the root; those of the others say its shape only. */
@Signature(
        "Broadcast(tensor: T) -> (output: T) {T: type in [NUMBER BOOL]; root: int = 0 >= 0; group: string = \"\"; key: string = \"\"; timeout_ms: int = 0} stateful")
public record Broadcast(int root, String group, String key, int timeoutMs) implements CollectiveOp {

    /** To all ranks, matched by the node's name. */
    public static Broadcast from(int root) {
        return new Broadcast(root, "", "", 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c);
        Waiting.start(c, w -> {
            Tensor y = Rows.inPlace(c, 0);
            w.phase(() -> w.add(g.broadcast(y, root, o)), w::done);
        });
    }

    /** {@code dx = dy0 + dy1 + ...} on the root, 0 elsewhere. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Reduce sum = new Reduce(root, "sum", group, gradientKey(g.graph()), false, timeoutMs);
        return List.of(Value.apply(sum, g.gradient(0)));
    }
}
