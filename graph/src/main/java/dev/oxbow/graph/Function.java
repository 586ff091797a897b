package dev.oxbow.graph;

import dev.oxbow.wire.proto.AttrValue;
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
        Map<String, AttrValue> extras) {

    /** Whether a call may do more than compute results. */
    public boolean isStateful() {
        return body.nodes().stream().anyMatch(n -> n.op().effects() != Effects.NONE);
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
