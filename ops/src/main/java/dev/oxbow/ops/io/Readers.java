package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The ops on readers, each in two versions, which differ in their handles. */
final class Readers {
    private Readers() {}

    /** Gives the handle of a reader, which is made when it is first asked for. */
    interface Declaration extends NotDifferentiable, Opening {
        String container();

        String sharedName();

        Reader.Kind kind();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(
                    c.outputDtype(0) == DType.STRING
                            ? new TensorType(DType.STRING, Shape.of(2), true, List.of())
                            : TensorType.handle(DType.RESOURCE));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                String name = sharedName().isEmpty() ? c.node() : sharedName();
                Reader.Kind wanted = kind();
                Reader r =
                        c.containers().lookupOrCreate(container(), name, Reader.class, () -> new Reader(name, wanted));
                require(
                        r.declared().name().equals(wanted.name()),
                        INVALID_ARGUMENT,
                        "the reader '%s' is a %s, wanted is a %s",
                        name,
                        r.declared().name(),
                        wanted.name());
                c.set(0, ResourceHandle.tensor(container(), name, r, List.of()));
            };
        }
    }

    /** Records of TensorFlow's record files. */
    interface Frames extends Declaration {
        String compressionType();

        @Override
        default Reader.Kind kind() {
            FileRecords.checkCompression(compressionType());
            return new Reader.Kind("TFRecordReader", true, f -> FileRecords.frames(f, compressionType(), 0));
        }
    }

    /** Lines. */
    interface Lines extends Declaration {
        int skipHeaderLines();

        @Override
        default Reader.Kind kind() {
            return new Reader.Kind("TextLineReader", true, f -> FileRecords.lines(f, "", skipHeaderLines()));
        }
    }

    /** Records of one length. */
    interface Fixed extends Declaration {
        int headerBytes();

        int recordBytes();

        int footerBytes();

        int hopBytes();

        default String encoding() {
            return "";
        }

        @Override
        default Reader.Kind kind() {
            FileRecords.checkCompression(encoding());
            FixedLength layout = new FixedLength(headerBytes(), recordBytes(), footerBytes(), hopBytes());
            return new Reader.Kind("FixedLengthRecordReader", true, f -> FileRecords.fixed(f, encoding(), layout));
        }
    }

    /** Whole files. */
    interface Whole extends Declaration {
        @Override
        default Reader.Kind kind() {
            return new Reader.Kind("WholeFileReader", false, FileRecords::whole);
        }
    }

    /** Names. */
    interface Names extends Declaration {
        @Override
        default Reader.Kind kind() {
            return new Reader.Kind(
                    "IdentityReader", false, f -> FileRecords.name(f, f.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static Reader reader(KernelContext c) {
        return ResourceHandle.resource(c.input(0), Reader.class);
    }

    /** The next record. */
    interface Read extends NotDifferentiable, Taking {
        @Override
        default boolean isInput() {
            return true;
        }

        @Override
        default List<TensorType> infer(InferenceContext c) {
            TensorType text = new TensorType(DType.STRING, Shape.SCALAR);
            return List.of(text, text);
        }

        @Override
        default Kernel cpu() {
            return c -> {
                Completion done = c.defer();
                reader(c).read(c, 1, 1, (keys, values, error) -> {
                    if (error == null) {
                        c.set(0, Tensor.ofObjects(DType.STRING, Shape.SCALAR, keys.getFirst()));
                        c.set(1, Tensor.ofObjects(DType.STRING, Shape.SCALAR, values.getFirst()));
                        done.done();
                    } else {
                        done.fail(error);
                    }
                });
            };
        }
    }

    /** The next records of one file. */
    interface ReadUpTo extends NotDifferentiable, Taking {
        @Override
        default boolean isInput() {
            return true;
        }

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(2);
            TensorType texts = new TensorType(DType.STRING, Shape.of(-1));
            return List.of(texts, texts);
        }

        @Override
        default Kernel cpu() {
            return c -> {
                long most = c.input(2).getLong(0);
                require(most > 0, INVALID_ARGUMENT, "num_records must be positive, got %d", most);
                Completion done = c.defer();
                reader(c).read(c, 1, most, (keys, values, error) -> {
                    if (error == null) {
                        c.set(0, Tensor.ofObjects(DType.STRING, Shape.of(keys.size()), keys.toArray()));
                        c.set(1, Tensor.ofObjects(DType.STRING, Shape.of(values.size()), values.toArray()));
                        done.done();
                    } else {
                        done.fail(error);
                    }
                });
            };
        }
    }

    /** A number that a reader keeps. */
    interface Count extends NotDifferentiable, Asking {
        /** The number of a reader. */
        long of(Reader reader);

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I64, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, of(reader(c)));
        }
    }

    /** How many records there were so far. */
    interface Produced extends Count {
        @Override
        default long of(Reader reader) {
            return reader.produced();
        }
    }

    /** How many files were read to their end. */
    interface Completed extends Count {
        @Override
        default long of(Reader reader) {
            return reader.finished();
        }
    }

    /** Where a reader is. */
    interface State extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.STRING, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).objects()[0] = reader(c).state();
        }
    }

    /** Puts a reader where it was. */
    interface Restore extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> reader(c).restore((byte[]) c.input(1).objects()[0]);
        }
    }

    /** Puts a reader where it began. */
    interface Reset extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> reader(c).reset();
        }
    }
}
