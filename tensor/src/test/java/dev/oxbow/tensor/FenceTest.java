package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each case in a process of its own, as a fence that holds ends it. */
@EnabledOnOs(OS.LINUX)
final class FenceTest {

    /** Touches memory in the way that its argument says. */
    static final class Touch {
        public static void main(String[] arguments) {
            MemoryPool pool = new MemoryPool("fenced", Long.MAX_VALUE);
            Buffer b = pool.allocate(12, "t");
            for (int i = 0; i < 12; i++) Memory.putByte(b.address() + i, (byte) i);
            switch (arguments[0]) {
                case "inside" -> {}
                case "past" -> Memory.getByte(b.address() + 12);
                case "before" -> Memory.putByte(b.address() - 1, (byte) 1);
                case "released" -> {
                    b.release();
                    Memory.getByte(b.address());
                }
                case "empty" -> Memory.getByte(pool.allocate(0, "e").address());
                default -> throw new AssertionError(arguments[0]);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "end, inside, true",
        "begin, inside, true",
        "end, past, false",
        "begin, before, false",
        "end, released, false",
        "begin, released, false",
        "end, empty, false"
    })
    void whatIsOutsideOfABlockEndsTheProcess(String fence, String touch, boolean survives) throws Exception {
        String classes = Stream.of(Tensor.class, FenceTest.class)
                .map(c -> Path.of(c.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString())
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:+SuppressFatalErrorMessage",
                "-Doxbow.fence=" + fence,
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path") + File.pathSeparator
                        + "target/test-classes",
                Touch.class.getName(),
                touch);
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        p.waitFor(1, TimeUnit.MINUTES);
        if (survives) assertEquals(0, p.exitValue(), said);
        else assertNotEquals(0, p.exitValue(), said);
        assertEquals("", said);
    }
}
