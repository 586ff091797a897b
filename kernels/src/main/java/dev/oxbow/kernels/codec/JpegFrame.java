package dev.oxbow.kernels.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the markers of a JPEG say: its size, its components and tables, and where its scans are. */
final class JpegFrame {
    private static final int START = 0xd8, END = 0xd9, SCAN = 0xda, QUANTISERS = 0xdb, RESTARTS = 0xdd, HUFFMAN = 0xc4;

    /** How a position in a block is found along the zigzag; behind the end a broken run meets the last. */
    static final int[] ZIGZAG = zigzag();

    enum Colours {
        GREY,
        YCC,
        RGB,
        CMYK,
        YCCK
    }

    final byte[] data;
    final List<JpegComponent> components = new ArrayList<>();
    final int[][] quantisers = new int[4][];
    final JpegHuffman[] dc = new JpegHuffman[4];
    final JpegHuffman[] ac = new JpegHuffman[4];
    int width;
    int height;

    /** Where the height lies in the file. */
    int heightAt;

    boolean progressive;
    int restarts;
    int maxH = 1;
    int maxV = 1;
    boolean adobe;
    private int transform;
    private boolean jfif;
    private boolean ended;
    private int at;

    /** The scan that was found last. */
    List<JpegComponent> scan = List.of();

    int from;
    int to;
    int high;
    int low;

    JpegFrame(byte[] data) {
        this.data = data;
        if (data.length < 4 || u8(0) != 255 || u8(1) != START)
            throw BrokenImage.at("JPEG", 0, "does not begin with a start marker");
        at = 2;
    }

    private static int[] zigzag() {
        int[] z = new int[64 + 16];
        Arrays.fill(z, 63);
        for (int k = 0, x = 0, y = 0; k < 64; k++) {
            z[k] = 8 * y + x;
            boolean up = (x + y) % 2 == 0;
            if (up && x == 7) y++;
            else if (up && y == 0) x++;
            else if (!up && y == 7) x++;
            else if (!up && x == 0) y++;
            else {
                x += up ? 1 : -1;
                y += up ? -1 : 1;
            }
        }
        return z;
    }

    int u8(int i) {
        return data[i] & 255;
    }

    private int u16(int i) {
        return u8(i) << 8 | u8(i + 1);
    }

    /** Reads up to the size. */
    void header() {
        while (components.isEmpty()) if (!segment()) throw truncated();
    }

    /** Behind the header: whether one scan has all blocks of all components, row by row. */
    boolean isOneScan() {
        if (progressive) return false;
        for (int p = at; p + 4 <= data.length && u8(p) == 255; p += 2 + u16(p + 2))
            if (u8(p + 1) == SCAN) return p + 4 < data.length && u8(p + 4) == components.size();
        return false;
    }

    /** Reads up to the data of the next scan; where they begin, or -1 where there is none. */
    int nextScan() {
        scan = List.of();
        while (segment()) if (!scan.isEmpty()) return at;
        return -1;
    }

    /** Goes on behind a scan, at a marker. */
    void goTo(int marker) {
        at = marker;
    }

    /** Whether the end marker was seen. */
    boolean isEnded() {
        return ended;
    }

    private RuntimeException truncated() {
        return BrokenImage.at("JPEG", at, "the file ends before its image");
    }

    /** Reads a marker and what belongs to it; false at the end. */
    private boolean segment() {
        while (at < data.length && u8(at) != 255) at++;
        while (at < data.length && u8(at) == 255) at++;
        if (at >= data.length) return false;
        int marker = u8(at++);
        if (marker == END) {
            ended = true;
            return false;
        }
        if (marker == 0 || marker == 1 || marker >= 0xd0 && marker <= START) return true;
        if (at + 2 > data.length) throw truncated();
        int length = u16(at), end = at + length;
        if (length < 2 || end > data.length)
            throw BrokenImage.at("JPEG", at, "a segment has %d bytes, %d are left", length, data.length - at);
        int from = at + 2;
        switch (marker) {
            case QUANTISERS -> readQuantisers(from, end);
            case HUFFMAN -> readHuffman(from, end);
            case RESTARTS -> restarts = need(from, end, 2) ? u16(from) : 0;
            case SCAN -> readScan(from, end);
            case 0xc0, 0xc1, 0xc2 -> readFrame(from, end, marker == 0xc2);
            case 0xe0 -> jfif |= end - from >= 5 && starts(from, "JFIF");
            case 0xee -> readAdobe(from, end);
            default -> {
                if (marker >= 0xc3 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc)
                    throw BrokenImage.at("JPEG", at, "frames of kind %02x are not supported", marker);
            }
        }
        at = end;
        return true;
    }

    private boolean need(int from, int end, int bytes) {
        if (end - from < bytes)
            throw BrokenImage.at("JPEG", from, "a segment ends %d bytes early", bytes - (end - from));
        return true;
    }

