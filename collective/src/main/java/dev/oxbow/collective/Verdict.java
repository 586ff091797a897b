package dev.oxbow.collective;

import dev.oxbow.tensor.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds from what the survivors say which ranks are to blame, and says it in one sentence. */
final class Verdict {
    private static final int KIND = 0;
    private static final int TYPE = 1;

    private final String group;
    private final int[] members;
    private final Map<Integer, Status> answers;

    private Verdict(String group, int[] members, Map<Integer, Status> answers) {
        this.group = group;
        this.members = members;
        this.answers = answers;
    }

    /**
     * The one error of a group.
     *
     * @param noticed what the judge itself noticed or was told
     * @param members the ranks of the job in the group
     * @param answers what members said, by rank of the job
     */
    static Note.Sentence of(long id, String group, int[] members, List<Cause> noticed, Map<Integer, Status> answers) {
        List<Cause> causes = new ArrayList<>(noticed);
        for (Status s : new TreeMap<>(answers).values()) if (s.cause() != null) causes.add(s.cause());
        Cause first = causes.stream()
                .min(Comparator.comparing(Cause::type)
                        .thenComparing(Cause::label)
                        .thenComparing(Cause::culprit)
                        .thenComparing(Cause::origin))
                .orElseThrow();
        var verdict = new Verdict(group, members, answers);
        if (first.type() == Cause.Type.DEADLINE && first.culprit() < 0) first = verdict.callOfMost(first);
        String text = switch (first.type()) {
            case MISMATCH -> verdict.mismatch(first);
            case DUPLICATE, FAULT, CANCELLED -> said(first);
            case LOST -> verdict.lost(causes);
            case DEADLINE -> verdict.late(first);
        };
        ErrorCode code = first.type().code();
        String sentence = first.label() + " of group " + group + ": " + text;
        return new Note.Sentence(id, first.key(), code, verdict.culprit(first, causes), sentence);
    }

    /** The one rank that is to blame, or -1. */
    private int culprit(Cause first, List<Cause> causes) {
        return switch (first.type()) {
            case DUPLICATE, FAULT, CANCELLED -> first.culprit();
            case LOST ->
                causes.stream()
                        .filter(c -> c.type() == Cause.Type.LOST && !answers.containsKey(c.culprit()))
                        .mapToInt(Cause::culprit)
                        .min()
                        .orElse(-1);
            case DEADLINE -> {
                int[] absent = Arrays.stream(members)
                        .filter(m -> answers.get(m) == null || !answers.get(m).called(first.key()))
                        .toArray();
                yield absent.length == 1 ? absent[0] : -1;
            }
            case MISMATCH -> -1;
        };
    }

    private String mismatch(Cause cause) {
        Map<List<String>, TreeSet<Integer>> camps = new LinkedHashMap<>();
        for (int m : members) {
            Status s = answers.get(m);
            if (s != null && s.key() == cause.key() && !s.fields().isEmpty())
                camps.computeIfAbsent(s.fields(), _ -> new TreeSet<>()).add(m);
        }
        if (camps.size() < 2) return said(cause);
        List<List<String>> order = new ArrayList<>(camps.keySet());
        order.sort(Comparator.comparingInt(f -> camps.get(f).size()));
        List<String> parts = new ArrayList<>();
        for (List<String> fields : order) {
            String kind = parts.isEmpty() || differs(order, KIND) ? " called " + named(cause, fields) : "";
            String what = what(order, fields);
            parts.add(ranks(camps.get(fields)) + kind + (what.isEmpty() ? "" : " with " + what));
        }
        return String.join(", ", parts);
    }

    private static String said(Cause cause) {
        return rank(cause.culprit()) + " " + cause.text();
    }

    /** The label of a call, with the kind that a rank gave it. */
    private static String named(Cause cause, List<String> fields) {
        int rest = indexOfName(cause.label());
        return fields.get(KIND) + cause.label().substring(rest);
    }

    private static int indexOfName(String label) {
        int quote = label.indexOf(" '"), number = label.indexOf('#');
        return quote >= 0 ? quote : number >= 0 ? number : label.length();
    }

    /** The type, and everything else in which the calls differ. */
    private static String what(List<List<String>> camps, List<String> fields) {
        List<String> shown = new ArrayList<>();
        for (int i = TYPE; i < fields.size(); i++) {
            if (fields.get(i).isEmpty() || i > TYPE && !differs(camps, i)) continue;
            shown.add(fields.get(i));
        }
        return String.join(" ", shown);
    }

    private static boolean differs(List<List<String>> camps, int field) {
        return camps.stream().map(f -> f.get(field)).distinct().count() > 1;
    }

