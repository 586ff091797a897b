package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphText;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.AttrValue.ValueCase;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.TensorProto;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Attribute values between the wire and Java: Long, Float, Boolean, String, DType, Shape, Tensor, FunctionRef and lists. */
final class AttributeCodec {
    private final FunctionLibrary library;
    private final Map<String, Object> bound;

    /** Reads values whose tensors count against the limits of {@code library}, with {@code bound} for placeholders. */
    AttributeCodec(FunctionLibrary library, Map<String, Object> bound) {
        this.library = library;
        this.bound = bound;
    }

    /** The value as {@code kind} of the signature says; a value of another kind is refused. */
    Object decode(String name, AttrValue v, String kind) {
        if (v.getValueCase() == ValueCase.PLACEHOLDER) {
            Object o = bound(v.getPlaceholder());
            require(isKind(o, kind), INVALID_ARGUMENT, "attribute '%s' must be of kind %s, got %s", name, kind, o);
            return o;
        }
        // an empty list may be written as no value at all
        boolean isList = kind.startsWith("list(");
        boolean fits = v.getValueCase() == valueCase(kind) || isList && v.getValueCase() == ValueCase.VALUE_NOT_SET;
        require(
                fits && (!isList || elements(v.getList(), kind) == elements(v.getList())),
                INVALID_ARGUMENT,
                "attribute '%s' must be of kind %s, got %s",
                name,
                kind,
                GraphText.of(v));
        if (isList) return decodeList(v.getList(), kind);
        return switch (kind) {
            case "int" -> v.getI();
            case "float" -> v.getF();
            case "bool" -> v.getB();
            case "string" -> WireText.text(v.getS());
            case "type" -> dtype(v.getTypeValue());
            case "shape" -> TensorCodec.decodeShape(v.getShape());
            case "tensor" -> tensor(v.getTensor());
            case "func" -> function(v.getFunc());
            default -> throw unknown(kind);
        };
    }

    private Object bound(String placeholder) {
        Object o = bound.get(placeholder);
        require(o != null, INVALID_ARGUMENT, "attribute placeholder '%s' has no value", placeholder);
        return o;
    }

    private static ValueCase valueCase(String kind) {
        if (kind.startsWith("list(")) return ValueCase.LIST;
        return switch (kind) {
            case "int" -> ValueCase.I;
            case "float" -> ValueCase.F;
            case "bool" -> ValueCase.B;
            case "string" -> ValueCase.S;
            case "type" -> ValueCase.TYPE;
            case "shape" -> ValueCase.SHAPE;
            case "tensor" -> ValueCase.TENSOR;
            case "func" -> ValueCase.FUNC;
            default -> throw unknown(kind);
        };
    }

    private static OxbowException unknown(String kind) {
        return new OxbowException(INVALID_ARGUMENT, "attribute of unknown kind " + kind);
    }

    /** Whether a decoded value is of a kind. */
    static boolean isKind(Object o, String kind) {
        if (kind.startsWith("list("))
            return o instanceof List<?> l && l.stream().allMatch(x -> isKind(x, kind.substring(5, kind.length() - 1)));
        return switch (kind) {
            case "int" -> o instanceof Long;
            case "float" -> o instanceof Float;
            case "bool" -> o instanceof Boolean;
            case "string" -> o instanceof String;
            case "type" -> o instanceof DType;
            case "shape" -> o instanceof Shape;
            case "tensor" -> o instanceof Tensor;
            case "func" -> o instanceof FunctionRef;
            default -> throw unknown(kind);
        };
    }

    private Tensor tensor(TensorProto proto) {
        library.countConstant(TensorCodec.decodedBytes(proto), TensorCodec.repeatedBytes(proto));
        return TensorCodec.decode(proto);
    }

    private static int elements(AttrValue.ListValue l, String kind) {
        return switch (kind) {
            case "list(int)" -> l.getICount();
            case "list(float)" -> l.getFCount();
            case "list(bool)" -> l.getBCount();
            case "list(string)" -> l.getSCount();
            case "list(type)" -> l.getTypeCount();
            case "list(shape)" -> l.getShapeCount();
            case "list(tensor)" -> l.getTensorCount();
            case "list(func)" -> l.getFuncCount();
            default -> throw unknown(kind);
        };
    }

    private static int elements(AttrValue.ListValue l) {
        return l.getICount()
                + l.getFCount()
                + l.getBCount()
                + l.getSCount()
                + l.getTypeCount()
                + l.getShapeCount()
                + l.getTensorCount()
                + l.getFuncCount();
    }

