package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.train.layer.Build;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.layer.Summary;
import dev.oxbow.train.layer.Variables;
import java.util.ArrayList;
import java.util.List;

/**
 * A network in a graph of its own: placeholders, parameters, and what it computes, once as evaluation sees it and, when a
 * {@link Trainer} asks for it, once as training does. Both share the parameters.
 *
 * {@snippet :
 * Model model = Model.of(Input.floats("x", 28, 28, 1), Layers.sequential(Layers.flatten(), Layers.dense(10)), 42);
 * IO.print(model.summary()); // layers, shapes, parameters
 * }
 */
public final class Model {
    private final Graph graph = new Graph();
    private final Body body;
    private final Variables variables;
    private final List<Value> inputs = new ArrayList<>();
    private final Value output;
    private final Summary summary;

    /** What a model of several inputs computes. */
    @FunctionalInterface
    public interface Body {
        Value apply(Build b, List<Value> inputs);
    }

    private Model(List<Input> inputs, Body body, DType dtype, long seed) {
        require(!inputs.isEmpty(), INVALID_ARGUMENT, "Model: there is no input");
        this.body = body;
        this.variables = new Variables(graph, dtype, seed);
        for (Input in : inputs) this.inputs.add(Ops.in(graph).placeholder(in.name(), in.dtype(), in.batch()));
        Build b = new Build(graph, variables, null);
        this.output = body.apply(b, this.inputs);
        this.summary = new Summary(b.rows(), variables.trained(), variables.all());
    }

    /** A model of one input, with parameters in f32 that start from the seed. */
    public static Model of(Input input, Layer layer, long seed) {
        return of(List.of(input), (b, x) -> layer.apply(b, x.getFirst()), DType.F32, seed);
    }

    public static Model of(List<Input> inputs, Body body, DType dtype, long seed) {
        return new Model(inputs, body, dtype, seed);
    }

    public Graph graph() {
        return graph;
    }

    public List<Value> inputs() {
        return List.copyOf(inputs);
    }

    /** What it computes in evaluation. */
    public Value output() {
        return output;
    }

    /** What training changes. */
    public List<Parameter> parameters() {
        return variables.trained();
    }

    /** Parameters and states. */
    public List<Parameter> variables() {
        return variables.all();
    }

    public Summary summary() {
        return summary;
    }

    /** What it computes in training, in nodes of their own. */
    Pass train(Value step) {
        try (Graph.Scope _ = graph.scope("training")) {
            Build b = new Build(graph, variables, step);
            return new Pass(body.apply(b, inputs), b);
        }
    }

    /** What training computes, and what it does beside. */
    record Pass(Value output, Build build) {}
}
