package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.ServerSession;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.state.Share;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    private final Coming coming;

    /** Goes on where servers were lost. */
    private Recovery recovery = Recovery.NONE;

    Runs(Trainer.Config config) {
        this.config = config;
        this.model = config.model();
        this.graph = TrainingGraph.of(config);
        int devices = config.plan().devices();
        EngineOptions wide =
                config.engine().cpuDevices() < devices ? config.engine().withCpuDevices(devices) : config.engine();
        this.engine = new Engine(wide);
        List<Parameter> all = graph.variables();
        this.residuals = ranks() > 1 && config.plan().wire().isTopK() ? new Residuals(model.graph(), engine) : null;
        List<String> whole = new ArrayList<>();
        for (Parameter p : all) whole.add(p.initialiser().input(1).node().name());
        if (residuals != null) whole.add(residuals.input());
        this.plan = config.plan().whole(whole.toArray(String[]::new));
        this.coming = new Coming(plan, model, graph);
        this.share = config.job() == null
                ? Share.whole()
                : share(config.job(), config.plan().helpers());
        this.session =
                plan.isServed() ? served() : Session.open(model.graph(), engine, plan.options(options(), config.job()));
        initialise(session);
    }

    /** Sets the start values. */
    void initialise(Session in) {
        in.target(graph.variables().stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run()
                .close();
    }

    /** Of a worker of parameter servers. */
    private Session served() {
        if (plan.alone() >= 0) return plan.open(model.graph(), plan.alone(), options());
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
    private Batches evaluated(Batches all) {
        return isShared() ? shared(all) : all;
    }

    /** The share of this process in batches; one that only helps has no row. */
    Batches shared(Batches all) {
        if (plan.alone() >= 0) return all;
        int workers = ranks() - plan.helpers();
        return rank() < workers
                ? all.share(rank(), workers)
                : all.share(0, workers).none();
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
    private static Share share(Communicator job, int helpers) {
        int drawn = job.rank() == 0 ? new SecureRandom().nextInt(1 << 30) : 0;
        try (Tensor number = Tensor.scalar(drawn)) {
            job.world().allReduce(number).await();
            return new Share("r" + number.getLong(0), job.rank(), job.size() - helpers);
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

    Coming coming() {
        return coming;
    }

    /** One step on batches that count as one; their mean loss. Contributions to metrics go to {@code metrics}. */
    double step(List<Batch> batches, Totals metrics) {
        try {
            return recovery.run(() -> step(session, batches, metrics));
        } finally {
            tracer = null;
        }
    }

    private double step(Session in, List<Batch> batches, Totals metrics) {
        List<Edge> fetches = new ArrayList<>(List.of(graph.loss().edge()));
        for (Value t : graph.totals()) fetches.add(t.edge());
        double sum = 0, examples = 0;
        boolean single = graph.nodes().accumulate().length == 0;
        for (int i = 0; i < batches.size(); i++) {
            Batch b = batches.get(i);
            if (b.rows() == 0 && !isShared()) continue; // a mean of nothing
            coming.tell(in, batches, i);
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

    /** What these examples add to the loss and to all metrics, by name; the metrics begin with the loss. */
    Map<String, double[]> totals(Batches batches, List<Metric> metrics) {
        Totals totals = new Totals(metrics);
        List<Edge> sums = graph.evaluated().stream().map(Value::edge).toList();
        try (Feed<Batch> each = evaluated(batches).epoch(0, 0)) {
            require(each.hasNext(), FAILED_PRECONDITION, "Trainer: there is no example to evaluate on");
            while (each.hasNext()) {
                try (Batch b = each.next();
                        Results r = recovery.run(() -> run(session, b, sums))) {
                    totals.add(r, 0);
                }
            }
        }
        return totals.sums();
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
        return recovery.run(() -> values(session, of));
    }

    /** Goes on where servers were lost. */
    void recovering(Recovery how) {
        recovery = how;
    }

    /** The values that a session has of the state, which may be another than this one's; the caller closes them. */
    Map<String, Tensor> valuesIn(Session other) {
        return values(other, graph.state());
    }

    /** How many batches a step is on, but the last one of an epoch. */
    int stepBatches() {
        return config.optimizer().accumulation();
    }

    /** Of the same graph under another plan. */
    ServerSession beside(Plan other, int worker) {
        return other.reopening(model.graph(), worker, options());
    }

    /** The values that this process itself has, whatever became of the others. */
    Map<String, Tensor> ownValues(List<Parameter> of) {
        require(!plan.isServed(), FAILED_PRECONDITION, "Trainer: parameter servers have the state, not this process");
        try (Session own = Session.open(model.graph(), engine, plan.options(options(), null))) {
            return values(own, of);
        }
    }

    private static Map<String, Tensor> values(Session in, List<Parameter> of) {
        Edge[] edges = of.stream().map(p -> p.value().edge()).toArray(Edge[]::new);
        Results values = in.fetch(edges).run();
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
