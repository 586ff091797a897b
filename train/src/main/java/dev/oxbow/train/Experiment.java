package dev.oxbow.train;

import dev.oxbow.train.optimizer.Optimizer;
import java.util.List;

/**
 * A model with its data, which {@code oxbow train}, {@code evaluate}, {@code predict} and {@code export} take: a bundled one
 * by name, or a class of a user's with a constructor that takes nothing.
 */
public interface Experiment {

    /** What it is, and what is taken where a user says nothing. */
    default About about() {
        return new About(getClass().getSimpleName(), getClass().getName(), "examples", 10, 32, 0.001);
    }

    /** The model with its loss and metrics; start values follow from the seed. Data is not asked for. */
    Trainer.Config trainer(Optimizer optimizer, long seed);

    /** What it is trained on; a random split follows from the seed. */
    Data data(long seed);

    /** What is printed at the end of training beside losses and metrics, such as samples of what the model writes. */
    default List<String> show(Trainer trained, long seed) {
        return List.of();
    }

    /** Adam with a rate that does not change, unless it says otherwise; {@code steps} are those of the whole training. */
    default Optimizer optimizer(double rate, long steps) {
        return Optimizer.adam(rate);
    }

    /**
     * What it is, and what is taken where a user says nothing.
     *
     * @param summary one line
     * @param things what the examples are called, such as {@code digits}
     * @param rate of learning
     */
    record About(String name, String summary, String things, int epochs, int batch, double rate) {}

    /** Examples to learn from, and others to be tested on. */
    record Data(ExampleSet train, ExampleSet test) implements AutoCloseable {
        @Override
        public void close() {
            train.close();
            test.close();
        }
    }
}
