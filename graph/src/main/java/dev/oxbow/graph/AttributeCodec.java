package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.ByteString;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.TensorShapeProto;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Attribute values between the wire and Java: Long, Float, Boolean, String, DType, Shape, Tensor, FunctionRef and lists. */
final class AttributeCodec {
    private AttributeCodec() {}

    /** The value as {@code kind} of the signature says; placeholders are looked up in {@code bound}. */
    static Object decode(AttrValue v, String kind, Map<String, Object> bound) {
        if (v.getValueCase() == AttrValue.ValueCase.PLACEHOLDER) {
            Object o = bound.get(v.getPlaceholder());
            if (o == null)
                throw new OxbowException(
                        INVALID_ARGUMENT, "attribute placeholder '%s' has no value".formatted(v.getPlaceholder()));
            return o;
        }
        if (kind.startsWith("list(")) return decodeList(v, kind);
        return switch (kind) {
            case "int" -> v.getI();
            case "float" -> v.getF();
            case "bool" -> v.getB();
            case "string" -> text(v.getS());
            case "type" -> dtype(v.getTypeValue());
            case "shape" -> shape(v.getShape());
            case "tensor" -> TensorCodec.decode(v.getTensor());
            case "func" -> function(v.getFunc(), bound);
            default -> throw new OxbowException(INVALID_ARGUMENT, "attribute of unknown kind " + kind);
        };
    }

    private static Object decodeList(AttrValue v, String kind) {
        AttrValue.ListValue l = v.getList();
        return switch (kind) {
            case "list(int)" -> List.copyOf(l.getIList());
            case "list(float)" -> List.copyOf(l.getFList());
            case "list(bool)" -> List.copyOf(l.getBList());
            case "list(string)" ->
                l.getSList().stream().map(AttributeCodec::text).toList();
            case "list(type)" ->
                l.getTypeValueList().stream().map(AttributeCodec::dtype).toList();
            case "list(shape)" ->
                l.getShapeList().stream().map(AttributeCodec::shape).toList();
            case "list(tensor)" -> {
                List<Tensor> tensors = new ArrayList<>();
                l.getTensorList().forEach(t -> tensors.add(TensorCodec.decode(t)));
                yield tensors;
            }
            case "list(func)" ->
                l.getFuncList().stream().map(f -> function(f, Map.of())).toList();
            default -> throw new OxbowException(INVALID_ARGUMENT, "attribute of unknown kind " + kind);
        };
    }

    static AttrValue encode(Object v) {
        AttrValue.Builder b = AttrValue.newBuilder();
        switch (v) {
            case Long i -> b.setI(i);
            case Float f -> b.setF(f);
            case Boolean x -> b.setB(x);
            case String s -> b.setS(bytes(s));
            case DType d -> b.setTypeValue(d.number());
            case Shape s -> b.setShape(shape(s));
            case Tensor t -> b.setTensor(TensorCodec.encode(t));
            case FunctionRef f -> b.setFunc(function(f));
            case List<?> l -> b.setList(list(l));
            default -> throw new OxbowException(INVALID_ARGUMENT, "no wire form for an attribute of " + v.getClass());
        }
        return b.build();
    }

    private static AttrValue.ListValue list(List<?> l) {
        var b = AttrValue.ListValue.newBuilder();
        for (Object o : l) {
            switch (o) {
                case Long i -> b.addI(i);
                case Float f -> b.addF(f);
                case Boolean x -> b.addB(x);
                case String s -> b.addS(bytes(s));
                case DType d -> b.addTypeValue(d.number());
                case Shape s -> b.addShape(shape(s));
                case Tensor t -> b.addTensor(TensorCodec.encode(t));
                case FunctionRef f -> b.addFunc(function(f));
                default -> throw new OxbowException(INVALID_ARGUMENT, "no wire form for a list of " + o.getClass());
            }
        }
        return b.build();
    }

    static DType dtype(int number) {
        return DType.ofNumber(number);
    }

    static DType dtype(DataType t) {
        return DType.ofNumber(t.getNumber());
    }

    static Shape shape(TensorShapeProto p) {
        if (p.getUnknownRank()) return Shape.UNKNOWN;
        long[] dims = new long[p.getDimCount()];
        for (int i = 0; i < dims.length; i++) dims[i] = p.getDim(i).getSize();
        return Shape.of(dims);
    }

    static TensorShapeProto shape(Shape s) {
        var b = TensorShapeProto.newBuilder();
        if (!s.isRankKnown()) return b.setUnknownRank(true).build();
        for (long d : s.dims()) b.addDim(TensorShapeProto.Dim.newBuilder().setSize(d));
        return b.build();
    }

    private static FunctionRef function(NameAttrList f, Map<String, Object> bound) {
        Map<String, Object> attributes = new TreeMap<>();
        f.getAttrMap().forEach((k, a) -> {
            Object value = decodeFree(a, bound);
            if (value != null) attributes.put(k, value);
        });
        return new FunctionRef(f.getName(), Map.copyOf(attributes));
    }

    /** Decodes by what the value holds, where no signature says the kind; null for what has no plain form. */
    static Object decodeFree(AttrValue a, Map<String, Object> bound) {
        return switch (a.getValueCase()) {
            case S -> decode(a, "string", bound);
            case I -> decode(a, "int", bound);
            case F -> decode(a, "float", bound);
            case B -> decode(a, "bool", bound);
            case TYPE -> decode(a, "type", bound);
            case SHAPE -> decode(a, "shape", bound);
            case FUNC -> decode(a, "func", bound);
            case PLACEHOLDER -> decode(a, "placeholder", bound);
            case LIST ->
                a.getList().getTypeCount() > 0
                        ? decode(a, "list(type)", bound)
                        : a.getList().getICount() > 0 ? decode(a, "list(int)", bound) : null;
            case TENSOR, VALUE_NOT_SET -> null;
        };
    }

    private static NameAttrList function(FunctionRef f) {
        var b = NameAttrList.newBuilder().setName(f.name());
        f.attributes().forEach((k, v) -> b.putAttr(k, encode(v)));
        return b.build();
    }

    /** Strings on the wire are bytes; those that are not UTF-8 keep their bytes as Latin-1 with a mark. */
    private static String text(ByteString s) {
        return s.isValidUtf8() ? s.toStringUtf8() : LATIN + s.toString(StandardCharsets.ISO_8859_1);
    }

    private static final String LATIN = "\u0000latin1:";

    private static ByteString bytes(String s) {
        return s.startsWith(LATIN)
                ? ByteString.copyFrom(s.substring(LATIN.length()), StandardCharsets.ISO_8859_1)
                : ByteString.copyFromUtf8(s);
    }
}
