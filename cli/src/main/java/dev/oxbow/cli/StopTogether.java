package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Callback;
import dev.oxbow.train.Trainer;

/** Ends training behind the step that runs when somebody asks for it; ranks end behind the same step. */
final class StopTogether implements Callback {
    /** How many steps ranks go on before they ask each other: a question takes tens of microseconds. */
    private static final int STEPS = 8;

    private final Communicator job;
    private volatile boolean asked;

    /** For the ranks of a job; null where there is one process. */
    StopTogether(Communicator job) {
        this.job = job;
    }

    /** Asks for it; safe to call from any thread. */
    void ask() {
        asked = true;
    }

    @Override
    public void step(Trainer t, double loss) {
        if (job == null) {
            if (asked) t.stop();
        } else if (t.position().step() % STEPS == 0) {
            try (Tensor votes = Tensor.scalar(asked ? 1f : 0f)) {
                job.world().allReduce(votes).await();
                if (votes.getDouble(0) > 0) t.stop();
            }
        }
    }
}
