package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.net.Transport;
import dev.oxbow.net.memory.Network;
import dev.oxbow.observe.Observer;
import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.diagnosis.Diagnosis.Bound;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trainings whose bottleneck is known, since it was put there: what is said of the run they leave behind must name it. */
@Timeout(300)
final class BottleneckTest {
    private static final int STEPS = 48, TRACES = 8;

    @TempDir
    private Path home;

    /** Three layers of a width on so many rows. */
    private record Job(int width, int rows) {
        Trainer.Config config() {
            Model model = Model.of(
                    Input.floats("x", width),
                    Layers.sequential(
                            Layers.dense(width, Value::tanh), Layers.dense(width, Value::tanh), Layers.dense(4)),
                    1);
            return Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.sgd(0.01));
        }

        private Batch batch(long number, long first, long held, long all) {
            Tensor x = Tensor.zeros(DType.F32, Shape.of(held, width));
            return new Batch(List.of(x, Tensor.zeros(DType.I32, Shape.of(held))), number, first, all);
        }

        /** Of each batch the last worker has {@code last} rows, and the others {@code rows}. */
        Batches batches(int last, long pauseNanos) {
            return new Batches() {
                @Override
                public Feed<Batch> epoch(long epoch, long from) {
                    return feed(from, 0, rows, rows);
                }

                @Override
                public Batches share(int rank, int ranks) {
                    long all = (long) rows * (ranks - 1) + last;
                    return ranks == 1
                            ? this
                            : (_, from) -> feed(from, (long) rows * rank, rank == ranks - 1 ? last : rows, all);
                }

                private Feed<Batch> feed(long from, long first, long held, long all) {
                    return new Feed<>() {
                        private long number = from;

                        @Override
                        public boolean hasNext() {
                            return number < STEPS;
                        }

                        @Override
                        public Batch next() {
                            long end = System.nanoTime() + pauseNanos; // a source that is this slow
                            for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
                            return batch(number++, first, held, all);
                        }
                    };
                }
            };
        }
    }

    private Observer observer(Communicator job) {
        return Observer.of(home, new Observer.Options(Map.of(), TRACES, 0), job);
    }

    private Diagnosis alone(Job job, long pauseNanos) throws IOException {
        try (Observer o = observer(null);
                Trainer t = job.config().callbacks(o).start()) {
            t.fit(job.batches(job.rows, pauseNanos), 1);
        }
        return diagnosis();
    }

    private Diagnosis diagnosis() throws IOException {
        try (Runs runs = Runs.read(List.of(home))) {
            Diagnosis d = Diagnosis.of(runs.all().getFirst());
            assertEquals(3, d.sentences().size());
            return d;
        }
    }

    /** Trains with workers that are threads here, over links of one's own. */
    private Diagnosis together(Job job, int last, UnaryOperator<Transport> network) throws Exception {
        List<Communicator> ranks = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Communicator>> started = new ArrayList<>();
            for (Network n : Network.mesh(2))
                started.add(threads.submit(() ->
                        Communicator.start(network.apply(n), CommunicatorConfig.DEFAULT))); // they measure together
            for (Future<Communicator> f : started) ranks.add(f.get(240, TimeUnit.SECONDS));
            List<Future<?>> done = new ArrayList<>();
            for (Communicator c : ranks) done.add(threads.submit(() -> train(job, last, c)));
            for (Future<?> f : done) f.get(240, TimeUnit.SECONDS);
        } finally {
            ranks.forEach(Communicator::close);
        }
        return diagnosis();
    }

    private void train(Job job, int last, Communicator c) {
        try (Observer o = observer(c);
                Trainer t = job.config().plan(Plan.ring(), c).callbacks(o).start()) {
            t.fit(job.batches(last, 0), 1);
        }
    }

    private static void names(Bound bound, Diagnosis d) {
        assertEquals(bound, d.bound(), () -> d.sentences() + " of " + d.shares());
    }

    @Test
    void slowInput() throws IOException {
        Diagnosis d = alone(new Job(64, 64), 20_000_000);
        names(Bound.INPUT, d);
        assertTrue(d.sentences().getLast().contains("the planner expects"), d.sentences()::toString);
    }

    @Test
    void tinyBatch() throws IOException {
        names(Bound.SMALL_STEPS, alone(new Job(8, 1), 0));
    }

    @Test
    void good() throws IOException {
        Diagnosis d = alone(new Job(512, 256), 0);
        names(Bound.COMPUTE, d);
        assertTrue(d.sentences().getLast().contains("2 workers would train"), d.sentences()::toString);
    }

    @Test
    void slowLink() throws Exception {
        // 2 MB of gradients at 20 MB/s: 100 ms, where kernels take a few
        Diagnosis d = together(new Job(512, 32), 32, n -> new SlowNetwork(n, 20e6));
        names(Bound.COMMUNICATION, d);
        assertTrue(d.sentences().getLast().contains("the planner expects"), d.sentences()::toString);
    }

    @Test
    void slowWorker() throws Exception {
        Diagnosis d = together(new Job(256, 16), 2048, n -> n);
        names(Bound.STRAGGLER, d);
        assertEquals("worker-1", d.worker());
    }
}
