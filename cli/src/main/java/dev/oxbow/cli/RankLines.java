package dev.oxbow.cli;

import dev.oxbow.net.launch.LineSink;
import java.io.PrintWriter;

/** Prints what ranks print, whole lines only, each behind its rank: {@code [2] ...}. */
final class RankLines implements LineSink {
    /** Green, yellow, blue, magenta, cyan, and the bright ones. */
    private static final int[] COLOURS = {32, 33, 34, 35, 36, 92, 93, 94, 95, 96};

    private final PrintWriter out;
    private final PrintWriter err;
    private final int width;
    private final boolean colours;

    RankLines(PrintWriter out, PrintWriter err, int ranks, boolean colours) {
        this.out = out;
        this.err = err;
        this.width = Integer.toString(ranks - 1).length();
        this.colours = colours;
    }

    @Override
    public synchronized void line(int rank, boolean error, String text) {
        PrintWriter to = error ? err : out;
        to.println(prefix(rank) + text);
        to.flush();
    }

    private String prefix(int rank) {
        String plain = "[" + " ".repeat(width - Integer.toString(rank).length()) + rank + "] ";
        return colours ? "\033[" + COLOURS[rank % COLOURS.length] + "m" + plain + "\033[0m" : plain;
    }

    /** Whether a person looks who has not asked for plain text. */
    static boolean wantsColours() {
        return System.console() != null && System.console().isTerminal() && System.getenv("NO_COLOR") == null;
    }
}
