package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * The tensor that another rank of a group sends by the {@link RankSend} with the same key. {@code like} says its type and
 * shape; its gradient is 0, and computing it sends the gradient of the tensor back.
 */
@Signature(
        "RankRecv(like: T) -> (tensor: T) {T: type in [NUMBER BOOL]; rank: int >= 0; key: string; group: string = \"\"; timeout_ms: int = 0} stateful")
public record RankRecv(int rank, String key, String group, int timeoutMs) implements PairOp {

    public static RankRecv from(int rank, String key) {
        return new RankRecv(rank, key, "", 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(!key.isEmpty(), INVALID_ARGUMENT, "needs a key, which its RankSend has too");
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
            Tensor y = c.allocate(0, c.input(0).shape());
            w.phase(() -> w.add(g.receive(Elements.of(y), rank, o)), w::done);
        });
    }

    /** {@code dy} goes to the rank that {@code y} came from. */
    @Override
    public List<Value> gradient(GradientContext g) {
        RankSend back = new RankSend(rank, gradientKey(g.graph()), group, timeoutMs);
        Value sent = Value.apply(back, g.gradient(0));
        return List.of(Value.apply(new BroadcastTo(), sent, g.input(0).runtimeShape()));
    }
}
