package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A safetensors file: eight bytes with the length of a header, the header as JSON with dtype, shape and place of each tensor,
 * then the tensors one behind the other, little-endian. Everything is checked when the file is opened.
 */
public final class SafeTensors implements AutoCloseable {
    private static final int MAX_HEADER = 100_000_000;
    private static final int CHUNK = 1 << 20;
    private static final String METADATA = "__metadata__";
    private static final Map<String, DType> DTYPES = Map.ofEntries(
            Map.entry("BOOL", DType.BOOL),
            Map.entry("U8", DType.U8),
            Map.entry("I8", DType.I8),
            Map.entry("U16", DType.U16),
            Map.entry("I16", DType.I16),
            Map.entry("U32", DType.U32),
            Map.entry("I32", DType.I32),
            Map.entry("U64", DType.U64),
            Map.entry("I64", DType.I64),
            Map.entry("F16", DType.F16),
            Map.entry("BF16", DType.BF16),
            Map.entry("F32", DType.F32),
            Map.entry("F64", DType.F64),
            Map.entry("C64", DType.C64));

    private final Path file;
    private final FileChannel channel;
    private final long data;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();

    /** Where a tensor is; offsets count from the end of the header. */
    private record Entry(DType dtype, Shape shape, long from, long to) {}

    private SafeTensors(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        fill(length, 0);
        long header = length.getLong(0), size = channel.size();
        require(
                header >= 2 && header <= MAX_HEADER && header <= size - 8,
                DATA_LOSS,
                "safetensors: %s has a header of %d bytes in a file of %d",
                file,
                header,
                size);
        data = 8 + header;
        ByteBuffer text = ByteBuffer.allocate((int) header);
        fill(text, 8);
        try {
            parse(JsonParser.parseString(new String(text.array(), StandardCharsets.UTF_8))
                    .getAsJsonObject());
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException | ArithmeticException e) {
            throw new OxbowException(
                    DATA_LOSS, "safetensors: the header of %s is malformed: %s".formatted(file, e.getMessage()), e);
        }
        checkPlaces(size - data);
    }

