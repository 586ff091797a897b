package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.SliceFileReader;
import dev.oxbow.wire.SliceFileWriter;
import dev.oxbow.wire.TensorSlice;

/** Saving to and restoring from checkpoints of TensorFlow's first format. */
final class SliceFiles {
    private SliceFiles() {}

    /** Writes the tensors in inputs {@code first} and after it, whose names are in input 1, and slices in input 2 where there is one. */
    static void save(KernelContext c, int first) {
        int n = c.inputCount() - first;
        require(
                c.input(1).size() == n,
                INVALID_ARGUMENT,
                "Expected totally %d inputs as input #1 (which is a string tensor of saved names) contains %d names, but received %d inputs",
                c.input(1).size() + first,
                c.input(1).size(),
                c.inputCount());
        require(
                first == 2 || c.input(2).size() == n,
                INVALID_ARGUMENT,
                "Expected %d elements for the tensor shapes and slices but got %d",
                n,
                first == 2 ? n : c.input(2).size());
        SliceFileWriter writer = new SliceFileWriter(Arguments.path(FileNames.scalar(c, 0, "Input 0 (filename)")));
        for (int i = 0; i < n; i++) {
            String name = FileNames.text(c.input(1), i), slice = first == 2 ? "" : FileNames.text(c.input(2), i);
            if (slice.isEmpty()) writer.add(name, c.input(first + i));
            else writer.add(name, TensorSlice.parseSpec(slice), c.input(first + i));
        }
        writer.finish();
    }

    /** The files that a pattern names. */
    static SliceFileReader open(String pattern) {
        return new SliceFileReader(
                pattern,
                MatchingFiles.found(pattern).stream().map(Arguments::path).toList());
    }

    /** Gives output {@code i} a tensor, or the slice that {@code spec} says. */
    static void restore(KernelContext c, SliceFileReader reader, int i, String name, String spec, DType wanted) {
        Shape full = reader.shape(name);
        require(
                reader.dtype(name) == wanted,
                INVALID_ARGUMENT,
                "Expected to restore a tensor of type %s, got a tensor of type %s instead: tensor_name = %s",
                wanted.inWords(),
                reader.dtype(name).inWords(),
                name);
        TensorSlice slice = TensorSlice.full(full.rank());
        if (!spec.isEmpty()) {
            TensorSlice.Spec parsed = TensorSlice.parseSpec(spec);
            require(
                    parsed.fullShape().equals(full),
                    INVALID_ARGUMENT,
                    "Shape in shape_and_slice spec does not match the shape in the save file: %s, save file shape: %s",
                    parsed.fullShape(),
                    full);
            slice = parsed.slice();
        }
        reader.readInto(name, slice, c.allocate(i, slice.shapeIn(full)));
    }
}
