package dev.oxbow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Curve;
import dev.oxbow.parallel.planner.Estimate;
import dev.oxbow.parallel.planner.Layer;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.parallel.planner.Simulator;
import dev.oxbow.parallel.planner.Way;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.WholeFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code oxbow plan}: says what a job will bring before it runs. */
@Command(
        name = "plan",
        sortOptions = false,
        description =
                "Predict step time, efficiency and bytes of data-parallel training, before any machine is rented.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Weak scaling: every worker keeps its batch, a step takes Tp = Ts + Tt, of which Ts is compute and Tt the"
                    + " time of the exchange; efficiency Ts / Tp, speed-up n Ts / Tp. Sizes and rates are powers of 1000.",
            "",
            "Examples:",
            "  oxbow plan --parameters 553.36MB --compute 0.55s --workers 4 --rate 125MB/s --target-efficiency 0.9",
            "  oxbow plan --model resnet50 --compute 0.2s --workers 64 --rate 10Gbit/s --overlap --curve curve.svg",
            "  oxbow plan --model vgg16 --compute 0.55s --workers 8 --servers 4 --rate 1Gbit/s",
            "  oxbow plan --graph train.pb --compute 0.1s --workers 32 --devices 8 --rate 25Gbit/s"
        })
final class PlanCommand implements Callable<Integer> {
    private static final double MEGA = 1e6;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "A model by name: alexnet, inception3, resnet50, vgg16.")
    private String model;

    @Option(
            names = "--graph",
            paramLabel = "GRAPH.pb",
            description = "A training graph (GraphDef, binary) whose variables are the model; instead of --model.")
    private Path graph;

    @Option(
            names = "--parameters",
            paramLabel = "SIZE",
            converter = RateText.class,
            description = "Bytes of the gradients, such as 553.36MB; instead of --model.")
    private Double parameters;

    @Option(
            names = "--compute",
            paramLabel = "TIME",
            required = true,
            converter = DurationText.class,
            description = "Time of a step of one worker alone, Ts.")
    private Duration compute;

    @Option(names = "--workers", paramLabel = "N", required = true, description = "Workers on all hosts, 1 to 100,000.")
    private long workers;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            required = true,
            converter = RateText.class,
            description = "Rate of each link, both ways: 125MB/s, 1Gbit/s.")
    private double rate;

    @Option(names = "--latency", paramLabel = "TIME", converter = DurationText.class, description = "Of a message.")
    private Duration latency = Duration.ZERO;

    @Option(
            names = "--plan",
            paramLabel = "WAY",
            description =
                    "ring (default), star, tree, halving-doubling, parameter-server, overlapped-server or push-pull.")
    private String plan = "ring";

    @Option(names = "--servers", paramLabel = "K", description = "Hosts beside the workers that serve (default 0).")
    private long servers;

    @Option(
            names = "--devices",
            paramLabel = "N",
            description = "Workers on each host, which share its link (default 1).")
    private long devices = 1;

    @Option(
            names = "--inside",
            paramLabel = "RATE",
            converter = RateText.class,
            description = "Rate between the devices of a host, each way (16GB/s).")
    private double inside = 16e9;

    @Option(names = "--strong", description = "Share one batch out, rather than give each worker its own.")
    private boolean strong;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Tensors of the optimizer for each parameter (default 0).")
    private int slots;

    @Option(
            names = "--overlap",
            description = "Simulate gradients that leave in buckets while the backward pass still runs (ring).")
    private boolean overlap;

    @Option(
            names = "--bucket",
            paramLabel = "SIZE",
            converter = RateText.class,
            description = "Bytes of a bucket (8.39MB, as plans have it).")
    private double bucket = Plan.ring().bucketBytes();

    @Option(names = "--target-efficiency", paramLabel = "P", description = "Say which rate this would take.")
    private Double target;

    @Option(
            names = "--measured",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "The time of a step that was measured, to hold the prediction against.")
    private Duration measured;

    @Option(names = "--curve", paramLabel = "FILE", description = "Draw speed-up against workers: a .svg or .png file.")
    private List<Path> curves = List.of();

    @Override
    public Integer call() {
        if (Stream.of(model, graph, parameters).filter(Objects::nonNull).count() != 1)
            throw new ParameterException(spec.commandLine(), "give either --model, --graph or --parameters");
        if (devices < 1) throw new ParameterException(spec.commandLine(), "--devices must be positive, got " + devices);
        if (workers < 1 || workers > 100_000)
            throw new ParameterException(spec.commandLine(), "--workers must be 1 to 100,000, got " + workers);
        for (Path c : curves)
            if (!c.toString().endsWith(".svg") && !c.toString().endsWith(".png"))
                throw new ParameterException(spec.commandLine(), "--curve must end with .svg or .png, got " + c);
        Network network = model != null
                ? Network.named(model)
                : graph != null ? Network.of(graph.toString(), GraphImporter.read(GraphParser.read(graph))) : null;
        double bytes = network == null ? parameters : 4.0 * network.parameters();
        Estimate e = new Estimate(
                        Way.named(plan), bytes, seconds(compute), workers, rate, seconds(latency), servers, strong)
                .withHosts(devices, inside);
        PrintWriter out = spec.commandLine().getOut();
        summary(out, e, network);
        table(out, e);
        ranking(out, e);
        for (Path c : curves) draw(out, e, c);
        return 0;
    }

    private static double seconds(Duration d) {
        return d.toNanos() / 1e9;
    }

    private void summary(PrintWriter out, Estimate e, Network network) {
        line(
                out,
                "%s of %,d workers%s, %.2f MB of gradients, %s scaling",
                e.way(),
                workers,
                devices == 1 ? "" : format(" on %,d hosts", e.hosts()),
                e.bytes() / MEGA,
                strong ? "strong" : "weak");
        line(out, "  compute Ts            %10.4g s", e.strong() ? e.compute() / workers : e.compute());
        line(out, "  exchange Tt           %10.4g s at %s", e.exchange(), rate(rate));
        line(out, "  step Tp               %10.2f s", e.step());
        line(
                out,
                "  with framing          %10.2f s (%.1f %% of an Ethernet's bits are payload)",
                e.framed().step(),
                100 * Estimate.PAYLOAD);
        if (measured != null)
            line(
                    out,
                    "  measured              %10.2f s, %.1f %% off the prediction with framing",
                    seconds(measured),
                    100 * (seconds(measured) / e.framed().step() - 1));
        if (overlap) overlapped(out, e, network);
        line(out, "  efficiency P          %10.4f", e.efficiency());
        line(out, "  speed-up              %10.2f", e.speedUp());
        line(out, "  link use              %10.4f", e.linkUse());
        if (devices > 1) line(out, "  inside a host         %10.2f MB a step from each device", e.insideBytes() / MEGA);
        line(
                out,
                "  a %s sends %s    %10.2f MB a step",
                devices == 1 ? "worker" : "host",
                devices == 1 ? "   " : "     ",
                e.hostBytes() / MEGA);
        if (e.way().usesServers() && servers > 0)
            line(out, "  a server sends        %10.2f MB a step", e.hosts() * e.bytes() / servers / MEGA);
        line(out, "  busiest link carries  %10.2f MB a step", e.busiestBytes() / MEGA);
        line(out, "  memory of a device    %10.2f MB and activations", e.memory(slots) / MEGA);
        line(out, "  bottleneck            %10s", e.bottleneck());
        if (target != null) line(out, "  for an efficiency of %s links must have %s", target, rate(e.rateFor(target)));
        if (workers > 1 && e.speedUp() < 1)
            line(
                    out,
                    "warning: %,d workers are slower than one (%.2f times its speed): faster links, a larger batch for"
                            + " each or a smaller model would help",
                    workers,
                    e.speedUp());
    }

    private void overlapped(PrintWriter out, Estimate e, Network network) {
        Network layers =
                network != null ? network : new Network("one", List.of(new Layer("all", Math.round(e.bytes() / 4), 1)));
        for (long n : new TreeSet<>(List.of(workers, 1L, 10L, 100L, 1000L, 10_000L, 100_000L))) {
            double each = e.strong() ? e.compute() / n : e.compute();
            long hosts = e.withWorkers(n).hosts();
            Simulator.Played p = Simulator.of(layers, each, 4, bucket, true, rate, e.latency())
                    .play(hosts);
            line(
                    out,
                    "  simulated, overlapped %10.2f s of %,d workers, %.1f %% of the exchange between hosts exposed",
                    p.step(),
                    n,
                    p.exchange() == 0 ? 0 : 100 * p.exposed() / p.exchange());
        }
    }

    private void table(PrintWriter out, Estimate e) {
        line(
                out,
                "%n%10s %12s %12s %10s %12s %14s  %s",
                "workers",
                "step s",
                "framed s",
                "P",
                "speed-up",
                "link MB/step",
                "bottleneck");
        for (long n : points()) {
            Estimate x = e.withWorkers(n);
            line(
                    out,
                    "%,10d %12.4g %12.4g %10.4f %12.4g %14.2f  %s",
                    n,
                    x.step(),
                    x.framed().step(),
                    x.efficiency(),
                    x.speedUp(),
                    x.busiestBytes() / MEGA,
                    x.bottleneck());
        }
    }

    /** Powers of two to the workers asked for, and of ten beyond. */
    private TreeSet<Long> points() {
        TreeSet<Long> all = new TreeSet<>(List.of(workers));
        for (long n = 1; n <= Math.max(64, workers); n *= 2) all.add(Math.min(n, 100_000));
        for (long n = 1; n <= 100_000; n *= 10) all.add(n);
        return all;
    }

    private static void ranking(PrintWriter out, Estimate e) {
        List<Estimate> all = e.ranked();
        line(
                out,
                "%nfastest of the plans for %,d workers: %s, %.4g s a step",
                e.workers(),
                all.getFirst().way(),
                all.getFirst().step());
        for (Estimate x : all) line(out, "  %-20s %12.4g s", x.way(), x.step());
    }

    private void draw(PrintWriter out, Estimate e, Path file) {
        List<Curve.Line> lines = new ArrayList<>();
        for (Estimate way : e.ranked()) {
            List<Estimate> points = new ArrayList<>();
            for (long n : points()) points.add(way.withWorkers(n));
            lines.add(new Curve.Line(way.way().toString(), points));
        }
        Curve curve = new Curve(lines);
        byte[] picture = file.toString().endsWith(".svg") ? curve.svg().getBytes(UTF_8) : curve.png();
        WholeFile.write(file, to -> to.write(picture));
        line(out, "wrote %s", file);
    }

    private static String rate(double bytes) {
        return String.format(Locale.ROOT, "%,.0f MB/s (%,.0f Mbit/s)", bytes / MEGA, 8 * bytes / MEGA);
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    private static void line(PrintWriter out, String format, Object... arguments) {
        out.println(format(format, arguments));
    }
}
