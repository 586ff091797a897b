package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/** An immutable map from bytes to bytes as a file in LevelDB's table format. */
final class SortedTable {

    /*
     * A file is data blocks, an empty metaindex block, an index block and a footer of 48 bytes with the
     * places of the last two. A block is entries, the offsets of the entries whose keys are whole
     * (restarts), their number, one byte for the compression and a masked CRC-32C. An entry is three
     * varints (bytes shared with the key before, further bytes, bytes of the value), key rest, value. The
     * index maps a key that is not less than any of a block, and less than any of the next, to the
     * block's place. Keys are Strings of one char per byte, which compare as unsigned bytes do.
     */

    private static final long MAGIC = 0xdb4775248b80fb57L;
    private static final int FOOTER = 48;
    private static final int TRAILER = 5;
    private static final int BLOCK_SIZE = 1 << 18;
    private static final int RESTART_INTERVAL = 16;

    /** Shared prefixes could blow up keys quadratically; real tables stay below 20 bytes of key per byte of file. */
    private static final int MAX_EXPANSION = 64;

    private SortedTable() {}

    /** All entries of the table in {@code file}; values are views of it. */
    static NavigableMap<String, ByteBuffer> read(ByteBuffer file, String name) {
        ByteBuffer in = file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int size = in.remaining();
        require(size >= FOOTER, DATA_LOSS, "%s: a table has at least %d bytes, got %d", name, FOOTER, size);
        ByteBuffer footer = in.slice(size - FOOTER, FOOTER).order(ByteOrder.LITTLE_ENDIAN);
        long magic = footer.getLong(FOOTER - 8);
        require(magic == MAGIC, DATA_LOSS, "%s: the table's magic number is %x, got %x", name, MAGIC, magic);
        Varint.read(footer, name);
        Varint.read(footer, name);
        TreeMap<String, ByteBuffer> entries = new TreeMap<>();
        TreeMap<String, ByteBuffer> index = new TreeMap<>();
        addBlock(index, block(in, footer, name), name);
        for (ByteBuffer place : index.values()) addBlock(entries, block(in, place, name), name);
        return entries;
    }

