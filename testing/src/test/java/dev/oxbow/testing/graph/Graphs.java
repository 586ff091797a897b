package dev.oxbow.testing.graph;

import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.OpDef;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import java.util.List;

/** Pieces of GraphDefs as a stranger would write them. */
final class Graphs {
    private Graphs() {}

    static NodeDef.Builder node(String op, String name, String... inputs) {
        return NodeDef.newBuilder().setOp(op).setName(name).addAllInput(List.of(inputs));
    }

    static NodeDef.Builder placeholder(String name, DataType type) {
        return node("Placeholder", name).putAttr("dtype", type(type));
    }

    static NodeDef.Builder constant(String name, TensorProto.Builder value) {
        return node("Const", name)
                .putAttr("value", AttrValue.newBuilder().setTensor(value).build())
                .putAttr("dtype", type(value.getDtype()));
    }

    static TensorProto.Builder tensor(DataType type, long... dims) {
        return TensorProto.newBuilder().setDtype(type).setTensorShape(shape(dims));
    }

    static TensorShapeProto shape(long... dims) {
        TensorShapeProto.Builder b = TensorShapeProto.newBuilder();
        for (long d : dims) b.addDimBuilder().setSize(d);
        return b.build();
    }

    static AttrValue type(DataType t) {
        return AttrValue.newBuilder().setType(t).build();
    }

    static AttrValue types(DataType... types) {
        return AttrValue.newBuilder()
                .setList(AttrValue.ListValue.newBuilder().addAllType(List.of(types)))
                .build();
    }

    static AttrValue integer(long i) {
        return AttrValue.newBuilder().setI(i).build();
    }

    static AttrValue function(String name) {
        var b = AttrValue.newBuilder();
        b.getFuncBuilder().setName(name);
        return b.build();
    }

    /** A call of a function from float to float. */
    static NodeDef.Builder call(String name, String function, String input) {
        return node("PartitionedCall", name, input)
                .putAttr("Tin", types(DataType.DT_FLOAT))
                .putAttr("Tout", types(DataType.DT_FLOAT))
                .putAttr("f", function(function));
    }

    /** A function from float {@code x} to float {@code y}, which is this value of its body. */
    static FunctionDef.Builder function(String name, String result, NodeDef.Builder... nodes) {
        FunctionDef.Builder f = FunctionDef.newBuilder();
        f.getSignatureBuilder()
                .setName(name)
                .addInputArg(OpDef.ArgDef.newBuilder().setName("x").setType(DataType.DT_FLOAT))
                .addOutputArg(OpDef.ArgDef.newBuilder().setName("y").setType(DataType.DT_FLOAT));
        for (NodeDef.Builder n : nodes) f.addNodeDef(n);
        return f.putRet("y", result);
    }
}
