package dev.oxbow.cli;

import java.io.PrintWriter;

/** A bar that fills as work is done: redrawn in place on a terminal, a line now and then elsewhere. */
final class ProgressBar implements AutoCloseable {
    private static final int WIDEST = 30;
    private static final int NARROWEST = 4;
    private static final int COLUMNS = 80;
    private static final long REDRAW = 100_000_000;
    private static final long LINE = 15_000_000_000L;

    private final PrintWriter out;
    private final String what;
    private final int total;
    private final int columns;
    private final long start = System.nanoTime();
    private final Thread hook = new Thread(this::finish, "end the line of the progress bar");
    private int lineAt;
    private int first;
    private long drawn = start;
    private volatile boolean open;

    ProgressBar(PrintWriter out, String what, int total) {
        this(out, what, total, System.console() != null && System.console().isTerminal() ? columns() : 0);
    }

    /** A bar on a terminal of so many columns; 0 for none. */
    ProgressBar(PrintWriter out, String what, int total, int columns) {
        this.out = out;
        this.what = what;
        this.total = total;
        this.columns = columns;
        if (columns > 0) Runtime.getRuntime().addShutdownHook(hook);
    }

    private static int columns() {
        String given = System.getenv().getOrDefault("COLUMNS", "");
        return given.matches("[1-9]\\d{0,3}") ? Integer.parseInt(given) : COLUMNS;
    }

    /** Says how much was done before it began. */
    void begin(int done) {
        first = done;
        lineAt = done;
    }

    /**
     * {@code done} of the total are done; {@code note} says how it goes. A terminal is redrawn ten times a second at most.
     * Elsewhere a line comes behind each fifth, when something is {@code whole}, such as an epoch, and after a while anyway.
     */
    void step(int done, String note, boolean whole) {
        long now = System.nanoTime();
        boolean due = columns > 0
                ? whole || now - drawn >= REDRAW
                : whole && (done == total || done >= lineAt) || now - drawn >= LINE;
        if (!due) return;
        drawn = now;
        double seconds = (now - start) / 1e9;
        String rest = "%d/%d, %s, %.1f s".formatted(done, total, note, seconds);
        if (done < total && done > first) rest += ", %.1f s left".formatted(seconds / (done - first) * (total - done));
        if (columns > 0) {
            out.print("\r" + line(done, rest) + "\033[K");
            out.flush();
            open = true;
        } else {
            out.println(what + " " + rest);
            lineAt = done + Math.max(1, total / 5);
        }
    }

    /** What fits a line whose last column stays free, since writing there may begin another. */
    private String line(int done, String rest) {
        int room = columns - 1, width = Math.min(WIDEST, room - what.length() - rest.length() - 4);
        if (width >= NARROWEST) {
            int full = width * done / total;
            return what + " [" + "#".repeat(full) + ".".repeat(width - full) + "] " + rest;
        }
        String text = what + " " + rest;
        return text.substring(0, Math.min(text.length(), room));
    }

    /** Ends the bar's line. */
    void finish() {
        if (open) out.println();
        open = false;
    }

    @Override
    public void close() {
        finish();
        if (columns == 0) return;
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // it runs
        }
    }
}
