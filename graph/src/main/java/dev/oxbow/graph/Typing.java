package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The types of a node to be: what its signature says of its inputs, and what its op infers of its outputs, each held
 * against the other.
 *
 * @param refs by input, whether it takes a reference
 */
record Typing(boolean[] refs, TensorType[] outputs) {

    /** Of a node of a graph, within the graph's limits; inputs that are null are back edges of a loop. */
    static Typing of(Graph graph, NodeSpec spec, OpSignature signature, Map<String, Object> attributes) {
        List<TensorType> inputs = inputs(spec);
        int most = graph.functions().limits().outputs();
        OpSignature.Binding binding = signature.bind(attributes, inputs, most);
        boolean[] refs = new boolean[binding.refInputs().size()];
        for (int i = 0; i < refs.length; i++) refs[i] = binding.refInputs().get(i);
        return new Typing(refs, outputs(graph, spec, binding, inputs));
    }

    /** The outputs of a node that a graph has already, from what is known of its inputs now. */
    static TensorType[] again(Graph graph, NodeSpec spec) {
        List<TensorType> inputs = new ArrayList<>(spec.inputs().size());
        for (Edge e : spec.inputs()) inputs.add(e.type());
        Op op = spec.op();
        return outputs(graph, spec, op.signature().bind(op.attributes(), inputs), inputs);
    }

    private static List<TensorType> inputs(NodeSpec spec) {
        List<TensorType> types = new ArrayList<>(spec.inputs().size());
        TensorType first = null;
        for (Edge e : spec.inputs()) {
            TensorType t = e == null ? null : e.type();
            if (first == null) first = t;
            types.add(t);
        }
        if (first == null && !types.isEmpty())
            throw new OxbowException(INVALID_ARGUMENT, "a loop needs an entry, all inputs are back edges")
                    .at(spec.op().signature().name(), spec.name(), null);
        for (int i = 0; i < types.size(); i++)
            if (types.get(i) == null)
                types.set(i, new TensorType(first.dtype(), Shape.UNKNOWN, first.isRef(), List.of()));
        return types;
    }

    private static TensorType[] outputs(
            Graph graph, NodeSpec spec, OpSignature.Binding binding, List<TensorType> inputs) {
        List<TensorType> inferred = spec.op().infer(new BuildInference(graph, spec, binding, inputs));
        require(
                inferred.size() == binding.outputTypes().size(),
                INTERNAL,
                "infers %d outputs, its signature has %d",
                inferred.size(),
                binding.outputTypes().size());
        TensorType[] outputs = new TensorType[inferred.size()];
        for (int i = 0; i < outputs.length; i++) {
            TensorType t = inferred.get(i);
            require(
                    t.dtype() == binding.outputTypes().get(i),
                    INTERNAL,
                    "infers %s for output %d, its signature says %s",
                    t,
                    i,
                    binding.outputTypes().get(i));
            outputs[i] = binding.refOutputs().get(i) && !t.isRef()
                    ? new TensorType(t.dtype(), t.shape(), true, t.behind())
                    : t;
        }
        return outputs;
    }
}
