package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole training steps give the same bits for any number of threads, with plans and without. */
final class ThreadsTest {

    @ParameterizedTest
    @CsvSource({"mlp, 128", "mlp, 17", "mlp, 2048", "cnn, 16", "cnn, 17", "transformer, 16", "transformer, 3", "rnn, 16"
    })
    void trainingGivesTheSameBitsForAnyNumberOfThreads(String kind, int batch) {
        TrainingModel model = TrainingModel.of(kind, batch);
        List<float[]> expected = train(model, EngineOptions.defaults().withThreads(1), SessionOptions.defaults());
        for (int threads : new int[] {1, 2, 3}) {
            for (boolean plans : new boolean[] {true, false}) {
                List<float[]> actual = train(
                        model,
                        EngineOptions.defaults().withThreads(threads),
                        SessionOptions.defaults().withPlans(plans));
                for (int i = 0; i < expected.size(); i++) {
                    String which = "value %d with %d threads, plans %s".formatted(i, threads, plans);
                    assertArrayEquals(expected.get(i), actual.get(i), which);
                }
            }
        }
    }

    private static List<float[]> train(TrainingModel model, EngineOptions devices, SessionOptions options) {
        try (Engine engine = new Engine(devices)) {
            return model.run(engine, options);
        }
    }
}
