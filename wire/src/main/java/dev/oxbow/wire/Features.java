package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The features of an Example, by name, as views of its bytes: nothing is copied before somebody asks for values. Of two entries of
 * one name the later counts.
 */
public final class Features {
    private static final int LENGTH_DELIMITED = 2;
    private static final int KEY = 1 << 3 | LENGTH_DELIMITED, VALUE = 2 << 3 | LENGTH_DELIMITED;

    /** Of each entry where its name and the list of its feature lie, and the kind of that. */
    private static final int SPAN = 5;

    private final byte[] bytes;
    private int[] spans = new int[SPAN * 4];
    private int count;
    private int length;

    private Features(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The features of an Example, which has them in its field 1. */
    public static Features ofExample(byte[] example) {
        Features all = new Features(example);
        Fields f = new Fields(example, 0, example.length);
        while (f.next()) if (f.number() == 1) all.addMap(f.nested(LENGTH_DELIMITED));
        return all;
    }

    /** The context of a SequenceExample, in its field 1. */
    public static Features ofContext(byte[] sequence) {
        return ofExample(sequence);
    }

    /** The lists of features of a SequenceExample, in its field 2, by name; each list as the features of its steps. */
    public static List<NamedList> lists(byte[] sequence) {
        List<NamedList> all = new ArrayList<>();
        Fields f = new Fields(sequence, 0, sequence.length);
        while (f.next()) {
            if (f.number() != 2) continue;
            Fields map = f.nested(LENGTH_DELIMITED);
            while (map.next()) if (map.number() == 1) all.add(namedList(map.nested(LENGTH_DELIMITED)));
        }
        return all;
    }

    /** One of the lists of a SequenceExample. */
    public record NamedList(byte[] name, List<Feature> steps) {}

    private static NamedList namedList(Fields entry) {
        byte[] name = {};
        List<Feature> steps = new ArrayList<>();
        while (entry.next()) {
            if (entry.number() == 1) name = entry.nested(LENGTH_DELIMITED).content();
            else if (entry.number() == 2) {
                Fields list = entry.nested(LENGTH_DELIMITED);
                while (list.next()) if (list.number() == 1) steps.add(Feature.of(list.nested(LENGTH_DELIMITED)));
            }
        }
        return new NamedList(name, steps);
    }

    /** A message Features: entries of a map in its field 1. */
    private void addMap(Fields map) {
        Fields entry = new Fields(bytes, 0, 0), feature = new Fields(bytes, 0, 0);
        while (!map.isAtEnd()) {
            int behind = usual(map.at, map.to);
            if (behind > 0) {
                map.at = behind;
                continue;
            }
            map.next();
            if (map.number() != 1) continue;
            map.enter(entry, LENGTH_DELIMITED);
            int at = added();
            while (entry.next()) {
                if (entry.number() == 1) {
                    entry.enter(feature, LENGTH_DELIMITED);
                    spans[at] = feature.from();
                    spans[at + 1] = feature.to();
                } else if (entry.number() == 2) {
                    entry.enter(feature, LENGTH_DELIMITED);
                    spans[at + 2] = 0;
                    while (feature.next()) {
                        if (!Feature.isList(feature.number())) continue;
                        feature.check(LENGTH_DELIMITED);
                        spans[at + 2] = feature.number();
                        spans[at + 3] = feature.valueFrom;
                        spans[at + 4] = feature.at;
                    }
                }
            }
        }
    }

    private int added() {
        if (SPAN * (count + 1) > spans.length) spans = Arrays.copyOf(spans, 2 * spans.length);
        return SPAN * count++;
    }

    /**
     * Adds an entry as writers write it: a key, then a feature that is one list and nothing else; where the next one begins, or 0
     * for an entry that must be walked field by field.
     */
    private int usual(int from, int to) {
        int key = content(from, to, KEY);
        if (key == 0) return 0;
        int end = key + length, name = content(key, end, KEY);
        if (name == 0) return 0;
        int behindName = name + length, feature = content(behindName, end, VALUE);
        if (feature == 0 || feature + length != end || feature == end) return 0;
        int kind = bytes[feature] >> 3, list = content(feature, end, kind << 3 | LENGTH_DELIMITED);
        if (list == 0 || list + length != end || !Feature.isList(kind)) return 0;
        int at = added();
        spans[at] = name;
        spans[at + 1] = behindName;
        spans[at + 2] = kind;
        spans[at + 3] = list;
        spans[at + 4] = end;
        return end;
    }

    /** Where the content of a field of this tag begins, with its {@code length}; 0 where there is another or it does not fit. */
    private int content(int from, int to, int tag) {
        if (to - from < 2 || bytes[from] != tag) return 0;
        int at = from + 1, n = bytes[at++];
        if (n < 0) {
            if (at == to || bytes[at] < 0) return 0;
            n = n & 127 | bytes[at++] << 7;
        }
        length = n;
        return n <= to - at ? at : 0;
    }

    private Feature feature(int at) {
        return Feature.of(spans[at + 2], new Fields(bytes, spans[at + 3], spans[at + 4]));
    }

    /** The feature of a name; null where there is none. */
    public Feature get(String name) {
        int n = name.length();
        for (int at = SPAN * (count - 1); at >= 0; at -= SPAN) {
            int from = spans[at], i = 0;
            if (spans[at + 1] - from != n) continue;
            while (i < n && bytes[from + i] == name.charAt(i) && bytes[from + i] >= 0) i++;
            if (i == n) return feature(at);
        }
        return name.chars().allMatch(c -> c < 128) ? null : get(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The feature of a name; null where there is none. */
    public Feature get(byte[] name) {
        for (int at = SPAN * (count - 1); at >= 0; at -= SPAN)
            if (Arrays.equals(bytes, spans[at], spans[at + 1], name, 0, name.length)) return feature(at);
        return null;
    }

    /** All names in their order. */
    public List<String> names() {
        return IntStream.range(0, count)
                .map(i -> SPAN * i)
                .mapToObj(at -> new String(bytes, spans[at], spans[at + 1] - spans[at], StandardCharsets.UTF_8))
                .distinct()
                .toList();
    }

    /** Walks the fields of a message; whatever is not well-formed is an error with its place. */
    static final class Fields {
        private final byte[] bytes;
        private int from;
        private int to;
        private int at;
        private int tag;
        private long value;
        private int valueFrom;

        Fields(byte[] bytes, int from, int to) {
            this.bytes = bytes;
            this.from = from;
            this.to = to;
            this.at = from;
        }

        boolean next() {
            if (at == to) return false;
            long key = varint();
            tag = (int) key;
            if (key >>> 3 == 0 || key >>> 32 != 0) throw broken("there is no field " + (key >>> 3));
            switch (tag & 7) {
                case 0 -> value = varint();
                case 1 -> skip(Long.BYTES);
                case LENGTH_DELIMITED -> {
                    long length = varint();
                    if (length < 0 || length > to - at)
                        throw broken("a field of %s bytes does not fit into %d"
                                .formatted(Long.toUnsignedString(length), to - at));
                    valueFrom = at;
                    at += (int) length;
                }
                case 5 -> skip(Integer.BYTES);
                default -> throw broken("there is no wire type " + (tag & 7));
            }
            return true;
        }

        private void skip(int n) {
            if (n > to - at) throw broken("the bytes end in a number");
            valueFrom = at;
            at += n;
        }

        int number() {
            return tag >>> 3;
        }

        int type() {
            return tag & 7;
        }

        /** The value of a varint field. */
        long value() {
            return value;
        }

        /** The content of the field, which must have this wire type. */
        Fields nested(int type) {
            check(type);
            return new Fields(bytes, valueFrom, at);
        }

        /** Has another walk the content of the field, which must have this wire type. */
        void enter(Fields other, int type) {
            check(type);
            other.from = valueFrom;
            other.at = valueFrom;
            other.to = at;
        }

        void check(int type) {
            if (type() != type)
                throw broken("field %d has wire type %d, wanted is %d".formatted(number(), type(), type));
        }

        byte[] content() {
            return Arrays.copyOfRange(bytes, from, to);
        }

        byte[] bytes() {
            return bytes;
        }

        int from() {
            return from;
        }

        int to() {
            return to;
        }

        boolean isAtEnd() {
            return at == to;
        }

        long varint() {
            if (at < to && bytes[at] >= 0) return bytes[at++];
            long v = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                if (at == to) throw broken("the bytes end in a varint");
                byte b = bytes[at++];
                v |= (b & 0x7fL) << shift;
                if (b >= 0) return v;
            }
            throw broken("a varint has more than 10 bytes");
        }

        OxbowException broken(String what) {
            return new OxbowException(
                    INVALID_ARGUMENT, "Example: %s, at byte %d of %d".formatted(what, at, bytes.length));
        }
    }
}
