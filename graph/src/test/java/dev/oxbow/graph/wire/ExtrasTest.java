package dev.oxbow.graph.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.AttrValue.ListValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.TensorProto;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Attributes that no op knows. */
final class ExtrasTest {
    private static final AttrValue GROUPS = AttrValue.newBuilder()
            .setList(ListValue.newBuilder()
                    .addS(ByteString.copyFromUtf8("loc:@v"))
                    .addS(ByteString.copyFromUtf8("other")))
            .build();

    @Test
    void theyComeInPlainFormsAndColocateNodes() {
        Graph g = GraphImporter.read(GraphDef.newBuilder()
                .addNode(node().putAttr("_class", GROUPS)
                        .putAttr("_mark", AttrValue.newBuilder().setI(7).build()))
                .build());
        assertEquals(
                Map.of("_class", List.of("loc:@v", "other"), "_mark", 7L),
                g.node("n").extras());
        assertEquals(List.of("v"), g.node("n").colocations());
    }

    @Test
    void theyAreWrittenAsTheyWereRead() {
        AttrValue.Builder value = AttrValue.newBuilder();
        UnknownFieldSet later = UnknownFieldSet.newBuilder()
                .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(5).build())
                .build();
        GraphDef def = GraphDef.newBuilder()
                .addNode(node().putAttr("_class", GROUPS)
                        .putAttr("_nan", value.setF(Float.NaN).build())
                        .putAttr("_type", value.setType(DataType.DT_QINT8).build())
                        .putAttr("_none", value.clear().build())
                        .putAttr("_empty", value.setList(ListValue.newBuilder()).build())
                        .putAttr(
                                "_mixed",
                                value.setList(ListValue.newBuilder().addI(1).addS(ByteString.copyFromUtf8("s")))
                                        .build())
                        .putAttr(
                                "_bytes",
                                value.setS(ByteString.copyFrom(new byte[] {(byte) 0xff, 0, 1}))
                                        .build())
                        .putAttr(
                                "_tensor",
                                value.setTensor(TensorProto.newBuilder().setDtype(DataType.DT_QINT8))
                                        .build())
                        .putAttr("_given", value.setPlaceholder("T").build())
                        .putAttr(
                                "_later",
                                value.setB(true).setUnknownFields(later).build()))
                .build();
        assertEquals(
                def.getNode(0).getAttrMap(),
                GraphExporter.write(GraphImporter.read(def)).getNode(0).getAttrMap());
    }

    @Test
    void aScopeOfColocationMakesThem() {
        Graph g = new Graph();
        try (var _ = g.colocateWith(g.add(new NoOp(), "v", List.of()))) {
            g.add(new NoOp(), "n", List.of());
        }
        assertEquals(List.of("v"), g.node("n").colocations());
        assertEquals(
                "loc:@v",
                GraphExporter.write(g)
                        .getNode(1)
                        .getAttrOrThrow("_class")
                        .getList()
                        .getS(0)
                        .toStringUtf8());
    }

    private static NodeDef.Builder node() {
        return NodeDef.newBuilder().setName("n").setOp("NoOp");
    }
}
