package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.state.Assign;
import dev.oxbow.ops.state.AssignAdd;
import dev.oxbow.ops.state.VariableV2;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables by reference are read when their reader runs, as in TensorFlow, whose SyncReplicasOptimizer counts on it. */
final class LateReadsTest {
    private final Graph graph = new Graph();

    private Node constant(String name, Tensor value, Node... after) {
        return graph.add(new NodeSpec(name, new Const(value), List.of()).withControls(List.of(after)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderThatComesAfterAnUpdateGetsTheNewValueThroughAnEarlierIdentity(boolean optimise) {
        Node v = graph.add(new NodeSpec("v", new VariableV2(Shape.SCALAR, DType.F32, "", ""), List.of()));
        Node zero = constant("zero", Tensor.scalar(0f)), one = constant("one", Tensor.scalar(1f));
        Node start = graph.add(new NodeSpec("start", new Assign(true), List.of(v.edge(0), zero.edge(0))));
        Node read = graph.add(new NodeSpec("read", new Identity(), List.of(v.edge(0))));
        Node update = graph.add(new NodeSpec("update", new AssignAdd(), List.of(v.edge(0), one.edge(0))));
        Node dims = constant("dims", Tensor.of(Shape.of(1), 2), update);
        Node tokens = graph.add(new NodeSpec("tokens", new Fill(), List.of(dims.edge(0), read.edge(0))));
        try (Session s = Session.open(graph, SessionOptions.defaults().withOptimise(optimise))) {
            s.target(start).run().close();
            for (int i = 1; i <= 3; i++)
                try (Results r = s.fetch(tokens.edge(0)).run()) {
                    assertEquals(i, r.get(0).floats()[1], 0);
                }
        }
    }
}
