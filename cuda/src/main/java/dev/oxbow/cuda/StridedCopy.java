package dev.oxbow.cuda;

/** Copies the elements of a box from some strides to others: what most movers come down to. */
final class StridedCopy {
    private static final int THREADS = 256;
    private static final String ENTRY = "move";

    private record Key(int width, int rank, boolean wide) {}

    private StridedCopy() {}

    /**
     * Copies {@code dims} elements of {@code width} bytes; strides are in elements and may be negative or 0, places are those of
     * the first element.
     */
    static void run(Card card, int width, long[] dims, long from, long[] fromStrides, long to, long[] toStrides) {
        long n = 1;
        for (long d : dims) n *= d;
        if (n == 0) return;
        long[] d = new long[dims.length], s = d.clone(), t = d.clone();
        int rank = 0;
        for (int i = 0; i < dims.length; i++) { // neighbours that run on become one
            if (dims[i] == 1) continue;
            boolean joins =
                    rank > 0 && s[rank - 1] == fromStrides[i] * dims[i] && t[rank - 1] == toStrides[i] * dims[i];
            if (joins) {
                d[rank - 1] *= dims[i];
                s[rank - 1] = fromStrides[i];
                t[rank - 1] = toStrides[i];
            } else {
                d[rank] = dims[i];
                s[rank] = fromStrides[i];
                t[rank++] = toStrides[i];
            }
        }
        if (rank == 0 || rank == 1 && s[0] == 1 && t[0] == 1) {
            card.space.copy(from, to, n * width);
            return;
        }
        long bits = from | to | d[rank - 1] * width;
        for (int i = 0; i < rank - 1; i++) bits |= s[i] * width | t[i] * width;
        int wider = s[rank - 1] != 1 || t[rank - 1] != 1 ? width : (int) Math.max(width, Math.min(16, bits & -bits));
        if (wider > width) { // pieces of rows that run on in both
            long each = wider / width;
            d[rank - 1] /= each;
            for (int i = 0; i < rank - 1; i++) {
                s[i] /= each;
                t[i] /= each;
            }
            move(card, wider, n / each, rank, d, s, t, from, to);
        } else move(card, width, n, rank, d, s, t, from, to);
    }

    /** Puts a copy by a kernel into a stream, without noting it. Only under the lock of the commands. */
    static void issue(Card card, long from, long to, long bytes, long stream) {
        int width = (int) Math.min(16, Long.lowestOneBit(from | to | bytes));
        long n = bytes / width;
        long function = card.function(new Key(width, 1, false), ENTRY, () -> text(width, 1, false));
        long[] arguments = {from, to, n, n, 1, 1};
        int blocks = Math.toIntExact((n + THREADS - 1) / THREADS);
        Driver.launch(function, blocks, 1, THREADS, card.commands.pointers(arguments), stream);
    }

    private static void move(Card card, int width, long n, int rank, long[] d, long[] s, long[] t, long from, long to) {
        long[] arguments = new long[3 + 3 * rank];
        arguments[0] = from;
        arguments[1] = to;
        arguments[2] = n;
        System.arraycopy(d, 0, arguments, 3, rank);
        System.arraycopy(s, 0, arguments, 3 + rank, rank);
        System.arraycopy(t, 0, arguments, 3 + 2 * rank, rank);
        Spans spans = new Spans();
        long[] read = extent(d, s, rank), written = extent(d, t, rank);
        boolean wide =
                Math.max(n, Math.max(read[1], written[1])) + THREADS >= 1L << 31 || read[0] < 0 || written[0] < 0;
        long function = card.function(new Key(width, rank, wide), ENTRY, () -> text(width, rank, wide));
        spans.reads(from + read[0] * width, read[1] * width).writes(to + written[0] * width, written[1] * width);
        card.commands.launch(
                "move " + rank + " dimensions",
                function,
                (n + THREADS - 1) / THREADS,
                1,
                THREADS,
                arguments,
                spans.touched());
    }

    /** Where the elements of a box begin, relative to the first, and how many there are from there to the last. */
    private static long[] extent(long[] dims, long[] strides, int rank) {
        long low = 0, high = 0;
        for (int i = 0; i < rank; i++) {
            long span = (dims[i] - 1) * strides[i];
            if (span < 0) low += span;
            else high += span;
        }
        return new long[] {low, high - low + 1};
    }

    /** The strides of a dense tensor. */
    static long[] dense(long[] dims) {
        long[] s = new long[dims.length];
        long step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            s[i] = step;
            step *= dims[i];
        }
        return s;
    }

    /** The source; {@code wide} where offsets may be negative or beyond 31 bits. */
    static String text(int width, int rank, boolean wide) {
        String index = wide ? "long long" : "unsigned";
        String type = switch (width) {
            case 1 -> "unsigned char";
            case 2 -> "unsigned short";
            case 4 -> "unsigned";
            case 8 -> "unsigned long long";
            default -> "ulonglong2";
        };
        StringBuilder s = new StringBuilder();
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(const %s* from, %s* to, %s n"
                .formatted(THREADS, ENTRY, type, type, index));
        for (String name : new String[] {"d", "s", "t"})
            for (int i = 0; i < rank; i++) s.append(", %s %s%d".formatted(index, name, i));
        s.append(") {\n  %s at = (%s)blockIdx.x * %d + threadIdx.x;\n".formatted(index, index, THREADS));
        s.append("  if (at >= n) return;\n  %s x = 0, y = 0;\n".formatted(index));
        for (int i = rank - 1; i > 0; i--)
            s.append("  { const %s c = at %% d%d; at /= d%d; x += c * s%d; y += c * t%d; }\n"
                    .formatted(index, i, i, i, i));
        return s.append("  x += at * s0; y += at * t0;\n  to[y] = from[x];\n}\n")
                .toString();
    }
}
