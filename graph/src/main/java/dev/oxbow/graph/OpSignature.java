package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The wire interface of an op: {@code Name(arg: type, ...) -> (arg: type, ...) {attr: kind = default; ...} flags}. A
 * type is a dtype, a type attribute, a list(type) attribute or {@code N*type}, with {@code ref} before references.
 * Flags are {@code stateful} and {@code commutative}.
 */
public record OpSignature(
        String name, List<Arg> inputs, List<Arg> outputs, List<Attribute> attributes, boolean isStateful) {

    /** An argument: exactly one of {@code dtype}, {@code typeAttr} and {@code listAttr} is set; {@code numberAttr} repeats it. */
    public record Arg(String name, boolean isRef, DType dtype, String typeAttr, String listAttr, String numberAttr) {}

    /** An attribute; {@code defaultValue} is null when it must be given. */
    public record Attribute(
            String name,
            String kind,
            Object defaultValue,
            Set<DType> allowedTypes,
            Set<String> allowedStrings,
            Long minimum) {}

    /** A signature applied to inputs: every attribute, and one type per input and output argument. */
    public record Binding(
            Map<String, Object> attributes,
            List<DType> inputTypes,
            List<Boolean> refInputs,
            List<DType> outputTypes,
            List<Boolean> refOutputs) {}

    public static OpSignature parse(String text) {
        return new SignatureParser(text).parse();
    }

    public Attribute attribute(String wanted) {
        for (Attribute a : attributes) if (a.name.equals(wanted)) return a;
        return null;
    }

    /** Completes the given attributes from the inputs and defaults, and checks all of them. */
    public Binding bind(Map<String, Object> given, List<TensorType> inputTypes) {
        return bind(given, inputTypes, Integer.MAX_VALUE);
    }

    /** As above, for no more than {@code mostOutputs} outputs. */
    Binding bind(Map<String, Object> given, List<TensorType> inputTypes, int mostOutputs) {
        try {
            return bound(given, inputTypes, mostOutputs);
        } catch (OxbowException e) {
            throw e.at(name, null, null);
        }
    }

    private Binding bound(Map<String, Object> given, List<TensorType> inputTypes, int mostOutputs) {
        Map<String, Object> bound = new HashMap<>();
        for (Attribute a : attributes) {
            Object v = given.get(a.name);
            if (v != null) bound.put(a.name, v);
        }
        inferCounts(bound, inputTypes.size());
        Binding b = new Binding(bound, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        bindInputs(inputTypes, b);
        for (Attribute a : attributes) {
            Object v = bound.get(a.name);
            if (v == null && a.defaultValue != null) bound.put(a.name, a.defaultValue);
            else if (v != null) check(a, v);
            else require(false, INVALID_ARGUMENT, "attribute '%s' is missing", a.name);
        }
        bindOutputs(mostOutputs, b);
        return b;
    }

    /** The types of the inputs, and of attributes what follows from them. */
    private void bindInputs(List<TensorType> inputTypes, Binding b) {
        Map<String, Object> bound = b.attributes;
        int at = 0;
        for (Arg arg : inputs) {
            int n = count(arg, bound, inputTypes.size() - at);
            require(
                    at + n <= inputTypes.size(),
                    INVALID_ARGUMENT,
                    "needs more inputs: argument '%s' wants %d, %d are left",
                    arg.name,
                    n,
                    inputTypes.size() - at);
            List<DType> list = new ArrayList<>();
            for (int i = 0; i < n; i++, at++) {
                TensorType t = inputTypes.get(at);
                bindType(arg, t.dtype(), bound, at);
                require(
                        !arg.isRef || t.isRef(),
                        INVALID_ARGUMENT,
                        "input %d '%s' must be a variable reference, got %s",
                        at,
                        arg.name,
                        t);
                b.inputTypes.add(t.dtype());
                b.refInputs.add(arg.isRef);
                list.add(t.dtype());
            }
            if (arg.listAttr != null) {
                Object old = bound.putIfAbsent(arg.listAttr, List.copyOf(list));
                require(
                        old == null || old.equals(list),
                        INVALID_ARGUMENT,
                        "inputs '%s' have types %s but %s is %s",
                        arg.name,
                        list,
                        arg.listAttr,
                        old);
            }
        }
        require(at == inputTypes.size(), INVALID_ARGUMENT, "takes %d inputs, got %d", at, inputTypes.size());
    }

    /** The types of the outputs, which follow from attributes. */
    private void bindOutputs(int mostOutputs, Binding b) {
        Map<String, Object> bound = b.attributes;
        List<DType> outs = b.outputTypes;
        for (Arg arg : outputs) {
            long n = outputCount(arg, bound);
            require(
                    n >= 0 && n <= mostOutputs - outs.size(),
                    RESOURCE_EXHAUSTED,
                    "a node has at most %,d outputs, '%s' wants %,d beyond %,d",
                    mostOutputs,
                    arg.name,
                    n,
                    outs.size());
            if (arg.listAttr != null) {
                for (Object t : (List<?>) bound.get(arg.listAttr)) {
                    outs.add((DType) t);
                    b.refOutputs.add(arg.isRef);
                }
                continue;
            }
            DType t = arg.dtype != null ? arg.dtype : (DType) bound.get(arg.typeAttr);
            for (int i = 0; i < n; i++) {
                outs.add(t);
                b.refOutputs.add(arg.isRef);
            }
        }
    }

    /** What messages call input {@code port} of {@code count}: by its argument where each has one input. */
    public String inputName(int port, int count) {
        return inputs.size() == count ? "'" + inputs.get(port).name + "'" : "input " + port;
    }

    /** The position of the first output of the argument with this name; -1 when there is none. */
    public int outputStart(String argument, Map<String, Object> bound) {
        int at = 0;
        for (Arg arg : outputs) {
            if (arg.name.equals(argument)) return at;
            at += (int) outputCount(arg, bound);
        }
        return -1;
    }

    private static long outputCount(Arg arg, Map<String, Object> bound) {
        if (arg.listAttr != null) return ((List<?>) bound.get(arg.listAttr)).size();
        return arg.numberAttr == null ? 1 : (Long) bound.get(arg.numberAttr);
    }

    /** The output with this position as {@code argument:index}, for function bodies. */
    public String outputName(int port, Map<String, Object> bound) {
        int at = 0;
        for (Arg arg : outputs) {
            int n = (int) outputCount(arg, bound);
            if (port < at + n) return arg.name + ":" + (port - at);
            at += n;
        }
        throw new IllegalArgumentException("no output " + port + " of " + name);
    }

    /** A count attribute that was not given follows from the number of inputs when one attribute alone is open. */
    private void inferCounts(Map<String, Object> bound, int total) {
        String open = null;
        long fixed = 0;
        int uses = 0;
        for (Arg arg : inputs) {
            String n = arg.numberAttr != null ? arg.numberAttr : arg.listAttr;
            if (n == null) fixed++;
            else if (bound.get(n) instanceof Long k) fixed += Math.max(0, Math.min(k, Integer.MAX_VALUE));
            else if (bound.get(n) instanceof List<?> l) fixed += l.size();
            else if (open == null || open.equals(n)) {
                open = n;
                uses++;
            } else return;
        }
        if (open == null) return;
        for (Arg arg : inputs) {
            if (open.equals(arg.numberAttr) && total >= fixed && (total - fixed) % uses == 0) {
                bound.put(open, (total - fixed) / uses);
                return;
            }
        }
    }

    private int count(Arg arg, Map<String, Object> bound, int left) {
        if (arg.numberAttr != null) {
            Object n = bound.get(arg.numberAttr);
            require(n instanceof Long, INVALID_ARGUMENT, "attribute '%s' is missing", arg.numberAttr);
            long k = (Long) n;
            require(
                    k >= 0 && k <= left,
                    INVALID_ARGUMENT,
                    "%s is %d but %d inputs are left for '%s'",
                    arg.numberAttr,
                    k,
                    left,
                    arg.name);
            return (int) k;
        }
        if (arg.listAttr != null) {
            if (bound.get(arg.listAttr) instanceof List<?> l) return l.size();
            int after = 0;
            for (int i = inputs.indexOf(arg) + 1; i < inputs.size(); i++) after++;
            return Math.max(0, left - after);
        }
        return 1;
    }

    /** The types that attributes alone give the inputs, null where they do not tell; as far as their number is known. */
    public List<DType> inputTypes(Map<String, Object> attributes) {
        List<DType> types = new ArrayList<>();
        for (Arg arg : inputs) {
            if (arg.listAttr != null) {
                if (!(attributes.get(arg.listAttr) instanceof List<?> l)) return types;
                for (Object t : l) types.add(t instanceof DType dtype ? dtype : null);
                continue;
            }
            Object n = arg.numberAttr == null ? 1L : attributes.get(arg.numberAttr);
            if (!(n instanceof Number count)) return types;
            Object type = arg.dtype != null ? arg.dtype : attributes.get(arg.typeAttr);
            for (long i = 0; i < Math.min(count.longValue(), 1 << 20); i++)
                types.add(type instanceof DType dtype ? dtype : null);
        }
        return types;
    }

    private void bindType(Arg arg, DType actual, Map<String, Object> bound, int position) {
        if (arg.listAttr != null) return;
        if (arg.dtype != null) {
            require(
                    arg.dtype == actual,
                    INVALID_ARGUMENT,
                    "input %d '%s' must be %s, got %s",
                    position,
                    arg.name,
                    arg.dtype,
                    actual);
            return;
        }
        Object old = bound.putIfAbsent(arg.typeAttr, actual);
        require(
                old == null || old == actual,
                INVALID_ARGUMENT,
                "input %d '%s' must be %s (%s), got %s",
                position,
                arg.name,
                old,
                arg.typeAttr,
                actual);
    }

    private void check(Attribute a, Object v) {
        if (a.allowedTypes != null) {
            for (Object t : v instanceof List<?> l ? l : List.of(v)) {
                require(
                        a.allowedTypes.contains(t),
                        INVALID_ARGUMENT,
                        "%s must be one of %s, got %s",
                        a.name,
                        a.allowedTypes,
                        t);
            }
        }
        if (a.allowedStrings != null) {
            for (Object s : v instanceof List<?> l ? l : List.of(v)) {
                require(
                        a.allowedStrings.contains(s.toString()),
                        INVALID_ARGUMENT,
                        "%s must be one of %s, got '%s'",
                        a.name,
                        a.allowedStrings,
                        s);
            }
        }
        if (a.minimum != null) {
            long n = v instanceof List<?> l ? l.size() : (Long) v;
            require(n >= a.minimum, INVALID_ARGUMENT, "%s must be at least %d, got %d", a.name, a.minimum, n);
        }
    }
}
