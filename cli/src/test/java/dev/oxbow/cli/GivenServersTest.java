package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that others have started, by parameter servers that others have started. */
@Timeout(300)
final class GivenServersTest {
    private static final String TOKEN = "c0ffee".repeat(8);

    @TempDir
    private Path folder;

    private Process start(String name, Map<String, String> variables, String... arguments) throws IOException {
        ProcessBuilder b = new ProcessBuilder(JavaCommand.ours(List.of(arguments)))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name).toFile());
        b.environment().putAll(variables);
        b.environment().put("OXBOW_TOKEN", TOKEN);
        b.environment().put("OXBOW_THREADS", "1");
        return b.start();
    }

    /** What the only rank of a job prints, and its status. */
    private String rank(int status, Map<String, String> more) throws IOException, InterruptedException {
        Map<String, String> variables = new HashMap<>(more);
        variables.putAll(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "1", "OXBOW_RANK", "0", "OXBOW_SIZE", "1"));
        Process p = start("rank", variables, "train", "--plan", "ps", "--epochs", "1");
        try {
            assertTrue(p.waitFor(200, TimeUnit.SECONDS), "it has not ended");
            String text = Files.readString(folder.resolve("rank"));
            assertEquals(status, p.exitValue(), text);
            return text;
        } finally {
            p.destroyForcibly();
        }
    }

    @Tag("long")
    @Test
    void ranksTrainByTheServersThatTheyAreTold() throws Exception {
        Path file = folder.resolve("cluster.json");
        Files.writeString(
                file, LocalCluster.onFreePorts(Map.of("ps", 1, "worker", 1)).json());
        Process server =
                start("server", Map.of(), "server", "--cluster", file.toString(), "--job", "ps", "--task", "0");
        try {
            String text = rank(0, Map.of("OXBOW_CLUSTER", file.toString()));
            assertTrue(text.contains("45 steps"), text);
            assertTrue(server.isAlive(), () -> "the server has ended");
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void aRankThatIsNotToldOfServersSaysHow() throws Exception {
        String text = rank(3, Map.of());
        assertTrue(text.contains("environment: OXBOW_CLUSTER is not set"), text);
        text = rank(3, Map.of("OXBOW_CLUSTER", folder.resolve("none.json").toString()));
        assertTrue(text.contains("OXBOW_CLUSTER: can not read " + folder.resolve("none.json")), text);
    }
}
