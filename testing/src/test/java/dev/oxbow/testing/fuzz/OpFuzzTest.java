package dev.oxbow.testing.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ops on input that they do not expect, with every block of memory at a fence. */
final class OpFuzzTest {

    @Test
    void noOpLeavesItsTensorsOrThrowsAnythingButOurErrors() throws Exception {
        check(0.25, 16, "end");
    }

    @Test
    @Tag("long")
    void noOpLeavesItsTensorsInFiveMinutes() throws Exception {
        check(2.5, new Random().nextInt(1 << 30), "end");
        check(2.5, new Random().nextInt(1 << 30), "begin");
    }

    private static void check(double minutes, long seed, String fence) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        var failures = ForkedFuzz.run(OpFuzz.class, List.of("-Doxbow.fence=" + fence), minutes, seed, out);
        assertTrue(failures.isEmpty(), () -> text.toString(StandardCharsets.UTF_8));
    }
}
