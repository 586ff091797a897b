package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.BundleEntryProto;
import dev.oxbow.wire.proto.BundleHeaderProto;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import dev.oxbow.wire.proto.VersionDef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Writes a checkpoint in TensorFlow's second format, as one shard. Files appear under their names only in {@link
 * #finish}, the index last; closing an unfinished writer leaves nothing behind.
 */
public final class CheckpointWriter implements AutoCloseable {

    /*
     * Two files can not be renamed at once. Where a checkpoint of that name exists, its index goes first: who is killed
     * between that and the last rename leaves no checkpoint of this name, and never an index beside data of another one.
     */

    private static final int CHUNK = 1 << 20;

    private final Path prefix;
    private final Path temporary;
    private final FileChannel data;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    private final SortedMap<String, BundleEntryProto> entries = new TreeMap<>();
    private long written;
    private boolean finished;

    public CheckpointWriter(Path prefix) {
        this.prefix = prefix;
        Path file = CheckpointReader.dataFile(prefix, 0, 1);
        try {
            createDirectoryOf(prefix);
            temporary = temporary(file);
            data = FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            throw Messages.failed(name(), file, e);
        }
    }

    /** Adds a whole tensor; elements of a variant tensor are {@link VariantTensorDataProto}. */
    public void add(String name, Tensor tensor) {
        require(!name.isEmpty(), INVALID_ARGUMENT, "%s: a tensor needs a name", name());
        addEntry(CheckpointReader.key(name), name, tensor);
    }

    /** Adds a slice of a tensor whose other slices are added here or in a checkpoint merged with this one. */
    public void add(String name, TensorSlice.Spec spec, Tensor tensor) {
        require(
                spec.shape().equals(tensor.shape()),
                INVALID_ARGUMENT,
                "%s: slice %s of %s has shape %s, tensor %s is %s",
                name(),
                spec.slice(),
                spec.fullShape(),
                spec.shape(),
                name,
                tensor.describe());
        if (spec.slice().isAllOf(spec.fullShape())) {
            add(name, tensor);
            return;
        }
        require(!name.isEmpty(), INVALID_ARGUMENT, "%s: a tensor needs a name", name());
        String key = CheckpointReader.key(name);
        BundleEntryProto whole = BundleEntryProto.newBuilder()
                .setDtype(TensorCodec.encodeType(tensor.dtype()))
                .setShape(TensorCodec.encodeShape(spec.fullShape()))
                .addSlices(spec.slice().encode())
                .build();
        BundleEntryProto merged = entries.containsKey(key) ? withSlices(entries.get(key), whole, name, prefix) : whole;
        addEntry(OrderedCode.sliceKey(name, spec.slice()), name, tensor);
        entries.put(key, merged);
    }

    private void addEntry(String key, String name, Tensor tensor) {
        require(!finished, FAILED_PRECONDITION, "%s: tensor %s comes after finish", name(), name);
        require(!entries.containsKey(key), INVALID_ARGUMENT, "%s: tensor %s is added twice", name(), name);
        require(tensor.dtype() != DType.RESOURCE, INVALID_ARGUMENT, "%s: %s is %s", name(), name, tensor.describe());
        long offset = written;
        int crc;
        tensor.retain();
        try {
            crc = switch (tensor.dtype()) {
                case STRING -> writeStrings(tensor.objects());
                case VARIANT -> writeVariants(name, tensor.objects());
                default -> writeElements(tensor);
            };
        } finally {
            tensor.release();
        }
        entries.put(
                key,
                BundleEntryProto.newBuilder()
                        .setDtype(TensorCodec.encodeType(tensor.dtype()))
                        .setShape(TensorCodec.encodeShape(tensor.shape()))
                        .setOffset(offset)
                        .setSize(written - offset)
                        .setCrc32C(crc)
                        .build());
    }

    /** Copies piece by piece, so that the checksum is that of the written bytes even if a variable changes. */
    private int writeElements(Tensor tensor) {
        Checksum checksum = new Checksum();
        for (long at = 0; at < tensor.byteSize(); at += CHUNK) {
            int n = (int) Math.min(CHUNK, tensor.byteSize() - at);
            MemorySegment.copy(Memory.ALL, tensor.address() + at, MemorySegment.ofBuffer(chunk.clear()), 0, n);
            checksum.update(chunk.limit(n));
            append(chunk);
        }
        return checksum.masked();
    }

