package dev.oxbow.net.shm;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** A process whose rank sends everything that rank 0 sends back to it, until rank 0 closes. */
final class EchoProcess {
    private EchoProcess() {}

    public static void main(String[] args) {
        Path directory = Path.of(args[1]);
        try (Arena arena = Arena.ofConfined();
                Network network = Network.join(
                        args[0],
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]),
                        ShmConfig.DEFAULT.withDirectory(directory).withRingBytes(1 << 16),
                        Duration.ofSeconds(60))) {
            long memory = arena.allocate(1 << 16).address();
            Pipe pipe = network.link(0);
            while (true) {
                long n = pipe.read(memory, 1 << 16);
                for (long done = 0; done < n; ) {
                    long written = pipe.write(memory + done, n - done);
                    if (written == 0) network.await(1_000_000_000);
                    done += written;
                }
                if (n == 0) network.await(1_000_000_000);
            }
        } catch (OxbowException e) {
            System.exit(e.getMessage().equals("rank 0 closed the connection") ? 7 : 1);
        }
    }

    static Process start(String job, Path directory, int rank, int size) throws Exception {
        Path classes = location(Network.class);
        String path = Stream.of(
                        classes, classes.resolveSibling("test-classes"), location(Memory.class), location(Logger.class))
                .map(Path::toString)
                .collect(Collectors.joining(System.getProperty("path.separator")));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        path,
                        EchoProcess.class.getName(),
                        job,
                        directory.toString(),
                        Integer.toString(rank),
                        Integer.toString(size))
                .inheritIO()
                .start();
    }

    private static Path location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
