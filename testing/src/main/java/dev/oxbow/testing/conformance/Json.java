package dev.oxbow.testing.conformance;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON text into maps, lists, strings, longs, doubles, booleans and null, and quotes strings for writing. */
final class Json {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** The one value that the text holds. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) throw json.wrong("nothing more");
        return value;
    }

    static String quote(String s) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < ' ') out.append("\\u%04x".formatted((int) c));
                    else out.append(c);
                }
            }
        }
        return out.append('"').toString();
    }

    private Object value() {
        skipSpace();
        if (at == text.length()) throw wrong("a value");
        return switch (text.charAt(at)) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        open();
        if (!next('}')) {
            do {
                skipSpace();
                if (at == text.length() || text.charAt(at) != '"') throw wrong("a name");
                String name = string();
                if (!next(':')) throw wrong("':'");
                map.put(name, value());
            } while (next(','));
            if (!next('}')) throw wrong("',' or '}'");
        }
        depth--;
        return map;
    }

    private List<Object> array() {
        List<Object> list = new ArrayList<>();
        open();
        if (!next(']')) {
            do list.add(value());
            while (next(','));
            if (!next(']')) throw wrong("',' or ']'");
        }
        depth--;
        return list;
    }

    private String string() {
        int end = ++at;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') end++;
        if (end < text.length() && text.charAt(end) == '"') {
            String plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            out.append(c == '\\' ? escaped() : c);
        }
        throw wrong("'\"'");
    }

    private char escaped() {
        if (at == text.length()) throw wrong("an escaped character");
        char c = text.charAt(at++);
        return switch (c) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (!text.substring(at, Math.min(at + 4, text.length())).matches("[0-9a-fA-F]{4}")) {
                    throw wrong("four hexadecimal digits");
                }
                at += 4;
                yield (char) Integer.parseInt(text, at - 4, at, 16);
            }
            case '"', '\\', '/' -> c;
            default -> throw wrong("an escape other than \\" + c);
        };
    }

    private Number number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        try {
            if (digits.matches("-?[0-9]+")) return Long.parseLong(digits);
            return Double.parseDouble(digits);
        } catch (NumberFormatException e) {
            at = start;
            throw wrong("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw wrong(word);
        at += word.length();
        return value;
    }

    private void open() {
        at++;
        if (++depth > MAX_DEPTH) throw wrong("at most " + MAX_DEPTH + " levels");
    }

    private boolean next(char c) {
        skipSpace();
        if (at == text.length() || text.charAt(at) != c) return false;
        at++;
        return true;
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private OxbowException wrong(String wanted) {
        String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
        return new OxbowException(INVALID_ARGUMENT, "JSON: wanted " + wanted + " at " + at + ", found " + found);
    }
}
