package dev.oxbow.wire;

import com.google.protobuf.ByteString;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GradientDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.OpDef.ArgDef;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import dev.oxbow.wire.proto.VersionDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Graphs for people: one line per node, {@code name = Op[attributes](inputs) @ device}. */
public final class GraphText {
    private static final int MAX_ELEMENTS = 8;
    private static final int MAX_CHARACTERS = 80;
    private static final long MAX_SHOWN_BYTES = 1 << 16;

    private final StringBuilder out = new StringBuilder();

    private GraphText() {}

    /** The whole graph with its functions; tensors are cut short. */
    public static String of(GraphDef graph) {
        GraphText text = new GraphText();
        if (graph.hasVersions()) {
            VersionDef v = graph.getVersions();
            text.line("# producer %d, min consumer %d", v.getProducer(), v.getMinConsumer());
        }
        graph.getNodeList().forEach(n -> text.node("", n));
        graph.getLibrary().getFunctionList().forEach(text::function);
        for (GradientDef g : graph.getLibrary().getGradientList()) {
            text.line("gradient of %s is %s", g.getFunctionName(), g.getGradientFunc());
        }
        return text.out.toString();
    }

    /** One node as a line without an end. */
    public static String of(NodeDef node) {
        GraphText text = new GraphText();
        text.node("", node);
        return text.out.toString().stripTrailing();
    }

    /** An attribute's value, cut short when long. */
    public static String of(AttrValue value) {
        return switch (value.getValueCase()) {
            case LIST -> list(value.getList());
            case S -> quoted(value.getS());
            case I -> Long.toString(value.getI());
            case F -> Float.toString(value.getF());
            case B -> Boolean.toString(value.getB());
            case TYPE -> type(value.getType());
            case SHAPE -> shape(value.getShape());
            case TENSOR -> tensor(value.getTensor());
            case PLACEHOLDER -> "$" + value.getPlaceholder();
            case FUNC -> function(value.getFunc());
            case VALUE_NOT_SET -> "unset";
        };
    }