    /** The content of the block at the place that two varints in {@code place} give. */
    private static ByteBuffer block(ByteBuffer in, ByteBuffer place, String name) {
        long offset = Varint.read(place, name), size = Varint.read(place, name);
        long limit = in.remaining() - (long) TRAILER;
        require(
                offset >= 0 && size >= 0 && offset <= limit && size <= limit - offset,
                DATA_LOSS,
                "%s: a block at %d of %d bytes is outside the %d bytes of the file",
                name,
                offset,
                size,
                in.remaining());
        int stored = in.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt((int) (offset + size + 1));
        int computed = Checksum.masked(in.slice((int) offset, (int) size + 1));
        require(
                stored == computed,
                DATA_LOSS,
                "%s: the checksum of the block at %d is %08x, stored is %08x",
                name,
                offset,
                computed,
                stored);
        int compression = in.get((int) (offset + size));
        require(
                compression == 0,
                UNIMPLEMENTED,
                "%s: the block at %d has compression %d (1 is snappy), only 0 (none) is read",
                name,
                offset,
                compression);
        return in.slice((int) offset, (int) size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void addBlock(TreeMap<String, ByteBuffer> entries, ByteBuffer block, String name) {
        int size = block.remaining();
        long restarts = size >= 4 ? Integer.toUnsignedLong(block.getInt(size - 4)) : Integer.MAX_VALUE;
        long end = size - 4 - 4 * restarts;
        require(end >= 0, DATA_LOSS, "%s: %d restarts do not fit a block of %d bytes", name, restarts, size);
        block.limit((int) end);
        String key = "";
        long keyBytes = 0;
        while (block.hasRemaining()) {
            long shared = Varint.read(block, name), rest = Varint.read(block, name), value = Varint.read(block, name);
            long left = block.remaining();
            require(
                    shared >= 0
                            && shared <= key.length()
                            && rest >= 0
                            && rest <= left
                            && value >= 0
                            && value <= left - rest,
                    DATA_LOSS,
                    "%s: an entry of %d + %d key and %d value bytes does not fit the %d left",
                    name,
                    shared,
                    rest,
                    value,
                    left);
            keyBytes += shared + rest;
            require(
                    keyBytes <= (long) MAX_EXPANSION * size,
                    DATA_LOSS,
                    "%s: keys of more than %d bytes in a block of %d",
                    name,
                    (long) MAX_EXPANSION * size,
                    size);
            byte[] tail = new byte[(int) rest];
            block.get(tail);
            key = key.substring(0, (int) shared) + new String(tail, StandardCharsets.ISO_8859_1);
            boolean rising = entries.isEmpty() || entries.lastKey().compareTo(key) < 0;
            require(rising, DATA_LOSS, "%s: key '%s' is not greater than the one before", name, key);
            entries.put(key, block.slice(block.position(), (int) value));
            block.position(block.position() + (int) value);
        }
    }

    /** The bytes of a table with these entries. */
    static byte[] write(SortedMap<String, byte[]> entries) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Block index = new Block(1);
        Block data = new Block(RESTART_INTERVAL);
        String last = null;
        byte[] place = null;
        for (var e : entries.entrySet()) {
            if (place != null) {
                index.add(separator(last, e.getKey()), place);
                place = null;
            }
            data.add(e.getKey(), e.getValue());
            last = e.getKey();
            if (data.sizeInBytes() >= BLOCK_SIZE) {
                place = append(out, data);
                data = new Block(RESTART_INTERVAL);
            }
        }
        if (!data.isEmpty()) place = append(out, data);
        byte[] metaindexPlace = append(out, new Block(RESTART_INTERVAL));
        if (place != null) index.add(successor(last), place);
        byte[] indexPlace = append(out, index);
        ByteBuffer footer = ByteBuffer.allocate(FOOTER).order(ByteOrder.LITTLE_ENDIAN);
        footer.put(metaindexPlace).put(indexPlace).putLong(FOOTER - 8, MAGIC);
        out.writeBytes(footer.array());
        return out.toByteArray();
    }

    private static byte[] append(ByteArrayOutputStream out, Block block) {
        byte[] content = block.finish();
        ByteArrayOutputStream place = new ByteArrayOutputStream();
        Varint.write(place, out.size());
        Varint.write(place, content.length);
        ByteBuffer trailer =
                ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN).put((byte) 0);
        trailer.putInt(new Checksum().update(content).update(new byte[] {0}).masked());
        out.writeBytes(content);
        out.writeBytes(trailer.array());
        return place.toByteArray();
    }

    /** A short key that is at least {@code a} and less than {@code b}. */
    private static String separator(String a, String b) {
        int i = 0, n = Math.min(a.length(), b.length());
        while (i < n && a.charAt(i) == b.charAt(i)) i++;
        if (i >= n || a.charAt(i) == 0xff || a.charAt(i) + 1 >= b.charAt(i)) return a;
        return a.substring(0, i) + (char) (a.charAt(i) + 1);
    }

    /** A short key that is at least {@code a}. */
    private static String successor(String a) {
        for (int i = 0; i < a.length(); i++) {
            if (a.charAt(i) != 0xff) return a.substring(0, i) + (char) (a.charAt(i) + 1);
        }
        return a;
    }

    /** A block that is being written. */
    private static final class Block {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream restarts = new ByteArrayOutputStream();
        private final int interval;
        private int sinceRestart;
        private String last = "";

        Block(int interval) {
            this.interval = interval;
            restart();
        }

        private void restart() {
            restarts.writeBytes(fixed(out.size()));
            sinceRestart = 0;
        }

        void add(String key, byte[] value) {
            int shared = 0;
            if (sinceRestart == interval) {
                restart();
            } else {
                int most = Math.min(key.length(), last.length());
                while (shared < most && key.charAt(shared) == last.charAt(shared)) shared++;
            }
            Varint.write(out, shared);
            Varint.write(out, key.length() - shared);
            Varint.write(out, value.length);
            out.writeBytes(key.substring(shared).getBytes(StandardCharsets.ISO_8859_1));
            out.writeBytes(value);
            last = key;
            sinceRestart++;
        }

        boolean isEmpty() {
            return out.size() == 0;
        }

        int sizeInBytes() {
            return out.size() + restarts.size() + 4;
        }

        byte[] finish() {
            out.writeBytes(restarts.toByteArray());
            out.writeBytes(fixed(restarts.size() / 4));
            return out.toByteArray();
        }

        private static byte[] fixed(int value) {
            return ByteBuffer.allocate(4)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(value)
                    .array();
        }
    }
}
