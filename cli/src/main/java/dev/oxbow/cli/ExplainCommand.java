package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.wire.GraphParser;
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
            "  oxbow explain model.pb --devices 2",
            "  oxbow explain model.pb --fetch loss:0 --target train --memory-budget 1.5GB"
        })
final class ExplainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "GRAPH.pb", description = "A GraphDef, binary.")
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
}
