package dev.oxbow.graph;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the notation of {@link OpSignature}; a signature that it cannot read is an error of the op's author. */
final class SignatureParser {
    private final String text;
    private int at;

    SignatureParser(String text) {
        this.text = text;
    }

    OpSignature parse() {
        String name = word();
        expect("(");
        List<String[]> ins = arguments();
        expect("->");
        expect("(");
        List<String[]> outs = arguments();
        List<OpSignature.Attribute> attrs = new ArrayList<>();
        if (accept("{")) {
            while (!accept("}")) {
                attrs.add(attribute());
                accept(";");
            }
        }
        boolean stateful = false;
        while (at < text.length()) {
            String flag = word();
            if (flag.equals("stateful")) stateful = true;
            else if (!flag.equals("commutative") && !flag.isEmpty()) throw error("unknown flag '" + flag + "'");
            skip();
        }
        return new OpSignature(name, args(ins, attrs), args(outs, attrs), List.copyOf(attrs), stateful);
    }

    private List<String[]> arguments() {
        List<String[]> list = new ArrayList<>();
        while (!accept(")")) {
            String name = word();
            expect(":");
            int end = at;
            while (text.charAt(end) != ',' && text.charAt(end) != ')') end++;
            list.add(new String[] {name, text.substring(at, end).strip()});
            at = end;
            accept(",");
        }
        return list;
    }

    private List<OpSignature.Arg> args(List<String[]> raw, List<OpSignature.Attribute> attrs) {
        List<OpSignature.Arg> list = new ArrayList<>();
        for (String[] r : raw) {
            String type = r[1];
            boolean ref = type.contains("ref ");
            type = type.replace("ref ", "");
            String number = null;
            int star = type.indexOf('*');
            if (star >= 0) {
                number = type.substring(0, star).strip();
                type = type.substring(star + 1).strip();
            }
            String t = type;
            var attr = attrs.stream().filter(a -> a.name().equals(t)).findFirst();
            if (attr.isEmpty()) list.add(new OpSignature.Arg(r[0], ref, DType.ofName(t), null, null, number));
            else if (attr.get().kind().equals("list(type)"))
                list.add(new OpSignature.Arg(r[0], ref, null, null, t, number));
            else list.add(new OpSignature.Arg(r[0], ref, null, t, null, number));
        }
        return List.copyOf(list);
    }

    private OpSignature.Attribute attribute() {
        String name = word();
        expect(":");
        String kind = word();
        if (accept("(")) {
            kind += "(" + word() + ")";
            expect(")");
        }
        Set<DType> types = null;
        Set<String> strings = null;
        if (acceptWord("in")) {
            expect("[");
            types = new LinkedHashSet<>();
            strings = new LinkedHashSet<>();
            while (!accept("]")) {
                if (peek() == '"') strings.add(string());
                else addTypes(types, word());
                accept(",");
            }
            if (types.isEmpty()) types = null;
            else strings = null;
        }
        Object value = null;
        if (accept("=")) value = value(kind);
        Long minimum = null;
        if (accept(">=")) minimum = Long.valueOf(word());
        return new OpSignature.Attribute(name, kind, value, types, strings, minimum);
    }

    private static void addTypes(Set<DType> types, String word) {
        switch (word) {
            case "FLOATING" -> types.addAll(List.of(DType.BF16, DType.F16, DType.F32, DType.F64));
            case "COMPLEX" -> types.addAll(List.of(DType.C64, DType.C128));
            case "INTEGER" ->
                types.addAll(
                        List.of(DType.I8, DType.I16, DType.I32, DType.I64, DType.U8, DType.U16, DType.U32, DType.U64));
            case "QUANTISED" -> types.addAll(List.of(DType.QI8, DType.QU8, DType.QI16, DType.QU16, DType.QI32));
            case "REAL" -> {
                addTypes(types, "FLOATING");
                addTypes(types, "INTEGER");
            }
            case "NUMBER" -> {
                addTypes(types, "REAL");
                addTypes(types, "COMPLEX");
                addTypes(types, "QUANTISED");
            }
            default -> types.add(DType.ofName(word.toLowerCase(Locale.ROOT)));
        }
    }

    private Object value(String kind) {
        if (kind.startsWith("list(")) {
            String element = kind.substring(5, kind.length() - 1);
            List<Object> list = new ArrayList<>();
            boolean tf = acceptWord("list");
            expect(tf ? "{" : "[");
            while (!accept(tf ? "}" : "]")) {
                if (tf) {
                    word();
                    expect(":");
                }
                list.add(value(element));
                accept(",");
            }
            return List.copyOf(list);
        }
        return switch (kind) {
            case "int" -> Long.valueOf(word());
            case "float" -> Float.valueOf(word());
            case "bool" -> Boolean.valueOf(word());
            case "string" -> string();
            case "type" -> DType.ofName(word().toLowerCase(Locale.ROOT));
            case "shape" -> shape();
            case "tensor" -> tensor();
            default -> throw error("no default for kind " + kind);
        };
    }

    /** A vector of integers, such as {@code uint8 [255 0 0 255]}. */
    private Tensor tensor() {
        DType dtype = DType.ofName(word());
        List<Long> values = new ArrayList<>();
        expect("[");
        while (!accept("]")) values.add(Long.valueOf(word()));
        Tensor t = Tensor.allocate(dtype, Shape.of(values.size()));
        for (int i = 0; i < values.size(); i++) t.setLong(i, values.get(i));
        return t;
    }

    private Shape shape() {
        if (acceptWord("shape")) {
            expect("{");
            boolean unknown = acceptWord("unknown_rank");
            if (unknown) {
                expect(":");
                word();
            }
            expect("}");
            return unknown ? Shape.UNKNOWN : Shape.SCALAR;
        }
        throw error("a shape default is 'shape { unknown_rank: true }' or 'shape { }'");
    }

    private String string() {
        expect("\"");
        StringBuilder s = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c == '\\') {
                c = text.charAt(at++);
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
            s.append(c);
        }
        at++;
        return s.toString();
    }

    private String word() {
        skip();
        int start = at;
        while (at < text.length()
                && (Character.isLetterOrDigit(text.charAt(at)) || "_.+-".indexOf(text.charAt(at)) >= 0)) {
            if (text.startsWith("->", at)) break;
            at++;
        }
        return text.substring(start, at);
    }

    private char peek() {
        skip();
        return text.charAt(at);
    }

    private boolean acceptWord(String w) {
        skip();
        if (!text.startsWith(w, at)
                || at + w.length() < text.length() && Character.isLetterOrDigit(text.charAt(at + w.length())))
            return false;
        at += w.length();
        return true;
    }

    private boolean accept(String s) {
        skip();
        if (!text.startsWith(s, at)) return false;
        at += s.length();
        return true;
    }

    private void expect(String s) {
        if (!accept(s)) throw error("expected '" + s + "'");
    }

    private void skip() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    }

    private IllegalArgumentException error(String what) {
        return new IllegalArgumentException("signature '" + text + "' at " + at + ": " + what);
    }
}
