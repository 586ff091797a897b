package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.CreateSessionResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.DeregisterGraphRequest;
import dev.oxbow.wire.proto.ExtendSessionRequest;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.PartialRunSetupRequest;
import dev.oxbow.wire.proto.RecvTensorRequest;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import dev.oxbow.wire.proto.RunCallableRequest;
import dev.oxbow.wire.proto.RunGraphRequest;
import dev.oxbow.wire.proto.RunOptions;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that no client would send, by a connection that is in order: each gets an answer, and the server goes on. */
@Timeout(300)
final class HostileTest {
    private static final int SEEDS = 600;
    private static final long LIMIT_MILLIS = 500;

    private final Graph graph = new Graph();
    private final Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(-1));
    private final Value y = x.plus(1).times(2);
    private LocalCluster cluster;
    private ManagedChannel channel;
    private String session;

    /** How a call ended, and the bytes of its answer if there was one. */
    private record End(Status status, byte[] answer) {}

    @BeforeEach
    void start() throws Exception {
        cluster = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", 1)),
                ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1)),
                LocalCluster.Links.MESSAGES);
        channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", cluster.servers().getFirst().port())
                .usePlaintext()
                .build();
        End made = send(Methods.MASTER, "CreateSession", create().toByteArray(), 20_000);
        session = CreateSessionResponse.parseFrom(made.answer).getSessionHandle();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        cluster.close();
    }

    private CreateSessionRequest create() {
        return CreateSessionRequest.newBuilder()
                .setGraphDef(GraphExporter.write(graph))
                .build();
    }

    private RunStepRequest step(TensorProto fed) {
        return RunStepRequest.newBuilder()
                .setSessionHandle(session)
                .addFeed(NamedTensorProto.newBuilder().setName("x:0").setTensor(fed))
                .addFetch(y.edge().name())
                .setOptions(RunOptions.newBuilder().setTimeoutInMs(LIMIT_MILLIS))
                .build();
    }

    private static TensorProto numbers(int n) {
        return TensorCodec.encode(Tensor.of(Shape.of(n), new float[n]));
    }

    /** Sends bytes to a method, and waits for how that ends. */
    private End send(String service, String method, byte[] message, long millis) {
        MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.newBuilder(BYTES, BYTES)
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(service + "/" + method)
                .build();
        ClientCall<byte[], byte[]> call =
                channel.newCall(descriptor, CallOptions.DEFAULT.withDeadlineAfter(millis, TimeUnit.MILLISECONDS));
        CompletableFuture<End> end = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    private byte[] answer = {};

                    @Override
                    public void onMessage(byte[] bytes) {
                        answer = bytes;
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(new End(status, answer));
                    }
                },
                new Metadata());
        call.request(2);
        call.sendMessage(message);
        call.halfClose();
        return end.orTimeout(120, TimeUnit.SECONDS).join();
    }

    private void refused(Status.Code code, String service, String method, MessageLite message) {
        Status s = send(service, method, message.toByteArray(), 10_000).status;
        assertEquals(code, s.getCode(), method + ": " + s.getDescription());
    }

    private void assertHealthy() {
        try (Session s = Session.open(cluster.target(), graph, SessionOptions.defaults());
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(2), 1f, 2f))
                        .fetch(y.edge())
                        .run()) {
            assertEquals(6f, r.get(0).floats()[1]);
        }
    }

    @Test
    void messagesWithWrongBytesAreAnsweredAndLeaveNothing() {
        TensorProto large = numbers(20_000); // its content goes its own way
        List<Map.Entry<String, MessageLite>> masters = List.of(
                Map.entry("CreateSession", create()),
                Map.entry("ExtendSession", extend(0)),
                Map.entry("RunStep", step(numbers(3))),
                Map.entry("RunStep", step(large)),
                Map.entry(
                        "PartialRunSetup",
                        PartialRunSetupRequest.newBuilder()
                                .setSessionHandle(session)
                                .addFeed("x:0")
                                .addFetch(y.edge().name())
                                .build()));
        List<Map.Entry<String, MessageLite>> workers = List.of(
                Map.entry(
                        "RegisterGraph",
                        RegisterGraphRequest.newBuilder()
                                .setSessionHandle(session)
                                .setGraphDef(GraphExporter.write(graph))
                                .build()),
                Map.entry(
                        "RunGraph",
                        RunGraphRequest.newBuilder()
                                .setSessionHandle(session)
                                .setGraphHandle("0000000000000001")
                                .setStepId(7)
                                .addSend(NamedTensorProto.newBuilder()
                                        .setName("key")
                                        .setTensor(large))
                                .build()),
                Map.entry(
                        "RecvTensor",
                        RecvTensorRequest.newBuilder()
                                .setStepId(8)
                                .setRendezvousKey("/job:worker/replica:0/task:0/device:CPU:0;0;a;b;0:0")
                                .build()),
                Map.entry(
                        "CreateWorkerSession",
                        CreateWorkerSessionRequest.newBuilder()
                                .setSessionHandle("a")
                                .build()));
        int errors = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            boolean master = random.nextBoolean();
            var all = master ? masters : workers;
            var one = all.get(random.nextInt(all.size()));
            byte[] wrong = mutated(one.getValue().toByteArray(), random);
            End e = send(master ? Methods.MASTER : Methods.WORKER, one.getKey(), wrong, LIMIT_MILLIS);
            if (!e.status.isOk()) errors++;
            assertTrue(e.status.getCode() != Status.Code.UNKNOWN, "seed " + seed + ": " + e.status);
            if (seed % 100 == 99) assertHealthy();
        }
        assertTrue(errors > SEEDS / 4, errors + " errors");
        assertHealthy();
    }

    private static byte[] mutated(byte[] bytes, Random random) {
        byte[] b = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> b = Arrays.copyOf(b, random.nextInt(b.length));
            case 1 -> {
                for (int i = 1 + random.nextInt(8); i > 0; i--)
                    b[random.nextInt(Math.min(b.length, 300))] = (byte) random.nextInt();
            }
            case 2 -> { // a length that is not there
                int at = random.nextInt(Math.min(b.length, 200));
                for (int i = at; i < Math.min(at + 4, b.length); i++) b[i] = (byte) 0xff;
            }
            default -> random.nextBytes(b);
        }
        return b;
    }

    private ExtendSessionRequest extend(long version) {
        return ExtendSessionRequest.newBuilder()
                .setSessionHandle(session)
                .setCurrentGraphVersion(version)
                .setGraphDef(GraphDef.newBuilder()
                        .addNode(NodeDef.newBuilder().setName("n").setOp("NoOp")))
                .build();
    }

    @Test
    void whatTheServerDoesNotKnowIsRefusedByName() {
        for (String m : List.of("CompleteGroup", "CompleteInstance", "GetStepSequence", "NoSuch"))
            refused(Status.Code.UNIMPLEMENTED, Methods.WORKER, m, CreateSessionRequest.getDefaultInstance());
        refused(Status.Code.INVALID_ARGUMENT, Methods.WORKER, "RecvBuf", CreateSessionRequest.getDefaultInstance());
        refused(Status.Code.UNIMPLEMENTED, "no.Service", "Call", CreateSessionRequest.getDefaultInstance());
        refused(Status.Code.ABORTED, Methods.MASTER, "ExtendSession", extend(77));
        refused(
                Status.Code.NOT_FOUND,
                Methods.MASTER,
                "RunCallable",
                RunCallableRequest.newBuilder()
                        .setSessionHandle(session)
                        .setHandle(5)
                        .build());
        refused(
                Status.Code.ABORTED,
                Methods.WORKER,
                "RunGraph",
                RunGraphRequest.newBuilder().setSessionHandle("none").build());
        refused(
                Status.Code.ABORTED,
                Methods.WORKER,
                "DeregisterGraph",
                DeregisterGraphRequest.newBuilder()
                        .setSessionHandle(session)
                        .setGraphHandle("none")
                        .build());
        RecvTensorRequest stale = RecvTensorRequest.newBuilder()
                .setStepId(1)
                .setRendezvousKey("/job:worker/replica:0/task:0/device:CPU:0;00000000000000aa;a;b;0:0")
                .build();
        refused(Status.Code.ABORTED, Methods.WORKER, "RecvTensor", stale);
        assertHealthy();
    }

    @Test
    void aStepOfNothingIsRefusedByTheMasterAndDoneByTheClient() {
        RunStepRequest nothing =
                RunStepRequest.newBuilder().setSessionHandle(session).build();
        refused(Status.Code.INVALID_ARGUMENT, Methods.MASTER, "RunStep", nothing);
        try (Session s = Session.open(cluster.target(), graph, SessionOptions.defaults())) {
            assertEquals(List.of(), s.target().run());
        }
    }

    @Test
    void sizesThatAreClaimedTakeNoMemory() throws IOException {
        long before = MemoryPool.shared().bytesReserved();
        TensorProto.Builder huge = TensorProto.newBuilder()
                .setDtype(DataType.DT_FLOAT)
                .setTensorShape(TensorShapeProto.newBuilder()
                        .addDim(TensorShapeProto.Dim.newBuilder().setSize(1L << 40)));
        for (TensorProto t : List.of(
                huge.build(),
                huge.setTensorContent(ByteString.copyFrom(new byte[1 << 17])).build(),
                numbers(40_000).toBuilder().setDtype(DataType.DT_DOUBLE).build()))
            refused(Status.Code.INVALID_ARGUMENT, Methods.MASTER, "RunStep", step(t));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeTag(RunStepRequest.FEED_FIELD_NUMBER, 2);
        out.writeUInt32NoTag(Integer.MAX_VALUE);
        out.writeRawBytes(new byte[100_000]);
        out.flush();
        Status s = send(Methods.MASTER, "RunStep", bytes.toByteArray(), 10_000).status;
        assertEquals(Status.Code.INVALID_ARGUMENT, s.getCode(), s.getDescription());
        assertTrue(MemoryPool.shared().bytesReserved() < before + (64 << 20));
        assertHealthy();
    }

    @Test
    void aMessageThatIsNestedBeyondMeasureIsRefused() {
        NameAttrList inner = NameAttrList.newBuilder().setName("f").build();
        for (int i = 0; i < 300; i++)
            inner = NameAttrList.newBuilder()
                    .setName("f")
                    .putAttr("a", AttrValue.newBuilder().setFunc(inner).build())
                    .build();
        NodeDef node = NodeDef.newBuilder()
                .setName("n")
                .setOp("NoOp")
                .putAttr("deep", AttrValue.newBuilder().setFunc(inner).build())
                .build();
        refused(
                Status.Code.INVALID_ARGUMENT,
                Methods.MASTER,
                "CreateSession",
                CreateSessionRequest.newBuilder()
                        .setGraphDef(GraphDef.newBuilder().addNode(node))
                        .build());
        assertHealthy();
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] bytes) {
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public byte[] parse(InputStream in) {
            try {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };
}
