package dev.oxbow.cli;

import java.io.PrintWriter;

/** A bar that fills as work is done: redrawn in place on a terminal, a line now and then elsewhere. */
final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;

    private final PrintWriter out;
    private final String what;
    private final int total;
    private final boolean terminal;
    private final long start = System.nanoTime();
    private int lineAt;
    private boolean open;

    ProgressBar(PrintWriter out, String what, int total) {
        this.out = out;
        this.what = what;
        this.total = total;
        this.terminal = System.console() != null && System.console().isTerminal();
    }

    /** {@code done} of the total are done; {@code note} says how it goes. */
    void step(int done, String note) {
        double seconds = (System.nanoTime() - start) / 1e9;
        String rest =
                "%d/%d, %s, %.1f s, %.1f s left".formatted(done, total, note, seconds, seconds / done * (total - done));
        if (terminal) {
            int full = WIDTH * done / total;
            out.print("\r" + what + " [" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] " + rest + "\033[K");
            out.flush();
            open = true;
        } else if (done == total || done >= lineAt) {
            out.println(what + " " + rest);
            lineAt += Math.max(1, total / 5);
        }
    }

    /** Ends the bar's line. */
    void finish() {
        if (open) out.println();
        open = false;
    }

    @Override
    public void close() {
        finish();
    }
}
