package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Combines a tensor with those of all ranks of a group; the root gets the result, the others get zeros. */
@Signature(
        "Reduce(tensor: T) -> (reduced: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; root: int = 0 >= 0; reduction: string in [\"sum\" \"mean\" \"min\" \"max\" \"product\" \"and\" \"or\" \"xor\"] = \"sum\"; group: string = \"\"; key: string = \"\"; deterministic: bool = false; timeout_ms: int = 0} stateful")
public record Reduce(int root, String reduction, String group, String key, boolean deterministic, int timeoutMs)
        implements CollectiveOp {

    /** Of all ranks, matched by the node's name. */
    public static Reduce to(int root, Reduction reduction) {
        return new Reduce(root, reduction.name(), "", "", false, 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                Reduction.named(reduction).supports(c.dtype(0)),
                INVALID_ARGUMENT,
                "%s is not defined for %s",
                reduction,
                c.input(0));
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c).withDeterministic(deterministic);
        Waiting.start(c, w -> {
            Tensor y = Rows.inPlace(c, 0);
            w.phase(() -> w.add(g.reduce(Elements.of(y), Reduction.named(reduction), root, o)), () -> {
                if (g.rank() != root) Memory.zero(y.address(), y.byteSize());
                w.done();
            });
        });
    }

    /** {@code dx = dy} of the root, on all ranks. */
    @Override
    public List<Value> gradient(GradientContext g) {
        require(reduction.equals("sum"), UNIMPLEMENTED, "only a sum is differentiable, %s is not", reduction);
        return List.of(Value.apply(new Broadcast(root, group, gradientKey(g.graph()), timeoutMs), g.gradient(0)));
    }
}
