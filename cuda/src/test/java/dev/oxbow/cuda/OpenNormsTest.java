package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Normalisations that are opened give what they gave before. */
final class OpenNormsTest {
    private final Ops ops = Ops.in(new Graph());
    private final List<Value> inputs = new ArrayList<>();

    private Value input(String name, long... shape) {
        inputs.add(ops.placeholder(name, DType.F32, Shape.of(shape)));
        return inputs.getLast();
    }

    private List<Value> model(float factor, boolean training) {
        Value x = input("x", 2, 5, 3, 4);
        Value[] all = {x, input("scale", 4), input("offset", 4), input("mean", 4), input("variance", 4)};
        List<Value> made = Value.applyAll(new FusedBatchNormV3(1e-3f, factor, "NHWC", training), all);
        Value y = made.get(0).relu();
        List<Value> results =
                new ArrayList<>(List.of(y, made.get(1).times(1), made.get(2).times(1)));
        results.addAll(Gradients.of(y.times(y).sum(), all[0], all[1], all[2]));
        return results;
    }

    private static Subgraph opened(List<Value> results) {
        List<Node> roots = results.stream().map(Value::node).toList();
        return new OpenNorms().run(new Subgraph(results.getFirst().graph(), roots), Services.NONE);
    }

    @Test
    void resultsAndGradientsAreTheSame() {
        for (float factor : new float[] {1, 0.1f}) {
            OpenNormsTest t = new OpenNormsTest();
            List<Value> results = t.model(factor, true);
            Subgraph s = opened(results);
            assertEquals(
                    1,
                    s.graph().nodes().stream()
                            .filter(n -> n.op() instanceof NormStatistics)
                            .count());
            List<float[]> wanted =
                    t.values(t.ops.graph(), results.stream().map(Value::edge).toList());
            List<Edge> now = new ArrayList<>();
            for (int i = 0; i < results.size(); i++)
                now.add(s.roots().get(i).edge(results.get(i).edge().port()));
            List<float[]> got = t.values(s.graph(), now);
            for (int i = 0; i < wanted.size(); i++)
                for (int k = 0; k < wanted.get(i).length; k++)
                    assertEquals(wanted.get(i)[k], got.get(i)[k], 1e-4, "result " + i + " with factor " + factor);
        }
    }

    @Test
    void oneThatDoesNotLookAtItsBatchStays() {
        List<Value> results = model(1, false);
        assertTrue(opened(results).graph().nodes().stream().noneMatch(n -> n.op() instanceof NormStatistics));
    }

    private List<float[]> values(Graph g, List<Edge> results) {
        Random r = new Random(11);
        try (Engine cpu = new Engine(
                        EngineOptions.defaults(),
                        (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
                Session s = Session.open(g, cpu, SessionOptions.defaults())) {
            Session.Run run = s.fetch(results.toArray(Edge[]::new));
            for (Value v : inputs) {
                float[] x = new float[(int) v.shape().size()];
                for (int i = 0; i < x.length; i++) x[i] = (float) (1 + 0.5 * r.nextGaussian());
                run.feed(g.node(v.node().name()).edge(0), Tensor.of(v.shape(), x));
            }
            return run.run().stream().map(Tensor::floats).toList();
        }
    }
}
