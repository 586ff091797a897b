package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.state.Share;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Runs the graph of training in a session: steps, evaluations, and reads and writes of the state. */
final class Runs implements AutoCloseable {
    private final Trainer.Config config;
    private final Model model;
    private final TrainingGraph graph;
    private final Engine engine;
    private final Session session;
    private final Share share;

    /** What the wire format of the plan keeps; null where it keeps nothing. */
    private final Residuals residuals;

    /** The one of the configuration, to which values of the state are no rows of a batch. */
    private final Plan plan;

    /** Sees what the next step does; null for nobody. */
    private Tracer tracer;

    Runs(Trainer.Config config) {
        this.config = config;
        this.model = config.model();
        this.graph = TrainingGraph.of(config);
        int devices = config.plan().devices();
        EngineOptions wide =
                config.engine().cpuDevices() < devices ? config.engine().withCpuDevices(devices) : config.engine();
        this.engine = new Engine(wide);
        List<Parameter> all = new ArrayList<>(graph.state());
        all.addAll(graph.sums());
        this.residuals = ranks() > 1 && config.plan().wire().isTopK() ? new Residuals(model.graph(), engine) : null;
        List<String> whole = new ArrayList<>();
        for (Parameter p : all) whole.add(p.initialiser().input(1).node().name());
        if (residuals != null) whole.add(residuals.input());
        this.plan = config.plan().whole(whole.toArray(String[]::new));
        this.share = config.job() == null ? Share.whole() : share(config.job());
        this.session =
                plan.isServed() ? served() : Session.open(model.graph(), engine, plan.options(options(), config.job()));
        session.target(all.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run()
                .close();
    }

    /** Of a worker of parameter servers. */
    private Session served() {
        int workers = plan.served().workers();
        require(
                workers == ranks(),
                INVALID_ARGUMENT,
                "Trainer: the plan is for %d workers, the job has %d processes",
                workers,
                ranks());
        require(
                isShared() || graph.nodes().accumulate().length == 0,
                UNIMPLEMENTED,
                "Trainer: workers that do not wait for each other can not add up gradients of several batches: take"
                        + " sync(), no accumulation, and f32 or bf16");
        return plan.open(model.graph(), rank(), options());
    }

    /** The examples that this process evaluates: its share where runs are shared, else all. */
    Batches evaluated(Batches all) {
        return isShared() ? all.share(rank(), ranks()) : all;
    }

    /** Whether processes have shares of the same batches, rather than batches of their own. */
    boolean isShared() {
        return !plan.isServed() || plan.served().isSynchronous();
    }

    private SessionOptions options() {
        return config.precision() == DType.F32
                ? config.options()
                : config.options().withRewrite(new MixedPrecision(config.precision()));
    }

    /** All ranks take a number that the first one draws, so that what they write is known to belong together. */
    private static Share share(Communicator job) {
        int drawn = job.rank() == 0 ? new SecureRandom().nextInt(1 << 30) : 0;
        try (Tensor number = Tensor.scalar(drawn)) {
            job.world().allReduce(number).await();
            return new Share("r" + number.getLong(0), job.rank(), job.size());
        }
    }

    Share share() {
        return share;
    }

    TrainingGraph graph() {
        return graph;
    }

    Session session() {
        return session;
    }

    List<Device> devices() {
        return engine.devices();
    }

    int ranks() {
        return config.job() == null ? 1 : config.job().size();
    }

    int rank() {
        return config.job() == null ? 0 : config.job().rank();
    }

    /** The next batches that make a step: so many, or what is left. */
    static List<Batch> group(Iterator<Batch> all, int size) {
        List<Batch> group = new ArrayList<>();
        try {
            while (group.size() < size && all.hasNext()) group.add(all.next());
            return group;
        } catch (RuntimeException e) {
            group.forEach(Batch::close);
            throw e;
        }
    }

    /** Who sees what the next step does; null for nobody. */
    void trace(Tracer next) {
        tracer = next;
    }

    /** One step on batches that count as one; their mean loss. Contributions to metrics go to {@code metrics}. */
    double step(List<Batch> batches, Totals metrics) {
        try {
            return step(session, batches, metrics);
        } finally {
            tracer = null;
        }
    }

    private double step(Session in, List<Batch> batches, Totals metrics) {
        List<Edge> fetches = new ArrayList<>(List.of(graph.loss().edge()));
        for (Value t : graph.totals()) fetches.add(t.edge());
        double sum = 0, examples = 0;
        boolean single = graph.nodes().accumulate().length == 0;
        for (Batch b : batches) {
            if (b.rows() == 0 && !isShared()) continue; // a mean of nothing
            try (Results r = run(
                    in,
                    b,
                    fetches,
                    single ? graph.nodes().step() : graph.nodes().accumulate())) {
                metrics.add(r, 1);
                sum += r.get(0).getDouble(0) * b.rows();
                examples += b.rows();
            }
        }
        if (!single)
            in.target(isBroken(in) ? graph.nodes().skip() : graph.nodes().step())
                    .options(RunOptions.none().withTracer(tracer))
                    .run()
                    .close();
        return examples == 0 && !isShared() ? 0 : sum / examples;
    }

    /** Whether gradients of a scaled loss left the numbers of their dtype. */
    private boolean isBroken(Session in) {
        if (graph.nodes().broken() == null) return false;
        try (Results r = in.fetch(graph.nodes().broken().edge()).run()) {
            return r.get(0).getDouble(0) != 0;
        }
    }

    /**
     * The same step with a look at every number: fails at the first node that makes one that is not finite. One of several
     * processes takes it alone on its own rows, since the others could wait for it in vain; without rows it does nothing.
     */
    void checkedStep(List<Batch> batches) {
        if (plan.isServed()) return; // what it would look at is elsewhere
        SessionOptions options = options().withCheckNumerics(true);
        if (ranks() == 1) options = plan.options(options, config.job());
        else if (batches.stream().anyMatch(b -> b.rows() < ranks())) return;
        try (Session checking = Session.open(model.graph(), engine, options)) {
            step(checking, batches, new Totals(config.metrics()));
        }
    }

    String explain() {
        List<Edge> feeds = new ArrayList<>(List.of(graph.targets().edge())),
                fetches = new ArrayList<>(List.of(graph.loss().edge()));
        model.inputs().forEach(x -> feeds.add(x.edge()));
        graph.totals().forEach(t -> fetches.add(t.edge()));
        TrainingGraph.Steps nodes = graph.nodes();
        Node[] targets = nodes.accumulate().length == 0 ? nodes.step() : nodes.accumulate();
        return session.explain(feeds, fetches, List.of(targets), false);
    }

    /** What these examples add to the loss and to all metrics. */
    Results evaluate(Batch b) {
        return run(session, b, graph.evaluated().stream().map(Value::edge).toList());
    }

    Results predict(List<Tensor> inputs) {
        return feed(session.fetch(model.output().edge()), inputs).run();
    }

    /** A run on the rows of a batch that this process has. */
    private Results run(Session in, Batch b, List<Edge> fetches, Node... targets) {
        Session.Run run = in.fetch(fetches.toArray(Edge[]::new)).target(targets);
        if (tracer != null) run.options(RunOptions.none().withTracer(tracer));
        return feed(run.feed(graph.targets().edge(), b.targets()), b.inputs()).run();
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

    /** The values of these variables by name; the caller closes them. */
    Map<String, Tensor> values(List<Parameter> of) {
        Edge[] edges = of.stream().map(p -> p.value().edge()).toArray(Edge[]::new);
        Results values = session.fetch(edges).run();
        Map<String, Tensor> byName = new LinkedHashMap<>();
        for (int i = 0; i < edges.length; i++) byName.put(of.get(i).name(), values.get(i));
        return byName;
    }

    /** Sets variables to values of their names, which may come from elsewhere; what batches have left half done is dropped. */
    void assign(List<Parameter> to, Map<String, Tensor> values) {
        Session.Run run = session.target();
        for (Parameter p : to) {
            Tensor t = values.get(p.name());
            Edge start = p.initialiser().input(1);
            require(
                    t != null
                            && t.dtype() == start.type().dtype()
                            && t.shape().equals(start.type().shape()),
                    FAILED_PRECONDITION,
                    "Trainer: the checkpoint has %s for '%s', which is %s; it holds %s",
                    t == null ? "nothing" : t.describe(),
                    p.name(),
                    start.type(),
                    values.keySet());
            run.feed(start, t).target(p.initialiser());
        }
        for (Parameter p : graph.sums()) run.target(p.initialiser());
        run.run().close();
    }

    /** Gives parameters and states of the model the values of their names; the others stay as they are. */
    void load(Map<String, Tensor> values) {
        Map<String, Parameter> own = new LinkedHashMap<>();
        for (Parameter p : model.variables()) own.put(p.name(), p);
        for (String name : values.keySet())
            require(
                    own.containsKey(name),
                    INVALID_ARGUMENT,
                    "Trainer: the model has no parameter '%s', only %s",
                    name,
                    own.keySet());
        assign(
                model.variables().stream()
                        .filter(p -> values.containsKey(p.name()))
                        .toList(),
                values);
    }

    /** What {@code body} gives while parameters have their averages. */
    <T> T averaged(Supplier<T> body) {
        List<Parameter> averages = graph.averages();
        require(
                !averages.isEmpty(),
                FAILED_PRECONDITION,
                "Trainer: the optimizer keeps no averages; make it with Optimizer.withAverage");
        List<Parameter> trained = graph.trained();
        Map<String, Tensor> own = values(trained), means = values(averages);
        try {
            Map<String, Tensor> renamed = new LinkedHashMap<>();
            for (int i = 0; i < averages.size(); i++)
                renamed.put(trained.get(i).name(), means.get(averages.get(i).name()));
            assign(trained, renamed);
            return body.get();
        } finally {
            assign(trained, own);
            own.values().forEach(Tensor::close);
            means.values().forEach(Tensor::close);
        }
    }

    /** What this process has not sent yet, as slices of the job's; the caller closes them. */
    Map<String, Tensor> slices() {
        return residuals == null ? Map.of() : residuals.values(session);
    }

    /** Takes this process's part of the slices of all. */
    void assignSlices(Map<String, Tensor> all) {
        if (residuals != null) residuals.assign(session, all, rank(), ranks());
    }

    /** Takes its own slices back. */
    void restoreSlices(Map<String, Tensor> own) {
        if (residuals != null) residuals.assign(session, own, 0, 1);
    }

    @Override
    public void close() {
        session.close();
        engine.close();
    }
}
