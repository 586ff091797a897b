package dev.oxbow.observe.dashboard;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What stands behind the question mark of a request, bounded in number and length. */
final class Query {
    private static final int LONGEST = 32_768, MOST = 512;

    private final Map<String, List<String>> values = new LinkedHashMap<>();

    Query(String raw) {
        if (raw == null) return;
        if (raw.length() > LONGEST) throw new Refusal(414, "the query is longer than " + LONGEST + " characters");
        int count = 0;
        for (String part : raw.split("&")) {
            if (++count > MOST) throw new Refusal(400, "the query has more than " + MOST + " parts");
            int at = part.indexOf('=');
            if (at > 0)
                values.computeIfAbsent(decode(part.substring(0, at)), _ -> new ArrayList<>())
                        .add(decode(part.substring(at + 1)));
        }
    }

    private static String decode(String s) {
        try {
            return URLDecoder.decode(s, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "the query is not encoded well");
        }
    }

    List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    String text(String name) {
        List<String> all = all(name);
        if (all.isEmpty()) throw new Refusal(400, "'" + name + "' is missing");
        return all.getFirst();
    }

    String text(String name, String otherwise) {
        List<String> all = all(name);
        return all.isEmpty() ? otherwise : all.getFirst();
    }

    /** A number, moved into its bounds. */
    long number(String name, long otherwise, long least, long most) {
        List<String> all = all(name);
        if (all.isEmpty() || all.getFirst().isEmpty()) return otherwise;
        String s = all.getFirst();
        if (!s.matches("-?\\d{1,18}")) throw new Refusal(400, "'" + name + "' is no number");
        return Math.clamp(Long.parseLong(s), least, most);
    }
}
