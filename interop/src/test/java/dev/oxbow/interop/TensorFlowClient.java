package dev.oxbow.interop;

import static org.tensorflow.internal.c_api.global.tensorflow.TF_GetCode;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_Message;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewSession;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewSessionOptions;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewStatus;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_OK;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SessionPRun;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SessionPRunSetup;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SetConfig;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SetTarget;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.tensorflow.GraphOperation;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.internal.c_api.TF_Graph;
import org.tensorflow.internal.c_api.TF_Output;
import org.tensorflow.internal.c_api.TF_Session;
import org.tensorflow.internal.c_api.TF_SessionOptions;
import org.tensorflow.internal.c_api.TF_Status;
import org.tensorflow.internal.c_api.TF_Tensor;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.proto.RunMetadata;
import org.tensorflow.proto.RunOptions;

/** TensorFlow's own client of a session whose master is a server. Its Java API opens none, so this goes through its C API. */
final class TensorFlowClient implements AutoCloseable {
    private final org.tensorflow.Graph graph = new org.tensorflow.Graph();
    private final TF_Session handle;
    private final Session session;

    TensorFlowClient(String target, Graph ours) {
        this(target, GraphParser.serialise(GraphExporter.write(ours)), ConfigProto.getDefaultInstance());
    }

    TensorFlowClient(String target, byte[] graphDef, ConfigProto config) {
        try {
            graph.importGraphDef(GraphDef.parseFrom(graphDef));
            TF_SessionOptions options = TF_NewSessionOptions();
            TF_SetTarget(options, target);
            TF_Status status = TF_NewStatus();
            BytePointer bytes = new BytePointer(config.toByteArray());
            TF_SetConfig(options, bytes, config.getSerializedSize(), status);
            check(status);
            Field native_ = org.tensorflow.Graph.class.getDeclaredField("nativeHandle");
            native_.setAccessible(true);
            handle = TF_NewSession((TF_Graph) native_.get(graph), options, status);
            check(status);
            Constructor<Session> made =
                    Session.class.getDeclaredConstructor(org.tensorflow.Graph.class, TF_Session.class);
            made.setAccessible(true);
            session = made.newInstance(graph, handle);
        } catch (ReflectiveOperationException | InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(TF_Status status) {
        if (TF_GetCode(status) != TF_OK)
            throw new IllegalStateException(TF_Message(status).getString());
    }

    List<Tensor> run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets) {
        Session.Runner runner = session.runner();
        List<org.tensorflow.Tensor> fed = new ArrayList<>();
        feeds.forEach((name, t) -> {
            fed.add(TensorFlow.theirs(t));
            runner.feed(name, fed.getLast());
        });
        fetches.forEach(runner::fetch);
        targets.forEach(runner::addTarget);
        try (Result result = runner.run()) {
            List<Tensor> out = new ArrayList<>();
            for (int i = 0; i < fetches.size(); i++) out.add(TensorFlow.ours(result.get(i)));
            return out;
        } finally {
            fed.forEach(org.tensorflow.Tensor::close);
        }
    }

    /** What the server says of a step that it was asked to trace, as TensorFlow's client reads it. */
    RunMetadata traced(Map<String, Tensor> feeds, List<String> fetches) {
        Session.Runner runner = session.runner()
                .setOptions(RunOptions.newBuilder()
                        .setTraceLevel(RunOptions.TraceLevel.FULL_TRACE)
                        .setOutputPartitionGraphs(true)
                        .build());
        List<org.tensorflow.Tensor> fed = new ArrayList<>();
        feeds.forEach((name, t) -> {
            fed.add(TensorFlow.theirs(t));
            runner.feed(name, fed.getLast());
        });
        fetches.forEach(runner::fetch);
        try (Result result = runner.runAndFetchMetadata()) {
            return result.getMetadata().orElseThrow();
        } finally {
            fed.forEach(org.tensorflow.Tensor::close);
        }
    }

    /** Begins a partial run with one value fed and fetched at a time. */
    Partial partialRun(List<String> feeds, List<String> fetches) {
        BytePointer name = new BytePointer((Pointer) null);
        try (PointerPointer<BytePointer> made = new PointerPointer<>(1)) {
            TF_Status status = TF_NewStatus();
            TF_SessionPRunSetup(
                    handle, outputs(feeds), feeds.size(), outputs(fetches), fetches.size(), null, 0, made, status);
            check(status);
            name = made.get(BytePointer.class, 0);
        }
        return new Partial(name);
    }

    /** A partial run. */
    final class Partial {
        private final BytePointer name;

        private Partial(BytePointer name) {
            this.name = name;
        }

        Tensor run(String feed, Tensor value, String fetch) {
            TF_Status status = TF_NewStatus();
            RawTensor fed = TensorFlow.theirs(value).asRawTensor();
            try (PointerPointer<TF_Tensor> in = new PointerPointer<>(1);
                    PointerPointer<TF_Tensor> out = new PointerPointer<>(1)) {
                in.put(0, raw(fed));
                TF_SessionPRun(
                        handle, name, outputs(List.of(feed)), in, 1, outputs(List.of(fetch)), out, 1, null, 0, status);
                check(status);
                return TensorFlow.ours(made(out.get(TF_Tensor.class, 0)));
            }
        }
    }

    private static TF_Tensor raw(RawTensor t) {
        try {
            Method m = RawTensor.class.getDeclaredMethod("nativeHandle");
            m.setAccessible(true);
            return (TF_Tensor) m.invoke(t);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static org.tensorflow.Tensor made(TF_Tensor t) {
        try {
            Method from = RawTensor.class.getDeclaredMethod("fromHandle", TF_Tensor.class);
            from.setAccessible(true);
            Method typed = RawTensor.class.getDeclaredMethod("asTypedTensor");
            typed.setAccessible(true);
            return (org.tensorflow.Tensor) typed.invoke(from.invoke(null, t));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private TF_Output outputs(List<String> names) {
        TF_Output all = new TF_Output(Math.max(1, names.size()));
        for (int i = 0; i < names.size(); i++) {
            String[] parts = names.get(i).split(":");
            GraphOperation op = graph.operation(parts[0]);
            all.position(i).oper(op.getUnsafeNativeHandle()).index(parts.length > 1 ? Integer.parseInt(parts[1]) : 0);
        }
        return all.position(0);
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
