package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.StageTime;
import dev.oxbow.graph.Tracer;
import dev.oxbow.ops.Parameter;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Loss;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import dev.oxbow.train.state.Position;
import dev.oxbow.train.state.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Trains a model: adds loss, gradients and updates to its graph, and runs them. The number of the step is a variable beside
 * the parameters, so schedules, dropout and what is saved agree on it.
 *
 * {@snippet :
 * Model model = Model.of(Input.floats("x", 4), Layers.dense(1), 1);
 * try (Trainer trainer = Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1)).plan(Plan.replicas(2)).start()) {
 *     trainer.resume(new Checkpoints(Path.of("checkpoints"), 3));
 *     Tensor y = trainer.predict(Tensor.zeros(DType.F32, Shape.of(2, 4)));
 * }
 * }
 */
public final class Trainer implements AutoCloseable {
    private static final int WATCH = 100;
    private static final String LOSS = "loss";
    private final Config config;
    private final Model model;
    private final Runs runs;
    private Position position = Position.START;
    private long fitted;
    private long examples;
    private InputWaits waits = new InputWaits();
    private volatile boolean stopping;

    /**
     * What a trainer does; start from {@link Trainer#of}.
     *
     * @param job the processes that train together under the plan; null for this one alone
     * @param precision of products and convolutions: f32, bf16 or f16
     * @param watch after how many steps the state is copied, to go back there when numbers are not finite; 0 for never
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
            SessionOptions options,
            int watch,
            DType precision) {

        public Config metrics(Metric... m) {
            return new Config(
                    model, loss, optimizer, List.of(m), callbacks, plan, job, engine, options, watch, precision);
        }

        public Config callbacks(Callback... c) {
            return new Config(
                    model, loss, optimizer, metrics, List.of(c), plan, job, engine, options, watch, precision);
        }

        /** Trains by a plan, such as {@code Plan.replicas(2)}. */
        public Config plan(Plan p) {
            return plan(p, null);
        }

        /** Trains by a plan together with the other processes of a job, each of which does the same. */
        public Config plan(Plan p, Communicator ranks) {
            return new Config(model, loss, optimizer, metrics, callbacks, p, ranks, engine, options, watch, precision);
        }