    private String lost(List<Cause> causes) {
        Map<Integer, Cause> culprits = new TreeMap<>();
        for (Cause c : causes) if (c.type() == Cause.Type.LOST) culprits.putIfAbsent(c.culprit(), c);
        boolean anyDead = culprits.keySet().stream().anyMatch(r -> !answers.containsKey(r));
        List<String> parts = new ArrayList<>();
        for (Cause c : culprits.values()) {
            boolean answered = answers.containsKey(c.culprit());
            if (!answered) parts.add(rank(c.culprit()) + " is lost: " + c.text());
            else if (!anyDead) parts.add(rank(c.origin()) + " lost its link to " + rank(c.culprit()) + ": " + c.text());
        }
        return String.join("; ", parts);
    }

    /**
     * The call that is late: where more ranks wait in another one for ranks that have not called it, that one. So the
     * few are blamed, whoever's time was over first.
     */
    private Cause callOfMost(Cause cause) {
        Map<Long, TreeSet<Integer>> camps = new TreeMap<>();
        for (int m : members) {
            Status s = answers.get(m);
            if (s == null) continue;
            if (s.called(cause.key()))
                camps.computeIfAbsent(cause.key(), _ -> new TreeSet<>()).add(m);
            else if (s.running().length > 0)
                camps.computeIfAbsent(s.running()[0], _ -> new TreeSet<>()).add(m);
        }
        TreeSet<Integer> own = camps.getOrDefault(cause.key(), new TreeSet<>());
        return camps.entrySet().stream()
                .filter(c -> c.getValue().size() > own.size() && waitForOthers(c.getValue()))
                .max(Comparator.comparingInt(c -> c.getValue().size()))
                .map(c -> {
                    String label = answers.get(c.getValue().first()).inside();
                    return new Cause(cause.type(), c.getKey(), label, cause.origin(), cause.culprit(), cause.text());
                })
                .orElse(cause);
    }

    private boolean waitForOthers(TreeSet<Integer> camp) {
        return camp.stream()
                .flatMapToInt(m -> Arrays.stream(answers.get(m).waitsFor()))
                .anyMatch(m -> !camp.contains(m));
    }

    private String late(Cause cause) {
        int[] callers = cause.culprit() < 0 ? members : new int[] {cause.origin(), cause.culprit()};
        List<String> parts = new ArrayList<>();
        for (int m : callers) {
            Status s = answers.get(m);
            if (s == null) parts.add(rank(m) + " has not answered within " + cause.text());
            else if (!s.called(cause.key())) {
                boolean inFirst = s.key() != cause.key() && s.cause() != null && s.called(s.key());
                String inside = inFirst ? s.cause().label() : s.inside();
                parts.add(rank(m) + " has not called it within " + cause.text()
                        + (inside.isEmpty() ? "; it has called nothing" : "; it waits in " + inside));
            }
        }
        if (!parts.isEmpty()) return String.join(", ", parts);
        for (int m : callers) {
            Status s = answers.get(m);
            if (s.state() == Status.State.RUNNING && s.waitsFor().length > 0)
                parts.add(rank(m) + " waits for "
                        + ranks(Arrays.stream(s.waitsFor()).boxed().toList()));
        }
        return "not finished within " + cause.text() + ": "
                + (parts.isEmpty() ? rank(cause.origin()) + " gave up" : String.join(", ", parts));
    }

    /** Who waits for whom, for the report of a stall. */
    static String stall(int[] members, Map<Integer, Status> answers) {
        List<String> parts = new ArrayList<>();
        for (int m : members) {
            Status s = answers.get(m);
            if (s == null) parts.add(rank(m) + " does not answer");
            else if (s.state() == Status.State.NOT_CALLED)
                parts.add(rank(m) + " has not called it" + (s.inside().isEmpty() ? "" : " and waits in " + s.inside()));
            else if (s.state() == Status.State.RUNNING && s.waitsFor().length > 0)
                parts.add(rank(m) + " waits for "
                        + ranks(Arrays.stream(s.waitsFor()).boxed().toList()));
        }
        return String.join(", ", parts);
    }

    static String rank(int rank) {
        return "rank " + rank;
    }

    static String ranks(Iterable<Integer> ranks) {
        List<String> all = new ArrayList<>();
        ranks.forEach(r -> all.add(Integer.toString(r)));
        String list = all.stream().limit(16).collect(Collectors.joining(", "));
        return (all.size() == 1 ? "rank " : "ranks ") + list + (all.size() > 16 ? ", ..." : "");
    }
}