    private boolean starts(int from, String word) {
        for (int i = 0; i < word.length(); i++) if (u8(from + i) != word.charAt(i)) return false;
        return true;
    }

    private void readAdobe(int from, int end) {
        if (end - from < 12 || !starts(from, "Adobe")) return;
        adobe = true;
        transform = u8(from + 11);
    }

    private void readQuantisers(int start, int end) {
        for (int p = start; p < end; ) {
            int precision = u8(p) >> 4, id = u8(p) & 15;
            p++;
            need(p, end, 64 << precision);
            if (id > 3 || precision > 1) throw BrokenImage.at("JPEG", p, "there is no quantiser %d.%d", id, precision);
            int[] q = new int[64];
            for (int k = 0; k < 64; k++, p += 1 + precision) q[k] = precision == 0 ? u8(p) : u16(p);
            quantisers[id] = q;
        }
    }

    private void readHuffman(int start, int end) {
        for (int p = start; p < end; ) {
            int kind = u8(p) >> 4, id = u8(p) & 15;
            p++;
            need(p, end, 16);
            byte[] lengths = Arrays.copyOfRange(data, p, p + 16);
            int words = 0;
            for (byte n : lengths) words += n & 255;
            p += 16;
            need(p, end, words);
            if (id > 3 || kind > 1 || words > 256)
                throw BrokenImage.at("JPEG", p, "there is no Huffman table %d.%d of %d words", kind, id, words);
            (kind == 0 ? dc : ac)[id] = new JpegHuffman(lengths, Arrays.copyOfRange(data, p, p + words), p);
            p += words;
        }
    }

    private void readFrame(int p, int end, boolean isProgressive) {
        need(p, end, 6);
        if (!components.isEmpty()) throw BrokenImage.at("JPEG", p, "there is a second frame");
        if (u8(p) != 8) throw BrokenImage.at("JPEG", p, "samples have %d bits, 8 are supported", u8(p));
        heightAt = p + 1;
        height = u16(heightAt);
        width = u16(p + 3);
        int n = u8(p + 5);
        if (width == 0 || height == 0) throw BrokenImage.at("JPEG", p, "the image is %d x %d", width, height);
        if (n != 1 && n != 3 && n != 4) throw BrokenImage.at("JPEG", p, "there are %d components", n);
        need(p + 6, end, 3 * n);
        progressive = isProgressive;
        for (int i = 0, c = p + 6; i < n; i++, c += 3) {
            int h = u8(c + 1) >> 4, v = u8(c + 1) & 15;
            if (h < 1 || h > 4 || v < 1 || v > 4)
                throw BrokenImage.at("JPEG", c, "sampling factors are %d x %d, wanted are 1 to 4", h, v);
            components.add(new JpegComponent(u8(c), h, v, u8(c + 2) & 3));
            maxH = Math.max(maxH, h);
            maxV = Math.max(maxV, v);
        }
    }

    private void readScan(int p, int end) {
        need(p, end, 1);
        int n = u8(p);
        need(p + 1, end, 2 * n + 3);
        if (components.isEmpty()) throw BrokenImage.at("JPEG", p, "a scan comes before the frame");
        List<JpegComponent> chosen = new ArrayList<>();
        for (int i = 0, c = p + 1; i < n; i++, c += 2) {
            int id = u8(c);
            JpegComponent found = null;
            for (JpegComponent one : components) if (one.id == id && !chosen.contains(one)) found = one;
            if (found == null) throw BrokenImage.at("JPEG", c, "a scan wants component %d, which is not there", id);
            found.dc = dc[u8(c + 1) >> 4 & 3];
            found.ac = ac[u8(c + 1) & 3];
            int[] q = quantisers[found.quantiser];
            if (found.table == null && q == null)
                throw BrokenImage.at("JPEG", c, "there is no quantiser %d", found.quantiser);
            if (found.table == null) found.quantise(q);
            chosen.add(found);
        }
        if (chosen.isEmpty()) throw BrokenImage.at("JPEG", p, "a scan has no component");
        scan = chosen;
        int c = p + 1 + 2 * n;
        from = u8(c);
        to = u8(c + 1);
        high = u8(c + 2) >> 4;
        low = u8(c + 2) & 15;
        if (progressive && (from > to || to > 63 || low > 13 || from == 0 && to > 0 || from > 0 && n > 1))
            throw BrokenImage.at("JPEG", c, "a scan of coefficients %d to %d, bits %d to %d", from, to, high, low);
    }

    /** What the components stand for. */
    Colours colours() {
        if (components.size() == 1) return Colours.GREY;
        if (components.size() == 4) return adobe && transform != 0 ? Colours.YCCK : Colours.CMYK;
        if (jfif) return Colours.YCC;
        if (adobe) return transform == 0 ? Colours.RGB : Colours.YCC;
        boolean named = components.get(0).id == 'R' && components.get(1).id == 'G' && components.get(2).id == 'B';
        return named ? Colours.RGB : Colours.YCC;
    }
}
