package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.examples.Example;
import dev.oxbow.ops.Parameter;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Callback;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One training of an example in one process.
 *
 * @param job the other processes; null where there are none
 * @param checkpoints where the state is kept; null for nowhere
 */
record TrainingRun(
        Example example,
        Optimizer optimizer,
        Plan plan,
        Communicator job,
        int epochs,
        int batch,
        long seed,
        Path checkpoints,
        Outputs outputs) {
    private static final double CLOSE = 1e-5;
    private static final int KEPT = 3;
    /** What Ctrl-C waits for: the step that runs, and the checkpoint behind it. */
    private static final long GRACE_SECONDS = 60;

    /** What is done with the parameters at the end; files may be null. */
    record Outputs(boolean digest, Path save, Path compare) {}

    /** Trains, and prints how it goes and what came out; the exit status. */
    int train(PrintWriter out) {
        Example.Task task = example.task(optimizer, seed);
        if (outputs.compare != null)
            ParameterFiles.check(outputs.compare, task.trainer().model().parameters());
        List<Double> millis = new ArrayList<>();
        try (ProgressBar bar = new ProgressBar(out, "training", epochs);
                Trainer trainer = task.trainer()
                        .plan(plan, job)
                        .callbacks(watch(bar, millis))
                        .start()) {
            resume(out, trainer);
            fit(trainer, task);
            bar.finish();
            if (trainer.position().epoch() >= epochs) return report(out, trainer, task, millis);
            out.printf(
                    "stopped after step %d; the same command goes on from there%n",
                    trainer.position().step());
            return 1;
        }
    }

    /** Trains; Ctrl-C lets the step that runs end, and keeps the state behind it. */
    private void fit(Trainer trainer, Example.Task task) {
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(() -> stop(trainer, done), "stop training");
        boolean hooked = job == null && checkpoints != null;
        if (hooked) Runtime.getRuntime().addShutdownHook(hook);
        try {
            trainer.fit(task.train().shuffled(batch, seed), epochs);
            if (trainer.position().epoch() < epochs) keep(trainer);
        } finally {
            done.countDown();
            if (hooked) remove(hook);
        }
    }

    private static void stop(Trainer trainer, CountDownLatch done) {
        trainer.stop();
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

    private Callback watch(ProgressBar bar, List<Double> millis) {
        return new Callback() {
            private long last = System.nanoTime();

            @Override
            public void step(Trainer t, double loss) {
                long now = System.nanoTime();
                millis.add((now - last) / 1e6);
                last = now;
            }

            @Override
            public boolean epoch(Trainer t, Epoch e) {
                bar.step(
                        (int) e.number() + 1,
                        "loss %.4f, accuracy %.4f"
                                .formatted(e.loss(), e.metrics().get("accuracy")));
                keep(t);
                last = System.nanoTime();
                return false;
            }
        };
    }

    private void resume(PrintWriter out, Trainer trainer) {
        if (checkpoints == null) return;
        Optional<Checkpoint> newest = new Checkpoints(checkpoints, KEPT).latest();
        if (newest.isEmpty()) return;
        try (Checkpoint c = newest.get()) {
            trainer.restore(c);
            out.printf("going on from step %d in %s%n", c.position().step(), checkpoints);
        }
    }

    /** All ranks take part in reading the state; the first one writes. */
    private void keep(Trainer trainer) {
        if (checkpoints == null) return;
        try (Checkpoint c = trainer.checkpoint()) {
            if (job == null || job.rank() == 0) new Checkpoints(checkpoints, KEPT).save(c);
        }
    }

    private int report(PrintWriter out, Trainer trainer, Example.Task task, List<Double> millis) {
        double share = trainer.evaluate(task.test().batches(batch)).get("accuracy");
        long size = task.test().size();
        out.printf(
                "test accuracy %.2f %% (%d of %d %s)%n", 100 * share, Math.round(share * size), size, example.things());
        if (!millis.isEmpty()) {
            List<Double> sorted = millis.stream().sorted().toList();
            String who =
                    job != null ? job.size() + " workers, " : plan.devices() > 1 ? plan.devices() + " devices, " : "";
            out.printf(
                    "%s%d steps of %d %s, %.3f ms a step (median)%n",
                    who, millis.size(), batch, example.things(), sorted.get(sorted.size() / 2));
            if (job != null) Waits.print(out, job, millis.size());
        }
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
