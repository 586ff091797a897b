package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.BundleEntryProto;
import dev.oxbow.wire.proto.BundleHeaderProto;
import dev.oxbow.wire.proto.TensorSliceProto;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A checkpoint of TensorFlow's second format: {@code PREFIX.index} and its data files. Thread-safe. */
public final class CheckpointReader implements AutoCloseable {
    static final int VERSION = 1;

    private static final int CHUNK = 1 << 26;
    private static final long MAX_INDEX_BYTES = 1L << 30;

    private final Path prefix;
    private final FileLife life;
    private final BundleHeaderProto header;
    private final NavigableMap<String, BundleEntryProto> entries;
    private final boolean bigEndian;
    private final Map<Integer, FileChannel> shards = new HashMap<>();

    private CheckpointReader(
            Path prefix, FileLife life, BundleHeaderProto header, NavigableMap<String, BundleEntryProto> entries) {
        this.prefix = prefix;
        this.life = life;
        this.header = header;
        this.entries = entries;
        this.bigEndian = header.getEndianness() == BundleHeaderProto.Endianness.BIG;
    }

    /** Reads the index; data files are opened when they are needed. */
    public static CheckpointReader open(Path prefix) {
        Path file = indexFile(prefix);
        String name = "checkpoint " + prefix;
        NavigableMap<String, ByteBuffer> table;
        FileLife life;
        try {
            life = FileLife.of(file);
            long size = Files.size(file);
            require(size <= MAX_INDEX_BYTES, DATA_LOSS, "%s: the index has %d bytes", name, size);
            table = SortedTable.read(ByteBuffer.wrap(Files.readAllBytes(file)), name);
        } catch (IOException e) {
            throw Messages.failed(name, file, e);
        }
        ByteBuffer first = table.remove("");
        require(first != null, DATA_LOSS, "%s: the index has no header", name);
        BundleHeaderProto header = Messages.parse(BundleHeaderProto.parser(), first, name + ": header");
        checkVersion(header, name);
        TreeMap<String, BundleEntryProto> entries = new TreeMap<>();
        table.forEach((key, value) -> entries.put(
                key, Messages.parse(BundleEntryProto.parser(), value, name + ": entry '" + text(key) + "'")));
        return new CheckpointReader(prefix, life, header, entries);
    }

    private static void checkVersion(BundleHeaderProto header, String name) {
        int needed = header.getVersion().getMinConsumer();
        boolean readable =
                needed <= VERSION && !header.getVersion().getBadConsumersList().contains(VERSION);
        require(readable, INVALID_ARGUMENT, "%s: needs a reader of version %d, this is %d", name, needed, VERSION);
        int n = header.getNumShards();
        require(n >= 1 && n <= 99_999, DATA_LOSS, "%s: num_shards must be 1 to 99999, got %d", name, n);
    }

    static Path indexFile(Path prefix) {
        return prefix.resolveSibling(prefix.getFileName() + ".index");
    }

    static Path dataFile(Path prefix, int shard, int shards) {
        return prefix.resolveSibling("%s.data-%05d-of-%05d".formatted(prefix.getFileName(), shard, shards));
    }

