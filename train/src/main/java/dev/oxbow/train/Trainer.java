package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Loss;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
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
    private final Config config;
    private final Model model;
    private final TrainingGraph graph;
    private final Engine engine;
    private final Session session;
    private Position position = Position.START;
    private long fitted;
    private volatile boolean stopping;

    /**
     * What a trainer does; start from {@link Trainer#of}.
     *
     * @param job the processes that train together under the plan; null for this one alone
     */
    public record Config(
            Model model,
            Loss loss,
            Optimizer optimizer,
            List<Metric> metrics,
            List<Callback> callbacks,
            Plan plan,
            Communicator job,
            EngineOptions engine,
            SessionOptions options) {

        public Config metrics(Metric... m) {
            return new Config(model, loss, optimizer, List.of(m), callbacks, plan, job, engine, options);
        }

        public Config callbacks(Callback... c) {
            return new Config(model, loss, optimizer, metrics, List.of(c), plan, job, engine, options);
        }

        /** Trains by a plan, such as {@code Plan.replicas(2)}. */
        public Config plan(Plan p) {
            return plan(p, null);
        }

        /** Trains by a plan together with the other processes of a job, each of which does the same. */
        public Config plan(Plan p, Communicator ranks) {
            return new Config(model, loss, optimizer, metrics, callbacks, p, ranks, engine, options);
        }

        public Config engine(EngineOptions e) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, e, options);
        }

        public Config options(SessionOptions o) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, engine, o);
        }

        /** Builds the graph of training, opens a session and sets the start values. */
        public Trainer start() {
            return new Trainer(this);
        }
    }

    public static Config of(Model model, Loss loss, Optimizer optimizer) {
        return new Config(
                model,
                loss,
                optimizer,
                List.of(),
                List.of(),
                Plan.local(),
                null,
                EngineOptions.defaults(),
                SessionOptions.defaults());
    }

    private Trainer(Config config) {
        this.config = config;
        this.model = config.model();
        this.graph = TrainingGraph.of(config);
        int devices = config.plan().devices();
        EngineOptions wide = config.engine().cpuDevices() < devices
                ? config.engine().withCpuDevices(devices)
                : config.engine();
        this.engine = new Engine(wide);
        this.session = Session.open(model.graph(), engine, config.plan().options(config.options(), config.job()));
        Node[] start = graph.state().stream().map(Parameter::initialiser).toArray(Node[]::new);
        session.target(start).run().close();
    }

    public Session session() {
        return session;
    }

    public Model model() {
        return model;
    }

    /** All that training changes: parameters, states, the step, and the slots of the optimizer. */
    public List<Parameter> state() {
        return graph.state();
    }

    /** Where training is. */
    public Position position() {
        return position;
    }

    /** Lets a running {@link #fit} end after its step; safe to call from any thread. */
    public void stop() {
        stopping = true;
    }

    /** What it needs to go on from here, with values of their own; the caller closes it. */
    public Checkpoint checkpoint() {
        Edge[] edges = graph.state().stream().map(p -> p.value().edge()).toArray(Edge[]::new);
        Results values = session.fetch(edges).run();
        Map<String, Tensor> byName = new LinkedHashMap<>();
        for (int i = 0; i < edges.length; i++) byName.put(graph.state().get(i).name(), values.get(i));
        return new Checkpoint(position, byName, Map.of("plan", config.plan().toString()));
    }

    /** Goes on from a checkpoint: the next {@link #fit} begins at its position. Names, dtypes and shapes must be the same. */
    public void restore(Checkpoint c) {
        Session.Run run = session.target();
        for (Parameter p : graph.state()) {
            Tensor t = c.values().get(p.name());
            Edge start = p.initialiser().input(1);
            require(
                    t != null
                            && t.dtype() == start.type().dtype()
                            && t.shape().equals(start.type().shape()),
                    FAILED_PRECONDITION,
                    "Trainer: the checkpoint has %s for '%s', which is %s; it holds %s",
                    t == null ? "nothing" : t,
                    p.name(),
                    start.type(),
                    c.values().keySet());
            run.feed(start, t).target(p.initialiser());
        }
        run.run().close();
        position = c.position();
        fitted = 0;
    }

    /** Trains for so many epochs; what came of each, in order. */
    public List<Epoch> fit(Batches batches, int epochs) {
        return fit(batches, epochs, null);
    }

    /**
     * Trains for so many epochs, and evaluates on {@code validation} after each. The first fit behind a {@link #restore}
     * counts the epochs before it, so that the same call goes on where it was.
     */
    public List<Epoch> fit(Batches batches, int epochs, Batches validation) {
        stopping = false;
        long end = fitted + epochs;
        List<Epoch> history = new ArrayList<>();
        boolean ends = false;
        while (position.epoch() < end && !ends && !stopping) {
            Epoch e = epoch(batches, validation);
            if (stopping) break;
            history.add(e);
            for (Callback c : config.callbacks()) ends |= c.epoch(this, e);
        }
        fitted = position.epoch();
        return history;
    }

    /** What is left of an epoch. */
    private Epoch epoch(Batches batches, Batches validation) {
        long start = System.nanoTime(), first = position.step(), examples = 0, number = position.epoch();
        double sum = 0;
        Totals metrics = new Totals(config.metrics());
        Iterator<Batch> all = batches.epoch(number, position.batch());
        while (all.hasNext() && !stopping) {
            try (Batch b = all.next()) {
                double l = step(b, metrics);
                sum += l * b.rows();
                examples += b.rows();
                position = position.afterBatch();
                for (Callback c : config.callbacks()) c.step(this, l);
            }
        }
        require(
                examples > 0 || stopping || position.batch() > 0,
                FAILED_PRECONDITION,
                "Trainer: epoch %d has no batch",
                number);
        if (stopping) return null;
        position = position.afterEpoch();
        Map<String, Double> figures = new LinkedHashMap<>(metrics.results());
        if (validation != null) evaluate(validation).forEach((name, value) -> figures.put("validation " + name, value));
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        return new Epoch(number, position.step() - first, examples, sum / examples, figures, time);
    }

    /** One step on a batch; its mean loss. */
    private double step(Batch b, Totals metrics) {
        List<Edge> fetches = new ArrayList<>(List.of(graph.loss().edge()));
        for (Value t : graph.totals()) fetches.add(t.edge());
        try (Results r = run(b, fetches, graph.step())) {
            metrics.add(r, 1);
            return r.get(0).getDouble(0);
        }
    }

    /** The loss and all metrics over these examples, by name. */
    public Map<String, Double> evaluate(Batches batches) {
        Totals metrics = new Totals(config.metrics());
        double sum = 0, count = 0;
        List<Edge> fetches = graph.evaluated().stream().map(Value::edge).toList();
        Iterator<Batch> all = batches.epoch(0, 0);
        while (all.hasNext()) {
            try (Batch b = all.next();
                    Results r = run(b, fetches)) {
                sum += r.get(0).getDouble(0);
                count += r.get(0).getDouble(1);
                metrics.add(r, 1);
            }
        }
        require(count > 0, FAILED_PRECONDITION, "Trainer: there is no example to evaluate on");
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("loss", sum / count);
        figures.putAll(metrics.results());
        return figures;
    }

    /** What the model makes of these inputs; the caller closes it. */
    public Tensor predict(Tensor... inputs) {
        return feed(session.fetch(model.output().edge()), List.of(inputs)).run().get(0);
    }

    /** A run on the rows of a batch that belong to this process. */
    private Results run(Batch b, List<Edge> fetches, Node... targets) {
        int ranks = config.job() == null ? 1 : config.job().size();
        try (Batch own = ranks == 1 ? null : b.share(config.job().rank(), ranks)) {
            Batch fed = own == null ? b : own;
            Session.Run run = session.fetch(fetches.toArray(Edge[]::new)).target(targets);
            return feed(run.feed(graph.targets().edge(), fed.targets()), fed.inputs()).run();
        }
    }

    private Session.Run feed(Session.Run run, List<Tensor> inputs) {
        require(
                inputs.size() == model.inputs().size(),
                INVALID_ARGUMENT,
                "Trainer: the model has %d inputs, %d were given",
                model.inputs().size(),
                inputs.size());
        for (int i = 0; i < inputs.size(); i++) run.feed(model.inputs().get(i).edge(), inputs.get(i));
        return run;
    }

    @Override
    public void close() {
        session.close();
        engine.close();
    }
}
