package dev.oxbow.runtime.run;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A step in Java's flight recorder; who asks for its kernels and transfers gets those, too. */
@Name("dev.oxbow.Step")
@Label("Step")
@Category("Oxbow")
@Description("A step, from its start in this process to its end here")
@StackTrace(false)
final class StepEvent extends Event {
    @Label("Step")
    private long step;

    @Label("Error")
    private String error;

    /** The event of a step that begins; null where no recording wants any of them. */
    static StepEvent begun() {
        StepEvent e = new StepEvent();
        if (!e.isEnabled() && !new KernelEvent().isEnabled() && !new TransferEvent().isEnabled()) return null;
        e.begin();
        return e;
    }

    /** The step, whose kernels and transfers become events as far as a recording wants them. */
    StepContext watches(StepContext c) {
        if (!new KernelEvent().isEnabled() && !new TransferEvent().isEnabled()) return c;
        return new StepContext(c.id(), c.key(), c.cancellation(), c.rendezvous(), new Recorder(c.id(), c.tracer()));
    }

    /** Has the event end with the step. */
    BiConsumer<Tensor[], OxbowException> ending(StepContext c, BiConsumer<Tensor[], OxbowException> then) {
        step = c.id();
        return (results, failure) -> {
            error = failure == null ? null : failure.getMessage();
            commit();
            then.accept(results, failure);
        };
    }

    /** Something that nodes did; it has ended when it is recorded. */
    @Name("dev.oxbow.Kernel")
    @Label("Kernel")
    @Category("Oxbow")
    @Description("A kernel, a chain of them or a wait, recorded when it has ended")
    @StackTrace(false)
    @Enabled(false)
    static final class KernelEvent extends Event {
        @Label("Step")
        long step;

        @Label("Device")
        String device;

        @Label("Nodes")
        String nodes;

        @Label("Ops")
        String ops;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Stood in line")
        @Timespan(Timespan.NANOSECONDS)
        long queued;
    }

    /** A value that has come from another device. */
    @Name("dev.oxbow.Transfer")
    @Label("Transfer")
    @Category("Oxbow")
    @Description("A value of another device, recorded when it has come")
    @StackTrace(false)
    @Enabled(false)
    static final class TransferEvent extends Event {
        @Label("Step")
        long step;

        @Label("Key")
        String key;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;
    }

    private record Recorder(long step, Tracer next) implements Tracer {
        @Override
        public void done(String device, List<Node> nodes, long from, long to) {
            done(device, nodes, from, from, to);
        }

        @Override
        public void done(String device, List<Node> nodes, long ready, long from, long to) {
            KernelEvent e = new KernelEvent();
            if (e.shouldCommit()) {
                e.step = step;
                e.device = device;
                e.nodes = String.join(" ", nodes.stream().map(Node::name).toList());
                e.ops = String.join(
                        " ", nodes.stream().map(n -> n.op().signature().name()).toList());
                e.took = to - from;
                e.queued = from - ready;
                e.commit();
            }
            if (next != null) next.done(device, nodes, ready, from, to);
        }

        @Override
        public void sent(String key, long bytes, long at) {
            if (next != null) next.sent(key, bytes, at);
        }

        @Override
        public void received(String key, long bytes, long from, long to) {
            TransferEvent e = new TransferEvent();
            if (e.shouldCommit()) {
                e.step = step;
                e.key = key;
                e.bytes = bytes;
                e.waited = to - from;
                e.commit();
            }
            if (next != null) next.received(key, bytes, from, to);
        }
    }
}