    private void line(String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private void node(String indent, NodeDef n) {
        out.append(indent).append(n.getName()).append(" = ").append(n.getOp());
        out.append(attributes(n.getAttrMap()));
        out.append('(').append(String.join(", ", n.getInputList())).append(')');
        if (!n.getDevice().isEmpty()) out.append(" @ ").append(n.getDevice());
        out.append('\n');
    }

    private void function(FunctionDef f) {
        out.append("\nfunction ").append(f.getSignature().getName()).append(attributes(f.getAttrMap()));
        out.append('(').append(arguments(f.getSignature().getInputArgList())).append(") -> (");
        out.append(arguments(f.getSignature().getOutputArgList())).append(") {\n");
        f.getNodeDefList().forEach(n -> node("  ", n));
        new TreeMap<>(f.getRetMap()).forEach((name, value) -> line("  return %s = %s", name, value));
        new TreeMap<>(f.getControlRetMap()).forEach((name, value) -> line("  return ^%s = %s", name, value));
        out.append("}\n");
    }

    private static String arguments(List<ArgDef> arguments) {
        return shortened(arguments, Integer.MAX_VALUE, a -> {
            String type = !a.getTypeListAttr().isEmpty()
                    ? a.getTypeListAttr()
                    : !a.getTypeAttr().isEmpty() ? a.getTypeAttr() : type(a.getType());
            String count = a.getNumberAttr().isEmpty() ? "" : a.getNumberAttr() + " * ";
            return a.getName() + ": " + (a.getIsRef() ? "ref " : "") + count + type;
        });
    }

    private static String attributes(Map<String, AttrValue> attributes) {
        if (attributes.isEmpty()) return "";
        List<String> parts = new ArrayList<>();
        new TreeMap<>(attributes).forEach((name, value) -> parts.add(name + "=" + of(value)));
        return "[" + String.join(", ", parts) + "]";
    }

    private static String list(AttrValue.ListValue l) {
        List<String> parts = new ArrayList<>();
        addAll(parts, l.getSList(), GraphText::quoted);
        addAll(parts, l.getIList(), String::valueOf);
        addAll(parts, l.getFList(), String::valueOf);
        addAll(parts, l.getBList(), String::valueOf);
        addAll(parts, l.getTypeList(), GraphText::type);
        addAll(parts, l.getShapeList(), GraphText::shape);
        addAll(parts, l.getTensorList(), GraphText::tensor);
        addAll(parts, l.getFuncList(), GraphText::function);
        return "{" + String.join(", ", parts) + "}";
    }

    private static <T> void addAll(List<String> parts, List<T> values, Function<T, String> text) {
        if (!values.isEmpty()) parts.add(shortened(values, 4 * MAX_ELEMENTS, text));
    }

    private static <T> String shortened(List<T> values, int limit, Function<T, String> text) {
        List<String> parts = new ArrayList<>();
        for (T v : values.subList(0, Math.min(limit, values.size()))) parts.add(text.apply(v));
        if (values.size() > limit) parts.add("... (" + values.size() + ")");
        return String.join(", ", parts);
    }

    private static String function(NameAttrList f) {
        return f.getName() + attributes(f.getAttrMap());
    }

    private static String type(DataType type) {
        return switch (type) {
            case UNRECOGNIZED -> "unknown";
            case DT_HALF -> "float16";
            case DT_FLOAT -> "float32";
            case DT_DOUBLE -> "float64";
            default -> type.name().substring(3).toLowerCase(Locale.ROOT);
        };
    }

    private static String shape(TensorShapeProto shape) {
        try {
            return TensorCodec.decodeShape(shape).toString();
        } catch (OxbowException e) {
            return "<" + e.getMessage() + ">";
        }
    }

    private static String tensor(TensorProto proto) {
        String head = type(proto.getDtype()) + shape(proto.getTensorShape());
        if (proto.getSerializedSize() > MAX_SHOWN_BYTES) return head + " {...}";
        try (Tensor t = TensorCodec.decode(proto, MAX_SHOWN_BYTES)) {
            List<String> parts = new ArrayList<>();
            for (long i = 0; i < Math.min(MAX_ELEMENTS, t.size()); i++) parts.add(element(t, i));
            if (t.size() > MAX_ELEMENTS) parts.add("...");
            return head + " {" + String.join(", ", parts) + "}";
        } catch (OxbowException e) {
            return head + " <" + e.getMessage() + ">";
        }
    }

    private static String element(Tensor t, long i) {
        long a = t.address();
        return switch (t.dtype()) {
            case STRING -> quoted(ByteString.copyFrom((byte[]) t.objects()[(int) i]));
            case RESOURCE, VARIANT -> "handle";
            case BOOL -> Boolean.toString(t.getLong(i) != 0);
            case F32, F16, BF16 -> Float.toString((float) t.getDouble(i));
            case F64 -> Double.toString(t.getDouble(i));
            case C64 -> Memory.getFloat(a + 8 * i) + " + " + Memory.getFloat(a + 8 * i + 4) + "i";
            case C128 -> Memory.getDouble(a + 16 * i) + " + " + Memory.getDouble(a + 16 * i + 8) + "i";
            case U64 -> Long.toUnsignedString(t.getLong(i));
            case I64, U32, I32, U16, I16, U8, I8, QI32, QI16, QI8, QU16, QU8 -> Long.toString(t.getLong(i));
        };
    }

    private static String quoted(ByteString bytes) {
        StringBuilder s = new StringBuilder("\"");
        for (int i = 0; i < Math.min(MAX_CHARACTERS, bytes.size()); i++) {
            int b = bytes.byteAt(i) & 0xff;
            if (b == '"' || b == '\\') s.append('\\').append((char) b);
            else if (b == '\n') s.append("\\n");
            else if (b >= ' ' && b < 0x7f) s.append((char) b);
            else s.append(String.format(Locale.ROOT, "\\x%02x", b));
        }
        return s.append(bytes.size() > MAX_CHARACTERS ? "...\"" : "\"").toString();
    }
}
