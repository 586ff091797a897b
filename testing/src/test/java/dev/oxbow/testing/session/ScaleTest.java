package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large graphs, and many steps. */
final class ScaleTest {

    @Test
    @Timeout(300)
    void aGraphOfAHundredThousandNodesIsImportedDifferentiatedAndRun() {
        Graph made = new Graph();
        Value v = Ops.in(made).placeholder("x", DType.F32, Shape.of(4));
        Value x = v;
        for (int i = 0; i < 33_000; i++) v = v.tanh().plus(x).negated();
        String last = v.edge().name();
        Graph g = GraphImporter.read(GraphParser.serialise(GraphExporter.write(made)));
        assertTrue(g.size() > 99_000);
        Value y = Value.of(g.edge(last)), in = Value.of(g.edge("x:0"));
        Value dx = Gradients.of(List.of(y), List.of(in)).get(0);
        try (Session s = Session.open(g)) {
            for (int i = 0; i < 2; i++) {
                Tensor t = s.feed(in.edge(), Tensor.of(Shape.of(4), 0.1f, 0.2f, -0.3f, 1f))
                        .fetch(dx.edge())
                        .run()
                        .get(0);
                assertEquals(Shape.of(4), t.shape());
                t.close();
            }
        }
    }

    @Test
    void aThousandStepsEndWithTheMemoryOfTheTenth() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 16)),
                y = ops.placeholder("y", DType.F32, Shape.of(-1, 4));
        Parameter w = Parameter.of("w", ops.constant(Tensor.of(Shape.of(16, 4), new float[64])));
        Parameter b = Parameter.of("b", ops.constant(Tensor.of(Shape.of(4), new float[4])));
        Value loss =
                x.matMul(w.value()).plus(b.value()).tanh().minus(y).square().mean();
        Minimiser.Updates adam = Minimiser.adam(0.01).minimise(loss, List.of(w, b));
        List<Node> start = new ArrayList<>(List.of(w.initialiser(), b.initialiser()));
        adam.slots().forEach(p -> start.add(p.initialiser()));
        try (Engine engine = new Engine(EngineOptions.defaults());
                Session s = Session.open(g, engine)) {
            s.target(start.toArray(Node[]::new)).run();
            Tensor tx = Tensor.of(Shape.of(32, 16), new float[512]), ty = Tensor.of(Shape.of(32, 4), new float[128]);
            long reserved = 0, inUse = 0;
            for (int step = 1; step <= 1_000; step++) {
                s.feed(x.edge(), tx)
                        .feed(y.edge(), ty)
                        .fetch(loss.edge())
                        .target(adam.targets())
                        .run()
                        .forEach(Tensor::close);
                if (step == 10) {
                    reserved = engine.devices().get(0).memory().bytesReserved();
                    inUse = engine.devices().get(0).memory().bytesInUse();
                }
            }
            assertEquals(inUse, engine.devices().get(0).memory().bytesInUse());
            assertEquals(reserved, engine.devices().get(0).memory().bytesReserved());
        }
    }
}
