package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** GELU and its gradient inside of products, whatever way they are written. */
final class GelusTest {
    private static final int ROWS = 16;
    private static final int WIDTH = 8;
    private static final double SCALE = Math.sqrt(2 / Math.PI);

    /** Two layers, the loss and the gradients of all that they have. */
    private static final class Layers {
        final Ops ops = Ops.in(new Graph());
        final List<Value> fed = new ArrayList<>();
        final List<Value> wanted = new ArrayList<>();

        private final boolean half;

        Layers(UnaryOperator<Value> activation, boolean half) {
            this.half = half;
            Value x = fed(ROWS, WIDTH), w = fed(WIDTH, 4 * WIDTH), b = fed(4 * WIDTH), v = fed(4 * WIDTH, WIDTH);
            MatMul m = new MatMul(false, false);
            Value sum = Value.apply(new BiasAdd(), Value.apply(m, narrow(x), narrow(w)), narrow(b));
            Value y = Value.apply(m, narrow(activation.apply(sum.cast(DType.F32))), narrow(v));
            Value loss = y.cast(DType.F32).square().mean();
            wanted.add(loss);
            wanted.addAll(Gradients.of(loss, x, w, b, v));
        }

        private Value narrow(Value v) {
            return half ? v.cast(DType.BF16) : v;
        }

        private Value fed(long... shape) {
            Value v = ops.placeholder("p" + fed.size(), DType.F32, Shape.of(shape));
            fed.add(v);
            return v;
        }

        /** All results, one after the other, after these rewrites; what the last one made is noted. */
        double[] run(List<String> names, Rewrite... rewrites) {
            SessionOptions options = SessionOptions.defaults();
            for (Rewrite r : rewrites) options = options.withRewrite(r);
            options = options.withRewrite(new Noting(names));
            List<Double> all = new ArrayList<>();
            Random random = new Random(3);
            try (Engine cpu = new Engine(
                            EngineOptions.defaults().withThreads(1),
                            (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
                    Session session = Session.open(ops.graph(), cpu, options)) {
                Session.Run run = session.target();
                for (Value f : fed) {
                    float[] v = new float[(int) f.edge().type().shape().size()];
                    for (int i = 0; i < v.length; i++) v[i] = (float) random.nextGaussian();
                    run = run.feed(f.edge(), Tensor.of(f.edge().type().shape(), v));
                }
                for (Value v : wanted) run = run.fetch(v.edge());
                for (Tensor t : run.run()) {
                    for (long i = 0; i < t.size(); i++) all.add(t.getDouble(i));
                    t.close();
                }
            }
            return all.stream().mapToDouble(d -> d).toArray();
        }
    }

    private record Noting(List<String> names) implements Rewrite {
        @Override
        public String purpose() {
            return "note what there is";
        }

        @Override
        public String name() {
            return "noting";
        }

        @Override
        public Subgraph run(Subgraph s, Services services) {
            names.clear();
            s.graph().nodes().forEach(n -> names.add(n.op().signature().name()));
            return s;
        }
    }

    private static Value byTanh(Value x) {
        Value inner = x.plus(x.times(x).times(x).times(0.044715)).times(SCALE);
        return x.times(0.5).times(inner.tanh().plus(1));
    }

    private static Value bySigmoid(Value x) {
        return x.times(
                x.times(x.square()).times(0.044715).plus(x).times(2 * SCALE).sigmoid());
    }

    private static long count(List<String> names, String name) {
        return names.stream().filter(name::equals).count();
    }

    private static void isInside(UnaryOperator<Value> activation, long wanted) {
        Layers layers = new Layers(activation, true);
        List<String> names = new ArrayList<>();
        double[] exact = new Layers(activation, false).run(names), plain = layers.run(names);
        long products = count(names, "MatMul");
        double[] inside = layers.run(names, new Gelus(), new Prune());
        assertEquals(wanted, count(names, "_LinearGelu"), names::toString);
        assertEquals(wanted, count(names, "_LinearGeluGrad"), names::toString);
        assertEquals(products, count(names, "MatMul") + 2 * wanted, names::toString);
        double most = 0, own = 0, size = 0;
        for (int i = 0; i < exact.length; i++) {
            most += Math.pow(inside[i] - exact[i], 2);
            own += Math.pow(plain[i] - exact[i], 2);
            size += Math.pow(exact[i], 2);
        }
        assertTrue(Math.sqrt(most / size) < 0.02, "off by " + Math.sqrt(most / size));
        assertTrue(most <= 2 * own, "further off than without it: " + most + ", " + own);
    }

    @Test
    void itIsKnownByWhatItDoes() {
        isInside(GelusTest::byTanh, 1);
        isInside(GelusTest::bySigmoid, 1);
    }

    @Test
    void whatIsAlmostItStays() {
        isInside(Value::gelu, 0); // by the error function
        isInside(x -> byTanh(x.times(1.001)), 0);
        isInside(Value::silu, 0);
    }

    @Test
    void formulasAreTheFunctionAndItsDerivative() {
        for (double x = -5; x < 5; x += 0.37) {
            double near = (GeluFormulas.value(x + 1e-5) - GeluFormulas.value(x - 1e-5)) / 2e-5;
            assertEquals(near, GeluFormulas.slope(x), 1e-8);
        }
        assertEquals(0.8411919906, GeluFormulas.value(1), 1e-9); // 0.5 (1 + tanh(0.8332...))
    }
}
