package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Regular expressions of RE2's syntax, on Java's engine. */
final class Regex {
    private Regex() {}

    static Pattern compile(String pattern) {
        try {
            return Pattern.compile(pattern.replace("(?P<", "(?<"), Pattern.UNIX_LINES);
        } catch (PatternSyntaxException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "Invalid pattern: %s, error: %s".formatted(pattern, e.getMessage()), e);
        } catch (StackOverflowError e) {
            throw new OxbowException(INVALID_ARGUMENT, "Invalid pattern: its groups are nested too deep", e);
        }
    }

    static boolean matches(Pattern p, byte[] s) {
        return tried(p, () -> p.matcher(new Text(Strings.text(s))).matches());
    }

    /** What a match gives; an error where Java's way of matching has no stack left for it. */
    private static <T> T tried(Pattern p, Supplier<T> match) {
        try {
            return match.get();
        } catch (StackOverflowError e) {
            throw new OxbowException(RESOURCE_EXHAUSTED, "matching %s goes deeper than the stack".formatted(p), e);
        }
    }

    /** Text that ends a match which goes back over it again and again: some patterns would take longer than a life. */
    private static final class Text implements CharSequence {
        private static final long FREE = 1 << 26, PER_CHARACTER = 1 << 10;

        private final String text;
        private long left;

        Text(String text) {
            this.text = text;
            this.left = FREE + PER_CHARACTER * text.length();
        }

        @Override
        public char charAt(int i) {
            if (--left < 0)
                throw new OxbowException(
                        RESOURCE_EXHAUSTED,
                        "the pattern looks at %d characters more than %d times"
                                .formatted(text.length(), FREE + PER_CHARACTER * text.length()));
            return text.charAt(i);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int from, int to) {
            return text.substring(from, to);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Replaces the first match or all; an empty match right after another one does not count. */
    static byte[] replace(Pattern p, byte[] s, String rewrite, boolean all) {
        return tried(p, () -> replaced(p, Strings.text(s), rewrite, all));
    }

    private static byte[] replaced(Pattern p, String text, String rewrite, boolean all) {
        Matcher m = p.matcher(new Text(text));
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
            rewrite(m, rewrite, out);
            Counts.objects(out.length(), 8);
            at = end = m.end();
            if (!all) break;
        }
        if (at < text.length()) out.append(text, at, text.length());
        return Strings.bytes(out.toString());
    }

    private static void rewrite(Matcher m, String rewrite, StringBuilder out) {
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
                    "Invalid rewrite pattern: %s",
                    rewrite);
            String group = m.group(next - '0');
            if (group != null) out.append(group);
        }
    }
}
