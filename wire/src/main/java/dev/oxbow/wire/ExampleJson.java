package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.oxbow.tensor.OxbowException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/**
 * Examples as JSON, in the mapping of protocol buffers: whole numbers may be strings, strings are base64. Numbers are not packed in
 * what is written, as TensorFlow does it.
 */
public final class ExampleJson {
    private static final int LENGTH_DELIMITED = 2, FIXED32 = 5;

    private ExampleJson() {}

    /** The message that a text stands for. */
    public static byte[] parse(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        try {
            ByteArrayOutputStream example = new ByteArrayOutputStream();
            JsonElement features = only(JsonParser.parseString(text).getAsJsonObject(), "features");
            if (features != null) field(example, 1, features(features.getAsJsonObject()));
            return example.toByteArray();
        } catch (JsonParseException
                | IllegalStateException
                | IllegalArgumentException
                | UnsupportedOperationException e) {
            String shown = text.length() > 100 ? text.substring(0, 100) + "..." : text;
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Error while parsing JSON as an Example: %s, in '%s'".formatted(e.getMessage(), shown),
                    e);
        }
    }

    /** The one member that an object may have; null where it has none. */
    private static JsonElement only(JsonObject o, String... names) {
        JsonElement found = null;
        for (Map.Entry<String, JsonElement> e : o.entrySet()) {
            boolean known = false;
            for (String n : names) known |= e.getKey().equals(n);
            if (!known) throw new IllegalArgumentException("there is no field '" + e.getKey() + "'");
            if (!e.getValue().isJsonNull()) found = e.getValue();
        }
        return found;
    }

    private static byte[] features(JsonObject features) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonElement map = only(features, "feature");
        if (map == null) return out.toByteArray();
        for (Map.Entry<String, JsonElement> e : map.getAsJsonObject().entrySet()) {
            ByteArrayOutputStream entry = new ByteArrayOutputStream();
            field(entry, 1, e.getKey().getBytes(StandardCharsets.UTF_8));
            field(entry, 2, feature(e.getValue().getAsJsonObject()));
            field(out, 1, entry.toByteArray());
        }
        return out.toByteArray();
    }

    private static byte[] feature(JsonObject feature) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Map.Entry<String, JsonElement> e : feature.entrySet()) {
            JsonElement value = only(e.getValue().getAsJsonObject(), "value");
            JsonArray values = value == null ? new JsonArray() : value.getAsJsonArray();
            switch (e.getKey()) {
                case "bytesList", "bytes_list" -> field(out, 1, strings(values));
                case "floatList", "float_list" -> field(out, 2, floats(values));
                case "int64List", "int64_list" -> field(out, 3, longs(values));
                default -> throw new IllegalArgumentException("there is no field '" + e.getKey() + "'");
            }
        }
        return out.toByteArray();
    }

    private static byte[] strings(JsonArray values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (JsonElement v : values) field(out, 1, Base64.getDecoder().decode(v.getAsString()));
        return out.toByteArray();
    }

    private static byte[] floats(JsonArray values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (JsonElement v : values) {
            int bits = Float.floatToRawIntBits(number(v.getAsString()));
            out.write(1 << 3 | FIXED32);
            for (int shift = 0; shift < Integer.SIZE; shift += 8) out.write(bits >> shift);
        }
        return out.toByteArray();
    }

    private static float number(String text) {
        return switch (text) {
            case "Infinity" -> Float.POSITIVE_INFINITY;
            case "-Infinity" -> Float.NEGATIVE_INFINITY;
            default -> Float.parseFloat(text);
        };
    }

    private static byte[] longs(JsonArray values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (JsonElement v : values) {
            out.write(1 << 3);
            Varint.write(out, Long.parseLong(v.getAsString()));
        }
        return out.toByteArray();
    }

    private static void field(ByteArrayOutputStream out, int number, byte[] content) {
        out.write(number << 3 | LENGTH_DELIMITED);
        Varint.write(out, content.length);
        out.writeBytes(content);
    }
}
