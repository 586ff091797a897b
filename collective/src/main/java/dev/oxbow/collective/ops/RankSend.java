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
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * Sends a tensor to another rank of a group, whose {@link RankRecv} has the same key. The output is 0: added to a loss, it
 * makes gradients come back from there.
 */
@Signature(
        "RankSend(tensor: T) -> (sent: T) {T: type in [NUMBER BOOL]; rank: int >= 0; key: string; group: string = \"\"; timeout_ms: int = 0} stateful")
public record RankSend(int rank, String key, String group, int timeoutMs) implements PairOp {

    public static RankSend to(int rank, String key) {
        return new RankSend(rank, key, "", 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(!key.isEmpty(), INVALID_ARGUMENT, "needs a key, which its RankRecv has too");
        return List.of(c.input(0).deref().withShape(Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c);
        Waiting.start(
                c,
                w -> w.phase(() -> w.add(g.send(Elements.of(c.input(0)), rank, o)), () -> {
                    c.allocate(0, Shape.SCALAR).set(0, 0);
                    w.done();
                }));
    }

    /** {@code dx} comes from the rank that {@code x} went to. */
    @Override
    public List<Value> gradient(GradientContext g) {
        RankRecv back = new RankRecv(rank, gradientKey(g.graph()), group, timeoutMs);
        return List.of(Value.apply(back, g.input(0)));
    }
}
