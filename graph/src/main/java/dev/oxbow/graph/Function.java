package dev.oxbow.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A function of the library: a body whose Arg nodes are its arguments, in order, and edges of that body as results.
 * Control results always run when the function is called.
 */
public record Function(
        String name,
        Graph body,
        List<Node> arguments,
        List<String> argumentNames,
        List<Edge> results,
        List<String> resultNames,
        List<Node> controlResults,
        Map<String, Object> extras) {

    /** Whether a call may do more than compute results. */
    public boolean isStateful() {
        return body.nodes().stream().anyMatch(n -> n.op().effects() != Effects.NONE);
    }

    /** The wire interface, for calls by name. */
    public OpSignature signature() {
        List<OpSignature.Arg> ins = new ArrayList<>(), outs = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++)
            ins.add(argument(argumentNames.get(i), arguments.get(i).output(0)));
        for (int i = 0; i < results.size(); i++)
            outs.add(argument(resultNames.get(i), results.get(i).type()));
        return new OpSignature(name, ins, outs, List.of(), isStateful());
    }

    private static OpSignature.Arg argument(String name, TensorType type) {
        return new OpSignature.Arg(name, false, type.dtype(), null, null, null);
    }

    @Override
    public boolean equals(Object o) {
        return this == o;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return name;
    }
}
