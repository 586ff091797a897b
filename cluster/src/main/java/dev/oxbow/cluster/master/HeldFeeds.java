package dev.oxbow.cluster.master;

import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.EnsureShape;
import dev.oxbow.ops.queue.GetSessionTensor;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ResourceHandleProto;
import java.util.ArrayList;
import java.util.List;

/**
 * Feeds that only name a value: TensorFlow's clients may feed what {@code get_session_handle} gave them for the value
 * itself. It is read where it was kept, so its bytes pass neither client nor master.
 */
final class HeldFeeds {
    /** The container of handles that stand for values. */
    private static final String KIND = "TensorHandle";

    private final List<String> devices = new ArrayList<>();
    private final List<Tensor> values = new ArrayList<>();
    private final List<Tensor> names = new ArrayList<>();

    /** Looks for handles among the values of a run; null where there is none, or they are names already. */
    static HeldFeeds of(Key key, List<Tensor> feeds, Graph graph) {
        if (!key.held().isEmpty()) return null;
        HeldFeeds held = new HeldFeeds();
        for (int i = 0; i < feeds.size(); i++) {
            Tensor t = feeds.get(i);
            boolean named = t.dtype() == DType.RESOURCE
                    && t.shape().equals(Shape.SCALAR)
                    && graph.edge(key.feeds().get(i)).type().dtype() != DType.RESOURCE;
            if (named
                    && t.objects()[0] instanceof ResourceHandleProto h
                    && h.getContainer().equals(KIND)) held.add(h.getName());
            else held.add(t);
        }
        return held.names.isEmpty() ? null : held;
    }

    private void add(Tensor value) {
        devices.add("");
        values.add(value);
    }

    /** A name ends with the device that keeps the value. */
    private void add(String name) {
        devices.add(name.substring(name.lastIndexOf(';') + 1));
        Tensor t = Tensor.scalar(name);
        values.add(t);
        names.add(t);
    }

    /** For each feed the device that keeps its value; empty where it came with the call. */
    List<String> devices() {
        return devices;
    }

    /** What is fed: names in the places of handles. */
    List<Tensor> values() {
        return values;
    }

    void release() {
        names.forEach(Tensor::release);
    }

    /** The graph of a run with names fed, and values read by them, where {@code devices} says who keeps the value. */
    static Subgraph run(Subgraph cut, List<String> devices) {
        if (devices.isEmpty()) return cut;
        return Rewriter.each(cut, (w, n) -> {
            if (n.op() instanceof Arg a && !devices.get(a.index()).isEmpty()) read(w, n, a, devices.get(a.index()));
            else w.copy(n);
        });
    }

    private static void read(Rewriter w, Node n, Arg a, String device) {
        NodeSpec named = new NodeSpec(w.out().unique(n.name() + "/name"), new Arg(DType.STRING, a.index()), List.of());
        Edge name = w.out()
                .source(n, named, new TensorType(DType.STRING, Shape.SCALAR))
                .edge(0);
        NodeSpec kept = new NodeSpec(
                w.out().unique(n.name() + "/kept"),
                new GetSessionTensor(n.output(0).dtype()),
                List.of(name));
        Edge value = w.out().derive(n, kept.withDevice(device)).edge(0);
        w.replace(n, new EnsureShape(n.output(0).shape()), List.of(value), w.controls(n));
    }
}
