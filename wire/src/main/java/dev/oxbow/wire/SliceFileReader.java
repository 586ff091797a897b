package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.SavedSliceMeta;
import dev.oxbow.wire.proto.SavedTensorSlices;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorSliceProto;
import dev.oxbow.wire.proto.VersionDef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** A checkpoint of TensorFlow's first format: tables that have the slices of its tensors, one for each shard. */
public final class SliceFileReader {
    private static final long MAX_FILE_BYTES = Integer.MAX_VALUE - 8L;

    /** A tensor and, for each slice that was saved, the bytes of it. */
    private record Saved(DType dtype, Shape shape, Map<TensorSlice, ByteBuffer> slices) {}

    private final String name;
    private final Map<String, Saved> tensors = new HashMap<>();

    /** Reads all files; {@code name} is what errors call them. */
    public SliceFileReader(String name, List<Path> files) {
        this.name = name;
        require(
                !files.isEmpty(),
                NOT_FOUND,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s",
                name);
        for (Path file : files) {
            try {
                read(file);
            } catch (IOException e) {
                throw Messages.failed("checkpoint " + name, file, e);
            } catch (OxbowException e) {
                throw new OxbowException(DATA_LOSS, "Unable to open table file " + file + ": " + e.getMessage(), e);
            }
        }
    }

    /** Whether a checkpoint of this name can be of this format only: one of the second has an index. */
    public static boolean isOnly(Path prefix) {
        return !Files.exists(CheckpointReader.indexFile(prefix));
    }

    private void read(Path file) throws IOException {
        String what = "checkpoint " + file;
        long size = Files.isDirectory(file) ? -1 : Files.size(file);
        require(size >= 0 && size <= MAX_FILE_BYTES, DATA_LOSS, "%s: a file of less than 2^31 bytes is read", what);
        NavigableMap<String, ByteBuffer> table = SortedTable.read(ByteBuffer.wrap(Files.readAllBytes(file)), what);
        ByteBuffer first = table.get("");
        require(first != null, DATA_LOSS, "%s: the saved tensor slices are not at the beginning of the file", what);
        SavedTensorSlices header = Messages.parse(SavedTensorSlices.parser(), first, what);
        VersionDef versions = header.getMeta().getVersions();
        require(
                versions.getMinConsumer() <= SliceFileWriter.VERSION,
                INVALID_ARGUMENT,
                "%s: needs a reader of version %d, this is %d",
                what,
                versions.getMinConsumer(),
                SliceFileWriter.VERSION);
        for (SavedSliceMeta meta : header.getMeta().getTensorList()) add(meta, table, what);
    }

    private void add(SavedSliceMeta meta, NavigableMap<String, ByteBuffer> table, String what) {
        int number = meta.getTypeValue();
        require(
                number > 0 && number <= DType.U64.number() && number != DType.RESOURCE.number(),
                DATA_LOSS,
                "%s: tensor %s has dtype %d, which is unknown",
                what,
                meta.getName(),
                number);
        DType dtype = DType.ofNumber(number);
        Shape shape = TensorCodec.decodeShape(meta.getShape());
        require(shape.isFullyKnown(), DATA_LOSS, "%s: tensor %s has shape %s", what, meta.getName(), shape);
        Saved saved = tensors.computeIfAbsent(meta.getName(), _ -> new Saved(dtype, shape, new HashMap<>()));
        require(
                saved.dtype == dtype && saved.shape.equals(shape),
                DATA_LOSS,
                "%s: tensor %s is %s%s here and %s%s in another file",
                what,
                meta.getName(),
                dtype,
                shape,
                saved.dtype,
                saved.shape);
        for (TensorSliceProto proto : meta.getSliceList()) {
            TensorSlice slice = TensorSlice.decode(proto);
            slice.shapeIn(shape);
            ByteBuffer bytes = table.get(OrderedCode.sliceKey(meta.getName(), slice));
            require(bytes != null, DATA_LOSS, "%s: slice %s of tensor %s is missing", what, slice, meta.getName());
            saved.slices.put(slice, bytes);
        }
    }

    private Saved saved(String tensor) {
        Saved saved = tensors.get(tensor);
        require(saved != null, NOT_FOUND, "Tensor name \"%s\" not found in checkpoint files %s", tensor, name);
        return saved;
    }

    public DType dtype(String tensor) {
        return saved(tensor).dtype;
    }

    /** The shape of the whole tensor. */
    public Shape shape(String tensor) {
        return saved(tensor).shape;
    }

    /** Fills {@code target}, which has the dtype and the shape of the slice. */
    public void readInto(String tensor, TensorSlice wanted, Tensor target) {
        Saved saved = saved(tensor);
        long covered = 0;
        for (var e : saved.slices.entrySet()) {
            TensorSlice stored = e.getKey(), shared = stored.intersection(wanted, saved.shape);
            if (shared == null && target.size() > 0) continue;
            try (Tensor part = decode(tensor, saved, stored, e.getValue())) {
                if (shared == null) continue;
                TensorSlice.copyBox(shared, part, stored, target, wanted);
                covered += shared.shapeIn(saved.shape).size();
            }
        }
        require(
                covered == target.size(),
                INVALID_ARGUMENT,
                "Error copying slice data: the slices of tensor %s in %s hold %d of the %d elements of %s",
                tensor,
                name,
                covered,
                target.size(),
                wanted);
    }

    private Tensor decode(String tensor, Saved saved, TensorSlice stored, ByteBuffer bytes) {
        Shape shape = stored.shapeIn(saved.shape);
        String what = "checkpoint " + name + ": slice " + stored + " of tensor " + tensor;
        TensorProto data = Messages.parse(SavedTensorSlices.parser(), bytes.duplicate(), what)
                .getData()
                .getData();
        int count = TensorCodec.valueCount(saved.dtype, data);
        require(count == shape.size(), DATA_LOSS, "%s has %d elements, not %d", what, count, shape.size());
        return TensorCodec.decode(data.toBuilder()
                .setDtype(TensorCodec.encodeType(saved.dtype))
                .setTensorShape(TensorCodec.encodeShape(shape))
                .clearTensorContent()
                .build());
    }
}