    public static SafeTensors open(Path file) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            return new SafeTensors(file, channel);
        } catch (IOException e) {
            close(channel);
            throw Messages.failed("safetensors", file, e);
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private static void close(FileChannel channel) {
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            throw new OxbowException(DATA_LOSS, "safetensors: " + e.getMessage(), e);
        }
    }

    private void parse(JsonObject header) {
        for (Map.Entry<String, JsonElement> e : header.entrySet()) {
            JsonObject value = e.getValue().getAsJsonObject();
            if (e.getKey().equals(METADATA)) {
                value.entrySet()
                        .forEach(m -> metadata.put(m.getKey(), m.getValue().getAsString()));
                continue;
            }
            String dtype = string(e.getKey(), value, "dtype");
            require(
                    DTYPES.containsKey(dtype),
                    INVALID_ARGUMENT,
                    "safetensors: %s: tensor '%s' has dtype %s; known are %s",
                    file,
                    e.getKey(),
                    dtype,
                    DTYPES.keySet().stream().sorted().toList());
            long[] dims = longs(e.getKey(), value, "shape"), places = longs(e.getKey(), value, "data_offsets");
            require(
                    places.length == 2 && Arrays.stream(dims).allMatch(d -> d >= 0),
                    DATA_LOSS,
                    "safetensors: %s: tensor '%s' has shape %s at %s",
                    file,
                    e.getKey(),
                    Arrays.toString(dims),
                    Arrays.toString(places));
            entries.put(e.getKey(), new Entry(DTYPES.get(dtype), Shape.of(dims), places[0], places[1]));
        }
    }

    private String string(String name, JsonObject value, String field) {
        require(value.has(field), DATA_LOSS, "safetensors: %s: tensor '%s' has no %s", file, name, field);
        return value.get(field).getAsString();
    }

    private long[] longs(String name, JsonObject value, String field) {
        require(value.has(field), DATA_LOSS, "safetensors: %s: tensor '%s' has no %s", file, name, field);
        JsonArray array = value.getAsJsonArray(field);
        long[] all = new long[array.size()];
        for (int i = 0; i < all.length; i++)
            all[i] = array.get(i).getAsBigInteger().longValueExact();
        return all;
    }

    /** Tensors must lie one behind the other, each as long as it says, and end with the file. */
    private void checkPlaces(long bytes) {
        long at = 0;
        List<Map.Entry<String, Entry>> ordered = entries.entrySet().stream()
                .sorted(Comparator.comparingLong(
                                (Map.Entry<String, Entry> e) -> e.getValue().from())
                        .thenComparingLong(e -> e.getValue().to()))
                .toList();
        for (Map.Entry<String, Entry> e : ordered) {
            Entry t = e.getValue();
            long wanted = Math.multiplyExact(t.shape().size(), (long) t.dtype().size());
            require(
                    t.from() == at && t.to() - t.from() == wanted,
                    DATA_LOSS,
                    "safetensors: %s: tensor '%s' %s%s needs %d bytes from %d on, its place is [%d, %d)",
                    file,
                    e.getKey(),
                    t.dtype(),
                    t.shape(),
                    wanted,
                    at,
                    t.from(),
                    t.to());
            at = t.to();
        }
        require(
                at == bytes,
                DATA_LOSS,
                "safetensors: %s has %d bytes of tensors, its header names %d",
                file,
                bytes,
                at);
    }

    /** The names of the tensors, as the header has them. */
    public List<String> names() {
        return List.copyOf(entries.keySet());
    }

    /** What the writer noted about the file. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    public DType dtype(String name) {
        return entry(name).dtype();
    }

    public Shape shape(String name) {
        return entry(name).shape();
    }

    private Entry entry(String name) {
        Entry e = entries.get(name);
        require(e != null, NOT_FOUND, "safetensors: %s has no tensor '%s', only %s", file, name, entries.keySet());
        return e;
    }

    /** Reads a tensor, which the caller closes. */
    public Tensor read(String name) {
        Entry e = entry(name);
        Tensor t = Tensor.allocate(e.dtype(), e.shape());
        try {
            ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, Math.max(1, t.byteSize())));
            for (long at = 0; at < t.byteSize(); at += chunk.limit()) {
                chunk.clear().limit((int) Math.min(CHUNK, t.byteSize() - at));
                fill(chunk, data + e.from() + at);
                MemorySegment.copy(
                        MemorySegment.ofArray(chunk.array()), 0, Memory.ALL, t.address() + at, chunk.limit());
            }
            return t;
        } catch (IOException x) {
            t.close();
            throw Messages.failed("safetensors", file, x);
        } catch (RuntimeException x) {
            t.close();
            throw x;
        }
    }

    private void fill(ByteBuffer to, long from) throws IOException {
        while (to.hasRemaining()) {
            int n = channel.read(to, from + to.position());
            require(n > 0, DATA_LOSS, "safetensors: %s ends after %d bytes", file, channel.size());
        }
    }

    @Override
    public void close() {
        close(channel);
    }

    /** Writes a file of these tensors, in their order, whole or not at all; {@code notes} go into the header. */
    public static void write(Path file, Map<String, Tensor> tensors, Map<String, String> notes) {
        byte[] header = header(file, tensors, notes);
        WholeFile.write(file, out -> {
            ByteBuffer head = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            out.write(head.putLong(header.length).array());
            out.write(header);
            byte[] chunk = new byte[CHUNK];
            for (Tensor t : tensors.values()) write(out, t, chunk);
        });
    }

    private static void write(OutputStream out, Tensor t, byte[] chunk) throws IOException {
        t.retain();
        try {
            for (long at = 0; at < t.byteSize(); at += chunk.length) {
                int n = (int) Math.min(chunk.length, t.byteSize() - at);
                MemorySegment.copy(Memory.ALL, t.address() + at, MemorySegment.ofArray(chunk), 0, n);
                out.write(chunk, 0, n);
            }
        } finally {
            t.release();
        }
    }

    /** The header, padded with blanks so that tensors begin at a multiple of eight. */
    private static byte[] header(Path file, Map<String, Tensor> tensors, Map<String, String> notes) {
        JsonObject all = new JsonObject(), meta = new JsonObject();
        notes.forEach(meta::addProperty);
        if (!notes.isEmpty()) all.add(METADATA, meta);
        long at = 0;
        for (Map.Entry<String, Tensor> e : tensors.entrySet()) {
            Tensor t = e.getValue();
            String dtype = DTYPES.entrySet().stream()
                    .filter(d -> d.getValue() == t.dtype())
                    .map(Map.Entry::getKey)
                    .findAny()
                    .orElse(null);
            require(
                    dtype != null && !e.getKey().equals(METADATA),
                    INVALID_ARGUMENT,
                    "safetensors: %s can not hold '%s' %s",
                    file,
                    e.getKey(),
                    t.describe());
            JsonObject entry = new JsonObject();
            entry.addProperty("dtype", dtype);
            entry.add("shape", array(t.shape().dims()));
            entry.add("data_offsets", array(at, at += t.byteSize()));
            all.add(e.getKey(), entry);
        }
        byte[] text = all.toString().getBytes(StandardCharsets.UTF_8);
        byte[] padded = Arrays.copyOf(text, (text.length + 7) & -8);
        Arrays.fill(padded, text.length, padded.length, (byte) ' ');
        return padded;
    }

    private static JsonArray array(long... values) {
        JsonArray array = new JsonArray();
        for (long v : values) array.add(v);
        return array;
    }
}
