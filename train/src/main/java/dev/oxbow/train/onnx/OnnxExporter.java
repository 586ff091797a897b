package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.onnx.GraphProto;
import dev.oxbow.wire.onnx.ModelProto;
import dev.oxbow.wire.onnx.OperatorSetIdProto;
import dev.oxbow.wire.onnx.TensorProto;
import dev.oxbow.wire.onnx.TensorShapeProto;
import dev.oxbow.wire.onnx.TypeProto;
import dev.oxbow.wire.onnx.ValueInfoProto;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes graphs without variables as ONNX models that other runtimes read. */
public final class OnnxExporter {
    /** The first with axes of reductions as inputs; everything since reads it. */
    private static final int OPSET = 18;

    private static final int IR_VERSION = 8;
    private static final Map<String, Conversion> CONVERSIONS = new HashMap<>();

    static {
        CONVERSIONS.putAll(ElementConversions.ALL);
        CONVERSIONS.putAll(ShapeConversions.ALL);
        CONVERSIONS.putAll(NetworkConversions.ALL);
        CONVERSIONS.putAll(LoopConversions.ALL);
    }

    private OnnxExporter() {}

    /** The model that computes a node of a graph, under its name, from placeholders. */
    public static byte[] write(Graph g, List<String> inputs, String output) {
        Subgraph s = new Subgraph(g, List.of(g.node(output)));
        for (int size = -1; size != s.graph().size(); ) {
            size = s.graph().size();
            s = new Prune().run(new Fold().run(s, null), null);
        }
        Emitter all = new Emitter(null);
        GraphProto.Builder graph = all.graph().setName("oxbow");
        for (String name : inputs) {
            TensorType type = g.node(name).output(0);
            graph.addInput(value(name, type, name + "_"));
            if (s.graph().has(name)) all.put(s.graph().node(name).edge(0), name);
        }
        for (Node n : s.graph().nodes()) convert(n, all);
        Edge last = s.graph().node(output).edge(0);
        all.addAs(List.of(output), "Identity", List.of(all.name(last)));
        graph.addOutput(value(output, last.type(), output + "_"));
        return ModelProto.newBuilder()
                .setIrVersion(IR_VERSION)
                .setProducerName("oxbow")
                .setGraph(graph)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(OPSET))
                .build()
                .toByteArray();
    }

    /** Adds what stands for a node of a graph or of a body. */
    static void convert(Node n, Emitter to) {
        switch (n.op()) {
            case Const _ -> {} // added where it is read
            case Placeholder _ ->
                require(to.has(n.edge(0)), UNIMPLEMENTED, "onnx: placeholder '%s' is no input of the model", n.name());
            case Identity _ -> to.put(n.edge(0), to.name(n.input(0)));
            default -> {
                String name = n.op().signature().name();
                Conversion c = CONVERSIONS.get(name);
                require(
                        c != null,
                        UNIMPLEMENTED,
                        "onnx: there is no conversion of op %s (node %s); write it with other ops",
                        name,
                        n.name());
                c.convert(n, to);
            }
        }
    }

    private static ValueInfoProto value(String name, TensorType type, String dims) {
        TensorShapeProto.Builder shape = TensorShapeProto.newBuilder();
        for (int i = 0; i < type.shape().rank(); i++) {
            long d = type.shape().dim(i);
            if (d >= 0) shape.addDimBuilder().setDimValue(d);
            else shape.addDimBuilder().setDimParam(i == 0 ? "batch" : dims + i);
        }
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(TypeProto.Tensor.newBuilder()
                                .setElemType(dtype(type.dtype()))
                                .setShape(shape)))
                .build();
    }

    /** The number of a dtype in ONNX. */
    static int dtype(DType d) {
        return switch (d) {
            case F32 -> TensorProto.DataType.FLOAT_VALUE;
            case F64 -> TensorProto.DataType.DOUBLE_VALUE;
            case F16 -> TensorProto.DataType.FLOAT16_VALUE;
            case BF16 -> TensorProto.DataType.BFLOAT16_VALUE;
            case I8 -> TensorProto.DataType.INT8_VALUE;
            case I16 -> TensorProto.DataType.INT16_VALUE;
            case I32 -> TensorProto.DataType.INT32_VALUE;
            case I64 -> TensorProto.DataType.INT64_VALUE;
            case U8 -> TensorProto.DataType.UINT8_VALUE;
            case U16 -> TensorProto.DataType.UINT16_VALUE;
            case U32 -> TensorProto.DataType.UINT32_VALUE;
            case U64 -> TensorProto.DataType.UINT64_VALUE;
            case BOOL -> TensorProto.DataType.BOOL_VALUE;
            default -> {
                require(false, UNIMPLEMENTED, "onnx: there is no type for %s", d);
                yield 0;
            }
        };
    }

    static TensorProto tensor(String name, Tensor t) {
        TensorProto.Builder b = TensorProto.newBuilder().setName(name).setDataType(dtype(t.dtype()));
        for (long d : t.shape().dims()) b.addDims(d);
        return b.setRawData(ByteString.copyFrom(t.bytes())).build();
    }
}
