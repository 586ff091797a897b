package dev.oxbow.benchmarks;

import blue.strategic.parquet.Dehydrator;
import blue.strategic.parquet.ParquetWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/** Files of numbers as Apache Parquet's own library writes and reads them: its readers of columns, then rows beside each other. */
final class BareParquet {
    private static final String CLASS = "class";

    private BareParquet() {}

    /** The numbers of the rows of a CSV file of the same seed. */
    static void write(Path file, int seed) throws IOException {
        Random r = new Random(seed);
        var fields = Types.buildMessage();
        for (int c = 0; c < InputData.COLUMNS; c++)
            fields.required(PrimitiveTypeName.FLOAT).named("c" + c);
        MessageType schema =
                fields.required(PrimitiveTypeName.INT64).named(CLASS).named("rows");
        Dehydrator<Integer> row = (i, to) -> {
            for (int c = 0; c < InputData.COLUMNS; c++) to.write("c" + c, r.nextInt(2_000_000) / 10_000f - 100);
            to.write(CLASS, (long) (i % 10));
        };
        Files.deleteIfExists(file);
        try (ParquetWriter<Integer> out = ParquetWriter.writeFile(schema, file.toFile(), row)) {
            for (int i = 0; i < InputData.RECORDS; i++) out.write(i);
        }
    }

    /** Reads a file into batches; how many rows it has. */
    static long read(Path path, InputRows.Taker taker) throws IOException {
        long count = 0;
        var options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .usePageChecksumVerification()
                .build();
        try (ParquetFileReader file = ParquetFileReader.open(new LocalInputFile(path), options)) {
            MessageType schema = file.getFileMetaData().getSchema();
            List<ColumnDescriptor> columns = schema.getColumns();
            for (PageReadStore pages = file.readNextRowGroup(); pages != null; pages = file.readNextRowGroup()) {
                var store =
                        new ColumnReadStoreImpl(pages, new DummyRecordConverter(schema).getRootConverter(), schema, "");
                ColumnReader[] readers =
                        columns.stream().map(store::getColumnReader).toArray(ColumnReader[]::new);
                for (long left = pages.getRowCount(); left > 0; left -= OxbowInput.BATCH) {
                    int rows = (int) Math.min(left, OxbowInput.BATCH);
                    taker.take(batch(readers, rows));
                    count += rows;
                }
            }
        }
        return count;
    }

    private static InputRows batch(ColumnReader[] readers, int rows) {
        InputRows batch = new InputRows(InputData.COLUMNS);
        batch.rows = rows;
        for (int c = 0; c < InputData.COLUMNS; c++)
            for (int i = 0; i < rows; i++) {
                batch.x[i * InputData.COLUMNS + c] = readers[c].getFloat();
                readers[c].consume();
            }
        for (int i = 0; i < rows; i++) {
            batch.y[i] = readers[InputData.COLUMNS].getLong();
            readers[InputData.COLUMNS].consume();
        }
        return batch;
    }
}
