package dev.oxbow.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C as files store it: rotated and shifted, so that checksums of bytes with checksums in them stay sound. */
final class Checksum {
    private static final int DELTA = 0xa282ead8;

    private final CRC32C crc = new CRC32C();

    static int masked(ByteBuffer bytes) {
        return new Checksum().update(bytes).masked();
    }

    static int masked(byte[] bytes, int from, int count) {
        Checksum sum = new Checksum();
        sum.crc.update(bytes, from, count);
        return sum.masked();
    }

    /** Adds all remaining bytes, leaving the buffer's position alone. */
    Checksum update(ByteBuffer bytes) {
        crc.update(bytes.duplicate());
        return this;
    }

    Checksum update(byte[] bytes) {
        crc.update(bytes);
        return this;
    }

    int masked() {
        return Integer.rotateRight((int) crc.getValue(), 15) + DELTA;
    }
}
