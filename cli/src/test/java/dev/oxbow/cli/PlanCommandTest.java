package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.planner.Layer;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        assertTrue(err.toString().startsWith("oxbow: give either --model, --graph or --parameters"), err::toString);
    }

    @Test
    void devicesOfAHostShareItsLink() {
        String[] arguments = {
            "plan",
            "--parameters",
            "100MB",
            "--compute",
            "1s",
            "--workers",
            "8",
            "--devices",
            "4",
            "--inside",
            "10GB/s",
            "--rate",
            "100MB/s"
        };
        assertEquals(0, run(arguments), err::toString);
        String text = out.toString();
        // 2 * 100 * 3 / 4 inside at 10 GB/s, and 2 * 100 / 2 between two hosts at 100 MB/s
        for (String wanted : new String[] {
            "ring of 8 workers on 2 hosts",
            "exchange Tt                1.015 s",
            "inside a host             150.00 MB",
            "a host sends              100.00 MB",
            "step Tp                     2.01 s"
        }) assertTrue(text.contains(wanted), wanted + " is not in\n" + text);
    }

    @Test
    void aGraphIsAModel(@TempDir Path folder) throws IOException {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Value x = ops.placeholder("x", DType.F32, Shape.of(32, 100));
        Parameter w = Parameter.of("w", ops.constant(Tensor.zeros(DType.F32, Shape.of(100, 50))));
        Minimiser.adam(0.1).minimise(x.matMul(w.value()).square().mean(), List.of(w));
        Path file = folder.resolve("train.pb");
        Files.write(file, GraphExporter.write(graph).toByteArray());
        assertEquals(
                0,
                run(
                        "plan",
                        "--graph",
                        file.toString(),
                        "--compute",
                        "1s",
                        "--workers",
                        "2",
                        "--rate",
                        "1MB/s",
                        "--overlap"),
                err::toString);
        assertTrue(out.toString().contains("ring of 2 workers, 0.02 MB of gradients"), out::toString);
        Layer layer = Network.of("one", graph).layers().getFirst();
        assertEquals(new Layer("w", 5000, 32 * 100 * 50), layer);
        assertEquals(1, Network.of("one", graph).layers().size());
    }
}
