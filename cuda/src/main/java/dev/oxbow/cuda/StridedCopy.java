package dev.oxbow.cuda;

/** Copies the elements of a box from some strides to others: what most movers come down to. */
final class StridedCopy {
    private static final int THREADS = 256;
    private static final String ENTRY = "move";

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
        long[] arguments = new long[3 + 3 * rank];
        arguments[0] = from;
        arguments[1] = to;
        arguments[2] = n;
        System.arraycopy(d, 0, arguments, 3, rank);
        System.arraycopy(s, 0, arguments, 3 + rank, rank);
        System.arraycopy(t, 0, arguments, 3 + 2 * rank, rank);
        long function = card.function(text(width, rank), ENTRY);
        Spans spans = new Spans();
        long[] read = extent(d, s, rank), written = extent(d, t, rank);
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

    static String text(int width, int rank) {
        String type = switch (width) {
            case 1 -> "unsigned char";
            case 2 -> "unsigned short";
            case 4 -> "unsigned";
            case 8 -> "unsigned long long";
            default -> "ulonglong2";
        };
        StringBuilder s = new StringBuilder();
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(const %s* from, %s* to, long long n"
                .formatted(THREADS, ENTRY, type, type));
        for (String name : new String[] {"d", "s", "t"})
            for (int i = 0; i < rank; i++) s.append(", long long %s%d".formatted(name, i));
        s.append(") {\n  long long at = (long long)blockIdx.x * %d + threadIdx.x;\n".formatted(THREADS));
        s.append("  if (at >= n) return;\n  long long x = 0, y = 0;\n");
        for (int i = rank - 1; i > 0; i--)
            s.append("  { const long long c = at %% d%d; at /= d%d; x += c * s%d; y += c * t%d; }\n"
                    .formatted(i, i, i, i));
        return s.append("  x += at * s0; y += at * t0;\n  to[y] = from[x];\n}\n")
                .toString();
    }
}
