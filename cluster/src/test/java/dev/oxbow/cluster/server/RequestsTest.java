package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.GetSessionHandle;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.CallableOptions;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.ExtendSessionRequest;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.LoggingRequest;
import dev.oxbow.wire.proto.LoggingResponse;
import dev.oxbow.wire.proto.MakeCallableRequest;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.ReleaseCallableRequest;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.RunCallableRequest;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TracingRequest;
import dev.oxbow.wire.proto.TracingResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Single requests, as any client of the protocol may send them. */
@Timeout(300)
final class RequestsTest {
    private static final int PROGRAMS = 3;

    private final Graph graph = new Graph();
    private final Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.SCALAR);
    private final Value y = x.times(2).plus(1);
    private final LocalCluster cluster = LocalCluster.start(
            LocalCluster.onFreePorts(Map.of("worker", 1)),
            ServerOptions.defaults()
                    .withEngine(EngineOptions.defaults().withThreads(1))
                    .withPrograms(PROGRAMS),
            LocalCluster.Links.MESSAGES);
    private final Server server = cluster.servers().getFirst();
    private final RawClient client = new RawClient(server);

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
    }

    private String open() {
        return client.ask(
                        Methods.CREATE_SESSION,
                        CreateSessionRequest.newBuilder()
                                .setGraphDef(GraphExporter.write(graph))
                                .build())
                .getSessionHandle();
    }

    private float run(String session, float fed, String fetch) {
        return step(session, TensorCodec.encode(Tensor.scalar(fed)), fetch).floats()[0];
    }

    private Tensor step(String session, TensorProto fed, String fetch) {
        RunStepRequest r = RunStepRequest.newBuilder()
                .setSessionHandle(session)
                .addFeed(NamedTensorProto.newBuilder().setName("x:0").setTensor(fed))
                .addFetch(fetch)
                .build();
        return TensorCodec.decode(client.ask(Methods.RUN_STEP, r).getTensor(0).getTensor());
    }

    /** As TensorFlow's clients write the handle of a value: a message, with its length before it. */
    private static TensorProto handle(String name) {
        byte[] message = ResourceHandleProto.newBuilder()
                .setContainer("TensorHandle")
                .setName(name)
                .build()
                .toByteArray();
        return TensorProto.newBuilder()
                .setDtype(DataType.DT_RESOURCE)
                .setTensorContent(
                        ByteString.copyFrom(new byte[] {(byte) message.length}).concat(ByteString.copyFrom(message)))
                .build();
    }

    @Test
    void theHandleOfAValueIsFedForIt() {
        Value kept = Ops.in(graph).add(new GetSessionHandle(), x.times(3)).getFirst();
        Value wide = Ops.in(graph)
                .add(new GetSessionHandle(), Ops.in(graph).constant(1, 2))
                .getFirst();
        String session = open();
        TensorProto seven = TensorCodec.encode(Tensor.scalar(7f));
        String name = step(session, seven, kept.edge().name()).strings().getFirst();
        assertEquals(43, step(session, handle(name), y.edge().name()).floats()[0]);
        assertEquals(21, step(session, handle(name), "x:0").floats()[0], "it may be fetched, too");
        assertEquals(15, run(session, 7, y.edge().name()), "a value is still fed as such");
        String other = step(session, seven, wide.edge().name()).strings().getFirst();
        for (String wrong : List.of(other, "none;1;" + name.substring(name.lastIndexOf(';') + 1), "elsewhere", "")) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> step(session, handle(wrong), y.edge().name()));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), wrong + ": " + e.getMessage());
        }
    }

    @Test
    void aCallableIsMadeRunAndReleased() {
        String session = open();
        long handle = client.ask(
                        Methods.MAKE_CALLABLE,
                        MakeCallableRequest.newBuilder()
                                .setSessionHandle(session)
                                .setOptions(CallableOptions.newBuilder()
                                        .addFeed("x:0")
                                        .addFetch(y.edge().name()))
                                .build())
                .getHandle();
        RunCallableRequest call = RunCallableRequest.newBuilder()
                .setSessionHandle(session)
                .setHandle(handle)
                .addFeed(TensorCodec.encode(Tensor.scalar(5f)))
                .build();
        for (int i = 0; i < 3; i++)
            assertEquals(
                    11f,
                    TensorCodec.decode(client.ask(Methods.RUN_CALLABLE, call).getFetch(0))
                            .floats()[0]);
        client.ask(
                Methods.RELEASE_CALLABLE,
                ReleaseCallableRequest.newBuilder()
                        .setSessionHandle(session)
                        .setHandle(handle)
                        .build());
        OxbowException e = assertThrows(OxbowException.class, () -> client.ask(Methods.RUN_CALLABLE, call));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
    }

    @Test
    void loggingAndTracingAnswerThatThereIsNothing() {
        assertEquals(
                LoggingResponse.getDefaultInstance(),
                client.ask(
                        Methods.LOGGING,
                        LoggingRequest.newBuilder().setEnableRpcLogging(true).build()));
        assertEquals(
                TracingResponse.getDefaultInstance(), client.ask(Methods.TRACING, TracingRequest.getDefaultInstance()));
    }

    @Test
    void aGraphGrowsWhileItsStepsRun() throws Exception {
        String session = open();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> steps = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                int n = 0;
                for (; n < 50 || !over.get(); n++)
                    assertEquals(2f * n + 1, run(session, n, y.edge().name()));
                steps.complete(n);
            } catch (Throwable e) {
                steps.completeExceptionally(e);
            }
        });
        long version = graph.size();
        for (int i = 0; i < 20; i++) {
            version = client.ask(
                            Methods.EXTEND_SESSION,
                            ExtendSessionRequest.newBuilder()
                                    .setSessionHandle(session)
                                    .setCurrentGraphVersion(version)
                                    .setGraphDef(GraphDef.newBuilder()
                                            .addNode(NodeDef.newBuilder()
                                                    .setName("more" + i)
                                                    .setOp("Identity")
                                                    .addInput(y.edge().node().name())))
                                    .build())
                    .getNewGraphVersion();
            assertEquals(7f, run(session, 3, "more" + i + ":0"));
        }
        over.set(true);
        assertTrue(steps.get(60, TimeUnit.SECONDS) >= 50);
    }

    @Test
    void aSessionKeepsAFewProgramsAndTheOthersAreForgotten() {
        Value[] all = new Value[3 * PROGRAMS];
        for (int i = 0; i < all.length; i++) all[i] = y.plus(i);
        String session = open();
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < all.length; i++)
                assertEquals(3f + i, run(session, 1, all[i].edge().name()));
        assertEquals(2L * all.length, server.master().compiled(), "each was made anew");
        long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (server.localWorker().graphCount() > PROGRAMS && System.nanoTime() < end) Thread.onSpinWait();
        assertEquals(PROGRAMS, server.localWorker().graphCount());
    }
}
