package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.oxbow.graph.Edge;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A layer in a session, with an input of random numbers: what it makes of it in training and in evaluation, and whether
 * gradients are those of central differences.
 */
final class LayerCheck implements AutoCloseable {
    private static final long SEED = 17;
    private static final int MOST = 24;

    private final Model model;
    private final Value trained;
    private final Value loss;
    private final List<Value> gradients;
    private final Engine engine = new Engine(EngineOptions.defaults().withThreads(1));
    private final Session session;
    private final Tensor input;
    private final boolean integers;
    private final double step;
    private final double tolerance;

    private LayerCheck(Layer layer, DType dtype, Tensor x0) {
        this.integers = x0.dtype().isInteger();
        this.input = integers ? as(DType.I32, x0) : as(dtype, x0);
        this.step = dtype == DType.F64 ? 1e-5 : 1e-2;
        this.tolerance = dtype == DType.F64 ? 1e-6 : 2e-2;
        Shape shape = input.shape();
        Input in = new Input("x", integers ? DType.I32 : dtype, shape.slice(1, shape.rank()));
        this.model = Model.of(List.of(in), (b, x) -> layer.apply(b, x.getFirst()), dtype, SEED);
        Value x = model.inputs().getFirst();
        this.trained = model.train(x.ops().constant(Tensor.scalar(3L))).output();
        this.loss = trained.times(weights(trained, shape.dim(0))).sum();
        List<Value> of = new ArrayList<>(
                model.parameters().stream().map(Parameter::handle).toList());
        if (!integers) of.add(x);
        this.gradients = Gradients.of(List.of(loss), of);
        this.session = Session.open(model.graph(), engine, SessionOptions.defaults());
        model.variables().forEach(p -> session.target(p.initialiser()).run().close());
        Random random = new Random(SEED);
        for (Parameter p : model.parameters()) {
            Tensor t = value(p);
            for (long i = 0; i < t.size(); i++) t.set(i, t.getDouble(i) + 0.3 * random.nextGaussian());
            assign(p, t);
        }
    }

    private static Tensor normal(DType dtype, long... dims) {
        Random random = new Random(SEED);
        Tensor t = Tensor.allocate(dtype, Shape.of(dims));
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian());
        return t;
    }

    /** A layer over an input of this shape, the batch first, all in f64. */
    static LayerCheck of(Layer layer, long... dims) {
        return new LayerCheck(layer, DType.F64, normal(DType.F64, dims));
    }

    /** A layer that has no kernels for f64. */
    static LayerCheck inFloats(Layer layer, long... dims) {
        return new LayerCheck(layer, DType.F32, normal(DType.F32, dims));
    }

    /** A layer over integers from 0 on. */
    static LayerCheck ofIntegers(Layer layer, int below, long... dims) {
        Tensor t = Tensor.allocate(DType.I32, Shape.of(dims));
        Random random = new Random(SEED);
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextInt(below));
        return new LayerCheck(layer, DType.F64, t);
    }

    /** A layer over this input, with parameters of this dtype. */
    static LayerCheck on(Layer layer, DType dtype, Tensor input) {
        return new LayerCheck(layer, dtype, input);
    }

    /** The cosine of the number of the element. */
    private static Value weights(Value y, long batch) {
        Tensor t = Tensor.allocate(y.dtype(), y.shape().withDim(0, batch));
        for (long i = 0; i < t.size(); i++) t.set(i, Math.cos(i));
        return y.ops().constant(t);
    }

    /** A copy in another dtype. */
    static Tensor as(DType dtype, Tensor t) {
        Tensor copy = Tensor.allocate(dtype, t.shape());
        for (long i = 0; i < t.size(); i++) copy.set(i, t.getDouble(i));
        return copy;
    }

    /** Fails unless the output has this shape, in training and evaluation. */
    LayerCheck gives(long... dims) {
        assertEquals(Shape.of(dims).withDim(0, -1), model.output().shape());
        assertEquals(Shape.of(dims).withDim(0, -1), trained.shape());
        try (Results r = run(model.output(), trained)) {
            assertEquals(Shape.of(dims), r.get(0).shape());
            assertEquals(Shape.of(dims), r.get(1).shape());
        }
        return this;
    }

    LayerCheck learns(String... names) {
        assertEquals(
                List.of(names), model.parameters().stream().map(Parameter::name).toList());
        return this;
    }

    /** Fails unless the gradients of all parameters and of the input are those of central differences. */
    LayerCheck differentiates() {
        for (int i = 0; i < gradients.size(); i++) {
            assertNotNull(gradients.get(i), "gradient " + i);
            boolean isInput = i == model.parameters().size();
            Parameter p = isInput ? null : model.parameters().get(i);
            Tensor at = isInput ? input : value(p);
            double[] analytic = doubles(Value.of(gradients.get(i).edge()));
            assertEquals(at.size(), analytic.length);
            int stride = Math.max(1, analytic.length / MOST);
            for (int j = 0; j < analytic.length; j += stride) {
                double numeric = (moved(p, at, j, step) - moved(p, at, j, -step)) / (2 * step);
                double scale = Math.max(1, Math.abs(numeric));
                String place = (isInput ? "input" : p.name()) + "[" + j + "]";
                assertEquals(numeric, analytic[j], tolerance * scale, place);
            }
        }
        return this;
    }

    /** The gradients of parameters by name, and of the input. */
    Map<String, double[]> gradients() {
        Map<String, double[]> all = new LinkedHashMap<>();
        for (int i = 0; i < gradients.size(); i++) {
            boolean isInput = i == model.parameters().size();
            String name = isInput ? "input" : model.parameters().get(i).name();
            all.put(name, doubles(Value.of(gradients.get(i).edge())));
        }
        return all;
    }

    private double moved(Parameter p, Tensor at, long j, double by) {
        double old = at.getDouble(j);
        at.set(j, old + by);
        if (p != null) assign(p, at);
        double l = doubles(loss)[0];
        at.set(j, old);
        if (p != null) assign(p, at);
        return l;
    }

    void assign(Parameter p, Tensor t) {
        session.feed(p.initialiser().input(1), t).target(p.initialiser()).run().close();
    }

    /** A copy of a parameter. */
    Tensor value(Parameter p) {
        try (Results r = session.fetch(p.value().edge()).run()) {
            Tensor copy = Tensor.allocate(r.get(0).dtype(), r.get(0).shape());
            for (long i = 0; i < copy.size(); i++) copy.set(i, r.get(0).getDouble(i));
            return copy;
        }
    }

    Model model() {
        return model;
    }

    Tensor input() {
        return input;
    }

    double[] evaluated() {
        return doubles(model.output());
    }

    double[] trained() {
        return doubles(trained);
    }

    private double[] doubles(Value v) {
        try (Results r = run(v)) {
            double[] all = new double[(int) r.get(0).size()];
            Arrays.setAll(all, i -> r.get(0).getDouble(i));
            return all;
        }
    }

    private Results run(Value... values) {
        Edge[] edges = Arrays.stream(values).map(Value::edge).toArray(Edge[]::new);
        return session.fetch(edges)
                .feed(model.inputs().getFirst().edge(), input)
                .run();
    }

    @Override
    public void close() {
        session.close();
        engine.close();
    }
}
