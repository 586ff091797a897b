package dev.oxbow.cluster.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.RecvTensorResponse;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.TensorProto;
import io.grpc.Drainable;
import io.grpc.MethodDescriptor;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Messages whose large tensors stay behind until they are sent have the bytes of those that hold all of them. */
final class StuffingTest {

    private static <M extends MessageLite> byte[] sent(MethodDescriptor.Marshaller<Sending<M>> going, M m, Cargo cargo)
            throws IOException {
        try (InputStream in = going.stream(Sending.of(m, cargo))) {
            int size = in.available();
            byte[] bytes = in.readAllBytes();
            assertEquals(size, bytes.length);
            return bytes;
        }
    }

    private static Tensor random(int n, long seed) {
        float[] numbers = new float[n];
        Random random = new Random(seed);
        for (int i = 0; i < n; i++) numbers[i] = random.nextFloat();
        return Tensor.of(Shape.of(n), numbers);
    }

    @Test
    void requestsWithTensorsOfAllSizesAreWhatProtobufWrites() throws IOException {
        List<Tensor> all = new ArrayList<>(List.of(Tensor.of(Shape.of(2), "some", "words")));
        for (int n : new int[] {0, 1, 4_095, 4_096, 4_097, 100_000, 3, 1_000_003}) all.add(random(n, n));
        Cargo cargo = new Cargo();
        RunStepRequest.Builder apart = RunStepRequest.newBuilder().setSessionHandle("s");
        RunStepRequest.Builder whole = RunStepRequest.newBuilder().setSessionHandle("s");
        for (int i = 0; i < all.size(); i++) {
            apart.addFeed(NamedTensorProto.newBuilder().setName("x" + i).setTensor(cargo.encode(all.get(i))));
            whole.addFeed(NamedTensorProto.newBuilder().setName("x" + i).setTensor(TensorCodec.encode(all.get(i))));
        }
        apart.addFetch("y").setRequestId(77);
        whole.addFetch("y").setRequestId(77);
        int[] path = {RunStepRequest.FEED_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER};
        assertEquals(4, cargo.tensors().size());
        assertArrayEquals(whole.build().toByteArray(), sent(new Marshal.Going<>(path), apart.build(), cargo));
    }

    @Test
    void anAnswerIsReadBackAsTheTensorThatItWasMadeOf() throws IOException {
        Tensor t = random(50_000, 5);
        Cargo cargo = new Cargo();
        RecvTensorResponse m = RecvTensorResponse.newBuilder()
                .setTensor(cargo.encode(t))
                .setSendStartMicros(9)
                .build();
        byte[] bytes = sent(new Marshal.Going<>(new int[] {RecvTensorResponse.TENSOR_FIELD_NUMBER}), m, cargo);
        TensorProto back = RecvTensorResponse.parseFrom(bytes).getTensor();
        assertArrayEquals(t.floats(), TensorCodec.decode(back).floats());
    }

    /** The stream that gRPC gives a message: it copies arrays into buffers. Keeps the long arrays that it was given. */
    private static final class Framer extends OutputStream {
        final ByteBuf to;
        final Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());

        Framer(int size) {
            to = Passage.INSTANCE.buffer(size, size);
        }

        @Override
        public void write(int b) {
            to.writeByte(b);
        }

        @Override
        public void write(byte[] b, int from, int length) {
            if (length > 1_000) arrays.add(b);
            to.writeBytes(b, from, length);
        }
    }

    private static InputStream answer(Tensor t) {
        Cargo cargo = new Cargo();
        RecvTensorResponse m =
                RecvTensorResponse.newBuilder().setTensor(cargo.encode(t)).build();
        return new Marshal.Going<RecvTensorResponse>(new int[] {RecvTensorResponse.TENSOR_FIELD_NUMBER})
                .stream(Sending.of(m, cargo));
    }

    @Test
    void aContentIsCopiedOnceFromItsMemoryToTheBufferOfTheConnection() throws IOException {
        Tensor t = random(1_000_003, 6); // four windows, the last of which is not full
        InputStream message = answer(t);
        Framer framer = new Framer(message.available());
        try {
            assertEquals(message.available(), ((Drainable) message).drainTo(framer));
            byte[] bytes = new byte[framer.to.readableBytes()];
            framer.to.readBytes(bytes);
            assertArrayEquals(answer(t).readAllBytes(), bytes);
            assertEquals(1, framer.arrays.size());
            byte[] window = framer.arrays.iterator().next();
            assertArrayEquals(new byte[window.length], window, "it was never in an array");
        } finally {
            framer.to.release();
        }
    }

    @Test
    void aContentThatGoesToOtherBuffersFailsInsteadOfBeingWrong() {
        InputStream message = answer(random(10_000, 7));
        IOException e =
                assertThrows(IOException.class, () -> ((Drainable) message).drainTo(new ByteArrayOutputStream()));
        assertEquals("of 40000 bytes of a tensor the buffers of the connection took 0", e.getMessage());
    }
}
