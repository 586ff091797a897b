package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProgressBarTest {
    private final StringWriter out = new StringWriter();

    @ParameterizedTest
    @ValueSource(ints = {5, 20, 40, 60, 80, 200})
    void aLineIsShorterThanTheTerminalIsWide(int columns) {
        try (ProgressBar bar = new ProgressBar(new PrintWriter(out, true), "training", 3, columns)) {
            for (int i = 1; i <= 3; i++) bar.step(i, "loss 0.1234", true);
        }
        String[] lines = out.toString().split("\r");
        for (String line : lines)
            assertTrue(line.replace("\033[K", "").strip().length() < columns, () -> columns + ": " + line);
        assertTrue(columns < 60 || out.toString().contains("[#"), out::toString);
        assertTrue(out.toString().endsWith("\033[K\n"), out::toString);
    }

    @Test
    void theLastLineTellsOfNothingLeft() {
        try (ProgressBar bar = new ProgressBar(new PrintWriter(out, true), "training", 2, 0)) {
            bar.step(1, "loss 1", true);
            bar.step(2, "loss 0", true);
        }
        assertTrue(out.toString().lines().toList().getFirst().contains(" s left"), out::toString);
        assertFalse(out.toString().lines().toList().getLast().contains("left"), out::toString);
    }
}