        public Config engine(EngineOptions e) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, e, options, watch, precision);
        }

        public Config options(SessionOptions o) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, engine, o, watch, precision);
        }

        /**
         * Copies the state every so many steps, in memory. A loss or a parameter that is not finite then ends training with
         * the node that made it and the state before the step; with 0 it ends without both.
         */
        public Config watch(int steps) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, engine, options, steps, precision);
        }

        /**
         * Multiplies and convolves in bf16 or f16, while parameters, sums and losses stay in f32; f32 for all of it in f32.
         * In f16 the loss is scaled, so that small gradients are not lost, and a step whose gradients are not finite is
         * skipped.
         */
        public Config precision(DType half) {
            return new Config(model, loss, optimizer, metrics, callbacks, plan, job, engine, options, watch, half);
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
                SessionOptions.defaults(),
                WATCH,
                DType.F32);
    }

    private Trainer(Config config) {
        this.config = config;
        this.model = config.model();
        this.runs = new Runs(config);
    }

    public Session session() {
        return runs.session();
    }

    public Model model() {
        return model;
    }

    /** The devices of this process. */
    public List<Device> devices() {
        return runs.devices();
    }

    /** How training is shared out. */
    public Plan plan() {
        return config.plan();
    }

    /** All that training changes: parameters, states, the step, and the slots of the optimizer. */
    public List<Parameter> state() {
        return runs.graph().state();
    }

    /** Where training is. */
    public Position position() {
        return position;
    }

    /** What each stage of compilation does with a step of training, up to kernels and memory, in words. */
    public String explain() {
        return runs.explain();
    }

    /** Lets a running {@link #fit} end after its step; safe to call from any thread. */
    public void stop() {
        stopping = true;
    }

    /** Lets a tracer see what the next step does. Called by the thread that fits, such as in a {@link Callback}. */
    public void trace(Tracer next) {
        runs.trace(next);
    }

    /** The examples that this process has been trained on, its rows of each batch. */
    public long examples() {
        return examples;
    }

    /** How long the steps of this epoch were about getting their input so far. */
    public Duration waited() {
        return waits.time();
    }

    /** Which of the processes that train together this is. */
    public int rank() {
        return runs.rank();
    }

    /** The part of a checkpoint that this process writes. */
    public Share share() {
        return runs.share();
    }

    /** What it needs to go on from here, with values of their own; the caller closes it. */
    public Checkpoint checkpoint() {
        Map<String, String> notes = Map.of("plan", config.plan().toString());
        return new Checkpoint(position, runs.values(state()), runs.slices(), notes);
    }

    /** What this process has, asked of nobody else: for a job that has lost one of its processes, whose step has failed. */
    Checkpoint rescued() {
        return Handover.rescued(runs, position, config);
    }

    /** Takes the state of one of the processes, as all of them do; {@code mine} is what this one has, null for nothing. */
    boolean takeOver(Checkpoint mine, int root) {
        return goOn(Handover.take(config.job().world(), root, state(), mine));
    }

    Runs runs() {
        return runs;
    }

    /** Goes on from a position, with the state as it is. */
    void at(Position from) {
        position = from;
        fitted = 0;
    }

    private boolean goOn(Optional<Checkpoint> from) {
        try (Checkpoint c = from.orElse(null)) {
            if (c != null) restore(c);
        }
        return from.isPresent();
    }

    /**
     * Goes on from a checkpoint: the next {@link #fit} begins at its position. Names, dtypes and shapes must be the same.
     * What the workers had not sent of their gradients is shared out evenly among another number of them, and dropped where
     * the plan keeps no such thing.
     */
    public void restore(Checkpoint c) {
        runs.assign(state(), c.values());
        runs.assignSlices(c.slices());
        position = c.position();
        fitted = 0;
    }

    /**
     * Gives parameters and states the values of their names, such as those of a {@code Weights}; the others stay as they
     * are. A name that the model does not have is an error.
     */
    public void load(Map<String, Tensor> values) {
        runs.load(values);
    }

    /** Goes on from the newest of these checkpoints that is whole; false where there is none, and nothing happens. */
    public boolean resume(Checkpoints from) {
        return goOn(from.latest());
    }

    /** What {@code body} gives while parameters have their averages, which the optimizer must keep. */
    public <T> T averaged(Supplier<T> body) {
        return Averages.during(runs, body);
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
        try {
            while (position.epoch() < end && !ends && !stopping) {
                Epoch e = epoch(batches, validation);
                if (stopping) break;
                history.add(e);
                for (Callback c : config.callbacks()) ends |= c.epoch(this, e);
            }
        } catch (RuntimeException e) {
            Callbacks.end(config.callbacks(), this, e);
            throw e;
        }
        for (Callback c : config.callbacks()) c.end(this);
        fitted = position.epoch();
        return history;
    }

    /** What is left of an epoch. */
    private Epoch epoch(Batches batches, Batches validation) {
        long start = System.nanoTime(), first = position.step(), number = position.epoch();
        Totals metrics = new Totals(config.metrics());
        double[] loss = new double[2];
        Batches own = runs.shared(batches);
        waits = new InputWaits();
        List<StageTime> stages;
        try (Watch watch = new Watch(runs, config, own, position);
                Feed<Batch> all = waits.timed(own.epoch(number, position.batch()));
                Groups steps = new Groups(all, config.optimizer().accumulation(), runs.coming(), waits)) {
            Position before = position;
            while (steps.hasNext() && !stopping) {
                before = position;
                double l = step(steps.next(), metrics, loss);
                check(watch, watch.step(before, position, l));
                for (Callback c : config.callbacks()) c.step(this, l);
            }
            check(watch, watch.end(before, position));
            stages = all.stages();
        }
        require(
                loss[1] > 0 || stopping || position.batch() > 0 || config.plan().alone() >= 0,
                FAILED_PRECONDITION,
                "Trainer: epoch %d has no batch",
                number);
        if (stopping) return null;
        position = position.afterEpoch();
        Map<String, Double> figures = new LinkedHashMap<>(metrics.results());
        if (validation != null) evaluate(validation).forEach((name, value) -> figures.put("validation " + name, value));
        return new Epoch(
                number,
                position.step() - first,
                (long) loss[1],
                loss[0] / loss[1],
                figures,
                Duration.ofNanos(System.nanoTime() - start),
                waits.count(),
                waits.time(),
                stages);
    }

    /** One step on batches that count as one; adds to the sum of losses and to the number of examples. */
    private double step(List<Batch> group, Totals metrics, double[] loss) {
        try {
            double l = runs.step(group, metrics);
            for (Batch b : group) {
                loss[0] += l * b.rows();
                loss[1] += b.rows();
                examples += b.rows();
            }
            position = position.afterBatches(group.size());
            return l;
        } finally {
            group.forEach(Batch::close);
        }
    }

    private void check(Watch watch, OxbowException failure) {
        if (failure == null) return;
        if (watch.position() != null) position = watch.position();
        throw failure;
    }

    /** The loss and all metrics over these examples, by name. */
    public Map<String, Double> evaluate(Batches batches) {
        Map<String, double[]> totals = totals(batches);
        Map<String, Double> figures = new LinkedHashMap<>();
        double[] loss = totals.get(LOSS);
        figures.put(LOSS, loss[0] / loss[1]);
        for (Metric m : config.metrics()) figures.put(m.name(), m.result(totals.get(m.name())));
        return figures;
    }

    /** The totals of these examples behind the figures of {@link #evaluate}, such as the matrix of a confusion, by name. */
    public Map<String, double[]> totals(Batches batches) {
        List<Metric> all = new ArrayList<>(List.of(Metrics.mean(LOSS, config.loss(), x -> x)));
        all.addAll(config.metrics());
        return runs.totals(batches, all);
    }

    /** What the model makes of these inputs; the caller closes it. */
    public Tensor predict(Tensor... inputs) {
        return runs.predict(List.of(inputs)).get(0);
    }

    @Override
    public void close() {
        runs.close();
    }
}
