package dev.oxbow.parquet;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.parquet.column.page.PageReadStore;

/**
 * Some rows of a file, whose columns are read and decoded when one of them is needed first. Every thread that needs them takes columns
 * that nobody has begun, then waits for those that others have.
 */
final class RowGroup {
    /** Columns are taken in so many parts: few, as each is a request to where the file is, but more than one, for threads to share. */
    private static final int PARTS = 4;

    private final ParquetFile file;
    private final int number;
    private final int rows;
    private final long rowBytes;
    private final Values[] columns;
    private final int parts;
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch left;
    private volatile OxbowException failure;

    RowGroup(ParquetFile file, int number, int rows, long bytes) {
        this.file = file;
        this.number = number;
        this.rows = rows;
        this.rowBytes = bytes / Math.max(1, rows);
        this.columns = new Values[file.columns().size()];
        this.parts = Math.min(PARTS, columns.length);
        this.left = new CountDownLatch(parts);
    }

    int rows() {
        return rows;
    }

    /** What a row holds of memory, once the group was read. */
    long rowBytes() {
        return rowBytes;
    }

    /** The columns in the order of the groups that want them. */
    Values[] columns() {
        if (left.getCount() > 0) decode();
        if (failure != null) throw failure;
        return columns;
    }

    private void decode() {
        for (int p = begun.getAndIncrement(); p < parts; p = begun.getAndIncrement()) {
            try {
                if (failure == null) decode(columns.length * p / parts, columns.length * (p + 1) / parts);
            } catch (OxbowException e) {
                failure = e;
            } finally {
                left.countDown();
            }
        }
        try {
            left.await(); // each part is being decoded by a thread that waits for nobody
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "input: interrupted while columns were read", e);
        }
    }

    private void decode(int from, int to) {
        List<ParquetFile.Column> some = file.columns().subList(from, to);
        String name = some.getFirst().name();
        try {
            PageReadStore pages = file.read(number, some);
            for (int c = from; c < to; c++) {
                ParquetFile.Column column = file.columns().get(c);
                name = column.name();
                columns[c] = new ColumnPages(column.descriptor(), rows)
                        .decode(this, name, pages.getPageReader(column.descriptor()));
            }
        } catch (IOException | RuntimeException e) {
            if (e instanceof OxbowException known) throw known;
            throw broken(name, e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
    }

    /** An error that names the place and the rule. */
    OxbowException broken(String column, String rule) {
        return broken(column, rule, null);
    }

    private OxbowException broken(String column, String rule, Exception cause) {
        return new OxbowException(
                DATA_LOSS, "%s, row group %d, column '%s': %s".formatted(file.name(), number, column, rule), cause);
    }
}
