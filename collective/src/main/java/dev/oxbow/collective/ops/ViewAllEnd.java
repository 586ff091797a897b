package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import java.util.List;

/**
 * Ends what the {@link ViewAll} of the same key sees, and waits until all ranks have: from then on tensors that they saw
 * may change. It needs control edges from all readers of the views.
 */
@Signature("ViewAllEnd() -> () {group: string = \"\"; key: string = \"\"; timeout_ms: int = 0} stateful")
public record ViewAllEnd(String group, String key, int timeoutMs) implements CollectiveOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Views views = c.service(Groups.class).take(group, options(c).name());
        Waiting.start(c, w -> w.phase(() -> w.add(views.end()), w::done));
    }

    @Override
    public List<Value> gradient(GradientContext g) {
        throw new OxbowException(UNIMPLEMENTED, "has no gradient");
    }
}