    private Object decodeList(AttrValue.ListValue l, String kind) {
        return switch (kind) {
            case "list(int)" -> List.copyOf(l.getIList());
            case "list(float)" -> List.copyOf(l.getFList());
            case "list(bool)" -> List.copyOf(l.getBList());
            case "list(string)" -> l.getSList().stream().map(WireText::text).toList();
            case "list(type)" ->
                l.getTypeValueList().stream().map(AttributeCodec::dtype).toList();
            case "list(shape)" ->
                l.getShapeList().stream().map(TensorCodec::decodeShape).toList();
            case "list(tensor)" -> l.getTensorList().stream().map(this::tensor).toList();
            case "list(func)" -> l.getFuncList().stream().map(this::function).toList();
            default -> throw unknown(kind);
        };
    }

    /** Attributes that no signature knows: each in its plain form if that says all, or else the message as it came. */
    static Map<String, Object> extras(Map<String, AttrValue> messages) {
        Map<String, Object> extras = new HashMap<>();
        messages.forEach((name, m) -> {
            Object plain = plain(m);
            extras.put(name, plain != null && encode(plain).equals(m) ? plain : m);
        });
        return Map.copyOf(extras);
    }

    private static Object plain(AttrValue v) {
        return switch (v.getValueCase()) {
            case S -> WireText.text(v.getS());
            case I -> v.getI();
            case F -> v.getF();
            case B -> v.getB();
            case LIST -> v.getList().getSList().stream().map(WireText::text).toList();
            case TYPE, SHAPE, TENSOR, FUNC, PLACEHOLDER, VALUE_NOT_SET -> null;
        };
    }

    static AttrValue encode(Object v) {
        AttrValue.Builder b = AttrValue.newBuilder();
        switch (v) {
            case AttrValue m -> b.mergeFrom(m);
            case Long i -> b.setI(i);
            case Float f -> b.setF(f);
            case Boolean x -> b.setB(x);
            case String s -> b.setS(WireText.bytes(s));
            case DType d -> b.setTypeValue(d.number());
            case Shape s -> b.setShape(TensorCodec.encodeShape(s));
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
                case String s -> b.addS(WireText.bytes(s));
                case DType d -> b.addTypeValue(d.number());
                case Shape s -> b.addShape(TensorCodec.encodeShape(s));
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

    private FunctionRef function(NameAttrList f) {
        Map<String, Object> attributes = new TreeMap<>();
        f.getAttrMap().forEach((k, a) -> {
            Object value = decodeFree(k, a);
            if (value != null) attributes.put(k, value);
        });
        FunctionRef ref = new FunctionRef(f.getName(), Map.copyOf(attributes));
        int most = library.limits().attributeValues();
        if (values(ref, most) <= most) return ref;
        throw ref.located(
                new OxbowException(RESOURCE_EXHAUSTED, "its attributes hold more than %,d values".formatted(most)));
    }

    /** The number of values in an attribute; no more are counted than one beyond {@code most}. */
    private static int values(Object o, int most) {
        int n = 1;
        if (o instanceof FunctionRef f) {
            for (Object v : f.attributes().values()) if (n <= most) n += values(v, most - n);
        } else if (o instanceof List<?> l) {
            for (Object v : l) if (n <= most) n += values(v, most - n);
        }
        return n;
    }

    /** Decodes by what the value holds, where no signature says the kind; null for what has no plain form. */
    private Object decodeFree(String name, AttrValue a) {
        return switch (a.getValueCase()) {
            case S -> decode(name, a, "string");
            case I -> decode(name, a, "int");
            case F -> decode(name, a, "float");
            case B -> decode(name, a, "bool");
            case TYPE -> decode(name, a, "type");
            case SHAPE -> decode(name, a, "shape");
            case FUNC -> decode(name, a, "func");
            case PLACEHOLDER -> bound(a.getPlaceholder());
            case LIST ->
                a.getList().getTypeCount() > 0
                        ? decode(name, a, "list(type)")
                        : a.getList().getICount() > 0 ? decode(name, a, "list(int)") : null;
            case TENSOR, VALUE_NOT_SET -> null;
        };
    }

    private static NameAttrList function(FunctionRef f) {
        var b = NameAttrList.newBuilder().setName(f.name());
        f.attributes().forEach((k, v) -> b.putAttr(k, encode(v)));
        return b.build();
    }
}
