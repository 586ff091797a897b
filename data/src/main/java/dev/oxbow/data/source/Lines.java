package dev.oxbow.data.source;

import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Lines of text, without their ends, of plain or gzipped files. */
public final class Lines {
    private Lines() {}

    /** The lines of files, by names or patterns. */
    public static Pipeline<Record> of(String... patterns) {
        return in(FileStore.local(), patterns);
    }

    public static Pipeline<Record> in(FileStore store, String... patterns) {
        return Pipeline.of(new RecordFiles(store, List.of(patterns), new Format("lines", (byte) 0, 0, true)));
    }

    /**
     * Rows that end at line feeds outside of quotes.
     *
     * @param quote 0 where nothing quotes
     * @param skipped rows at the start of each file that are no records
     * @param blanks whether rows without a character are records
     */
    record Format(String name, byte quote, int skipped, boolean blanks) implements RecordFormat {

        @Override
        public Reading read(String file, InputStream in, long size) {
            RowCutter rows = new RowCutter(in, file, quote, size);
            return new Reading() {
                private int before = skipped;

                @Override
                public Lazy<Record> next() throws IOException {
                    for (; before > 0; before--) if (rows.next() == null) return null;
                    while (true) {
                        long offset = rows.offset();
                        byte[] row = rows.next();
                        if (row == null) return null;
                        if (blanks || row.length > 0) return Lazy.of(new Record(file, offset, row));
                    }
                }
            };
        }
    }
}
