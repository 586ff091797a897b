package dev.oxbow.parquet;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.parquet.column.page.PageReadStore;

/**
 * Some rows of a file, whose columns are decoded when one of them is needed first. Every thread that needs them takes columns that
 * nobody has begun, then waits for those that others have.
 */
final class RowGroup {
    private final ParquetFile file;
    private final int number;
    private final int rows;
    private final long rowBytes;
    private final Values[] columns;
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch left;
    private PageReadStore pages;
    private volatile OxbowException failure;

    RowGroup(ParquetFile file, int number, int rows, long bytes) {
        this.file = file;
        this.number = number;
        this.rows = rows;
        this.rowBytes = bytes / Math.max(1, rows);
        this.columns = new Values[file.columns().size()];
        this.left = new CountDownLatch(columns.length);
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

    private synchronized PageReadStore pages() throws IOException {
        if (pages == null) pages = file.read(number);
        return pages;
    }

    private void decode() {
        for (int c = begun.getAndIncrement(); c < columns.length; c = begun.getAndIncrement()) {
            ParquetFile.Column column = file.columns().get(c);
            try {
                if (failure == null)
                    columns[c] = new ColumnPages(column.descriptor(), rows)
                            .decode(this, column.name(), pages().getPageReader(column.descriptor()));
            } catch (OxbowException e) {
                failure = e;
            } catch (IOException | RuntimeException e) {
                failure = broken(column.name(), e.getMessage() == null ? e.toString() : e.getMessage(), e);
            } finally {
                left.countDown();
            }
        }
        try {
            left.await(); // each column is being decoded by a thread that waits for nobody
            pages = null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "input: interrupted while columns were read", e);
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
