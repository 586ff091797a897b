package dev.oxbow.graph;

import java.util.List;
import java.util.Map;

/** What a node is made from. */
public record NodeSpec(
        String name, Op op, List<Edge> inputs, List<Node> controls, String device, Map<String, Object> extras) {
    public NodeSpec(String name, Op op, List<Edge> inputs) {
        this(name, op, inputs, List.of(), "", Map.of());
    }

    public NodeSpec withOp(Op o) {
        return new NodeSpec(name, o, inputs, controls, device, extras);
    }

    public NodeSpec withControls(List<Node> c) {
        return new NodeSpec(name, op, inputs, c, device, extras);
    }

    public NodeSpec withDevice(String d) {
        return new NodeSpec(name, op, inputs, controls, d, extras);
    }
}
