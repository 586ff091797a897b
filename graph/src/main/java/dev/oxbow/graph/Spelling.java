package dev.oxbow.graph;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Names that somebody may have meant who wrote another. */
final class Spelling {
    private static final int MOST = 3;
    private static final int LONGEST = 200;

    private Spelling() {}

    /** The nearest names, best first: in another scope or spelling, or with some letters changed, at most a third. */
    static List<String> nearest(String name, Collection<String> names) {
        record Near(String name, int distance) {}
        if (name.length() > LONGEST) return List.of();
        int most = Math.max(1, name.length() / 3);
        return names.stream()
                .filter(n -> n.endsWith("/" + name) || Math.abs(n.length() - name.length()) <= most)
                .map(n -> new Near(n, n.endsWith("/" + name) ? 0 : distance(name, n)))
                .filter(n -> n.distance <= most)
                .sorted(Comparator.comparingInt(Near::distance).thenComparing(Near::name))
                .limit(MOST)
                .map(Near::name)
                .toList();
    }

    /** How many letters must be put in, taken out or changed, whatever their case. */
    private static int distance(String a, String b) {
        String x = a.toLowerCase(Locale.ROOT), y = b.toLowerCase(Locale.ROOT);
        int[] above = new int[y.length() + 1];
        for (int j = 0; j <= y.length(); j++) above[j] = j;
        for (int i = 1; i <= x.length(); i++) {
            int[] row = new int[y.length() + 1];
            row[0] = i;
            for (int j = 1; j <= y.length(); j++) {
                int changed = above[j - 1] + (x.charAt(i - 1) == y.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[y.length()];
    }
}
