package dev.oxbow.cluster.server.waits;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Takes so many milliseconds of a thread and no core, then gives its input: work that does not depend on the machine. */
@Signature("TestWait(x: float) -> (y: float) {millis: int}")
public record TestWait(long millis) implements Op {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long end = System.nanoTime() + millis * 1_000_000;
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime())
                LockSupport.parkNanos(left);
            c.forward(0, 0);
        };
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }
}
