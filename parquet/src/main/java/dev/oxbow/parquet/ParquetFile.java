package dev.oxbow.parquet;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.data.source.FileStore;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** The footer of a file, and which of its columns are wanted. */
final class ParquetFile {
    private static final Map<DType, Set<PrimitiveTypeName>> KINDS = Map.of(
            DType.F32, Set.of(PrimitiveTypeName.FLOAT, PrimitiveTypeName.DOUBLE),
            DType.F64, Set.of(PrimitiveTypeName.FLOAT, PrimitiveTypeName.DOUBLE),
            DType.I32, Set.of(PrimitiveTypeName.INT32),
            DType.I64, Set.of(PrimitiveTypeName.INT32, PrimitiveTypeName.INT64),
            DType.BOOL, Set.of(PrimitiveTypeName.BOOLEAN),
            DType.STRING, Set.of(PrimitiveTypeName.BINARY, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY));

    /** A value takes some bits in any file of size; what has fewer bytes for its rows than this is broken. */
    private static final long FEW_ROWS = 1 << 20, ROWS_OF_A_BYTE = 4096;

    private static final ParquetReadOptions OPTIONS = ParquetReadOptions.builder(new PlainParquetConfiguration())
            .withCodecFactory(new Codecs())
            .usePageChecksumVerification()
            .build();

    private final StoredFile file;
    private final ParquetMetadata footer;
    private final List<Column> columns = new ArrayList<>();

    /** A column as a group wants it. */
    record Column(String name, ColumnDescriptor descriptor) {}

    ParquetFile(FileStore store, String name, List<Parquet.Group> groups) throws IOException {
        file = new StoredFile(store, name);
        try (ParquetFileReader reader = ParquetFileReader.open(file, OPTIONS)) {
            footer = reader.getFooter();
        }
        for (Parquet.Group g : groups) for (String c : g.columns()) columns.add(find(g, c));
    }

    String name() {
        return file.name();
    }

    List<Column> columns() {
        return columns;
    }

    /** The names and types of all columns, one a line. */
    static List<String> schema(FileStore store, String name) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(new StoredFile(store, name), OPTIONS)) {
            return reader.getFileMetaData().getSchema().getColumns().stream()
                    .map(c -> "%s: %s".formatted(String.join(".", c.getPath()), c.getPrimitiveType()))
                    .toList();
        }
    }

    private Column find(Parquet.Group g, String name) {
        List<ColumnDescriptor> all = footer.getFileMetaData().getSchema().getColumns();
        ColumnDescriptor found = all.stream()
                .filter(c -> String.join(".", c.getPath()).equals(name)
                        || g.list() > 0 && c.getPath()[0].equals(name) && c.getMaxRepetitionLevel() > 0)
                .findFirst()
                .orElseThrow(() -> wrong(
                        name,
                        "there is none, only %s"
                                .formatted(all.stream()
                                        .map(c -> String.join(".", c.getPath()))
                                        .toList())));
        if (!KINDS.get(g.dtype()).contains(found.getPrimitiveType().getPrimitiveTypeName()))
            throw wrong(
                    name,
                    "it has %s, wanted is %s".formatted(found.getPrimitiveType().getPrimitiveTypeName(), g.dtype()));
        if (found.getMaxRepetitionLevel() != (g.list() > 0 ? 1 : 0))
            throw wrong(
                    name,
                    "lists are nested %d deep, wanted is %d"
                            .formatted(found.getMaxRepetitionLevel(), g.list() > 0 ? 1 : 0));
        return new Column(name, found);
    }

    private OxbowException wrong(String column, String rule) {
        return new OxbowException(INVALID_ARGUMENT, "%s, column '%s': %s".formatted(file.name(), column, rule));
    }

    /** The row groups, none of which was read. Sizes that the file can not have are errors. */
    List<RowGroup> rowGroups() throws IOException {
        long length = file.getLength();
        List<RowGroup> all = new ArrayList<>();
        for (BlockMetaData b : footer.getBlocks()) {
            long bytes = 0;
            for (ColumnChunkMetaData c : b.getColumns()) {
                long from = c.getStartingPos(), size = c.getTotalSize();
                if (from < 0 || size < 0 || from > length - size)
                    throw broken(
                            all.size(),
                            "column %s lies at byte %d and has %d, which a file of %d bytes can not hold"
                                    .formatted(c.getPath(), from, size, length));
                bytes += size;
            }
            long rows = b.getRowCount();
            if (rows < 0 || rows > Math.max(FEW_ROWS, ROWS_OF_A_BYTE * bytes) || rows > Integer.MAX_VALUE - 64)
                throw broken(all.size(), "%d bytes can not hold %d rows".formatted(bytes, rows));
            all.add(new RowGroup(this, all.size(), (int) rows, bytes));
        }
        return all;
    }

    private OxbowException broken(int group, String rule) {
        return new OxbowException(DATA_LOSS, "%s, row group %d: %s".formatted(file.name(), group, rule));
    }

    /** The pages of some of the wanted columns of a row group. */
    PageReadStore read(int group, List<Column> some) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(file, footer, OPTIONS, file.newStream())) {
            Set<ColumnDescriptor> wanted = new LinkedHashSet<>();
            for (Column c : some) wanted.add(c.descriptor);
            reader.setRequestedSchema(List.copyOf(wanted));
            return reader.readRowGroup(group);
        }
    }
}
