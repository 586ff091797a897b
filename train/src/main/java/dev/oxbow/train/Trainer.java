package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Loss;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.optimizer.Optimizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Trains a model: adds loss, gradients and updates to its graph, and runs them. The number of the step is a variable beside
 * the parameters, so schedules, dropout and what is saved agree on it.
 */
public final class Trainer implements AutoCloseable {
    private final Model model;
    private final Config config;
    private final Value targets;
    private final Value loss;
    private final List<Value> totals = new ArrayList<>();
    private final List<Value> evaluated = new ArrayList<>();
    private final Node[] step;
    private final List<Parameter> state;
    private final Session session;

    /** What a trainer does; start from {@link Trainer#of}. */
    public record Config(
            Model model,
            Loss loss,
            Optimizer optimizer,
            List<Metric> metrics,
            List<Callback> callbacks,
            EngineOptions engine,
            SessionOptions options) {

        public Config metrics(Metric... m) {
            return new Config(model, loss, optimizer, List.of(m), callbacks, engine, options);
        }

        public Config callbacks(Callback... c) {
            return new Config(model, loss, optimizer, metrics, List.of(c), engine, options);
        }

        public Config engine(EngineOptions e) {
            return new Config(model, loss, optimizer, metrics, callbacks, e, options);
        }

        public Config options(SessionOptions o) {
            return new Config(model, loss, optimizer, metrics, callbacks, engine, o);
        }

        /** Builds the graph of training, opens a session and sets the start values. */
        public Trainer start() {
            return new Trainer(this);
        }
    }

    public static Config of(Model model, Loss loss, Optimizer optimizer) {
        return new Config(
                model, loss, optimizer, List.of(), List.of(), EngineOptions.defaults(), SessionOptions.defaults());
    }

