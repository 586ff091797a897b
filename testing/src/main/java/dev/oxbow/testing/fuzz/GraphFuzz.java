package dev.oxbow.testing.fuzz;

import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.testing.conformance.CaseArchive;
import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.IoSamples;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.testing.samples.SampleFamily;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.GraphText;
import dev.oxbow.wire.proto.GraphDef;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Imports, explains and runs mutants of graphs: {@code GraphFuzz --minutes 5 --seed 1 [--only REGEX] [--case N] [--graphs
 * CASES.zip]}. They are made of the samples of every op and of recorded cases, if given. A case follows from seed and
 * number alone. Prints each failure with its number, and exits 1 if there was one.
 */
public final class GraphFuzz implements Fuzz {
    private static final String ARCHIVE = "oxbow.fuzz.graphs";

    /** Ops that change files, whose names would be mutants. */
    private static final Set<String> WRITING =
            Set.of("WriteFile", "Save", "SaveV2", "SaveSlices", "MergeV2Checkpoints");

    private record Origin(String name, GraphDef graph) {}

    private final List<Origin> origins = new ArrayList<>();

    public GraphFuzz(Pattern only) {
        for (SampleFamily family : Families.all()) {
            if (family instanceof IoSamples) continue;
            for (Sample s : family.samples())
                if (only.matcher(s.op()).find()) add(s.op(), GraphExporter.write(s.graph()));
        }
        String file = System.getProperty(ARCHIVE);
        if (file == null) return;
        try (CaseArchive archive = new CaseArchive(Path.of(file))) {
            for (String name : archive.names())
                if (only.matcher(name).find()) add(name.replace(' ', '_'), GraphParser.parse(archive.graph(name)));
        }
    }

    private void add(String name, GraphDef graph) {
        if (graph.getNodeList().stream().noneMatch(n -> WRITING.contains(n.getOp())))
            origins.add(new Origin(name, graph));
    }

    public static void main(String[] arguments) throws Exception {
        System.exit(run(arguments, System.out));
    }

    /** Does what the arguments say; the exit status. */
    public static int run(String[] arguments, PrintStream out) throws Exception {
        List<String> flags = new ArrayList<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            if (!arguments[i].equals("--graphs")) continue;
            System.setProperty(
                    ARCHIVE, Path.of(arguments[i + 1]).toAbsolutePath().toString());
            flags.add("-D" + ARCHIVE + "=" + System.getProperty(ARCHIVE));
        }
        return ForkedFuzz.main(GraphFuzz.class, GraphFuzz::new, flags, arguments, out);
    }

    @Override
    public Trial trial(long seed) {
        Random random = new Random(seed);
        Origin origin = origins.get(random.nextInt(origins.size()));
        GraphDef other = origins.get(random.nextInt(origins.size())).graph();
        byte[] mutant = GraphFuzzMutation.of(origin.graph(), other, random);
        return new Trial() {
            @Override
            public String subject() {
                return origin.name();
            }

            @Override
            public Throwable run() {
                return GraphFuzzCase.failure(mutant);
            }

            @Override
            public void describe(PrintStream out) {
                try {
                    out.print(GraphText.of(GraphParser.parse(mutant)));
                } catch (RuntimeException e) {
                    out.println("  " + mutant.length + " bytes that are no graph: " + e.getMessage());
                }
            }
        };
    }
}
