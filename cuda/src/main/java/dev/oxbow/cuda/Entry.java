package dev.oxbow.cuda;

import java.util.Arrays;

/** Something to be done in a stream, with all that it depends on, so that two can be compared. */
interface Entry {
    /** What it is, for a profile. */
    String name();

    void issue(Commands commands, long stream);

    /** Whether it does the very same at the very same places. */
    boolean isSame(Entry other);

    Touched touched();

    /** The memory that an entry reads and writes: places and bytes in turn. */
    record Touched(long[] reads, long[] writes) {

        /** Whether the two must keep their order: one writes what the other reads or writes. */
        boolean conflictsWith(Touched later) {
            return overlap(writes, later.reads) || overlap(writes, later.writes) || overlap(reads, later.writes);
        }

        private static boolean overlap(long[] a, long[] b) {
            for (int i = 0; i < a.length; i += 2)
                for (int k = 0; k < b.length; k += 2) if (a[i] < b[k] + b[k + 1] && b[k] < a[i] + a[i + 1]) return true;
            return false;
        }
    }

    /** A kernel over a grid of blocks; every argument takes eight bytes, of which the kernel reads as many as it wants. */
    record Launch(String name, long function, int gridX, int gridY, int threads, long[] arguments, Touched touched)
            implements Entry {
        @Override
        public void issue(Commands commands, long stream) {
            Driver.launch(function, gridX, gridY, threads, commands.pointers(arguments), stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return other instanceof Launch l
                    && l.function == function
                    && l.gridX == gridX
                    && l.gridY == gridY
                    && l.threads == threads
                    && Arrays.equals(l.arguments, arguments);
        }
    }

    record Copy(long from, long to, long bytes) implements Entry {
        @Override
        public String name() {
            return "copy";
        }

        @Override
        public void issue(Commands commands, long stream) {
            Driver.copy(to, from, bytes, stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return equals(other);
        }

        @Override
        public Touched touched() {
            return new Touched(new long[] {from, bytes}, new long[] {to, bytes});
        }
    }

    record Fill(long place, byte value, long bytes) implements Entry {
        @Override
        public String name() {
            return "fill";
        }

        @Override
        public void issue(Commands commands, long stream) {
            Driver.fill(place, value, bytes, stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return equals(other);
        }

        @Override
        public Touched touched() {
            return new Touched(new long[0], new long[] {place, bytes});
        }
    }
}
