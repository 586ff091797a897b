package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What reflection finds out about an op class, once: its signature, and how attributes and record components map. */
public final class OpDefinition {
    private static final ClassValue<OpDefinition> DEFINITIONS = new ClassValue<>() {
        @Override
        protected OpDefinition computeValue(Class<?> type) {
            return new OpDefinition(type);
        }
    };

    private final Class<?> type;
    private final OpSignature signature;
    private final RecordComponent[] components;
    private final String[] names;
    private final Constructor<?> constructor;

    private OpDefinition(Class<?> type) {
        this.type = type;
        Signature s = type.getAnnotation(Signature.class);
        require(type.isRecord() && s != null, INTERNAL, "op %s must be a record with a @Signature", type.getName());
        signature = OpSignature.parse(s.value());
        components = type.getRecordComponents();
        names = new String[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            Attr a = components[i].getAnnotation(Attr.class);
            names[i] = a != null ? a.value() : snakeCase(components[i].getName());
            types[i] = components[i].getType();
            require(
                    signature.attribute(names[i]) != null,
                    INTERNAL,
                    "op %s: component %s is no attribute of its signature",
                    type.getName(),
                    names[i]);
        }
        try {
            constructor = type.getDeclaredConstructor(types);
        } catch (NoSuchMethodException e) {
            throw new OxbowException(INTERNAL, "op " + type.getName() + " has no canonical constructor", e);
        }
    }

    public static OpDefinition of(Class<?> type) {
        return DEFINITIONS.get(type);
    }

    /** The op's record class. */
    public Class<?> type() {
        return type;
    }

    public OpSignature signature() {
        return signature;
    }

    /** The wire names of the attributes that are components. */
    public Set<String> attributeNames() {
        return Set.of(names);
    }

    /** The op's own attributes by wire name. */
    public Map<String, Object> attributes(Op op) {
        Map<String, Object> map = new HashMap<>();
        try {
            for (int i = 0; i < components.length; i++) {
                Object v = components[i].getAccessor().invoke(op);
                if (v != null) map.put(names[i], toWire(v));
            }
        } catch (ReflectiveOperationException e) {
            throw new OxbowException(INTERNAL, "op " + type.getName() + ": cannot read its components", e);
        }
        return map;
    }

    /** The op with these attributes; what is missing takes the signature's default. */
    public Op create(Map<String, Object> attributes) {
        try {
            return made(attributes);
        } catch (OxbowException e) {
            throw e.at(signature.name(), null, null);
        }
    }

    private Op made(Map<String, Object> attributes) {
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            OpSignature.Attribute a = signature.attribute(names[i]);
            Object v = attributes.getOrDefault(names[i], a.defaultValue());
            require(v != null, INVALID_ARGUMENT, "attribute '%s' is missing", names[i]);
            values[i] = toComponent(v, components[i].getType(), components[i].getGenericType(), names[i]);
        }
        try {
            return (Op) constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof OxbowException o) throw o;
            throw new OxbowException(INTERNAL, String.valueOf(e.getCause()), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new OxbowException(INTERNAL, type.getName() + " cannot be made", e);
        }
    }

    private static Object toWire(Object v) {
        return switch (v) {
            case Integer i -> Long.valueOf(i);
            case List<?> l -> l.stream().map(OpDefinition::toWire).toList();
            case DType d -> d;
            case Enum<?> e -> e.name();
            default -> v;
        };
    }

    private Object toComponent(Object v, Class<?> raw, Type generic, String name) {
        if (raw == List.class && v instanceof List<?> l) {
            Type element = ((ParameterizedType) generic).getActualTypeArguments()[0];
            List<Object> list = new ArrayList<>(l.size());
            for (Object x : l) list.add(toComponent(x, (Class<?>) element, element, name));
            return List.copyOf(list);
        }
        if (raw == int.class || raw == Integer.class) {
            require(v instanceof Long, INVALID_ARGUMENT, "attribute '%s' must be an int, got %s", name, v);
            long n = (Long) v;
            return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, n));
        }
        if (raw.isEnum() && v instanceof String s) {
            for (Object constant : raw.getEnumConstants())
                if (((Enum<?>) constant).name().equals(s)) return constant;
            throw new OxbowException(INVALID_ARGUMENT, "attribute '%s' has no value '%s'".formatted(name, s));
        }
        Class<?> boxed = raw == boolean.class
                ? Boolean.class
                : raw == long.class ? Long.class : raw == float.class ? Float.class : raw;
        require(
                boxed.isInstance(v),
                INVALID_ARGUMENT,
                "attribute '%s' must be a %s, got %s",
                name,
                boxed.getSimpleName(),
                v);
        return v;
    }

    private static String snakeCase(String camel) {
        StringBuilder s = new StringBuilder();
        for (char c : camel.toCharArray()) {
            if (Character.isUpperCase(c)) s.append('_').append(Character.toLowerCase(c));
            else s.append(c);
        }
        return s.toString();
    }
}
