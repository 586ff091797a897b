package dev.oxbow.testing.cuda;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Evaluates generated functions of CUDA C line by line: C's rules for types, and what NVIDIA documents of each intrinsic. */
final class CudaLines {

    /** What a value is; the order is C's, a later one wins in arithmetic. */
    enum Type {
        USHORT,
        INT,
        UNSIGNED,
        LONG,
        ULONG,
        FLOAT,
        DOUBLE
    }

    /** A value by its bits: sign-extended where that is what the type does. */
    record Value(Type type, long bits) {
        static Value of(float f) {
            return new Value(Type.FLOAT, Float.floatToRawIntBits(f));
        }

        static Value of(double d) {
            return new Value(Type.DOUBLE, Double.doubleToRawLongBits(d));
        }

        static Value of(int i) {
            return new Value(Type.INT, i);
        }

        static Value of(long l) {
            return new Value(Type.LONG, l);
        }

        float f() {
            return Float.intBitsToFloat((int) bits);
        }

        double d() {
            return type == Type.FLOAT ? f() : Double.longBitsToDouble(bits);
        }
    }

    private interface Node {
        Value in(Map<String, Value> names);
    }

    private record Line(String name, Node value) {}

    private record Function(List<String> types, List<String> names, Node result) {}

    private static final Pattern DEFINED =
            Pattern.compile("static __device__ __forceinline__ ([a-z ]+?) (ox_\\w+)\\(([^)]*)\\) \\{ return (.*); \\}");
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(0x[0-9a-f]+u?l?l?|[0-9]+u?l?l?|[A-Za-z_]\\w*|<<|>>|<=|>=|==|!=|[-+*/%&|^<>?:(),])");

    private final Map<String, Function> functions = new HashMap<>();
    private final List<String> parameters = new ArrayList<>();
    private final List<Type> parameterTypes = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private List<String> tokens;
    private int at;

    /** Of a function as it stands after its prelude. */
    CudaLines(String prelude, String function) {
        for (String line : prelude.lines().toList()) {
            Matcher m = DEFINED.matcher(line);
            if (!m.matches()) continue; // assembly and templates are no expressions
            List<String> types = new ArrayList<>(), names = new ArrayList<>();
            for (String p : m.group(3).split(", ")) {
                types.add(p.substring(0, p.lastIndexOf(' ')));
                names.add(p.substring(p.lastIndexOf(' ') + 1));
            }
            functions.put(m.group(2), new Function(types, names, casted(type(m.group(1)), parsed(m.group(4)))));
        }
        List<String> text = function.lines().map(String::strip).toList();
        String head = text.getFirst();
        for (String p :
                head.substring(head.indexOf('(') + 1, head.lastIndexOf(')')).split(", ")) {
            if (p.contains("&") || p.isBlank()) continue;
            parameters.add(p.substring(p.lastIndexOf(' ') + 1));
            parameterTypes.add(type(p.substring(0, p.lastIndexOf(' '))));
        }
        for (String line : text.subList(1, text.size() - 1)) {
            String[] sides = line.substring(0, line.length() - 1).split(" = ", 2);
            int space = sides[0].lastIndexOf(' ');
            Node value = parsed(sides[1]);
            if (space < 0) lines.add(new Line(sides[0], value));
            else lines.add(new Line(sides[0].substring(space + 1), casted(type(sides[0].substring(0, space)), value)));
        }
    }

    /** How many lines it has. */
    int size() {
        return lines.size();
    }

    /** What it stores, by name, for these arguments. */
    Map<String, Value> run(Value... arguments) {
        Map<String, Value> names = new HashMap<>();
        for (int i = 0; i < arguments.length; i++)
            names.put(parameters.get(i), cast(parameterTypes.get(i), arguments[i]));
        for (Line l : lines) names.put(l.name, l.value.in(names));
        return names;
    }

    private static Type type(String name) {
        return switch (name) {
            case "unsigned short" -> Type.USHORT;
            case "int" -> Type.INT;
            case "unsigned" -> Type.UNSIGNED;
            case "long long" -> Type.LONG;
            case "unsigned long long" -> Type.ULONG;
            case "float" -> Type.FLOAT;
            case "double" -> Type.DOUBLE;
            default -> throw new IllegalArgumentException("type " + name);
        };
    }

