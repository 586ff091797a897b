package dev.oxbow.train.layer;

import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a model consists of, as a table: layer, shape of its output, parameters. */
public record Summary(List<Row> rows, List<Parameter> trained, List<Parameter> all) {

    /** A layer of the model; {@code depth} is 0 for the outermost. */
    public record Row(int depth, String name, String kind, Shape output, List<Parameter> parameters) {

        /** How many numbers its parameters and states hold, those of inner layers included. */
        public long count() {
            return Summary.count(parameters);
        }
    }

    static long count(List<Parameter> parameters) {
        Set<String> seen = new HashSet<>();
        long sum = 0;
        for (Parameter p : parameters)
            if (seen.add(p.name())) sum += p.value().shape().size();
        return sum;
    }

    @Override
    public String toString() {
        int width = 5, shapes = 6;
        for (Row r : rows) {
            width = Math.max(width, label(r).length());
            shapes = Math.max(shapes, r.output().toString().length());
        }
        String format = "%-" + width + "s  %-" + shapes + "s  %14s%n";
        StringBuilder text = new StringBuilder(String.format(format, "LAYER", "OUTPUT", "PARAMETERS"));
        for (Row r : rows) text.append(String.format(Locale.ROOT, format, label(r), r.output(), grouped(r.count())));
        long total = count(all), learned = count(trained);
        text.append(String.format("%s parameters, %s of them trained%n", grouped(total), grouped(learned)));
        return text.toString();
    }

    private static String label(Row r) {
        String plain = "  ".repeat(r.depth()) + r.name();
        return r.name().startsWith(r.kind()) ? plain : plain + " (" + r.kind() + ")";
    }

    private static String grouped(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }
}
