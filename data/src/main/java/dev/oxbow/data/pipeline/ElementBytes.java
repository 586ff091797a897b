package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Samples and tensors as bytes: a number for the kind, then each tensor's message behind its length. */
final class ElementBytes {
    private static final int TENSOR = 0, SAMPLE = 1;

    private ElementBytes() {}

    static byte[] write(Object element) {
        List<Tensor> tensors = switch (element) {
            case Tensor t -> List.of(t);
            case Sample s -> s.tensors();
            default ->
                throw new OxbowException(
                        INVALID_ARGUMENT,
                        "cache: only samples and tensors can be kept on disk, got "
                                + element.getClass().getName());
        };
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(element instanceof Tensor ? TENSOR : SAMPLE);
            for (Tensor t : tensors) {
                byte[] message = TensorCodec.bytes(t);
                out.writeInt(message.length);
                out.write(message);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e); // it is memory
        }
        return bytes.toByteArray();
    }

    static Object read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int kind = in.get();
        List<Tensor> all = new ArrayList<>();
        while (in.hasRemaining()) {
            int length = in.getInt();
            all.add(TensorCodec.parse(in.slice(in.position(), length), TensorCodec.DEFAULT_MAX_BYTES));
            in.position(in.position() + length);
        }
        return kind == TENSOR ? all.getFirst() : new Sample(all);
    }
}
