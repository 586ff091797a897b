package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.train.export.SavedModel;
import dev.oxbow.wire.GraphParser;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow explain GRAPH.pb}: prints what each stage from the graph to the schedule does; runs nothing. */
@Command(
        name = "explain",
        description = "Show what each pass does with a graph, up to regions and their memory.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Without --fetch and --target, everything that nobody reads is fetched or run.",
            "",
            "Examples:",
            "  oxbow explain model.pb",
            "  oxbow explain model.pb --feed x:0 --fetch loss:0 --target train --verbose",
            "  oxbow explain exported",
            "  oxbow explain model.pb --devices 2",
            "  oxbow explain model.pb --fetch loss:0 --target train --memory-budget 1.5GB"
        })
final class ExplainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "GRAPH.pb", description = "A GraphDef, binary, or the folder of a SavedModel.")
    private Path file;

    @Option(names = "--feed", paramLabel = "NAME:PORT", description = "A value that would be fed; may be repeated.")
    private List<String> feeds = List.of();

    @Option(
            names = "--fetch",
            paramLabel = "NAME:PORT",
            description = "A value that would be fetched; may be repeated.")
    private List<String> fetches = List.of();

    @Option(names = "--target", paramLabel = "NAME", description = "A node that would be run; may be repeated.")
    private List<String> targets = List.of();

    @Option(names = "--devices", paramLabel = "N", description = "Plan for N CPU devices (default 1).")
    private int devices = 1;

    @Option(
            names = "--memory-budget",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = {
                "Fit a step into so much memory, variables included, and say what that saves and costs:",
                "a number, or one with KB, MB or GB (powers of 1024)."
            })
    private long memoryBudget = Long.MAX_VALUE;

    @Option(names = "--verbose", description = "Print the graph after every stage.")
    private boolean verbose;

    @Override
    public Integer call() {
        if (SavedModel.isIn(file)) return saved();
        require(!Files.isDirectory(file), INVALID_ARGUMENT, "explain: %s is a folder, not a file with a graph", file);
        Graph graph = GraphImporter.read(GraphParser.read(file));
        List<Edge> fetched = new ArrayList<>(fetches.stream().map(graph::edge).toList());
        List<Node> run = new ArrayList<>(targets.stream().map(graph::node).toList());
        if (fetched.isEmpty() && run.isEmpty()) {
            for (Node n : graph.sinks()) {
                for (int i = 0; i < n.outputCount(); i++) fetched.add(n.edge(i));
                if (n.outputCount() == 0) run.add(n);
            }
        }
        List<Edge> fed = feeds.stream().map(graph::edge).toList();
        EngineOptions options = EngineOptions.defaults().withCpuDevices(devices).withMemoryBudget(memoryBudget);
        try (Session session = Session.open(graph, options)) {
            spec.commandLine().getOut().print(session.explain(fed, fetched, run, verbose));
        }
        return 0;
    }

    /** Shows what can be called, and what becomes of the graph of one of them, or of what is fetched. */
    private int saved() {
        PrintWriter out = spec.commandLine().getOut();
        try (SavedModel model = SavedModel.load(file)) {
            model.signatures().forEach((name, s) -> {
                out.println(name);
                s.inputs().forEach((input, e) -> out.println("  takes " + input + ": " + e.type()));
                s.outputs().forEach((output, e) -> out.println("  gives " + output + ": " + e.type()));
            });
            SavedModel.Signature s = model.signatures().get(SavedModel.SERVING);
            boolean isNamed = !fetches.isEmpty() || !targets.isEmpty();
            if (s == null && !isNamed) return 0;
            Graph graph = model.graph();
            List<Edge> fed = isNamed
                    ? feeds.stream().map(graph::edge).toList()
                    : List.copyOf(s.inputs().values());
            List<Edge> fetched = isNamed
                    ? fetches.stream().map(graph::edge).toList()
                    : List.copyOf(s.outputs().values());
            out.println();
            out.print(model.session()
                    .explain(fed, fetched, targets.stream().map(graph::node).toList(), verbose));
        }
        return 0;
    }
}
