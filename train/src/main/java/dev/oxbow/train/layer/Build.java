package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes nodes of layers: one pass over a model, either for training or for evaluation. It knows where in the model it is,
 * so that what a layer calls {@code kernel} becomes {@code conv1/kernel}, and it finds again what an earlier pass made.
 */
public final class Build {
    private final Graph graph;
    private final Variables variables;
    private final boolean training;
    private final Value step;
    private final List<Node> updates = new ArrayList<>();
    private final List<Value> penalties = new ArrayList<>();
    private final List<Summary.Row> rows = new ArrayList<>();
    private String path = "";
    private int depth;

    /** A pass over a graph; {@code step} is the number of the training step as an i64 scalar, null in evaluation. */
    public Build(Graph graph, Variables variables, Value step) {
        this.graph = graph;
        this.variables = variables;
        this.training = step != null;
        this.step = step;
    }

    /** Whether nodes for training are made: dropout drops, batch normalisation looks at the batch. */
    public boolean training() {
        return training;
    }

    public Ops ops() {
        return Ops.in(graph);
    }

    /** The dtype of parameters. */
    public DType dtype() {
        return variables.dtype();
    }

    /** A value that training changes by its gradient. */
    public Value parameter(String name, Initialiser start, long... dims) {
        return variables.get(path + name, start, shape(name, dims), true).value();
    }

    /** A parameter that is read by rows, through its handle, so that its gradient has only the rows that were looked up. */
    public Parameter table(String name, Initialiser start, long... dims) {
        return variables.get(path + name, start, shape(name, dims), true);
    }

    /** A value that is kept and saved with the model but has no gradient, such as a running mean. */
    public Value state(String name, Initialiser start, long... dims) {
        return variables.get(path + name, start, shape(name, dims), false).value();
    }

    /** Gives a state of this layer a new value at the end of each training step. */
    public void update(String name, Value value) {
        Parameter p = variables.existing(path + name);
        updates.add(graph.add(
                new AssignVariableOp(false),
                List.of(p.handle().edge(), value.stopGradient().edge())));
    }

    /** Adds a term to the loss of training, such as a weight penalty. */
    public void penalty(Value scalar) {
        penalties.add(scalar);
    }

    /** An inner layer under a name of its own. */
    public Value layer(String name, Layer layer, Value x) {
        String outer = path;
        int row = rows.size();
        rows.add(null);
        path = outer + name + "/";
        depth++;
        try (Graph.Scope _ = graph.scope(name)) {
            Value y = layer.apply(this, x);
            rows.set(row, new Summary.Row(depth - 1, name, layer.kind(), y.shape(), variables.under(path)));
            return y;
        } finally {
            path = outer;
            depth--;
        }
    }

    /** Random numbers of this place: two seeds for a stateless op, other ones in each step and the same in a step that is repeated. */
    public Value seeds(String name) {
        require(training, INVALID_ARGUMENT, "Build: '%s' draws by the step, and evaluation has none", path + name);
        Value seed = ops().constant(Tensor.scalar(variables.seed(path + name)));
        return Value.apply(new Pack(0), seed, step);
    }

    /** A layer whose parameters belong to an object, not to the place where it is used. */
    Value shared(Shared owner, Layer layer, Value x) {
        String here = path;
        path = variables.home(owner, here);
        try {
            return layer.apply(this, x);
        } finally {
            path = here;
        }
    }

    /** What training runs beside the updates of the optimizer. */
    public List<Node> updates() {
        return List.copyOf(updates);
    }

    public List<Value> penalties() {
        return List.copyOf(penalties);
    }

    /** A row for each layer, outer ones before inner ones. */
    public List<Summary.Row> rows() {
        return List.copyOf(rows);
    }

    private Shape shape(String name, long[] dims) {
        for (long d : dims)
            require(
                    d >= 0,
                    INVALID_ARGUMENT,
                    "Build: parameter '%s' would have shape %s; the sizes of the layer's input must be known, all but the"
                            + " batch",
                    path + name,
                    Shape.of(dims));
        return Shape.of(dims);
    }
}
