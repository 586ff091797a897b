package dev.oxbow.examples;

import dev.oxbow.train.Examples;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.List;

/** A model with its data, known by name. */
public interface Example {

    String name();

    /** One line. */
    String summary();

    /** What the examples are called, such as {@code digits}. */
    String things();

    Defaults defaults();

    /** The model and its data; start values and the split follow from the seed. */
    Task task(Optimizer optimizer, long seed);

    /** What is taken where a user says nothing. */
    record Defaults(int epochs, int batch, double rate) {}

    /** What there is to train, and on what. */
    record Task(Trainer.Config trainer, Examples train, Examples test) {}

    /** All of them. */
    static List<Example> all() {
        return List.of(new DigitsExample(), new MnistExample());
    }
}
