package dev.oxbow.examples;

import dev.oxbow.train.Experiment;
import java.util.List;

/** The experiments that commands know by name. */
public final class Bundled {
    private Bundled() {}

    public static List<Experiment> all() {
        return List.of(
                new DigitsExample(),
                new MnistExample(),
                new CifarExample(),
                new ShakespeareExample(),
                new AdultExample(),
                new LstmExample());
    }
}
