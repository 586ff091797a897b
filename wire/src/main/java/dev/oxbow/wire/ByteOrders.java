package dev.oxbow.wire;

import dev.oxbow.tensor.Memory;

/** Turns big-endian elements in native memory around. */
final class ByteOrders {
    private ByteOrders() {}

    /** Reverses the bytes of each {@code width}-byte word of {@code bytes} bytes. */
    static void swap(long address, long bytes, int width) {
        long end = address + bytes;
        switch (width) {
            case 2 -> {
                for (long a = address; a < end; a += 2) Memory.putShort(a, Short.reverseBytes(Memory.getShort(a)));
            }
            case 4 -> {
                for (long a = address; a < end; a += 4) Memory.putInt(a, Integer.reverseBytes(Memory.getInt(a)));
            }
            case 8 -> {
                for (long a = address; a < end; a += 8) Memory.putLong(a, Long.reverseBytes(Memory.getLong(a)));
            }
            default -> {}
        }
    }
}
