package dev.oxbow.benchmarks;

import static org.tensorflow.internal.c_api.global.tensorflow.TF_GetCode;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_Message;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewSession;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewSessionOptions;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_NewStatus;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_OK;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SetConfig;
import static org.tensorflow.internal.c_api.global.tensorflow.TF_SetTarget;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.wire.GraphParser;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.List;
import org.bytedeco.javacpp.BytePointer;
import org.tensorflow.Session;
import org.tensorflow.exceptions.TensorFlowException;
import org.tensorflow.internal.c_api.TF_Graph;
import org.tensorflow.internal.c_api.TF_Session;
import org.tensorflow.internal.c_api.TF_SessionOptions;
import org.tensorflow.internal.c_api.TF_Status;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphDef;

/** TensorFlow's client of a server. Its Java API opens no such session, so this goes through its C API. */
final class RemoteTensorFlow implements AutoCloseable {
    private static final long STEP_MILLIS = 60_000;

    private final String target;
    private final org.tensorflow.Graph graph = new org.tensorflow.Graph();
    private final Session session;

    RemoteTensorFlow(String target, Graph ours) {
        this.target = target;
        try {
            graph.importGraphDef(GraphDef.parseFrom(GraphParser.serialise(GraphExporter.write(ours))));
            TF_SessionOptions options = TF_NewSessionOptions();
            TF_SetTarget(options, target);
            TF_Status status = TF_NewStatus();
            byte[] config = ConfigProto.newBuilder()
                    .setOperationTimeoutInMs(STEP_MILLIS)
                    .build()
                    .toByteArray();
            TF_SetConfig(options, new BytePointer(config), config.length, status);
            Field handle = org.tensorflow.Graph.class.getDeclaredField("nativeHandle");
            handle.setAccessible(true);
            TF_Session made = TF_NewSession((TF_Graph) handle.get(graph), options, status);
            if (TF_GetCode(status) != TF_OK)
                throw new IllegalStateException(TF_Message(status).getString());
            Constructor<Session> constructor =
                    Session.class.getDeclaredConstructor(org.tensorflow.Graph.class, TF_Session.class);
            constructor.setAccessible(true);
            session = constructor.newInstance(graph, made);
        } catch (ReflectiveOperationException | InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    void run(List<String> targets) {
        Session.Runner runner = session.runner();
        targets.forEach(runner::addTarget);
        try {
            runner.run().close();
        } catch (TensorFlowException e) {
            throw new IllegalStateException(target + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
