package dev.oxbow.kernels.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The hashes of byte strings that TensorFlow's ops are defined by. */
public final class Hashes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long K0 = 0xc3a5c85c97cb3127L;
    private static final long K1 = 0xb492b66fbe98f273L;
    private static final long K2 = 0x9ae16a3b2f90404fL;

    private Hashes() {}

    /** The hash of StringToHashBucket and of table keys, by Murmur 2 (A. Appleby), 64 bits. */
    public static long murmur(byte[] s) {
        long m = 0xc6a4a7935bd1e995L, h = 0xDECAFCAFFEL ^ s.length * m;
        int at = 0;
        for (; at + 8 <= s.length; at += 8) {
            long k = word(s, at) * m;
            k ^= k >>> 47;
            h = (h ^ k * m) * m;
        }
        if (at < s.length) {
            for (int i = s.length - 1; i >= at; i--) h ^= (s[i] & 0xffL) << 8 * (i - at);
            h *= m;
        }
        h ^= h >>> 47;
        h *= m;
        return h ^ h >>> 47;
    }

    /** A keyed hash that is strong against chosen inputs, by SipHash 2-4 (Aumasson and Bernstein, 2012). */
    public static long sip(long key0, long key1, byte[] s) {
        long[] v = {
            key0 ^ 0x736f6d6570736575L,
            key1 ^ 0x646f72616e646f6dL,
            key0 ^ 0x6c7967656e657261L,
            key1 ^ 0x7465646279746573L
        };
        int at = 0;
        for (; at + 8 <= s.length; at += 8) sipWord(v, word(s, at));
        long last = (long) s.length << 56;
        for (int i = at; i < s.length; i++) last |= (s[i] & 0xffL) << 8 * (i - at);
        sipWord(v, last);
        v[2] ^= 0xff;
        for (int i = 0; i < 4; i++) sipRound(v);
        return v[0] ^ v[1] ^ v[2] ^ v[3];
    }

    private static void sipWord(long[] v, long m) {
        v[3] ^= m;
        sipRound(v);
        sipRound(v);
        v[0] ^= m;
    }

    private static void sipRound(long[] v) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
        v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
        v[0] = Long.rotateLeft(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
        v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
        v[2] = Long.rotateLeft(v[2], 32);
    }

    /** A hash that is the same in every version: Fingerprint64, by FarmHash fingerprint (G. Pike), 64 bits. */
    public static long farm(byte[] s) {
        int n = s.length;
        if (n <= 16) return farmTo16(s, n);
        if (n <= 32) return farmTo32(s, n);
        if (n <= 64) return farmTo64(s, n);
        return farmLong(s, n);
    }

    private static long farmTo16(byte[] s, int n) {
        long mul = K2 + 2L * n;
        if (n >= 8) {
            long a = word(s, 0) + K2, b = word(s, n - 8);
            long c = Long.rotateRight(b, 37) * mul + a, d = (Long.rotateRight(a, 25) + b) * mul;
            return mix(c, d, mul);
        }
        if (n >= 4) return mix(n + ((half(s, 0) & 0xffffffffL) << 3), half(s, n - 4) & 0xffffffffL, mul);
        if (n == 0) return K2;
        int a = s[0] & 0xff, b = s[n >> 1] & 0xff, c = s[n - 1] & 0xff;
        return shiftMix((a + (b << 8)) * K2 ^ (n + (c << 2)) * K0) * K2;
    }

    private static long farmTo32(byte[] s, int n) {
        long mul = K2 + 2L * n, a = word(s, 0) * K1, b = word(s, 8), c = word(s, n - 8) * mul, d = word(s, n - 16) * K2;
        return mix(
                Long.rotateRight(a + b, 43) + Long.rotateRight(c, 30) + d, a + Long.rotateRight(b + K2, 18) + c, mul);
    }

    private static long farmTo64(byte[] s, int n) {
        long mul = K2 + 2L * n, a = word(s, 0) * K2, b = word(s, 8), c = word(s, n - 8) * mul, d = word(s, n - 16) * K2;
        long y = Long.rotateRight(a + b, 43) + Long.rotateRight(c, 30) + d;
        long z = mix(y, a + Long.rotateRight(b + K2, 18) + c, mul);
        long e = word(s, 16) * mul, f = word(s, 24), g = (y + word(s, n - 32)) * mul, h = (z + word(s, n - 24)) * mul;
        return mix(Long.rotateRight(e + f, 43) + Long.rotateRight(g, 30) + h, e + Long.rotateRight(f + a, 18) + g, mul);
    }

    private static long farmLong(byte[] s, int n) {
        long x = 81 * K2 + word(s, 0), y = 81 * K1 + 113, z = shiftMix(y * K2 + 113) * K2;
        long[] v = new long[2], w = new long[2];
        int end = (n - 1) / 64 * 64, last = end + (n - 1 & 63) - 63;
        for (int at = 0; at < end; at += 64) {
            x = Long.rotateRight(x + y + v[0] + word(s, at + 8), 37) * K1;
            y = Long.rotateRight(y + v[1] + word(s, at + 48), 42) * K1;
            x ^= w[1];
            y += v[0] + word(s, at + 40);
            z = Long.rotateRight(z + w[0], 33) * K1;
            weak(s, at, v[1] * K1, x + w[0], v);
            weak(s, at + 32, z + w[1], y + word(s, at + 16), w);
            long swap = z;
            z = x;
            x = swap;
        }
        long mul = K1 + ((z & 0xff) << 1);
        w[0] += n - 1 & 63;
        v[0] += w[0];
        w[0] += v[0];
        x = Long.rotateRight(x + y + v[0] + word(s, last + 8), 37) * mul;
        y = Long.rotateRight(y + v[1] + word(s, last + 48), 42) * mul;
        x ^= w[1] * 9;
        y += v[0] * 9 + word(s, last + 40);
        z = Long.rotateRight(z + w[0], 33) * mul;
        weak(s, last, v[1] * mul, x + w[0], v);
        weak(s, last + 32, z + w[1], y + word(s, last + 16), w);
        long swap = z;
        z = x;
        x = swap;
        return mix(mix(v[0], w[0], mul) + shiftMix(y) * K0 + z, mix(v[1], w[1], mul) + x, mul);
    }

    private static void weak(byte[] s, int at, long a, long b, long[] out) {
        long w = word(s, at), x = word(s, at + 8), y = word(s, at + 16), z = word(s, at + 24);
        long first = a + w, second = Long.rotateRight(b + first + z, 21), start = first;
        first += x + y;
        second += Long.rotateRight(first, 44);
        out[0] = first + z;
        out[1] = second + start;
    }

    private static long mix(long u, long v, long mul) {
        long a = (u ^ v) * mul;
        a ^= a >>> 47;
        long b = (v ^ a) * mul;
        b ^= b >>> 47;
        return b * mul;
    }

    private static long shiftMix(long v) {
        return v ^ v >>> 47;
    }

    private static long word(byte[] s, int at) {
        return (long) LONG.get(s, at);
    }

    private static int half(byte[] s, int at) {
        return (int) INT.get(s, at);
    }
}
