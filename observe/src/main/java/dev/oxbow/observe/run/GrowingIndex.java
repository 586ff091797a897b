package dev.oxbow.observe.run;

import dev.oxbow.wire.proto.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The index of an event file, kept by who writes it, so that the first one to look at a large run reads the index and the little
 * behind it. It is a convenience: where it can not be kept, whoever looks reads the files. One thread at a time.
 */
public final class GrowingIndex {
    /** Bytes of records between two times that it is kept, beside the end. */
    private static final long EACH = 64 << 20;

    /** With more curves than these it is left to readers: a curve takes 64 KB. */
    private static final int MOST = 500;

    private final Path folder;
    private final String file;
    private final int number;
    private WorkerIndex index;
    private long kept;

    private GrowingIndex(Path folder, String file, int number, WorkerIndex index) {
        this.folder = folder;
        this.file = file;
        this.number = number;
        this.index = index;
        this.kept = index == null ? 0 : index.files.get(file);
    }

    /** Of a file that nothing was written to but its version; those that lie beside it are known, or read where they are small. */
    public static GrowingIndex of(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        String name = file.getFileName().toString();
        try {
            WorkerIndex all = new WorkerLog(folder, name).whole(EACH);
            List<String> files = all == null ? List.of(name) : new ArrayList<>(all.files.keySet());
            boolean last = files.getLast().equals(name);
            return new GrowingIndex(folder, name, files.size() - 1, last ? all : null);
        } catch (IOException | RuntimeException e) {
            return new GrowingIndex(folder, name, 0, null);
        }
    }

    /** A record was written, which begins at an offset. */
    public void add(Event e, long offset) {
        if (index == null) return;
        index.add(e, number, offset);
        if (index.scalars.size() > MOST) index = null;
    }

    /** All records before an offset can be read. */
    public void flushed(long to, boolean isLast) {
        if (index == null) return;
        index.files.put(file, to);
        if (to - kept < (isLast ? WorkerLog.WORTH : EACH)) return;
        if (!index.keep(folder)) index = null;
        kept = to;
    }

    /** Records were lost that had been added, so that nothing is known any more. */
    public void forget() {
        index = null;
    }
}
