package dev.oxbow.kernels.codec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The decoder of libjpeg-turbo, where the machine has it: {@code libturbojpeg} by its usual names, or by the path in {@code
 * -Doxbow.turbojpeg}; {@code -Doxbow.turbojpeg=none} leaves it alone.
 *
 * <p>The library's simple interface is used and not that of libjpeg, which leaves a function by a long jump where a file is
 * broken: no frame of a JVM may be jumped over. What it refuses, or warns of, is for {@link JpegDecoder} to judge.
 */
public final class TurboJpeg {
    private static final String PROPERTY = "oxbow.turbojpeg";
    private static final List<String> NAMES = List.of(
            "libturbojpeg.so.0", "libturbojpeg.so", "libturbojpeg.0.dylib", "libturbojpeg.dylib", "turbojpeg.dll");
    private static final int RGB = 0, ACCURATE = 4096;
    private static final long MOST_BYTES = 1L << 29, MOST_KEPT = 1L << 25;

    /** Decoders of the library, which serve one thread at a time. */
    private static final ConcurrentLinkedDeque<Decoder> IDLE = new ConcurrentLinkedDeque<>();

    private static final Optional<Functions> LIBRARY = find();

    private record Functions(MethodHandle init, MethodHandle decompress) {}

    /** A handle and memory for what goes in and comes out, which grows. */
    private static final class Decoder {
        final MemorySegment handle;
        private Arena arena = Arena.ofShared();
        MemorySegment in = MemorySegment.NULL;
        MemorySegment out = MemorySegment.NULL;

        Decoder(MemorySegment handle) {
            this.handle = handle;
        }

        void reserve(long input, long output) {
            if (in.byteSize() >= input && out.byteSize() >= output) return;
            long a = Math.max(in.byteSize(), input * 5 / 4), b = Math.max(out.byteSize(), output * 5 / 4);
            free();
            in = arena.allocate(a, 64);
            out = arena.allocate(b, 64);
        }

        void free() {
            in = out = MemorySegment.NULL;
            arena.close();
            arena = Arena.ofShared();
        }

        /** Keeps no more memory for the next image than most of them need. */
        void trim() {
            if (in.byteSize() + out.byteSize() > MOST_KEPT) free();
        }
    }

    private TurboJpeg() {}

    /** Whether there is a library. */
    public static boolean isAvailable() {
        return LIBRARY.isPresent();
    }

    @SuppressWarnings("restricted")
    private static Optional<Functions> find() {
        String wanted = System.getProperty(PROPERTY, "");
        if (!Memory.isNative() || wanted.equals("none")) return Optional.empty();
        for (String name : wanted.isEmpty() ? NAMES : List.of(wanted)) {
            try {
                SymbolLookup library = SymbolLookup.libraryLookup(name, Arena.global());
                Optional<MemorySegment> init = library.find("tjInitDecompress"), run = library.find("tjDecompress2");
                if (init.isEmpty() || run.isEmpty()) continue;
                Linker linker = Linker.nativeLinker();
                return Optional.of(new Functions(
                        linker.downcallHandle(init.get(), FunctionDescriptor.of(ADDRESS)),
                        linker.downcallHandle(
                                run.get(),
                                FunctionDescriptor.of(
                                        JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT,
                                        JAVA_INT, JAVA_INT))));
            } catch (IllegalArgumentException | IllegalCallerException e) {
                // not there under this name, or not allowed
            }
        }
        return Optional.empty();
    }

    /** A window of an RGB image whose sides shrink by {@code ratio}; empty where the library is missing or will not do it. */
    public static Optional<Picture> decode(byte[] data, JpegDecoder.Window w, int ratio) {
        if (LIBRARY.isEmpty()) return Optional.empty();
        JpegDecoder.Header h = JpegDecoder.header(data);
        int width = (h.width() + ratio - 1) / ratio, height = (h.height() + ratio - 1) / ratio;
        // a block has a bit at least, so what is larger is broken
        if (3L * width * height >= MOST_BYTES || (long) h.width() * h.height() / 64 > 8L * data.length)
            return Optional.empty();
        Decoder d = IDLE.poll();
        try {
            if (d == null) d = new Decoder((MemorySegment) LIBRARY.get().init.invokeExact());
            if (d.handle.equals(MemorySegment.NULL)) return Optional.empty();
            d.reserve(data.length, 3L * width * height);
            MemorySegment.copy(data, 0, d.in, Memory.BYTE, 0, data.length);
            int status = (int) LIBRARY.get()
                    .decompress
                    .invokeExact(d.handle, d.in, (long) data.length, d.out, width, 3 * width, height, RGB, ACCURATE);
            if (status != 0) return Optional.empty();
            byte[] out = new byte[3 * w.width() * w.height()];
            for (int y = 0; y < w.height(); y++) {
                long from = 3L * ((long) (w.y() + y) * width + w.x());
                MemorySegment.copy(d.out, Memory.BYTE, from, out, 3 * y * w.width(), 3 * w.width());
            }
            return Optional.of(new Picture(w.width(), w.height(), 3, out));
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of a library throws nothing of its own
        } finally {
            if (d != null) {
                d.trim();
                IDLE.push(d);
            }
        }
    }
}
