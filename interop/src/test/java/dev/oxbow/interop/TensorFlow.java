package dev.oxbow.interop;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.NdArray;
import org.tensorflow.ndarray.NdArrays;
import org.tensorflow.ndarray.buffer.ByteDataBuffer;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.proto.GraphOptions;
import org.tensorflow.proto.RewriterConfig;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TFloat64;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.TString;
import org.tensorflow.types.TUint8;
import org.tensorflow.types.family.TType;

/** Real TensorFlow as the other side: runs our graphs, and hands over its own. */
final class TensorFlow implements AutoCloseable {
    /** Its graph optimizer cancels a negation through a fed value (seed 1725), so its answers with feeds are not its kernels'. */
    private static final ConfigProto UNOPTIMISED = ConfigProto.newBuilder()
            .setGraphOptions(GraphOptions.newBuilder()
                    .setRewriteOptions(RewriterConfig.newBuilder().setDisableMetaOptimizer(true)))
            .build();

    private final org.tensorflow.Graph graph = new org.tensorflow.Graph();
    private final Session session;

    /** A session of TensorFlow on a graph of ours. */
    TensorFlow(Graph ours) {
        this(GraphParser.serialise(GraphExporter.write(ours)));
    }

    TensorFlow(byte[] graphDef) {
        try {
            graph.importGraphDef(GraphDef.parseFrom(graphDef));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException(e);
        }
        session = new Session(graph, UNOPTIMISED);
    }

    List<Tensor> run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets) {
        Session.Runner runner = session.runner();
        List<org.tensorflow.Tensor> fed = new ArrayList<>();
        feeds.forEach((name, t) -> {
            org.tensorflow.Tensor tensor = theirs(t);
            fed.add(tensor);
            runner.feed(name, tensor);
        });
        fetches.forEach(runner::fetch);
        targets.forEach(runner::addTarget);
        try (Result result = runner.run()) {
            List<Tensor> out = new ArrayList<>();
            for (int i = 0; i < fetches.size(); i++) out.add(ours(result.get(i)));
            return out;
        } finally {
            fed.forEach(org.tensorflow.Tensor::close);
        }
    }

    static org.tensorflow.Tensor theirs(Tensor t) {
        org.tensorflow.ndarray.Shape shape =
                org.tensorflow.ndarray.Shape.of(t.shape().dims());
        if (t.dtype() == DType.STRING) {
            NdArray<byte[]> values = NdArrays.ofObjects(byte[].class, shape);
            int[] i = {0};
            values.scalars().forEach(s -> s.setObject((byte[]) t.objects()[i[0]++]));
            return TString.tensorOfBytes(values);
        }
        Class<? extends TType> type = switch (t.dtype()) {
            case F32 -> TFloat32.class;
            case F64 -> TFloat64.class;
            case I32 -> TInt32.class;
            case I64 -> TInt64.class;
            case BOOL -> TBool.class;
            case U8 -> TUint8.class;
            default -> throw new IllegalArgumentException("TensorFlow Java has no " + t.dtype());
        };
        byte[] bytes = t.bytes();
        return org.tensorflow.Tensor.of(type, shape, DataBuffers.of(bytes, true, false));
    }

    static Tensor ours(org.tensorflow.Tensor t) {
        Shape shape = Shape.of(t.shape().asArray());
        DType dtype = DType.ofNumber(t.dataType().getNumber());
        if (t instanceof TString s) {
            List<byte[]> values = new ArrayList<>();
            s.asBytes().scalars().forEach(x -> values.add(x.getObject()));
            return Tensor.ofObjects(DType.STRING, shape, values.toArray());
        }
        ByteDataBuffer data = t.asRawTensor().data();
        byte[] bytes = new byte[Math.toIntExact(data.size())];
        data.read(bytes);
        return Tensor.ofBytes(dtype, shape, ByteBuffer.wrap(bytes));
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
