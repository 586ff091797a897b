package dev.oxbow.train;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elastic;
import dev.oxbow.collective.Elastic.Generation;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains in a job whose processes come and go: when one is lost the others go on from the last step that was done, and those that come
 * take the state over. Batches are those of the whole job, so their order and what is trained do not depend on who is there.
 *
 * {@snippet :
 * try (Elastic job = Elastic.join()) {
 *     Examples train = Examples.of(Tensor.zeros(DType.F32, Shape.of(64, 4)), Tensor.zeros(DType.F32, Shape.of(64, 1)));
 *     new ElasticTraining(job, ranks -> {
 *         Model model = Model.of(Input.floats("x", 4), Layers.dense(1), 1);
 *         return Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1)).plan(Plan.ring(), ranks);
 *     }).run(member -> member.trainer().fit(train.shuffled(8, 1), 10));
 * }
 * }
 */
public final class ElasticTraining {
    private static final Logger LOG = LoggerFactory.getLogger(ElasticTraining.class);

    /** How many steps go on before members ask each other whether to leave. */
    private static final int STEPS = 8;

    private final Elastic job;
    private final Function<Communicator, Trainer.Config> configs;
    private Consumer<Trainer> beginning = _ -> {};
    private ElasticLog log = ElasticLog.NONE;

    /** @param configs makes the trainer of a generation, for the ranks that are in it; the model is built anew each time */
    public ElasticTraining(Elastic job, Function<Communicator, Trainer.Config> configs) {
        this.job = job;
        this.configs = configs;
    }

    /** What members do where none of them has trained yet, such as reading the newest checkpoint. */
    public ElasticTraining beginning(Consumer<Trainer> first) {
        this.beginning = first;
        return this;
    }

    /** Writes down which batches were trained on by whom. */
    public ElasticTraining log(ElasticLog to) {
        this.log = to;
        return this;
    }

    /** This process in a generation. */
    public static final class Member implements Callback {
        private final Elastic job;
        private final Generation generation;
        private Trainer trainer;
        private boolean left;

        private Member(Elastic job, Generation generation) {
            this.job = job;
            this.generation = generation;
        }

        public Trainer trainer() {
            return trainer;
        }

        public Generation generation() {
            return generation;
        }

        /** Whether a fit has ended because all members shall meet others: what is done then is not the end of training. */
        public boolean hasLeft() {
            return left;
        }

        @Override
        public void step(Trainer t, double loss) {
            if (t.position().step() % STEPS != 0) return;
            try (Tensor votes = Tensor.scalar(job.isAwaited() ? 1f : 0f)) {
                generation.ranks().world().allReduce(votes).await();
                left |= votes.getDouble(0) > 0;
            }
            if (left) t.stop();
        }
    }

    /**
     * Runs {@code body}, which trains to the end, once in each generation; what it gives in the last one, or nothing where this process
     * is not needed any more. Errors that are this process's own end it.
     */
    public <T> Optional<T> run(Function<Member, T> body) {
        Checkpoint mine = null;
        Left left = null;
        try {
            while (true) {
                long step = left != null
                        ? left.position.step()
                        : mine != null ? mine.position().step() : -1;
                Optional<Generation> next = job.meet(step);
                if (next.isEmpty()) return Optional.empty();
                Member member = new Member(job, next.get());
                Ended<T> ended = train(member, body, mine, left);
                if (ended.state != null && mine != null) mine.close();
                if (ended.state != null) mine = ended.state;
                if (ended.left != null) left = ended.left;
                if (ended.isOver) return Optional.ofNullable(ended.result);
            }
        } finally {
            if (mine != null) mine.close();
        }
    }

    /** How a generation ended here: with the state behind it, or where servers have that, or for good. */
    private record Ended<T>(boolean isOver, T result, Checkpoint state, Left left) {}

    /** What was left on parameter servers by a generation. */
    private record Left(Plan plan, int worker, Generation generation, Position position) {}

    private <T> Ended<T> train(Member member, Function<Member, T> body, Checkpoint mine, Left left) {
        Generation g = member.generation;
        boolean served = false;
        try {
            Trainer.Config config = configs.apply(g.ranks());
            served = config.plan().isServed();
            if (served) config = config.plan(ServedHandover.of(config.plan(), g.number()), config.job());
            List<Callback> callbacks = new ArrayList<>(config.callbacks());
            callbacks.addFirst(log.steps(g));
            callbacks.add(member);
            try (Trainer t =
                    config.callbacks(callbacks.toArray(Callback[]::new)).start()) {
                member.trainer = t;
                if (served) job.whenBroken(why -> ServedHandover.cancel(t, g.number(), why));
                if (!takeOver(t, g, mine, left)) beginning.accept(t);
                log.begins(job, g, t.position());
                try {
                    T result = body.apply(member);
                    return member.left ? goesOn(t, g) : new Ended<>(true, result, null, null);
                } catch (OxbowException e) {
                    if (!isOfOthers(e, g.ranks(), served)) throw e;
                    LOG.info("elastic: generation {} has ended: {}", g.number(), e.getMessage());
                    return goesOn(t, g);
                }
            }
        } catch (OxbowException e) {
            if (!isOfOthers(e, g.ranks(), served)) throw e;
            LOG.info("elastic: generation {} did not begin: {}", g.number(), e.getMessage());
            return new Ended<>(false, null, null, null);
        }
    }

    /** Takes the state of the root, or what it finds on the servers. */
    private boolean takeOver(Trainer t, Generation g, Checkpoint mine, Left left) {
        if (!t.plan().isServed()) return t.takeOver(mine, g.root());
        Optional<Checkpoint> found = Optional.empty();
        if (left != null && g.ranks().rank() == g.root()) {
            found = ServedHandover.read(t, left.plan, left.worker, left.position);
            found.filter(c -> c.position().step() > left.position.step())
                    .ifPresent(c ->
                            log.done(left.generation, c.position(), t.runs().stepBatches()));
        }
        try (Checkpoint c = found.orElse(null)) {
            return t.takeOver(c, g.root());
        }
    }

    private <T> Ended<T> goesOn(Trainer t, Generation g) {
        return t.plan().isServed()
                ? new Ended<>(false, null, null, new Left(t.plan(), t.rank(), g, t.position()))
                : new Ended<>(false, null, rescued(t, g), null);
    }

    private Checkpoint rescued(Trainer t, Generation g) {
        Checkpoint c = t.rescued();
        if (c.position().step() > t.position().step())
            log.done(g, c.position(), t.runs().stepBatches());
        return c;
    }

    /** Whether an error came from another process: the group has failed, and not by what this one did. */
    private static boolean isOfOthers(OxbowException e, Communicator ranks, boolean served) {
        if (served && e.code().category() == ErrorCode.Category.PEER) return true; // a server's, or another worker's
        return e.code().category() == ErrorCode.Category.PEER
                && e.rank() != ranks.rank()
                && !ranks.world().isUsable();
    }
}