    private Trainer(Config config) {
        this.config = config;
        this.model = config.model();
        Graph g = model.graph();
        Ops ops = Ops.in(g);
        Parameter count = Parameter.named(g.unique("step"), ops.constant(Tensor.scalar(0L)));
        TensorType type = config.loss().target(model.output().edge().type());
        targets = ops.placeholder("targets", type.dtype(), type.shape());

        Model.Pass pass = model.train(count.value());
        Value mean = config.loss().of(pass.output(), targets).mean();
        for (Value p : pass.build().penalties()) mean = mean.plus(p);
        loss = mean;
        List<Parameter> trained = model.parameters().stream()
                .filter(p -> config.optimizer().trains().test(p.name()))
                .toList();
        List<Value> gradients = gradients(trained);
        Optimizer.Updates updates = config.optimizer().apply(trained, gradients, count.value());
        List<Node> nodes = new ArrayList<>(updates.nodes());
        nodes.addAll(pass.build().updates());
        try (Graph.Scope _ = g.after(nodes.toArray(Node[]::new))) {
            Value next = count.value().plus(1);
            nodes.add(g.add(new AssignVariableOp(false), List.of(count.handle().edge(), next.edge())));
        }
        step = nodes.toArray(Node[]::new);
        evaluated.add(Value.apply(new Pack(0), sums(config.loss().of(model.output(), targets))));
        for (Metric m : config.metrics()) {
            totals.add(m.sums(pass.output(), targets));
            evaluated.add(m.sums(model.output(), targets));
        }
        state = new ArrayList<>(model.variables());
        state.add(count);
        state.addAll(updates.slots());
        session = Session.open(g, config.engine(), config.options());
        session.target(state.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    private static Value[] sums(Value losses) {
        return new Value[] {losses.sum().cast(DType.F64), losses.runtimeSize().cast(DType.F64)};
    }

    private List<Value> gradients(List<Parameter> trained) {
        List<Value> gradients = Gradients.of(
                List.of(loss), trained.stream().map(Parameter::handle).toList());
        for (int i = 0; i < gradients.size(); i++)
            require(
                    gradients.get(i) != null,
                    INVALID_ARGUMENT,
                    "Trainer: the loss does not depend on parameter '%s' %s; use it in the model, or freeze it",
                    trained.get(i).name(),
                    trained.get(i).value().edge().type());
        return gradients;
    }

    public Session session() {
        return session;
    }

    /** All that training changes: parameters, states, the step, and the slots of the optimizer. */
    public List<Parameter> state() {
        return List.copyOf(state);
    }

    /** Trains for so many epochs; what came of each, in order. */
    public List<Epoch> fit(Batches batches, int epochs) {
        return fit(batches, epochs, null);
    }

    /** Trains for so many epochs, and evaluates on {@code validation} after each. */
    public List<Epoch> fit(Batches batches, int epochs, Batches validation) {
        List<Epoch> history = new ArrayList<>();
        for (long n = 0; n < epochs; n++) {
            Epoch e = epoch(batches, n, validation);
            history.add(e);
            boolean ends = false;
            for (Callback c : config.callbacks()) ends |= c.epoch(this, e);
            if (ends) break;
        }
        return history;
    }

    private Epoch epoch(Batches batches, long number, Batches validation) {
        long start = System.nanoTime(), steps = 0, examples = 0;
        double sum = 0;
        Totals metrics = new Totals(config.metrics());
        Iterator<Batch> all = batches.epoch(number, 0);
        while (all.hasNext()) {
            try (Batch b = all.next()) {
                double l = step(b, metrics);
                sum += l * b.rows();
                examples += b.rows();
                for (Callback c : config.callbacks()) c.step(this, steps, l);
                steps++;
            }
        }
        require(steps > 0, FAILED_PRECONDITION, "Trainer: epoch %d has no batch", number);
        Map<String, Double> figures = new LinkedHashMap<>(metrics.results(""));
        if (validation != null) evaluate(validation).forEach((name, value) -> figures.put("validation " + name, value));
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        return new Epoch(number, steps, examples, sum / examples, figures, time);
    }

    /** One step on a batch; its mean loss. */
    private double step(Batch b, Totals metrics) {
        List<Edge> fetches = new ArrayList<>(List.of(loss.edge()));
        for (Value t : totals) fetches.add(t.edge());
        try (Results r = run(b, fetches).target(step).run()) {
            metrics.add(r, 1);
            return r.get(0).getDouble(0);
        }
    }

    /** The loss and all metrics over these examples, by name. */
    public Map<String, Double> evaluate(Batches batches) {
        Totals metrics = new Totals(config.metrics());
        double sum = 0, count = 0;
        Iterator<Batch> all = batches.epoch(0, 0);
        while (all.hasNext()) {
            try (Batch b = all.next();
                    Results r =
                            run(b, evaluated.stream().map(Value::edge).toList()).run()) {
                sum += r.get(0).getDouble(0);
                count += r.get(0).getDouble(1);
                metrics.add(r, 1);
            }
        }
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("loss", sum / count);
        figures.putAll(metrics.results(""));
        return figures;
    }

    /** What the model makes of these inputs; the caller closes it. */
    public Tensor predict(Tensor... inputs) {
        require(
                inputs.length == model.inputs().size(),
                INVALID_ARGUMENT,
                "Trainer: the model has %d inputs, %d were given",
                model.inputs().size(),
                inputs.length);
        Session.Run run = session.fetch(model.output().edge());
        for (int i = 0; i < inputs.length; i++) run.feed(model.inputs().get(i).edge(), inputs[i]);
        return run.run().get(0);
    }

    private Session.Run run(Batch b, List<Edge> fetches) {
        Session.Run run = session.fetch(fetches.toArray(Edge[]::new)).feed(targets.edge(), b.targets());
        for (int i = 0; i < b.inputs().size(); i++)
            run.feed(model.inputs().get(i).edge(), b.inputs().get(i));
        return run;
    }

    @Override
    public void close() {
        session.close();
    }
}
