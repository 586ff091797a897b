package dev.oxbow.train;

import dev.oxbow.collective.Elastic;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.parallel.ServerSession;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import dev.oxbow.train.state.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains by parameter servers whose workers do not wait for each other's steps, and come and go: the launcher deals batches to those
 * that are there, and deals again what a lost one had. A server that was lost gets back what the newest checkpoint has of it.
 *
 * {@snippet :
 * try (Elastic job = Elastic.join()) {
 *     Examples train = Examples.of(Tensor.zeros(DType.F32, Shape.of(64, 4)), Tensor.zeros(DType.F32, Shape.of(64, 1)));
 *     Plan plan = Plan.parameterServer(2, 8).async().at("grpc://worker0:2222").alone(job.slot(), job.life());
 *     Model model = Model.of(Input.floats("x", 4), Layers.dense(1), 1);
 *     new DealtTraining(job, () -> Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1)).plan(plan))
 *             .keeping(new Checkpoints(Path.of("checkpoints"), 3), 100)
 *             .run(train.shuffled(8, 1), 10, trainer -> trainer.evaluate(train.batches(8)));
 * }
 * }
 */
public final class DealtTraining {
    private static final Logger LOG = LoggerFactory.getLogger(DealtTraining.class);

    private final Elastic job;
    private final Supplier<Trainer.Config> config;
    private Checkpoints kept;
    private int every;
    private ElasticLog log = ElasticLog.NONE;
    private volatile boolean over;

    /** @param config of a worker by itself, see {@link dev.oxbow.parallel.Plan#alone} */
    public DealtTraining(Elastic job, Supplier<Trainer.Config> config) {
        this.job = job;
        this.config = config;
    }

    /** Keeps the state after every so many batches of all workers, and begins with the newest one. */
    public DealtTraining keeping(Checkpoints in, int batches) {
        this.kept = in;
        this.every = batches;
        return this;
    }

    /** Writes down which batches were trained on by whom. */
    public DealtTraining log(ElasticLog to) {
        this.log = to;
        return this;
    }

    /**
     * Trains until all batches of so many epochs were trained on by somebody; then one of the workers {@code reports}. Gives what it
     * reported; nothing where another did, or where this one is not needed any more.
     */
    public <T> Optional<T> run(Batches batches, int epochs, Function<Trainer, T> reports) {
        if (!job.enter()) return Optional.empty();
        over = false;
        Trainer.Config own = config.get();
        List<Callback> callbacks = new ArrayList<>(own.callbacks());
        Dealt dealt = new Dealt(job, log, batches, epochs, kept == null ? 0 : every);
        callbacks.addFirst(dealt.done());
        try (Trainer t =
                own.watch(0).callbacks(callbacks.toArray(Callback[]::new)).start()) {
            ServerSession session = (ServerSession) t.session();
            Recovery recovery = Recovery.of(t.runs(), this::newest, job.patience());
            job.whenGone(
                    (slot, life) -> { // or others would wait for it, also those who are opening their session again now
                        if (!recovery.tell(() -> session.leave(slot, life), () -> over))
                            LOG.debug("servers were not told that worker {} has gone", slot);
                    });
            t.runs().recovering(recovery);
            begin(t, session);
            dealt.keeps(at -> keep(t, at));
            dealt.rests(recovery::rest);
            log.enters(job);
            t.fit(dealt, epochs);
            if (!dealt.reports()) return Optional.empty();
            keep(t, new Position(dealt.steps(), epochs, 0));
            T result = reports.apply(t);
            job.deal("reported");
            return Optional.ofNullable(result);
        } finally {
            over = true;
            job.whenGone((_, _) -> {});
        }
    }

    private Optional<Checkpoint> newest() {
        return kept == null ? Optional.empty() : kept.latest();
    }

    /** Begins where the job is, or, as its first worker, where the newest checkpoint is. */
    private void begin(Trainer t, ServerSession session) {
        Set<Integer> lost = session.lost();
        if (!lost.isEmpty()) Recovery.restore(t.runs(), lost, this::newest);
        try (Checkpoint c = session.hasTrained() ? null : newest().orElse(null)) {
            Position from = c == null ? Position.START : c.position();
            String[] said = job.deal("begin %d %d %d".formatted(from.step(), from.epoch(), from.batch()))
                    .split(" ");
            Position at = new Position(Long.parseLong(said[1]), Long.parseLong(said[2]), Long.parseLong(said[3]));
            if (c != null && at.step() == from.step()) t.restore(c);
            t.at(new Position(0, at.epoch(), 0));
        }
    }

    private void keep(Trainer t, Position at) {
        if (kept == null) return;
        Map<String, String> notes = Map.of("plan", t.plan().toString());
        try (Checkpoint c = new Checkpoint(at, t.runs().values(t.state()), Map.of(), notes)) {
            kept.save(c);
        }
    }
}
