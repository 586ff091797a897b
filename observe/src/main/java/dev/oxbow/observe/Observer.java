package dev.oxbow.observe;

import dev.oxbow.collective.Communicator;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Callback;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes a trainer's run visible: its steps, metrics, graph, histograms of parameters, traces of single steps and the health of
 * the process go to a folder that {@code oxbow dashboard} and TensorBoard show. A step waits for no file.
 *
 * {@snippet :
 * static void train(Trainer.Config config, Batches batches) {
 *     try (Observer observer = Observer.in(Path.of("runs/first"), Map.of("rate", 0.1));
 *             Trainer trainer = config.callbacks(observer).start()) {
 *         trainer.fit(batches, 10);
 *     }
 * }
 * }
 *
 * <p>With several processes each has its own: {@link #of} gives those behind the first a folder {@code worker-N} in its folder.
 */
public final class Observer implements Callback, AutoCloseable {
    private static final int FIRST_TRACE = 20;

    private final RunLog log;
    private final Options options;
    private final Pulse pulse;
    private final AtomicBoolean describing = new AtomicBoolean();
    private long last = System.nanoTime();
    private long examples;
    private long waited;
    private StepTracer tracing;
    private boolean begun;
    private Runnable stopping;
    private volatile long step;

    /**
     * What is written beside steps and metrics.
     *
     * @param settings of the run, shown as hyperparameters
     * @param traces after how many steps one is traced; 0 for none
     * @param histograms after how many steps parameters are described; 0 for after each epoch
     */
    public record Options(Map<String, Object> settings, int traces, int histograms) {
        public Options(Map<String, Object> settings) {
            this(settings, 500, 0);
        }
    }

    private Observer(RunLog log, Options options, Communicator job) {
        this.log = log;
        this.options = options;
        this.pulse = new Pulse(log, job, () -> step);
    }

    /** Of a single process. */
    public static Observer in(Path folder, Map<String, Object> settings) {
        return of(folder, new Options(settings), null);
    }

    /** Of one of the processes of a job, which may be null. */
    public static Observer of(Path folder, Options options, Communicator job) {
        Path own = job == null || job.rank() == 0 ? folder : folder.resolve("worker-" + job.rank());
        return new Observer(RunLog.open(own), options, job);
    }

    /** What is done, instead of stopping this trainer, where somebody asks the run to stop; processes stop together. */
    public void whenStopped(Runnable stop) {
        stopping = stop;
    }

    /** Where further things can be logged. */
    public RunLog log() {
        return log;
    }

    @Override
    public void step(Trainer trainer, double loss) {
        long now = System.nanoTime(),
                rows = trainer.examples(),
                wait = trainer.waited().toNanos();
        long at = trainer.position().step();
        step = at;
        if (!begun) begin(trainer);
        long input = wait >= waited ? wait - waited : wait; // it begins anew with each epoch
        log.stream().publish(new Event.Step(at, loss, now - last, input, rows - examples));
        last = now;
        examples = rows;
        waited = wait;
        if (tracing != null) {
            StepTracer traced = tracing;
            tracing = null;
            pulse.later(() -> log.stream().publish(new Event.Traced(at, traced.spans())));
        }
        if (options.traces > 0 && ((at + 1) % options.traces == 0 || at + 1 == FIRST_TRACE) || pulse.wantsTrace(at + 1))
            trainer.trace(tracing = new StepTracer());
        if (options.histograms > 0 && at % options.histograms == 0) describe(trainer);
        if (pulse.wantsStop()) (stopping == null ? (Runnable) trainer::stop : stopping).run();
    }

    private void begin(Trainer trainer) {
        begun = true;
        log.settings(new LinkedHashMap<>(options.settings)); // another thread reads it
        pulse.later(() -> log.graph(trainer.model().graph()));
    }

    @Override
    public boolean epoch(Trainer trainer, Epoch epoch) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("epoch/loss", epoch.loss());
        epoch.metrics().forEach((name, value) -> figures.put("epoch/" + name, value));
        log.stream().publish(new Event.Figures(trainer.position().step(), figures));
        if (options.histograms == 0) describe(trainer);
        last = System.nanoTime();
        return false;
    }

    /**
     * Copies the parameters, and leaves the counting to another thread. All processes copy, since they take part in runs
     * together; what the first one has not counted yet is left out.
     */
    private void describe(Trainer trainer) {
        Checkpoint values = trainer.checkpoint();
        if (trainer.rank() != 0 || !describing.compareAndSet(false, true)) {
            values.close();
            return;
        }
        boolean taken = pulse.later(() -> {
            try (values) {
                Summary.Builder all = Summary.newBuilder();
                for (Parameter p : trainer.model().parameters()) {
                    Tensor t = values.values().get(p.name());
                    if (t.dtype().isFloating() && isFinite(t)) all.addValue(Summaries.histogram(p.name(), t));
                }
                log.stream()
                        .publish(new Event.Summarised(
                                values.position().step(), all.build().toByteArray()));
            } finally {
                describing.set(false);
            }
        });
        if (taken) return;
        values.close();
        describing.set(false);
    }

    private static boolean isFinite(Tensor t) {
        for (long i = 0; i < t.size(); i++) if (!Double.isFinite(t.getDouble(i))) return false;
        return true;
    }

    /** Ends the run well. */
    @Override
    public void close() {
        close("");
    }

    /** Ends the run; {@code why} says what went wrong, and is empty where nothing did. */
    public void close(String why) {
        pulse.close();
        log.stream().publish(new Event.Ended(step, why));
        log.stream().close();
    }
}
