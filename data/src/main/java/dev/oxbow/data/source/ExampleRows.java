package dev.oxbow.data.source;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.wire.ExampleScan;
import dev.oxbow.wire.Feature;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Rows of Examples of one thread. Writers put the features of each Example in one order, so the feature that followed the last time is
 * looked for first; an Example with anything else than each feature once, in its kind and number, is left to the format.
 */
final class ExampleRows implements RowMapper<Record> {
    private final ExampleFormat format;
    private final byte[][] names;
    private final int[] sizes;
    private final Feature.Kind[] kinds;
    private final ExampleScan scan = new ExampleScan();

    /** Of each feature the one that was met behind it; the last entry is the first that was met. */
    private final int[] following;

    /** By number in an Example: which feature that was the last time, -1 for one that nobody wants. */
    private int[] numbered = new int[16];

    /** In which Example each feature was met last. */
    private final int[] met;

    private int number;

    ExampleRows(ExampleFormat format) {
        this.format = format;
        int n = format.fields().size();
        names = new byte[n][];
        sizes = new int[n];
        kinds = new Feature.Kind[n];
        following = new int[n + 1];
        met = new int[n];
        for (int i = 0; i < n; i++) {
            ExampleFormat.Field f = format.fields().get(i);
            names[i] = f.name().getBytes(StandardCharsets.UTF_8);
            sizes[i] = Math.toIntExact(f.shape().size());
            kinds[i] = ExampleFormat.kind(f.dtype());
        }
    }

    @Override
    public Optional<List<Row.Column>> columns() {
        return format.columns();
    }

    @Override
    public void write(Record example, Draw draw, Row row) {
        if (!usual(example, RowPlaces.of(row))) format.write(example, draw, row);
    }

    private boolean usual(Record example, RowPlaces row) {
        int left = names.length, before = names.length;
        number++;
        scan.begin(example.bytes());
        while (scan.next()) {
            int i = scan.isRepeated() ? numbered[scan.number()] : named(before);
            if (i < 0) continue;
            if (met[i] == number || !scan.is(kinds[i]) || !put(i, row)) return false;
            met[i] = number;
            before = i;
            left--;
        }
        return scan.isUsual() && left == 0;
    }

    /** Which feature it is, that comes behind another one; -1 for none that is wanted. */
    private int named(int before) {
        int i = following[before];
        if (i >= names.length || !scan.isNamed(names[i])) {
            i = find();
            if (i >= 0) following[before] = i;
        }
        if (scan.number() >= numbered.length) numbered = Arrays.copyOf(numbered, 2 * scan.number());
        return numbered[scan.number()] = i;
    }

    private int find() {
        for (int i = 0; i < names.length; i++) if (scan.isNamed(names[i])) return i;
        return -1;
    }

    private boolean put(int i, RowPlaces row) {
        return switch (kinds[i]) {
            case FLOATS -> scan.putFloats(row.address(i), sizes[i]);
            case LONGS -> scan.putLongs(row.address(i), sizes[i]);
            default -> {
                if (sizes[i] != 1) yield false;
                row.objects(i)[row.first(i)] = scan.string();
                yield true;
            }
        };
    }
}
