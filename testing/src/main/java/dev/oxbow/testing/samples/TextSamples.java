package dev.oxbow.testing.samples;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of string ops. */
public final class TextSamples extends SampleFamily {
    private static final Tensor WORDS = strings("", "a", " Hello, World! ", "naïve Ünïcödé ☃", "\t x  y\n", "🙂🙃");
    private static final Tensor EMPTY = strings();

    @Override
    public String name() {
        return "text";
    }

    @Override
    protected void define() {
        plain();
        formats();
        parts();
        patterns();
        unicode();
        encodings();
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    private static Tensor strings(String... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private static Tensor string(String value) {
        return Tensor.scalar(value);
    }

    private static Tensor bytes(int... values) {
        byte[] b = new byte[values.length];
        for (int i = 0; i < b.length; i++) b[i] = (byte) values[i];
        return Tensor.ofObjects(DType.STRING, Shape.SCALAR, b);
    }

    private void plain() {
        for (Tensor t : List.of(WORDS, EMPTY, string("One"), Tensor.of(Shape.of(1, 2), "x", "Yz"))) {
            for (String name : List.of("StringStrip", "StringLower", "StringUpper", "StringLength"))
                sample(op(name), t);
            sample(op("StringLower", "encoding", "utf-8"), t);
            sample(op("StringUpper", "encoding", "utf-8"), t);
            sample(op("StringLength", "unit", "UTF8_CHAR"), t);
            sample(op("StringToHashBucket", "num_buckets", 1000003L), t);
            sample(op("StringToHashBucketFast", "num_buckets", 1000003L), t);
            sample(op("StringToHashBucketStrong", "num_buckets", 1000003L, "key", List.of(123L, -456L)), t);
            sample(op("EncodeBase64"), t);
            sample(op("EncodeBase64", "pad", true), t);
        }
        for (int n : new int[] {3, 7, 8, 12, 16, 17, 31, 33, 64, 65, 128, 200})
            for (String name : List.of("StringToHashBucket", "StringToHashBucketFast"))
                sample(
                        op(name, "num_buckets", Long.MAX_VALUE),
                        string("abcdefghijk".repeat(20).substring(0, n)));
        sample(op("DecodeBase64"), strings("YWJj", "YWI", "YQ==", "_-8", ""));
        sample(op("DecodeBase64"), string("a*b"));
        sample(op("StringJoin"), strings("a", "b"), string("-"), strings("c", "d"));
        sample(op("StringJoin", "separator", ", "), strings("a", "b"), strings("c", ""));
        sample(op("StringJoin"), EMPTY, EMPTY);
        Tensor cube = Tensor.of(Shape.of(2, 2, 2), "000", "001", "010", "011", "100", "101", "110", "111");
        sample(op("ReduceJoin"), cube, ints(0));
        sample(op("ReduceJoin", "separator", " "), cube, ints(-1, 0));
        sample(op("ReduceJoin", "separator", " "), cube, ints(0, 1, 2));
        sample(op("ReduceJoin", "keep_dims", true), cube, Tensor.scalar(1));
        sample(op("ReduceJoin"), Tensor.of(Shape.of(0, 2), new String[0]), ints(0));
        sample(op("UnsortedSegmentJoin", "separator", "+"), strings("a", "b", "c", "d"), ints(1, 0, 1, 1), scalar(3));
        sample(
                op("UnsortedSegmentJoin"),
                Tensor.of(Shape.of(2, 2), "a", "b", "c", "d"),
                Tensor.of(Shape.of(2), 1L, 1L),
                Tensor.scalar(2L));
        sample(
                op(
                        "StringNGrams",
                        "separator",
                        "|",
                        "ngram_widths",
                        List.of(2L, 3L),
                        "left_pad",
                        "<",
                        "right_pad",
                        ">",
                        "pad_width",
                        -1L,
                        "preserve_short_sequences",
                        false),
                strings("a", "b", "c", "d"),
                Tensor.of(Shape.of(3), 0L, 3L, 4L));
        sample(
                op(
                        "StringNGrams",
                        "separator",
                        " ",
                        "ngram_widths",
                        List.of(3L),
                        "left_pad",
                        "",
                        "right_pad",
                        "",
                        "pad_width",
                        0L,
                        "preserve_short_sequences",
                        true),
                strings("a", "b", "c", "d", "e"),
                ints(0, 0, 2, 5));
    }

    private void formats() {
        Tensor numbers =
                Tensor.of(Shape.of(8), 0f, -0f, 1.5f, -2.125f, 1e10f, 1.23456789f, 3e-7f, Float.POSITIVE_INFINITY);
        for (Object[] a : new Object[][] {
            {},
            {"precision", 2L},
            {"scientific", true},
            {"scientific", true, "precision", 3L},
            {"shortest", true},
            {"shortest", true, "precision", 4L},
            {"width", 14L},
            {"width", 14L, "fill", "0"},
            {"width", 14L, "fill", "-"},
            {"width", 9L, "fill", "+"},
            {"width", 9L, "fill", " "},
        }) {
            sample(op("AsString", a), numbers);
            sample(op("AsString", a), doubles(3, 2, 2));
        }
        for (DType d : List.of(DType.I32, DType.I64, DType.U8, DType.I8, DType.U64)) {
            sample(op("AsString"), random(d, 0, 100, 1, 3));
            sample(op("AsString", "width", 6L, "fill", "0"), random(d, -100, 0, 1, 3));
        }
        sample(op("AsString"), Tensor.of(Shape.of(2), true, false));
        sample(op("AsString"), random(DType.C64, -2, 2, 1, 2));
        sample(op("AsString", "precision", 2L), ints(1));
        sample(op("AsString"), floats(1, 0, 2));
        for (DType d : List.of(DType.F32, DType.F64, DType.I32, DType.I64))
            sample(op("StringToNumber", "out_type", d), strings("12", " -7 ", "0"));
        sample(op("StringToNumber"), strings("1.5", "-2e3", "inf", "nan", "1e-40"));
        sample(op("StringToNumber"), strings("1.5x"));
        sample(op("StringToNumber", "out_type", DType.I32), strings("99999999999"));
        sample(op("StringToNumber"), EMPTY);
        sample(op("StringFormat", "template", "x = %s, y = %s!"), random(DType.I32, -9, 9, 1, 2, 8), string("s"));
        sample(
                op("StringFormat", "template", "{}", "placeholder", "{}", "summarize", -1L),
                random(DType.I64, 0, 9, 1, 2, 2, 2));
        sample(op("StringFormat", "template", "%s"), strings("a", "b", "c"));
        sample(
                op("StringFormat", "template", "%s", "summarize", 2L),
                Tensor.of(Shape.of(5), true, false, true, true, false));
    }

    private void parts() {
        for (String unit : List.of("BYTE", "UTF8_CHAR")) {
            Tensor s = strings("hello", "naïve☃", "world wide");
            sample(op("Substr", "unit", unit), s, scalar(1), scalar(3));
            sample(op("Substr", "unit", unit), s, ints(-2, -1, 4), ints(9, 1, 0));
            sample(op("Substr", "unit", unit), string("abcdef"), ints(0, 2, -3), ints(1, 2, 3));
            sample(op("Substr", "unit", unit), s, scalar(9), scalar(1));
        }
        sample(op("Substr"), EMPTY, Tensor.scalar(0L), Tensor.scalar(1L));
        Tensor lines = strings("a b  c", "", "x,y;z", " lead and trail ");
        for (String sep : List.of(" ", ",;", "")) {
            sample(op("StringSplit"), lines, string(sep));
            sample(op("StringSplit", "skip_empty", false), lines, string(sep));
            sample(op("StringSplitV2"), lines, string(sep));
            for (long n = 0; n < 3; n++) sample(op("StringSplitV2", "maxsplit", n), lines, string(sep));
        }
        sample(op("StringSplit"), EMPTY, string(" "));
        sample(op("StringSplitV2"), EMPTY, string(","));
        sample(
                op("DecodeCSV"),
                strings("1,2.5,x", "-4,,\"a \"\"q\"\", b\""),
                ints(),
                Tensor.of(Shape.of(1), 7f),
                strings("d"));
        sample(op("DecodeCSV", "field_delim", "\t"), strings("1\t2", "3\t4"), ints(), Tensor.of(Shape.of(1), 9L));
        sample(op("DecodeCSV", "select_cols", List.of(0L, 2L)), strings("1,2,3", "4,5,6"), ints(), ints());
        sample(op("DecodeCSV", "na_value", "NA"), strings("NA", "5"), ints(3));
        sample(op("DecodeCSV", "use_quote_delim", false), strings("\"a", "b\"c"), strings("d"));
        sample(op("DecodeCSV"), strings("1,2"), ints());
        sample(op("DecodeCSV"), EMPTY, ints());
    }

    private void patterns() {
        Tensor s = strings("abbbc", "", "foo bar 42", "naïve");
        for (boolean all : List.of(true, false)) {
            for (String[] p :
                    new String[][] {{"b*", "-"}, {"(\\w+) (\\w+)", "\\2 \\1"}, {"[aeiou]", "<\\0>"}, {"x", "y"}}) {
                sample(op("RegexReplace", "replace_global", all), s, string(p[0]), string(p[1]));
                sample(op("StaticRegexReplace", "pattern", p[0], "rewrite", p[1], "replace_global", all), s);
            }
        }
        sample(op("RegexReplace"), s, string("a("), string("b"));
        for (String p : List.of("ab+c", "(?i)FOO.*", "", "[a-z]*\\d*")) {
            sample(op("RegexFullMatch"), s, string(p));
            sample(op("StaticRegexFullMatch", "pattern", p), s);
        }
        sample(op("RegexFullMatch"), EMPTY, string("a"));
    }

    private void unicode() {
        Tensor broken = bytes('a', 0xc3, 0x28, 'b', 0xff, 1);
        for (String errors : List.of("replace", "ignore", "strict")) {
            for (Tensor t : List.of(WORDS, broken)) {
                sample(op("UnicodeDecode", "input_encoding", "UTF-8", "errors", errors), t);
                sample(op("UnicodeDecodeWithOffsets", "input_encoding", "UTF-8", "errors", errors), t);
                for (String to : List.of("UTF-8", "UTF-16-BE", "UTF-32-BE"))
                    sample(
                            op("UnicodeTranscode", "input_encoding", "UTF-8", "output_encoding", to, "errors", errors),
                            t);
            }
            Tensor points = ints('a', 0x2603, 0x1f642, 0xd800, 'z');
            sample(
                    op("UnicodeEncode", "output_encoding", "UTF-8", "errors", errors),
                    points,
                    Tensor.of(Shape.of(3), 0L, 2L, 5L));
        }
        sample(op("UnicodeEncode", "output_encoding", "UTF-16-BE"), ints('a', 0x1f642), ints(0, 1, 2));
        sample(
                op(
                        "UnicodeTranscode",
                        "input_encoding",
                        "UTF-16-BE",
                        "output_encoding",
                        "UTF-8",
                        "replacement_char",
                        32L,
                        "replace_control_characters",
                        true),
                bytes(0, 'a', 0, 1, 0x26, 3));
        sample(op("UnicodeTranscode", "input_encoding", "ISO-8859-1", "output_encoding", "UTF-8"), bytes('a', 0xe9));
        sample(op("UnicodeDecode", "input_encoding", "UTF-8", "Tsplits", DType.I32), EMPTY);
    }

    private void encodings() {
        sample(named("Fingerprint"), Tensor.of(Shape.of(3), "a", "", "longer text"), Tensor.scalar("farmhash64"));
        sample(named("Fingerprint"), Tensor.of(Shape.of(2, 2), "a", "b", "c", "d"), Tensor.scalar("farmhash64"));
        sample(named("Fingerprint"), doubles(5, 3, 2), Tensor.scalar("farmhash64"));
        for (DType d : List.of(DType.U8, DType.I16, DType.F32, DType.C64)) {
            Tensor raw = Tensor.ofObjects(
                    DType.STRING, Shape.of(2), "abcdefghijklmnop".getBytes(), "ABCDEFGHIJKLMNOP".getBytes());
            sample(op("DecodeRaw", "out_type", d), raw);
            sample(op("DecodeRaw", "out_type", d, "little_endian", false), raw);
            if (!d.isComplex()) sample(op("DecodePaddedRaw", "out_type", d), strings("ab", "cdefghijkl"), scalar(8));
        }
        sample(op("DecodeRaw", "out_type", DType.I32), strings("abc"));
        sample(op("DecodeRaw", "out_type", DType.I32), EMPTY);
        sample(op("DecodeCompressed"), WORDS);
        sample(
                op("DecodeCompressed", "compression_type", "ZLIB"),
                bytes(0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27));
        for (Tensor t : List.of(floats(1, 2, 3), ints(), string("x"), Tensor.of(Shape.of(2), true, false)))
            program("ParseTensor", p -> {
                var s = p.add(op("SerializeTensor"), p.constant(t)).edge(0);
                p.fetch(p.add(op("ParseTensor", "out_type", t.dtype()), s).edge(0));
            });
        program("SerializeTensor", p -> {
            var s = p.add(op("SerializeTensor"), p.constant(doubles(1, 2))).edge(0);
            p.fetch(p.add(op("ParseTensor", "out_type", DType.F64), s).edge(0));
        });
        sample(op("ParseTensor", "out_type", DType.F32), string("garbage"));
    }
}
