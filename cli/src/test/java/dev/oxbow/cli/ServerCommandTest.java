package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code server} refuses before it listens. */
final class ServerCommandTest {
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err, true), arguments);
    }

    @Test
    void aTaskThatTheClusterHasNotIsRefused(@TempDir Path folder) throws IOException {
        Path cluster = Files.writeString(folder.resolve("cluster.json"), "{\"worker\": [\"127.0.0.1:2222\"]}");
        assertEquals(3, run("server", "--cluster", cluster.toString(), "--job", "worker", "--task", "1"));
        assertEquals(
                "oxbow: cluster: there is no task /job:worker/replica:0/task:1, its tasks are"
                        + " [/job:worker/replica:0/task:0]\n",
                err.toString());
    }

    @Test
    void aServerBeyondThisMachineWantsSecurityOrTrust() {
        assertEquals(3, run("server", "--address", "127.0.0.1:0", "--bind", "0.0.0.0"));
        assertTrue(err.toString().contains("it wants certificates and a token"), err.toString());
    }

    @Test
    void withoutAClusterTheUsageIsTold() {
        assertEquals(2, run("server", "--job", "worker"));
        assertTrue(err.toString().contains("wants --cluster, --job and --task"), err.toString());
    }
}
