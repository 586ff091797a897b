package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Regular expressions of RE2's syntax, on Java's engine. */
final class Regex {
    private Regex() {}

    static Pattern compile(String op, String pattern) {
        try {
            return Pattern.compile(pattern.replace("(?P<", "(?<"), Pattern.UNIX_LINES);
        } catch (PatternSyntaxException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "%s: Invalid pattern: %s, error: %s".formatted(op, pattern, e.getMessage()), e);
        }
    }

    static boolean matches(Pattern p, byte[] s) {
        return p.matcher(Strings.text(s)).matches();
    }

    /** Replaces the first match or all; an empty match right after another one does not count. */
    static byte[] replace(String op, Pattern p, byte[] s, String rewrite, boolean all) {
        String text = Strings.text(s);
        Matcher m = p.matcher(text);
        StringBuilder out = new StringBuilder();
        int at = 0, end = -1;
        while (at <= text.length() && m.find(at)) {
            out.append(text, at, m.start());
            if (m.start() == end && m.start() == m.end()) {
                if (m.start() == text.length()) {
                    at = text.length();
                    break;
                }
                int next = text.offsetByCodePoints(m.start(), 1);
                out.append(text, m.start(), next);
                at = next;
                continue;
            }
            rewrite(op, m, rewrite, out);
            at = end = m.end();
            if (!all) break;
        }
        if (at < text.length()) out.append(text, at, text.length());
        return Strings.bytes(out.toString());
    }

    private static void rewrite(String op, Matcher m, String rewrite, StringBuilder out) {
        for (int i = 0; i < rewrite.length(); i++) {
            char ch = rewrite.charAt(i);
            if (ch != '\\') {
                out.append(ch);
                continue;
            }
            char next = ++i < rewrite.length() ? rewrite.charAt(i) : 0;
            if (next == '\\') {
                out.append(next);
                continue;
            }
            require(
                    next >= '0' && next <= '9' && next - '0' <= m.groupCount(),
                    INVALID_ARGUMENT,
                    "%s: Invalid rewrite pattern: %s",
                    op,
                    rewrite);
            String group = m.group(next - '0');
            if (group != null) out.append(group);
        }
    }
}
