package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.SavedSlice;
import dev.oxbow.wire.proto.SavedSliceMeta;
import dev.oxbow.wire.proto.SavedTensorSliceMeta;
import dev.oxbow.wire.proto.SavedTensorSlices;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.VersionDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** Writes a file of TensorFlow's first format of checkpoints, which has all of them in one table. */
public final class SliceFileWriter {
    static final int VERSION = 1;

    private final Path file;
    private final SortedMap<String, SavedSliceMeta> metas = new TreeMap<>();
    private final SortedMap<String, byte[]> table = new TreeMap<>();

    public SliceFileWriter(Path file) {
        this.file = file;
    }

    /** Adds a whole tensor. */
    public void add(String name, Tensor tensor) {
        add(
                name,
                new TensorSlice.Spec(
                        tensor.shape(), TensorSlice.full(tensor.shape().rank())),
                tensor);
    }

    /** Adds a slice of a tensor. */
    public void add(String name, TensorSlice.Spec spec, Tensor tensor) {
        DType dtype = tensor.dtype();
        require(
                spec.shape().equals(tensor.shape()),
                INVALID_ARGUMENT,
                "Slice in shape_and_slice specification does not match the shape of the tensor to save: %s of %s, tensor %s: %s",
                spec.slice(),
                spec.fullShape(),
                name,
                tensor.shape());
        require(
                dtype == DType.STRING || !dtype.isObject(),
                INVALID_ARGUMENT,
                "checkpoint %s: tensor %s is %s, which is not saved",
                file,
                name,
                tensor.describe());
        SavedSliceMeta known = metas.get(CheckpointReader.key(name));
        SavedSliceMeta.Builder meta = known == null
                ? SavedSliceMeta.newBuilder()
                        .setName(name)
                        .setShape(TensorCodec.encodeShape(spec.fullShape()))
                        .setType(TensorCodec.encodeType(dtype))
                : known.toBuilder();
        require(
                TensorCodec.decodeType(meta.getType()) == dtype
                        && TensorCodec.decodeShape(meta.getShape()).equals(spec.fullShape()),
                INVALID_ARGUMENT,
                "checkpoint %s: slices of tensor %s disagree: %s%s and %s%s",
                file,
                name,
                TensorCodec.decodeType(meta.getType()),
                TensorCodec.decodeShape(meta.getShape()),
                dtype,
                spec.fullShape());
        meta.getSliceList().forEach(s -> requireApart(name, spec, TensorSlice.decode(s)));
        metas.put(
                CheckpointReader.key(name), meta.addSlice(spec.slice().encode()).build());
        TensorProto.Builder data = TensorProto.newBuilder();
        TensorCodec.addValues(data, tensor);
        SavedSlice slice = SavedSlice.newBuilder()
                .setName(name)
                .setSlice(spec.slice().encode())
                .setData(data)
                .build();
        table.put(
                OrderedCode.sliceKey(name, spec.slice()),
                SavedTensorSlices.newBuilder().setData(slice).build().toByteArray());
    }

    private void requireApart(String name, TensorSlice.Spec spec, TensorSlice other) {
        require(
                spec.slice().intersection(other, spec.fullShape()) == null,
                INVALID_ARGUMENT,
                "checkpoint %s: slices %s and %s of tensor %s overlap",
                file,
                other,
                spec.slice(),
                name);
    }

    /** Makes the file appear. */
    public void finish() {
        SavedTensorSliceMeta.Builder meta = SavedTensorSliceMeta.newBuilder()
                .addAllTensor(metas.values())
                .setVersions(VersionDef.newBuilder().setProducer(VERSION));
        table.put("", SavedTensorSlices.newBuilder().setMeta(meta).build().toByteArray());
        Path temporary = file.resolveSibling(file.getFileName() + ".tempstate" + UUID.randomUUID());
        try {
            try {
                Files.write(temporary, SortedTable.write(table));
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw Messages.failed("checkpoint " + file, file, e);
        }
    }
}
