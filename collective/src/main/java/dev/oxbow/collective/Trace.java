package dev.oxbow.collective;

import dev.oxbow.net.Transport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Spans of the last collectives and waits of one rank, for Perfetto or Chrome's tracing. Times are microseconds since 1970, so
 * that the files of several ranks can be laid together. Thread-safe.
 */
public final class Trace {
    private final Transport transport;
    private final long epochNanos;
    private final Label[] names;
    private final String[] groups;
    private final String[] details;
    private final long[] starts;
    private final long[] ends;
    private final int[] peers;
    private final long[] bytes;

    /** By rank: how long it was waited for, and the end of the last wait, since waits of several calls overlap. */
    private final long[] waited;

    private final long[] waitEnds;
    private long recorded;
    private long sent;

    Trace(Transport transport, int capacity) {
        this.transport = transport;
        epochNanos = System.currentTimeMillis() * 1_000_000 - transport.nanoTime();
        names = new Label[capacity];
        groups = new String[capacity];
        details = new String[capacity];
        starts = new long[capacity];
        ends = new long[capacity];
        peers = new int[capacity];
        bytes = new long[capacity];
        waited = new long[transport.size()];
        waitEnds = new long[transport.size()];
        Arrays.fill(waitEnds, Long.MIN_VALUE);
    }

    /** A call has ended, well or not. */
    synchronized void ended(Call call) {
        sent += call.bytesSent();
        if (names.length == 0) return;
        String detail = call.failure() == null
                ? call.choice().name()
                : call.choice().name() + ", failed: " + call.failure().getMessage();
        add(call, detail, call.began(), transport.nanoTime(), -1, call.bytesSent());
    }

    /** A message for a call has come that was awaited since a time. */
    synchronized void waited(Call call, int peer, long since, long length) {
        long now = transport.nanoTime();
        waited[peer] += Math.max(0, now - Math.max(since, waitEnds[peer]));
        waitEnds[peer] = now;
        if (names.length > 0) add(call, null, since, now, peer, length);
    }

    /** For each rank of the job, in how many nanoseconds so far some collective waited for a message of it. */
    public synchronized long[] waitedNanos() {
        return waited.clone();
    }

    private void add(Call call, String detail, long start, long end, int peer, long length) {
        int i = (int) (recorded++ % names.length);
        names[i] = call.name();
        groups[i] = call.group().name();
        details[i] = detail;
        starts[i] = start;
        ends[i] = end;
        peers[i] = peer;
        bytes[i] = length;
    }

    /** How many bytes calls that have ended have sent to other ranks so far. */
    public synchronized long bytesSent() {
        return sent;
    }

    /** How many spans were recorded, kept or not. */
    public synchronized long recorded() {
        return recorded;
    }

    /** Writes the spans as JSON; {@code pid} is the rank, waits for rank p are on thread {@code 1 + p}. */
    public void write(Path file) throws IOException {
        try (Writer out = Files.newBufferedWriter(file)) {
            write(out);
        }
    }

    synchronized void write(Writer out) throws IOException {
        int rank = transport.rank();
        out.write(
                "{\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"rank %d\"}}"
                        .formatted(rank, rank));
        long first = Math.max(0, recorded - names.length);
        for (long n = first; n < recorded; n++) {
            int i = (int) (n % names.length);
            String label = names[i].toString();
            String group = quoted(groups[i]);
            double start = (starts[i] + epochNanos) / 1e3, length = (ends[i] - starts[i]) / 1e3;
            if (details[i] != null) {
                out.write(String.format(
                        Locale.ROOT,
                        ",%n{\"name\":%s,\"cat\":\"collective\",\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"ts\":%.3f,\"dur\":%.3f,"
                                + "\"args\":{\"group\":%s,\"algorithm\":%s,\"bytes\":%d}}",
                        quoted(label),
                        rank,
                        start,
                        length,
                        group,
                        quoted(details[i]),
                        bytes[i]));
            } else {
                out.write(String.format(
                        Locale.ROOT,
                        ",%n{\"name\":%s,\"cat\":\"wait\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
                                + "\"args\":{\"group\":%s,\"waiter\":%d,\"for\":%d,\"bytes\":%d}}",
                        quoted("wait for rank " + peers[i] + ": " + label),
                        rank,
                        1 + peers[i],
                        start,
                        length,
                        group,
                        rank,
                        peers[i],
                        bytes[i]));
            }
        }
        out.write("\n]}\n");
    }

    private static String quoted(String s) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }
}