    private int writeStrings(Object[] values) {
        Checksum checksum = new Checksum();
        ByteArrayOutputStream lengths = new ByteArrayOutputStream();
        for (Object o : values) {
            Varint.write(lengths, ((byte[]) o).length);
            checksum.update(littleEndian(4).putInt(((byte[]) o).length).flip());
        }
        append(ByteBuffer.wrap(lengths.toByteArray()));
        ByteBuffer mark = littleEndian(4).putInt(checksum.masked()).flip();
        checksum.update(mark);
        append(mark);
        chunk.clear();
        for (Object o : values) {
            ByteBuffer value = ByteBuffer.wrap((byte[]) o);
            checksum.update(value);
            if (value.remaining() > chunk.remaining()) flush();
            if (value.remaining() > chunk.remaining()) append(value);
            else chunk.put(value);
        }
        flush();
        return checksum.masked();
    }

    private int writeVariants(String name, Object[] values) {
        Checksum checksum = new Checksum();
        for (Object o : values) {
            if (!(o instanceof VariantTensorDataProto variant)) {
                String type = o == null ? "null" : o.getClass().getName();
                throw new OxbowException(
                        INVALID_ARGUMENT, "%s: variant %s cannot be saved: %s".formatted(name(), name, type));
            }
            byte[] bytes = variant.toByteArray();
            ByteArrayOutputStream length = new ByteArrayOutputStream();
            Varint.write(length, bytes.length);
            append(ByteBuffer.wrap(length.toByteArray()));
            append(ByteBuffer.wrap(bytes));
            checksum.update(littleEndian(8).putLong(bytes.length).flip()).update(bytes);
            ByteBuffer mark = littleEndian(4).putInt(checksum.masked()).flip();
            checksum.update(mark);
            append(mark);
        }
        return checksum.masked();
    }

