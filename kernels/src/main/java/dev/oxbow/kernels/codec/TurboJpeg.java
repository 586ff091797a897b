package dev.oxbow.kernels.codec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
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
 *
 * <p>That interface has no windows. So a file of one scan is given to it with a height that ends a little behind the window: what
 * follows is not decoded, and the library warns that there are bytes behind the image. Only its first warning has a text, so that one
 * being this says that there was no other.
 */
public final class TurboJpeg {
    private static final String PROPERTY = "oxbow.turbojpeg";
    private static final List<String> NAMES = List.of(
            "libturbojpeg.so.0", "libturbojpeg.so", "libturbojpeg.0.dylib", "libturbojpeg.dylib", "turbojpeg.dll");
    private static final int RGB = 0, ACCURATE = 4096;
    private static final long MOST_BYTES = 1L << 29, MOST_KEPT = 1L << 23;

    /** Decoders of the library, which serve one thread at a time. */
    private static final ConcurrentLinkedDeque<Decoder> IDLE = new ConcurrentLinkedDeque<>();

    private static final Optional<Functions> LIBRARY = find();

    private static final String BYTES_BEHIND = "extraneous bytes before marker";
    private static final int MESSAGE = 200;

    private record Functions(MethodHandle init, MethodHandle decompress, MethodHandle error) {}

    /** A handle, and memory for files, which grows. */
    private static final class Decoder {
        final MemorySegment handle;
        private Arena arena = Arena.ofShared();
        MemorySegment in = MemorySegment.NULL;

        Decoder(MemorySegment handle) {
            this.handle = handle;
        }

        void reserve(long input) {
            if (in.byteSize() >= input) return;
            free();
            in = arena.allocate(input * 5 / 4, 64);
        }

        void free() {
            in = MemorySegment.NULL;
            arena.close();
            arena = Arena.ofShared();
        }

        /** Keeps no more memory for the next image than most of them need. */
        void trim() {
            if (in.byteSize() > MOST_KEPT) free();
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
                Optional<MemorySegment> error = library.find("tjGetErrorStr2");
                if (init.isEmpty() || run.isEmpty() || error.isEmpty()) continue;
                Linker linker = Linker.nativeLinker();
                return Optional.of(new Functions(
                        linker.downcallHandle(init.get(), FunctionDescriptor.of(ADDRESS)),
                        linker.downcallHandle(
                                run.get(),
                                FunctionDescriptor.of(
                                        JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT,
                                        JAVA_INT, JAVA_INT)),
                        linker.downcallHandle(error.get(), FunctionDescriptor.of(ADDRESS, ADDRESS))));
            } catch (IllegalArgumentException | IllegalCallerException e) {
                // not there under this name, or not allowed
            }
        }
        return Optional.empty();
    }

    /** A window of an RGB image whose sides shrink by {@code ratio}; empty where the library is missing or will not do it. */
    public static Optional<Picture> decode(byte[] data, JpegDecoder.Window w, int ratio) {
        Optional<Tensor> rows = rows(data, w.y() + w.height(), ratio);
        if (rows.isEmpty()) return Optional.empty();
        byte[] out = new byte[3 * w.width() * w.height()];
        try (Tensor all = rows.get()) {
            long stride = 3 * all.shape().dim(1), from = all.address() + w.y() * stride + 3L * w.x();
            for (int y = 0; y < w.height(); y++)
                MemorySegment.copy(Memory.ALL, Memory.BYTE, from + y * stride, out, 3 * y * w.width(), 3 * w.width());
        }
        return Optional.of(new Picture(w.width(), w.height(), 3, out));
    }

    /**
     * The first {@code wanted} rows of an RGB image whose sides shrink by {@code ratio}, or more of them: {@code u8[rows, columns,
     * 3]}; empty where the library is missing or will not do it.
     */
    public static Optional<Tensor> rows(byte[] data, int wanted, int ratio) {
        if (LIBRARY.isEmpty()) return Optional.empty();
        JpegFrame frame = new JpegFrame(data);
        frame.header();
        int rows = rows(frame, wanted * ratio);
        int width = (frame.width + ratio - 1) / ratio, height = (rows + ratio - 1) / ratio;
        // a block has a bit at least, so what is larger is broken
        if (3L * width * height >= MOST_BYTES || (long) frame.width * frame.height / 64 > 8L * data.length)
            return Optional.empty();
        Tensor out = Tensor.allocate(DType.U8, Shape.of(height, width, 3));
        boolean whole = false;
        try {
            whole = decode(data, frame, rows, out);
        } finally {
            if (!whole) out.close();
        }
        return whole ? Optional.of(out) : Optional.empty();
    }

    /** Decodes so many rows, counted in the size of the file, and says whether nothing was wrong with them. */
    private static boolean decode(byte[] data, JpegFrame frame, int rows, Tensor out) {
        int width = (int) out.shape().dim(1), height = (int) out.shape().dim(0);
        Decoder d = IDLE.poll();
        try {
            if (d == null) d = new Decoder((MemorySegment) LIBRARY.get().init.invokeExact());
            if (d.handle.equals(MemorySegment.NULL)) return false;
            d.reserve(data.length);
            MemorySegment.copy(data, 0, d.in, Memory.BYTE, 0, data.length);
            d.in.set(Memory.BYTE, frame.heightAt, (byte) (rows >> 8));
            d.in.set(Memory.BYTE, frame.heightAt + 1, (byte) rows);
            MemorySegment to = MemorySegment.ofAddress(out.address());
            int status = (int) LIBRARY.get()
                    .decompress
                    .invokeExact(d.handle, d.in, (long) data.length, to, width, 3 * width, height, RGB, ACCURATE);
            return status == 0 || rows < frame.height && error(d).contains(BYTES_BEHIND);
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

    /** How many rows of an image to decode for the first {@code wanted}: one block more, whose chroma rows are mixed with the last. */
    private static int rows(JpegFrame frame, int wanted) {
        int block = 8 * frame.maxV, rows = ((wanted + block - 1) / block + 1) * block;
        boolean cut = rows < frame.height
                && frame.isOneScan()
                && !Thread.currentThread().isVirtual();
        return cut ? rows : frame.height; // the text of an error belongs to a thread of the system
    }

    @SuppressWarnings("restricted")
    private static String error(Decoder d) throws Throwable {
        MemorySegment text = (MemorySegment) LIBRARY.get().error.invokeExact(d.handle);
        return text.equals(MemorySegment.NULL) ? "" : text.reinterpret(MESSAGE).getString(0);
    }
}