    /** A name as the table's key: one char per byte of its UTF-8. */
    static String key(String name) {
        return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String text(String key) {
        return new String(key.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    BundleHeaderProto header() {
        return header;
    }

    NavigableMap<String, BundleEntryProto> entries() {
        return entries;
    }

    /** The names of all tensors, sorted; a tensor saved in slices counts once. */
    public List<String> names() {
        return entries.keySet().stream()
                .filter(k -> k.charAt(0) != 0)
                .map(CheckpointReader::text)
                .toList();
    }

    public boolean contains(String name) {
        return entries.containsKey(key(name));
    }

    public DType dtype(String name) {
        return dtype(name, entry(name));
    }

    /** The shape of the whole tensor. */
    public Shape shape(String name) {
        return shape(name, entry(name));
    }

    /** The slices in which a tensor was saved; empty when it was saved whole. */
    public List<TensorSlice> slices(String name) {
        return entry(name).getSlicesList().stream().map(TensorSlice::decode).toList();
    }

    private BundleEntryProto entry(String name) {
        BundleEntryProto entry = name.isEmpty() ? null : entries.get(key(name));
        if (entry != null) return entry;
        throw new OxbowException(NOT_FOUND, "Key %s not found in checkpoint %s".formatted(name, prefix));
    }

    private DType dtype(String name, BundleEntryProto entry) {
        int number = entry.getDtypeValue();
        boolean known = number > 0 && number <= DType.U64.number() && number != DType.RESOURCE.number();
        require(known, DATA_LOSS, "checkpoint %s: tensor %s has dtype %d, which is unknown", prefix, name, number);
        return DType.ofNumber(number);
    }

    private Shape shape(String name, BundleEntryProto entry) {
        Shape shape;
        try {
            shape = TensorCodec.decodeShape(entry.getShape());
        } catch (OxbowException e) {
            throw new OxbowException(
                    DATA_LOSS, "checkpoint %s: tensor %s: %s".formatted(prefix, name, e.getMessage()), e);
        }
        require(shape.isFullyKnown(), DATA_LOSS, "checkpoint %s: tensor %s has shape %s", prefix, name, shape);
        return shape;
    }

    /** A whole tensor, of the shared pool; the caller owns it. */
    public Tensor read(String name) {
        return read(name, TensorSlice.full(shape(name).rank()));
    }

    /** A slice of a tensor, of the shared pool; the caller owns it. */
    public Tensor read(String name, TensorSlice slice) {
        BundleEntryProto entry = entry(name);
        DType dtype = dtype(name, entry);
        Shape target = slice.shapeIn(shape(name, entry));
        List<Piece> pieces = pieces(name, entry, slice);
        Tensor tensor = dtype.isObject()
                ? Tensor.ofObjects(dtype, target, new Object[(int) target.size()])
                : Tensor.allocate(dtype, target);
        try {
            fill(name, entry, slice, pieces, tensor);
            return tensor;
        } catch (OxbowException e) {
            tensor.close();
            throw e;
        }
    }

    /** Fills {@code target}, which has the dtype and the shape of the slice. */
    public void readInto(String name, TensorSlice slice, Tensor target) {
        BundleEntryProto entry = entry(name);
        Shape shape = slice.shapeIn(shape(name, entry));
        require(
                dtype(name, entry) == target.dtype() && shape.equals(target.shape()),
                INVALID_ARGUMENT,
                "checkpoint %s: tensor %s is %s%s, wanted %s",
                prefix,
                name,
                dtype(name, entry),
                shape,
                target.describe());
        fill(name, entry, slice, pieces(name, entry, slice), target);
    }

    /** A stored slice that the wanted one meets, and what they share. */
    private record Piece(BundleEntryProto entry, TensorSlice stored, TensorSlice shared) {}

    /** The stored slices that make up the wanted one, checked against the files' sizes. */
    private List<Piece> pieces(String name, BundleEntryProto entry, TensorSlice wanted) {
        Shape full = shape(name, entry);
        long size = wanted.shapeIn(full).size();
        List<Piece> pieces = new ArrayList<>();
        if (entry.getSlicesCount() == 0) {
            TensorSlice all = TensorSlice.full(full.rank());
            TensorSlice shared = all.intersection(wanted, full);
            checkStored(name, entry, dtype(name, entry), full);
            if (shared != null) pieces.add(new Piece(entry, all, shared));
            return pieces;
        }
        long covered = 0;
        for (TensorSliceProto proto : entry.getSlicesList()) {
            TensorSlice stored = TensorSlice.decode(proto);
            Shape shape = stored.shapeIn(full);
            TensorSlice shared = stored.intersection(wanted, full);
            if (shared == null) continue;
            for (Piece p : pieces) {
                boolean apart = p.shared.intersection(shared, full) == null;
                require(
                        apart,
                        DATA_LOSS,
                        "checkpoint %s: slices %s and %s of tensor %s overlap",
                        prefix,
                        p.stored,
                        stored,
                        name);
            }
            BundleEntryProto part = entries.get(OrderedCode.sliceKey(name, stored));
            require(part != null, DATA_LOSS, "checkpoint %s: slice %s of tensor %s is missing", prefix, stored, name);
            checkStored(name, part, dtype(name, entry), shape);
            pieces.add(new Piece(part, stored, shared));
            covered += shared.shapeIn(full).size();
        }
        require(
                covered == size,
                INVALID_ARGUMENT,
                "checkpoint %s: the slices of partitioned tensor %s hold %d of the %d elements of %s",
                prefix,
                name,
                covered,
                size,
                wanted);
        return pieces;
    }

    private void checkStored(String name, BundleEntryProto entry, DType dtype, Shape shape) {
        require(
                dtype == dtype(name, entry) && shape.equals(shape(name, entry)) && entry.getSlicesCount() == 0,
                DATA_LOSS,
                "checkpoint %s: tensor %s or a slice of it should be stored as %s%s, is %s%s",
                prefix,
                name,
                dtype,
                shape,
                dtype(name, entry),
                shape(name, entry));
        long n = shape.size(), stored = entry.getSize();
        boolean fits = dtype.isObject()
                ? n <= stored && n < Integer.MAX_VALUE
                : n <= stored / dtype.size() && n * dtype.size() == stored;
        require(
                fits,
                DATA_LOSS,
                "checkpoint %s: tensor %s is %s%s, but is stored in %d bytes",
                prefix,
                name,
                dtype,
                shape,
                stored);
        long offset = entry.getOffset(), available = sizeOf(shard(entry.getShardId()), entry.getShardId());
        require(
                offset >= 0 && offset <= available && stored <= available - offset,
                DATA_LOSS,
                "checkpoint %s: tensor %s is stored at %d in %d bytes of a file of %d",
                prefix,
                name,
                offset,
                stored,
                available);
    }

    private void fill(String name, BundleEntryProto entry, TensorSlice wanted, List<Piece> pieces, Tensor target) {
        Shape full = shape(name, entry);
        for (Piece p : pieces) {
            if (pieces.size() == 1 && p.stored.shapeIn(full).equals(target.shape())) {
                load(name, p.entry, target);
                return;
            }
            Shape stored = p.stored.shapeIn(full);
            Tensor part = target.dtype().isObject()
                    ? Tensor.ofObjects(target.dtype(), stored, new Object[(int) stored.size()])
                    : Tensor.allocate(target.dtype(), stored);
            try (part) {
                load(name, p.entry, part);
                TensorSlice.copyBox(p.shared, part, p.stored, target, wanted);
            }
        }
    }

    private void load(String name, BundleEntryProto entry, Tensor target) {
        FileChannel file = shard(entry.getShardId());
        int actual;
        if (target.dtype().isObject()) {
            require(
                    entry.getSize() < Integer.MAX_VALUE - 8,
                    UNIMPLEMENTED,
                    "checkpoint %s: tensor %s has %d bytes of objects, at most 2^31 are read",
                    prefix,
                    name,
                    entry.getSize());
            ByteBuffer bytes = ByteBuffer.allocate((int) entry.getSize());
            readFully(file, entry.getShardId(), entry.getOffset(), bytes);
            StoredObjects objects = new StoredObjects("checkpoint " + prefix + ": tensor " + name, bigEndian);
            actual = target.dtype() == DType.STRING
                    ? objects.strings(bytes.flip(), target.objects())
                    : objects.variants(bytes.flip(), target.objects());
        } else {
            Checksum checksum = new Checksum();
            for (long at = 0; at < entry.getSize(); at += CHUNK) {
                long n = Math.min(CHUNK, entry.getSize() - at);
                ByteBuffer bytes = Memory.ALL.asSlice(target.address() + at, n).asByteBuffer();
                readFully(file, entry.getShardId(), entry.getOffset() + at, bytes);
                checksum.update(bytes.flip());
            }
            actual = checksum.masked();
            if (bigEndian)
                ByteOrders.swap(
                        target.address(),
                        target.byteSize(),
                        target.dtype().real().size());
        }
        require(
                actual == entry.getCrc32C(),
                DATA_LOSS,
                "checkpoint %s: the checksum of tensor %s is %08x, stored is %08x",
                prefix,
                name,
                actual,
                entry.getCrc32C());
    }

    private synchronized FileChannel shard(int id) {
        require(
                id >= 0 && id < header.getNumShards(),
                DATA_LOSS,
                "checkpoint %s: shard_id must be less than %d, got %d",
                prefix,
                header.getNumShards(),
                id);
        FileChannel open = shards.get(id);
        if (open != null) return open;
        Path file = dataFile(prefix, id, header.getNumShards());
        try {
            FileChannel channel = FileChannel.open(file);
            shards.put(id, channel);
            // a writer takes the index away before it touches data, so these are of one checkpoint
            FileLife.requireSame(life, indexFile(prefix), "checkpoint " + prefix);
            return channel;
        } catch (IOException e) {
            throw Messages.failed("checkpoint " + prefix, file, e);
        }
    }

    private long sizeOf(FileChannel file, int id) {
        try {
            return file.size();
        } catch (IOException e) {
            throw Messages.failed("checkpoint " + prefix, dataFile(prefix, id, header.getNumShards()), e);
        }
    }

    private void readFully(FileChannel file, int id, long position, ByteBuffer into) {
        try {
            for (long at = position; into.hasRemaining(); ) {
                int n = file.read(into, at);
                require(n > 0, DATA_LOSS, "checkpoint %s: shard %d ends at byte %d", prefix, id, at);
                at += n;
            }
        } catch (IOException e) {
            throw Messages.failed("checkpoint " + prefix, dataFile(prefix, id, header.getNumShards()), e);
        }
    }

    @Override
    public synchronized void close() {
        for (var e : shards.entrySet()) {
            try {
                e.getValue().close();
            } catch (IOException x) {
                throw Messages.failed("checkpoint " + prefix, dataFile(prefix, e.getKey(), header.getNumShards()), x);
            }
        }
        shards.clear();
    }
}
