package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.train.ElasticLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are started over ssh, by a server of this machine; left out where none is installed. */
@Timeout(300)
final class SshLaunchTest {
    private static final Path SERVER = Path.of("/usr/sbin/sshd");

    @TempDir
    private Path folder;

    private Process server;
    private int port;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(Files.isExecutable(SERVER), "there is no sshd here, so nothing is started over ssh");
        assumeTrue(System.getProperty("user.name").equals("root"), "an sshd of one's own wants root");
        Files.createDirectories(Path.of("/run/sshd"));
        for (String key : List.of("host", "user"))
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "" + folder.resolve(key));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path config = Files.writeString(
                folder.resolve("config"), """
                ListenAddress 127.0.0.1:%d
                HostKey %s
                AuthorizedKeysFile %s
                PermitRootLogin prohibit-password
                PidFile none
                StrictModes no
                UsePAM no
                """.formatted(port, folder.resolve("host"), folder.resolve("user.pub")));
        server = new ProcessBuilder(SERVER.toString(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("sshd").toFile())
                .start();
        for (int i = 0; !answers(); i++) {
            assertTrue(server.isAlive() && i < 500, Files.readString(folder.resolve("sshd")));
            LockSupport.parkNanos(20_000_000);
        }
    }

    private boolean answers() {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor(), String.join(" ", command));
    }

    @AfterEach
    void end() {
        if (server != null) server.destroyForcibly();
    }

    /** Runs a command of ours to its end; its output. */
    private String ours(String... more) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Process p = new ProcessBuilder(JavaCommand.ours(List.of(more)))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertTrue(p.waitFor(200, TimeUnit.SECONDS), () -> "it has not ended");
        String text = Files.readString(out);
        assertEquals(0, p.exitValue(), text);
        return text;
    }

    private String ssh() {
        return "ssh -p %d -i %s -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
                .formatted(port, folder.resolve("user"));
    }

    @Test
    void oneWorkerHereAndOneOverSshTrainTogether() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "localhost\nroot@127.0.0.1\n");
        Path events = folder.resolve("events");
        String text = ours(
                "train",
                "--elastic",
                "2:2",
                "--epochs",
                "2",
                "--hosts",
                hosts.toString(),
                "--ssh",
                ssh(),
                "--events",
                events.toString());
        assertTrue(text.contains("generation 1: workers 0, 1") && text.contains("2 workers, 90 steps"), text);
        assertEquals(new ElasticLog.Account(1, 90, 0, List.of(), 90, List.of(), List.of()), ElasticLog.account(events));
        text = ours("launch", "--hosts", hosts.toString(), "--ssh", ssh(), "--", "train", "--epochs", "1");
        assertTrue(text.contains("2 workers, 45 steps"), text);
    }
}
