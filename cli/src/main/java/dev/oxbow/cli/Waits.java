package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Options;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.PrintWriter;
import java.util.Arrays;

/** The table of which rank waited how long for which. */
final class Waits {
    private static final int MOST = 16;

    private Waits() {}

    /** Every rank calls this; in each step a wait counts once, however many collectives wait together. */
    static void print(PrintWriter out, Communicator job, int steps) {
        int size = job.size();
        if (size == 1) return;
        long[] mine = job.trace().waitedNanos();
        try (Tensor all = Tensor.allocate(DType.I64, Shape.of(size, size))) {
            for (int p = 0; p < size; p++) all.setLong((long) job.rank() * size + p, mine[p]);
            long[] counts = new long[size];
            Arrays.fill(counts, size);
            job.world()
                    .allGather(Elements.of(all), counts, Options.named("waits"))
                    .await();
            out.println("collectives waited, in ms a step:");
            out.print("          ");
            for (int p = 0; p < Math.min(MOST, size); p++) out.printf(" %8s", "for " + p);
            out.println();
            for (int r = 0; r < Math.min(MOST, size); r++) {
                out.printf("  rank %-3d", r);
                for (int p = 0; p < Math.min(MOST, size); p++)
                    out.printf(
                            r == p ? " %8s" : " %8.3f", r == p ? "-" : all.getLong((long) r * size + p) / 1e6 / steps);
                out.println();
            }
        }
    }
}
