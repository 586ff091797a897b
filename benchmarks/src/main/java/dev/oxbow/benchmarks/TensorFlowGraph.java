package dev.oxbow.benchmarks;

import dev.oxbow.tensor.DType;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tensorflow.Graph;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.Tensor;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.TInt64;

/** A graph from a file in TensorFlow Java, see {@link GraphTask}. */
final class TensorFlowGraph implements Model {
    private final Graph graph = new Graph();
    private final Session session;
    private final Map<String, Tensor> feeds = new LinkedHashMap<>();
    private double last;

    TensorFlowGraph(Path folder, ConfigProto config) throws IOException {
        graph.importGraphDef(GraphDef.parseFrom(Files.readAllBytes(folder.resolve(GraphTask.GRAPH))));
        for (Path array : GraphTask.arrays(folder)) feeds.put(GraphTask.placeholder(array), tensor(array));
        session = new Session(graph, config);
        String initialiser =
                Files.readString(folder.resolve(GraphTask.INITIALISER)).strip();
        session.runner().addTarget(initialiser).run().close();
    }

    private static Tensor tensor(Path array) {
        try (dev.oxbow.tensor.Tensor t = Npy.read(array)) {
            Shape shape = Shape.of(t.shape().dims());
            return switch (t.dtype()) {
                case F32 -> TFloat32.tensorOf(shape, DataBuffers.of(t.floats(), true, false));
                case I32 -> TInt32.tensorOf(shape, DataBuffers.of(t.ints(), true, false));
                case I64 -> TInt64.tensorOf(shape, DataBuffers.of(t.longs(), true, false));
                case DType d -> throw new UnsupportedOperationException("arrays of " + d + " are not fed: " + array);
            };
        }
    }

    @Override
    public void step() {
        Session.Runner r = session.runner().addTarget(GraphTask.STEP).fetch(GraphTask.LOSS);
        feeds.forEach(r::feed);
        try (Result result = r.run()) {
            last = ((TFloat32) result.get(0)).getFloat();
        }
    }

    @Override
    public double[] check() {
        return Model.losses(GraphTask.CHECKED, this, () -> last);
    }

    @Override
    public void close() {
        session.close();
        feeds.values().forEach(Tensor::close);
        graph.close();
    }
}
