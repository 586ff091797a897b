package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PyTorch's programs of bench gpu compute what Oxbow computes; skipped where {@code -Dpython} (python3) has no PyTorch. */
@Tag("long")
final class CardPeerTest {
    private static final String PYTHON = System.getProperty("python", "python3");
    private static final Path SCRIPTS = Path.of("python/gpu").toAbsolutePath();
    private static final int STEPS = 10;

    private static Process start(String... words) throws IOException {
        return new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static boolean hasPyTorch() throws InterruptedException {
        try {
            return start(PYTHON, "-c", "import torch").waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static double[] own(Workload w) {
        try (OxbowModel m =
                OxbowPeer.built(w, StartValues.of(w)).open(EngineOptions.defaults(), SessionOptions.defaults())) {
            double[] all = new double[STEPS];
            for (int i = 0; i < STEPS; i++) {
                m.step();
                all[i] = m.last();
            }
            return all;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Workload.class,
            names = {"MLP", "CNN", "TRANSFORMER", "LSTM", "EMBEDDING"})
    void tenStepsHaveTheLossesOfPyTorch(Workload w) throws Exception {
        assumeTrue(hasPyTorch(), "no PyTorch");
        Process peer = start(PYTHON, SCRIPTS.resolve("rounds.py").toString(), w.key() + "-f32", "eager");
        JsonObject said = new Gson().fromJson(peer.inputReader().readLine(), JsonObject.class);
        assertTrue(peer.waitFor(1, TimeUnit.MINUTES), "PyTorch does not end");
        assertTrue(!said.isEmpty(), "there is no eager way");
        double[] own = own(w);
        for (String way : said.keySet()) {
            JsonArray losses = said.getAsJsonObject(way).getAsJsonArray("losses");
            assertEquals(STEPS, losses.size());
            int i = 0;
            for (JsonElement l : losses) {
                double off = Math.abs(own[i] - l.getAsDouble()) / l.getAsDouble();
                assertTrue(off < 1e-5, "%s, step %d: %s, PyTorch's is %s".formatted(way, i, own[i], l));
                i++;
            }
        }
    }
}