    /** An expression; operators are read from weak to strong. */
    private Node parsed(String text) {
        tokens = new ArrayList<>();
        Matcher m = TOKEN.matcher(text);
        int end = 0;
        while (m.find() && m.start() == end) {
            tokens.add(m.group(1));
            end = m.end();
        }
        if (end != text.length()) throw new IllegalArgumentException("can not read " + text.substring(end));
        at = 0;
        Node n = choice();
        if (at != tokens.size()) throw new IllegalArgumentException("more than an expression: " + text);
        return n;
    }

    private boolean take(String token) {
        if (at == tokens.size() || !tokens.get(at).equals(token)) return false;
        at++;
        return true;
    }

    private Node choice() {
        Node condition = binary(0);
        if (!take("?")) return condition;
        Node a = choice();
        if (!take(":")) throw new IllegalArgumentException("a choice without its second half");
        Node b = choice();
        return names -> {
            Value x = a.in(names), y = b.in(names); // both sides of generated choices are harmless
            Type t = common(x.type, y.type);
            return cast(t, condition.in(names).bits != 0 ? x : y);
        };
    }

    private static final List<List<String>> LEVELS = List.of(
            List.of("|"),
            List.of("^"),
            List.of("&"),
            List.of("==", "!="),
            List.of("<", "<=", ">", ">="),
            List.of("<<", ">>"),
            List.of("+", "-"),
            List.of("*", "/", "%"));

    private Node binary(int level) {
        if (level == LEVELS.size()) return unary();
        Node left = binary(level + 1);
        while (at < tokens.size() && LEVELS.get(level).contains(tokens.get(at))) {
            String op = tokens.get(at++);
            Node a = left, b = binary(level + 1);
            left = names -> CudaArithmetic.binary(op, a.in(names), b.in(names));
        }
        return left;
    }

    private Node unary() {
        if (take("-")) {
            Node x = unary();
            return names -> CudaArithmetic.negated(x.in(names));
        }
        if (take("(")) {
            Type t = castType();
            if (t != null) return casted(t, unary());
            Node inner = choice();
            if (!take(")")) throw new IllegalArgumentException("a bracket is not closed");
            return inner;
        }
        String token = tokens.get(at++);
        if (Character.isDigit(token.charAt(0))) {
            Value v = CudaArithmetic.literal(token);
            return names -> v;
        }
        if (!take("(")) return names -> names.get(token);
        List<Node> arguments = new ArrayList<>();
        while (!take(")")) {
            arguments.add(choice());
            take(",");
        }
        return names -> call(token, arguments.stream().map(n -> n.in(names)).toList());
    }

    /** The type of a cast whose bracket was opened; null where it is none. */
    private Type castType() {
        for (String name : List.of("unsigned long long", "unsigned short", "long long", "unsigned", "int", "double")) {
            String[] words = name.split(" ");
            int end = at + words.length;
            if (end >= tokens.size()
                    || !tokens.subList(at, end).equals(List.of(words))
                    || !tokens.get(end).equals(")")) continue;
            at = end + 1;
            return type(name);
        }
        return null;
    }

    private Node casted(Type t, Node n) {
        return names -> cast(t, n.in(names));
    }

    private Value call(String name, List<Value> arguments) {
        Function f = functions.get(name);
        if (f == null) return CudaArithmetic.intrinsic(name, arguments);
        Map<String, Value> names = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++)
            names.put(f.names.get(i), cast(type(f.types.get(i)), arguments.get(i)));
        return f.result.in(names);
    }

    static Type common(Type a, Type b) {
        Type t = a.compareTo(b) > 0 ? a : b;
        return t == Type.USHORT ? Type.INT : t;
    }

    static Value cast(Type to, Value v) {
        if (v.type == to) return v;
        boolean floating = v.type == Type.FLOAT || v.type == Type.DOUBLE;
        return switch (to) {
            case FLOAT -> Value.of(floating ? (float) v.d() : (float) v.bits);
            case DOUBLE -> Value.of(floating ? v.d() : (double) v.bits);
            case USHORT -> new Value(to, v.bits & 0xffff);
            case INT -> new Value(to, (int) v.bits);
            case UNSIGNED -> new Value(to, v.bits & 0xffffffffL);
            case LONG, ULONG -> new Value(to, v.bits);
        };
    }
}
