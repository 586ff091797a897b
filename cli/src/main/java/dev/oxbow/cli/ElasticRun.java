package dev.oxbow.cli;

import dev.oxbow.cluster.server.Server;
import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elastic;
import dev.oxbow.train.ElasticLog;
import dev.oxbow.train.ElasticTraining;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/**
 * One process of a training whose processes come and go.
 *
 * @param tasks those of workers of parameter servers, by place
 * @param runs the training of a generation, by its ranks, or of a worker by itself, where they are null; with the task of a worker
 *     of parameter servers, or null
 */
record ElasticRun(
        Experiment experiment,
        long seed,
        PlanText plan,
        IntFunction<Server> tasks,
        BiFunction<Communicator, Server, TrainingRun> runs) {

    /** Trains to the end, or until it is not needed any more; the exit status. */
    int train(PrintWriter out) {
        String events = System.getenv(ElasticOptions.EVENTS);
        try (Elastic job = Elastic.join();
                Server task = plan.isServed() ? tasks.apply(job.slot()) : null;
                ElasticLog log = events == null ? ElasticLog.NONE : ElasticLog.in(Path.of(events));
                Experiment.Data data = experiment.data(seed)) {
            if (!plan.isTogether()) return runs.apply(null, task).dealt(out, data, job, log);
            Generation now = new Generation(out, data, task);
            ElasticTraining training =
                    new ElasticTraining(job, now::begin).beginning(now::resume).log(log);
            return training.run(now::train).orElse(0);
        }
    }

    /** What this process does in the generation that it is in; only its first rank prints. */
    private final class Generation {
        private final PrintWriter out;
        private final Experiment.Data data;
        private final Server task;
        private PrintWriter own;
        private TrainingRun run;
        private TrainingRun.Fitting fitting;

        Generation(PrintWriter out, Experiment.Data data, Server task) {
            this.out = out;
            this.data = data;
            this.task = task;
        }

        Trainer.Config begin(Communicator ranks) {
            run = runs.apply(ranks, task);
            own = ranks.rank() == 0 ? out : new PrintWriter(Writer.nullWriter());
            fitting = run.fitting(own, data, run.observer());
            return fitting.config();
        }

        void resume(Trainer trainer) {
            run.resume(own, trainer);
        }

        int train(ElasticTraining.Member member) {
            try (TrainingRun.Fitting f = fitting) {
                return f.train(member.trainer(), member::hasLeft);
            }
        }
    }
}
