package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The input itself; the data is printed on standard error the first times. */
@Signature(
        "Print(input: T, data: U) -> (output: T) {T: type; U: list(type) >= 0; message: string = \"\"; first_n: int = -1; summarize: int = 3} stateful")
public record Print(String message, int firstN, int summarize) implements Differentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            c.forward(0, 0);
            AtomicLong count = c.state(AtomicLong::new);
            if (firstN >= 0 && count.getAndIncrement() >= firstN) return;
            StringBuilder text = new StringBuilder(message);
            for (int i = 1; i < c.inputCount(); i++) text.append(Printing.summary(c.input(i), summarize));
            Printing.print("stderr", text + "\n");
        };
    }

    /** {@code dx = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> dxs = new ArrayList<>(Collections.nCopies(g.node().inputCount(), null));
        dxs.set(0, g.gradient(0));
        return dxs;
    }
}
