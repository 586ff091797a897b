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

/** Predictions as they are printed. */
final class PlanCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @Test
    void theSeedNumbersArePrintedWithAWarning() {
        int status = run(
                "plan",
                "--parameters",
                "553.36MB",
                "--compute",
                "0.55s",
                "--workers",
                "4",
                "--rate",
                "125MB/s",
                "--target-efficiency",
                "0.9",
                "--measured",
                "7.63s");
        assertEquals(0, status, err::toString);
        String text = out.toString();
        for (String wanted : new String[] {
            "step Tp                     7.19 s",
            "with framing                7.60 s",
            "efficiency P              0.0765",
            "speed-up                    0.31",
            "warning: 4 workers are slower than one",
            "13,582 MB/s (108,660 Mbit/s)",
            "measured                    7.63 s, 0.4 % off"
        }) assertTrue(text.contains(wanted), wanted + " is not in\n" + text);
    }

    @Test
    void megabitsAreReadAndShown() {
        assertEquals(
                0,
                run(
                        "plan",
                        "--model",
                        "vgg16",
                        "--compute",
                        "550ms",
                        "--workers",
                        "4",
                        "--rate",
                        "1Gbit/s",
                        "--overlap"),
                err::toString);
        assertTrue(out.toString().contains("at 125 MB/s (1,000 Mbit/s)"), out::toString);
        assertTrue(out.toString().contains("553.43 MB of gradients"), out::toString);
        assertTrue(out.toString().contains("simulated, overlapped"), out::toString);
    }

    @Test
    void curvesAreDrawn(@TempDir Path folder) throws IOException {
        Path svg = folder.resolve("curve.svg"), png = folder.resolve("curve.png");
        int status = run(
                "plan",
                "--model",
                "resnet50",
                "--compute",
                "0.2s",
                "--workers",
                "64",
                "--rate",
                "10Gbit/s",
                "--servers",
                "8",
                "--curve",
                svg.toString(),
                "--curve",
                png.toString());
        assertEquals(0, status, err::toString);
        assertTrue(Files.readString(svg).startsWith("<svg"));
        assertEquals((byte) 0x89, Files.readAllBytes(png)[0]);
    }

    @Test
    void aModelAndParametersTogetherAreAUsageError() {
        assertEquals(
                2,
                run(
                        "plan",
                        "--model",
                        "vgg16",
                        "--parameters",
                        "1MB",
                        "--compute",
                        "1s",
                        "--workers",
                        "2",
                        "--rate",
                        "1MB/s"));
        assertTrue(err.toString().startsWith("oxbow: give either --model or --parameters"), err::toString);
    }
}
