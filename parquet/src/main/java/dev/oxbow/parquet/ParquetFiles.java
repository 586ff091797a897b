package dev.oxbow.parquet;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.data.pipeline.Cursor;
import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Setting;
import dev.oxbow.data.pipeline.Stage;
import dev.oxbow.data.source.FileStore;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;

/** The rows of files, one file after the other. A file whose footer can not be read is an error in its place. */
record ParquetFiles(FileStore store, List<String> patterns, List<Parquet.Group> groups) implements Stage<ParquetRow> {

    @Override
    public Cursor<ParquetRow> open(Setting setting) {
        Iterator<String> files = store.files("parquet", patterns).iterator();
        return new Cursor<>() {
            private Iterator<RowGroup> groups = List.<RowGroup>of().iterator();
            private RowGroup group;
            private int next;

            @Override
            public Lazy<ParquetRow> next() {
                while (group == null || next == group.rows()) {
                    if (!groups.hasNext() && !files.hasNext()) return null;
                    try {
                        advance();
                    } catch (OxbowException e) {
                        return Lazy.failing(e);
                    }
                }
                return new ParquetRow(group, next++);
            }

            private void advance() {
                if (!groups.hasNext()) groups = groups(files.next()).iterator();
                group = groups.hasNext() ? groups.next() : null;
                next = 0;
            }

            @Override
            public long skip(long n) {
                long done = 0;
                while (done < n) {
                    if (group == null || next == group.rows()) {
                        if (!groups.hasNext() && !files.hasNext()) return done;
                        try {
                            advance();
                        } catch (OxbowException e) {
                            done++;
                        }
                        continue;
                    }
                    int some = (int) Math.min(n - done, group.rows() - next);
                    next += some;
                    done += some;
                }
                return done;
            }
        };
    }

    private List<RowGroup> groups(String file) {
        try {
            return new ParquetFile(store, file, groups).rowGroups();
        } catch (IOException | RuntimeException e) {
            if (e instanceof OxbowException known) throw known;
            throw new OxbowException(DATA_LOSS, "%s: its footer can not be read: %s".formatted(file, e), e);
        }
    }

    @Override
    public String describe() {
        return "parquet " + String.join(" ", patterns);
    }
}
