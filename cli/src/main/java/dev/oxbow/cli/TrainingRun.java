package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elastic;
import dev.oxbow.net.Token;
import dev.oxbow.observe.Observer;
import dev.oxbow.ops.Parameter;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Callback;
import dev.oxbow.train.Callbacks;
import dev.oxbow.train.DealtTraining;
import dev.oxbow.train.ElasticLog;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

/**
 * One training of an experiment in one process.
 *
 * @param job the other processes; null where there are none
 * @param optimizer by the number of all steps
 * @param precision of products and convolutions
 * @param patience how long a step by parameter servers may take; null for what is usual
 * @param kept where the state is kept; null for nowhere
 * @param watched where it can be looked at; null for nowhere
 */
record TrainingRun(
        Experiment experiment,
        LongFunction<Optimizer> optimizer,
        Plan plan,
        Communicator job,
        int epochs,
        int batch,
        long seed,
        DType precision,
        Duration patience,
        Kept kept,
        Outputs outputs,
        Watched watched) {
    private static final double CLOSE = 1e-5;
    /** What Ctrl-C waits for: the step that runs, and the checkpoint behind it. */
    static final long GRACE_SECONDS = 60;

    /** Where checkpoints are kept, how many, and after how many steps beside the ends of epochs; null for none. */
    record Kept(Path folder, int count, Integer every) {
        Checkpoints checkpoints() {
            return new Checkpoints(folder, count);
        }

        /** Why a folder can not hold them, or null; it is made, so that this is known before training. */
        static String refusal(Path folder) {
            if (Files.exists(folder) && !Files.isDirectory(folder)) return "--checkpoints: " + folder + " is no folder";
            try {
                Files.createDirectories(folder);
                Files.delete(Files.createTempFile(folder, ".try", ""));
                return null;
            } catch (IOException e) {
                return "--checkpoints: " + folder + " can not be written: " + e.getMessage();
            }
        }
    }

    /** What is done with the parameters at the end; files may be null. */
    record Outputs(boolean digest, Path save, Path compare) {}

    /** Trains, and prints how it goes and what came out; the exit status. */
    int train(PrintWriter out) {
        if (watched == null) return train(out, null);
        Observer observer = observer();
        String why = "it was stopped by an error";
        try {
            int status = train(out, observer);
            why = "";
            return status;
        } catch (RuntimeException e) {
            why = e.toString();
            throw e;
        } finally {
            observer.close(why);
            if (why.isEmpty() && (job == null || job.rank() == 0)) watched.explain(out);
        }
    }

    /** Who looks on; null for nobody. */
    Observer observer() {
        return watched == null ? null : watched.observer(settings(), job);
    }

    /** Trains on what this worker is dealt, by itself; only the one that is to report says what came out. The exit status. */
    int dealt(PrintWriter out, Experiment.Data data, Elastic job, ElasticLog log) {
        TrainingRun own = new TrainingRun(
                experiment,
                optimizer,
                plan.alone(job.slot(), job.life()),
                null,
                epochs,
                batch,
                seed,
                precision,
                patience,
                kept,
                outputs,
                watched);
        PrintWriter progress = job.slot() == 0 ? out : new PrintWriter(Writer.nullWriter());
        Observer observer = watched == null ? null : watched.observer(settings(), job.slot());
        try (Fitting f = own.fitting(progress, data, null)) {
            Trainer.Config config = f.config;
            if (observer != null) config = watched(config, observer);
            Trainer.Config all = config;
            DealtTraining training = new DealtTraining(job, () -> all).log(log);
            int each = Math.toIntExact(Math.ceilDiv(data.train().size(), (long) batch));
            if (kept != null) training.keeping(kept.checkpoints(), kept.every == null ? each : kept.every);
            return training.run(data.train().shuffled(batch, seed), epochs, t -> own.report(out, t, data, f.times))
                    .orElse(0);
        } finally {
            if (observer != null) observer.close("");
        }
    }

    private static Trainer.Config watched(Trainer.Config config, Observer observer) {
        List<Callback> all = new ArrayList<>(config.callbacks());
        all.add(observer);
        return config.callbacks(all.toArray(Callback[]::new));
    }

    private Map<String, Object> settings() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("example", experiment.about().name());
        all.put("epochs", epochs);
        all.put("batch", batch);
        all.put("seed", seed);
        all.put("precision", precision.toString());
        all.put("plan", plan.toString());
        all.put("workers", job == null ? 1 : job.size() - plan.helpers());
        return all;
    }

    private int train(PrintWriter out, Observer observer) {
        try (Experiment.Data data = experiment.data(seed)) {
            Fitting f = fitting(out, data, observer);
            try (f;
                    Trainer trainer = f.config.start()) {
                resume(out, trainer);
                return f.train(trainer, () -> false);
            }
        }
    }

    /** What training takes beside the trainer, whose configuration it has. */
    Fitting fitting(PrintWriter out, Experiment.Data data, Observer observer) {
        long each = Math.ceilDiv(data.train().size(), batch);
        Trainer.Config config = experiment.trainer(optimizer.apply(each * epochs), seed);
        if (plan.isServed())
            config = config.options(config.options().withService(Token.class, ParameterServers.token()));
        if (plan.isServed() && patience != null)
            config = config.options(config.options().withTimeout(patience));
        if (outputs.compare != null)
            ParameterFiles.check(outputs.compare, config.model().parameters());
        List<Callback> callbacks = new ArrayList<>();
        ProgressBar bar = new ProgressBar(out, "training", Math.toIntExact(each * epochs));
        StepTimes times = new StepTimes(bar, epochs);
        boolean together = !plan.isServed() || plan.served().isSynchronous();
        StopTogether stopping = new StopTogether(together ? job : null);
        callbacks.addAll(List.of(times, stopping));
        if (observer != null) {
            observer.whenStopped(stopping::ask);
            callbacks.add(observer);
        }
        boolean keeps = kept != null && plan.alone() < 0;
        if (keeps && kept.every != null) callbacks.add(Callbacks.every(kept.every, kept.checkpoints()));
        if (keeps) callbacks.add(afterEpochs());
        config = config.plan(plan, job).precision(precision).callbacks(callbacks.toArray(Callback[]::new));
        return new Fitting(config, out, data, bar, times, stopping, observer);
    }

    /** A training that is about to begin. */
    final class Fitting implements AutoCloseable {
        private final Trainer.Config config;
        private final PrintWriter out;
        private final Experiment.Data data;
        private final ProgressBar bar;
        private final StepTimes times;
        private final StopTogether stopping;
        private final Observer observer;

        private Fitting(
                Trainer.Config config,
                PrintWriter out,
                Experiment.Data data,
                ProgressBar bar,
                StepTimes times,
                StopTogether stopping,
                Observer observer) {
            this.config = config;
            this.out = out;
            this.data = data;
            this.bar = bar;
            this.times = times;
            this.stopping = stopping;
            this.observer = observer;
        }

        Trainer.Config config() {
            return config;
        }

        /** Trains and says what came out, unless training is to go on elsewhere; the exit status. */
        int train(Trainer trainer, BooleanSupplier goesOn) {
            bar.begin((int) trainer.position().step());
            boolean trained = fit(out, bar, trainer, data, stopping, goesOn);
            return trained ? report(out, trainer, data, times) : 1;
        }

        @Override
        public void close() {
            bar.close();
            if (Elastic.isHere() && observer != null) observer.close(""); // this generation is over
        }
    }

    /** Trains; Ctrl-C lets the step that runs end, keeps the state behind it, and says so. Whether all epochs were trained. */
    private boolean fit(
            PrintWriter out,
            ProgressBar bar,
            Trainer trainer,
            Experiment.Data data,
            StopTogether stopping,
            BooleanSupplier goesOn) {
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(() -> stop(stopping, done), "stop training");
        if (kept != null) Runtime.getRuntime().addShutdownHook(hook);
        try {
            trainer.fit(data.train().shuffled(batch, seed), epochs);
            if (goesOn.getAsBoolean()) return false;
            bar.finish();
            if (trainer.position().epoch() >= epochs) return true;
            keep(trainer);
            out.printf(
                    "stopped after step %d%s%n",
                    trainer.position().step(), kept == null ? "" : "; the same command goes on from there");
            out.flush();
            return false;
        } finally {
            done.countDown();
            if (kept != null) remove(hook);
        }
    }

    private static void stop(StopTogether stopping, CountDownLatch done) {
        stopping.ask();
        try {
            done.await(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // it runs
        }
    }

    private Callback afterEpochs() {
        return new Callback() {
            @Override
            public boolean epoch(Trainer t, Epoch e) {
                keep(t);
                return false;
            }
        };
    }

    /** Goes on from the newest checkpoint, where there is one. */
    void resume(PrintWriter out, Trainer trainer) {
        if (kept == null) return;
        Optional<Checkpoint> newest = kept.checkpoints().latest();
        if (newest.isEmpty()) return;
        try (Checkpoint c = newest.get()) {
            trainer.restore(c);
            out.printf("going on from step %d in %s%n", c.position().step(), kept.folder);
        }
    }

    /** Every rank writes its share of the state, and the first one makes it a checkpoint when all are there. */
    private void keep(Trainer trainer) {
        if (kept == null) return;
        try (Checkpoint c = trainer.checkpoint()) {
            kept.checkpoints().save(c, trainer.share());
        }
    }

    private int report(PrintWriter out, Trainer trainer, Experiment.Data data, StepTimes times) {
        List<Double> millis = times.millis();
        String things = experiment.about().things();
        out.println(Figures.text(
                trainer.evaluate(data.test().batches(batch)), data.test().size(), things));
        if (!millis.isEmpty()) {
            List<Double> sorted = millis.stream().sorted().toList();
            String who = job != null
                    ? job.size() - plan.helpers() + " workers, "
                    : plan.devices() > 1 ? plan.devices() + " devices, " : "";
            out.printf(
                    "%s%d steps of %d %s, %.3f ms a step (median)%n",
                    who, millis.size(), batch, things, sorted.get(sorted.size() / 2));
            if (times.input() != null) out.println(times.input());
            if (job != null) Waits.print(out, job, millis.size());
        }
        experiment.show(trainer, seed).forEach(out::println);
        try (Checkpoint c = trainer.checkpoint()) {
            return job == null || job.rank() == 0 ? finish(out, trainer, c) : 0;
        }
    }

    private int finish(PrintWriter out, Trainer trainer, Checkpoint c) {
        List<String> names =
                trainer.model().parameters().stream().map(Parameter::name).toList();
        List<Tensor> values = names.stream().map(c.values()::get).toList();
        if (outputs.digest) ParameterFiles.print(out, names, values);
        if (outputs.save != null) ParameterFiles.save(outputs.save, names, values);
        if (outputs.compare == null) return 0;
        double distance = ParameterFiles.distance(outputs.compare, names, values);
        out.printf("parameters differ from %s by %.3g of their norm at most%n", outputs.compare, distance);
        return distance <= CLOSE ? 0 : 1;
    }
}
