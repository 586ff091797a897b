package dev.oxbow.graph;

import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Inference while a graph is built: values are known where small constants lead to them. */
final class BuildInference implements InferenceContext {

    /** How many nodes behind an input are looked at for its value. */
    private static final int REACH = 12;

    /** What is made of many values is seldom a shape, and every reader would look at all of them. */
    private static final int MOST_INPUTS = 256;

    private static final int MOST_ELEMENTS = 1024;

    private final Graph graph;
    private final NodeSpec spec;
    private final OpSignature.Binding binding;
    private final List<TensorType> types;

    BuildInference(Graph graph, NodeSpec spec, OpSignature.Binding binding, List<TensorType> types) {
        this.graph = graph;
        this.spec = spec;
        this.binding = binding;
        this.types = types;
    }

    @Override
    public int inputCount() {
        return types.size();
    }

    @Override
    public TensorType input(int i) {
        return types.get(i).deref();
    }

    @Override
    public Tensor constant(int i) {
        Edge e = spec.inputs().get(i);
        return e == null ? null : value(e, new int[] {REACH});
    }

    @Override
    public int outputCount() {
        return binding.outputTypes().size();
    }

    @Override
    public DType outputDtype(int i) {
        return binding.outputTypes().get(i);
    }

    @Override
    public String name(int i) {
        return spec.op().signature().inputName(i, inputCount());
    }

    @Override
    public String source(int i) {
        Edge e = spec.inputs().get(i);
        return e == null ? name(i) : e.node().name();
    }

    @Override
    public FunctionLibrary functions() {
        return graph.functions();
    }

    /** The value of an edge by constants and pure ops over them, or null. Shape-like ops need only input types. */
    private static Tensor value(Edge e, int[] budget) {
        Node n = e.node();
        if (n.op() instanceof Const c) return c.value();
        if (--budget[0] < 0) return null;
        if (n.op() instanceof Identity) return n.input(0).type().isRef() ? null : value(n.input(0), budget);
        if (n.inputCount() > MOST_INPUTS
                || n.op().effects() != Effects.NONE
                || n.op().waits()
                || !e.type().dtype().isInteger()
                || n.op() instanceof CoreOp) return null;
        List<TensorType> types = new ArrayList<>();
        for (Edge in : n.inputs()) types.add(in.type());
        var spec = new NodeSpec(n.name(), n.op(), n.inputs());
        var inference = new BuildInference(n.graph(), spec, n.op().signature().bind(n.op().attributes(), types), types);
        List<Tensor> known = n.op().constants(inference);
        if (known != null) return known.get(e.port());
        if (e.type().shape().isFullyKnown() && e.type().shape().size() > 64) return null;
        List<Tensor> inputs = new ArrayList<>();
        for (Edge in : n.inputs()) {
            if (in.type().isRef() || in.type().dtype().isObject()) return null;
            Tensor v = value(in, budget);
            if (v == null || v.size() > MOST_ELEMENTS) return null;
            inputs.add(v);
        }
        return Evaluation.tryRun(n.op(), n.name(), inputs, e.port(), MOST_ELEMENTS);
    }
}