    private static ByteBuffer littleEndian(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void flush() {
        append(chunk.flip());
        chunk.clear();
    }

    private void append(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) written += data.write(bytes);
        } catch (IOException e) {
            throw Messages.failed(name(), temporary, e);
        }
    }

    /** Makes the checkpoint appear. */
    public void finish() {
        require(!finished, FAILED_PRECONDITION, "%s: finished twice", name());
        Path file = CheckpointReader.dataFile(prefix, 0, 1);
        try {
            data.force(true);
            data.close();
            BundleHeaderProto header = BundleHeaderProto.newBuilder()
                    .setNumShards(1)
                    .setVersion(VersionDef.newBuilder().setProducer(CheckpointReader.VERSION))
                    .build();
            appear(prefix, header, entries, Map.of(temporary, file));
            finished = true;
        } catch (IOException e) {
            throw Messages.failed(name(), file, e);
        }
    }

    @Override
    public void close() {
        if (finished) return;
        finished = true;
        try {
            data.close();
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            throw Messages.failed(name(), temporary, e);
        }
    }

    private String name() {
        return "checkpoint " + prefix;
    }

    /**
     * Makes one checkpoint of several by renaming their data files and merging their indexes, as MergeV2Checkpoints
     * does. The old indexes are removed, and with {@code deleteOldDirectories} directories that became empty.
     */
    public static void merge(List<Path> prefixes, Path destination, boolean deleteOldDirectories) {
        merge(prefixes, destination, deleteOldDirectories, false);
    }

    /** As {@link #merge(List, Path, boolean)}; with {@code allowMissing} prefixes without an index are left out. */
    public static void merge(
            List<Path> prefixes, Path destination, boolean deleteOldDirectories, boolean allowMissing) {
        String name = "checkpoint " + destination;
        SortedMap<String, BundleEntryProto> merged = new TreeMap<>();
        List<Path> shards = new ArrayList<>(), found = new ArrayList<>();
        BundleHeaderProto first = null;
        for (Path prefix : prefixes) {
            boolean exists = Files.exists(CheckpointReader.indexFile(prefix));
            if (allowMissing && !exists) continue;
            require(exists, INVALID_ARGUMENT, "%s: there is no checkpoint %s to merge", name, prefix);
            try (CheckpointReader reader = CheckpointReader.open(prefix)) {
                BundleHeaderProto header = reader.header();
                if (first == null) first = header;
                checkAlike(first, header, name, prefix);
                addAll(merged, reader, shards.size(), prefix);
                int n = header.getNumShards();
                for (int i = 0; i < n; i++) shards.add(CheckpointReader.dataFile(prefix, i, n));
                found.add(prefix);
            }
        }
        require(first != null, INVALID_ARGUMENT, "%s: none of %s is a checkpoint to merge", name, prefixes);
        try {
            createDirectoryOf(destination);
            Map<Path, Path> moves = new LinkedHashMap<>();
            for (int i = 0; i < shards.size(); i++)
                moves.put(shards.get(i), CheckpointReader.dataFile(destination, i, shards.size()));
            appear(destination, first.toBuilder().setNumShards(shards.size()).build(), merged, moves);
            for (Path prefix : found) removeRest(prefix, destination, deleteOldDirectories);
        } catch (IOException e) {
            throw Messages.failed(name, destination, e);
        }
    }

    private static void checkAlike(BundleHeaderProto a, BundleHeaderProto b, String name, Path prefix) {
        require(
                a.getEndianness() == b.getEndianness() && a.getVersion().equals(b.getVersion()),
                INVALID_ARGUMENT,
                "%s: merging different formats: %s, and %s of %s",
                name,
                a,
                b,
                prefix);
    }

    private static void addAll(
            SortedMap<String, BundleEntryProto> merged, CheckpointReader reader, int firstShard, Path prefix) {
        reader.entries().forEach((key, entry) -> {
            BundleEntryProto old = merged.get(key);
            boolean stored = entry.getSlicesCount() == 0;
            BundleEntryProto moved = stored
                    ? entry.toBuilder()
                            .setShardId(entry.getShardId() + firstShard)
                            .build()
                    : entry;
            merged.put(key, old == null ? moved : withSlices(old, entry, key, prefix));
        });
    }

    /** One entry for the slices of both; the same tensor may not be there whole and in parts, or twice. */
    private static BundleEntryProto withSlices(BundleEntryProto a, BundleEntryProto b, String name, Path prefix) {
        require(
                a.getSlicesCount() > 0 && b.getSlicesCount() > 0,
                INVALID_ARGUMENT,
                "checkpoint %s: tensor %s is added twice",
                prefix,
                name);
        require(
                a.getDtype() == b.getDtype() && a.getShape().equals(b.getShape()),
                INVALID_ARGUMENT,
                "checkpoint %s: slices of tensor %s disagree: %s%s and %s%s",
                prefix,
                name,
                TensorCodec.decodeType(a.getDtype()),
                TensorCodec.decodeShape(a.getShape()),
                TensorCodec.decodeType(b.getDtype()),
                TensorCodec.decodeShape(b.getShape()));
        return a.toBuilder().addAllSlices(b.getSlicesList()).build();
    }

    private static void removeRest(Path prefix, Path destination, boolean deleteDirectory) throws IOException {
        if (!prefix.toAbsolutePath()
                .normalize()
                .equals(destination.toAbsolutePath().normalize())) {
            Files.deleteIfExists(CheckpointReader.indexFile(prefix));
        }
        Path directory = directoryOf(prefix);
        if (!deleteDirectory || directory.equals(directoryOf(destination)) || !Files.exists(directory)) return;
        try (var left = Files.list(directory)) {
            if (left.findAny().isPresent()) return;
        }
        Files.deleteIfExists(directory);
    }

    /** Writes an index beside its place, then has it and the data files it is of take theirs. */
    private static void appear(
            Path prefix, BundleHeaderProto header, Map<String, BundleEntryProto> entries, Map<Path, Path> moves)
            throws IOException {
        SortedMap<String, byte[]> table = new TreeMap<>();
        table.put("", header.toByteArray());
        entries.forEach((key, entry) -> table.put(key, entry.toByteArray()));
        Path file = CheckpointReader.indexFile(prefix);
        Path temporary = temporary(file);
        try (FileChannel out = FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            ByteBuffer bytes = ByteBuffer.wrap(SortedTable.write(table));
            while (bytes.hasRemaining()) out.write(bytes);
            out.force(true);
            Files.deleteIfExists(file);
            for (var m : moves.entrySet()) move(m.getKey(), m.getValue());
            move(temporary, file);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + ".tempstate" + UUID.randomUUID());
    }

    private static Path directoryOf(Path file) {
        return file.toAbsolutePath().normalize().getParent();
    }

    private static void createDirectoryOf(Path file) throws IOException {
        Files.createDirectories(directoryOf(file));
    }
}
