package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Products that add their bias themselves. */
final class EpiloguesTest {
    private final Ops ops = Ops.in(new Graph());
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(2, 3));
    private final Value w = ops.placeholder("w", DType.F32, Shape.of(3, 2));
    private final Value b = ops.placeholder("b", DType.F32, Shape.of(2));
    private final Value product = Value.apply(new MatMul(false, false), x, w);
    private final Value sum = Value.apply(new BiasAdd(), product, b);

    private static List<String> names(Subgraph s) {
        return s.graph().nodes().stream()
                .map(n -> n.op().signature().name())
                .filter(n -> !n.equals("Placeholder"))
                .toList();
    }

    private Subgraph rewritten(Value... roots) {
        List<Node> nodes = Arrays.stream(roots).map(Value::node).toList();
        return new Epilogues().run(new Subgraph(ops.graph(), nodes), Services.NONE);
    }

    @Test
    void aRectifiedSumOfProductAndBiasIsOneNode() {
        Subgraph s = rewritten(sum.relu());
        Node last = s.roots().getFirst();
        assertEquals(new Linear(false, false, true), last.op());
        assertEquals(
                List.of("x:0", "w:0", "b:0"),
                last.inputs().stream().map(Object::toString).toList());
    }

    @Test
    void aSumThatIsReadByItselfIsNotRectifiedInside() {
        Subgraph s = rewritten(sum.relu(), sum);
        assertEquals(List.of("MatMul", "_Linear", "Relu"), names(s));
    }

    @Test
    void aProductThatIsReadByItselfStays() {
        Subgraph s = rewritten(sum, product);
        assertEquals(List.of("MatMul", "BiasAdd"), names(s));
    }

    @Test
    void aMatrixOfTheProductsShapeIsAddedInsideOnEitherSide() {
        Value c = ops.placeholder("c", DType.F32, Shape.of(2, 2));
        MatMul m = new MatMul(false, false);
        for (Value both : List.of(Value.apply(m, x, w).plus(c), c.plus(Value.apply(m, x, w)))) {
            Node last = rewritten(both).roots().getFirst();
            assertEquals(new Linear(false, false, false), last.op());
            assertEquals(
                    List.of("x:0", "w:0", "c:0"),
                    last.inputs().stream().map(Object::toString).toList());
        }
    }

    @Test
    void aRowThatIsBroadcastIsAddedAfterTheProduct() {
        Node last = rewritten(product.plus(b)).roots().getFirst();
        assertEquals("AddV2", last.op().signature().name());
    }

    @Test
    void theHostComputesTheSame() {
        Value y = sum.relu();
        float[] plain = run(y, SessionOptions.defaults());
        float[] joined = run(y, SessionOptions.defaults().withRewrite(new Epilogues()));
        // [1 2 3; 4 5 6] [1 -1; 0 1; 2 0] + [0.5 -2] = [7.5 -1; 16.5 -1]
        assertArrayEquals(new float[] {7.5f, 0, 16.5f, 0}, plain);
        assertArrayEquals(plain, joined);
    }

    private float[] run(Value y, SessionOptions options) {
        try (Engine cpu = new Engine(
                        EngineOptions.defaults().withThreads(1),
                        (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
                Session session = Session.open(ops.graph(), cpu, options);
                Tensor xs = Tensor.of(Shape.of(2, 3), 1f, 2f, 3f, 4f, 5f, 6f);
                Tensor ws = Tensor.of(Shape.of(3, 2), 1f, -1f, 0f, 1f, 2f, 0f);
                Tensor bs = Tensor.of(Shape.of(2), 0.5f, -2f);
                Tensor result = session.feed(x.edge(), xs)
                        .feed(w.edge(), ws)
                        .feed(b.edge(), bs)
                        .fetch(y.edge())
                        .run()
                        .get(0)) {
            return result.floats();
        }
    }
}
