package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.parallel.Buckets.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says in words how a plan lays the values of a run out, and what it exchanges. */
record Explanation(Subgraph known, Layouts layouts, Buckets buckets, Mesh mesh) {

    String text(Plan plan, Rows rows) {
        StringBuilder out = new StringBuilder(format(
                "plan %s: %d devices, of which this process has %d; rows %d to %d of %d%n",
                plan.kind(),
                mesh.size(),
                mesh.devices().size(),
                rows.before(),
                rows.before() + rows.count(),
                rows.total()));
        out.append(format("layouts:%n"));
        for (Node n : known.graph().nodes()) {
            if (n.outputCount() == 0) continue;
            List<String> made = new ArrayList<>();
            for (int i = 0; i < n.outputCount(); i++) made.add(n.output(i) + " " + layouts.made(n.edge(i)));
            out.append(format("  %-40s %-24s %s%n", n.name(), n.op().signature().name(), String.join(", ", made)));
        }
        out.append(format("exchanges:%n"));
        long sent = 0;
        int n = mesh.ranks();
        for (Bucket b : buckets.all()) {
            long bytes = n == 1 ? 0 : 2 * (n - 1) * b.bytes() / n;
            sent += bytes;
            out.append(format(
                    "  %s of %s: %,d bytes, each rank sends %,d%s%n",
                    b.reduction(),
                    b.members().stream().map(Edge::name).toList(),
                    b.bytes(),
                    bytes,
                    b.alone() ? " in each iteration" : ""));
        }
        return out.append(format("each rank sends %,d bytes a step%n", sent)).toString();
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
