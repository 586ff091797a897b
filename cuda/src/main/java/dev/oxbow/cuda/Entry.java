package dev.oxbow.cuda;

import dev.oxbow.tensor.Fabric;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Something to be done in a stream, with all that it depends on, so that two can be compared. */
interface Entry {
    /** What it is, for a profile. */
    String name();

    void issue(Commands commands, long stream);

    /** Whether it does the very same at the very same places. */
    boolean isSame(Entry other);

    Touched touched();

    /** Whether it is one kernel of ours, of at most so many blocks, which wait on the card for those that it follows ({@link Early}). */
    default boolean waits(int blocks) {
        return false;
    }

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
    record Launch(
            String name,
            long function,
            int gridX,
            int gridY,
            int threads,
            long[] arguments,
            Touched touched,
            Together together)
            implements Entry {
        @Override
        public void issue(Commands commands, long stream) {
            Driver.launch(function, gridX, gridY, threads, commands.pointers(arguments), stream);
        }

        @Override
        public boolean waits(int blocks) {
            return (long) gridX * gridY <= blocks;
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

    /** How launches of one kernel become one: the kernel that does all that have the same one of these. */
    record Together(Object key, Supplier<Long> function, int most) {
        boolean isSame(Together other) {
            return other != null && other.key.equals(key);
        }
    }

    /** Several launches as one; their blocks follow each other. Only made for graphs, so never compared. */
    record Joint(List<Launch> all, long function, int most) implements Entry {
        @Override
        public String name() {
            return all.size() + " times " + all.getFirst().name;
        }

        @Override
        public void issue(Commands commands, long stream) {
            int each = all.getFirst().arguments.length, first = most * each, blocks = 0;
            long[] block = new long[words(most, each)];
            for (int i = 0; i < all.size(); i++) {
                System.arraycopy(all.get(i).arguments, 0, block, i * each, each);
                put(block, 2 * first + i, blocks);
                blocks += all.get(i).gridX;
            }
            put(block, 2 * first + most, all.size());
            Driver.launch(function, blocks, 1, all.getFirst().threads, commands.structure(block), stream);
        }

        /** What its structure takes, in eight bytes each. */
        static int words(int most, int arguments) {
            return most * arguments + (most + 2) / 2;
        }

        /** Writes 4 bytes of a structure, of which each long holds two. */
        private static void put(long[] block, int at, long value) {
            block[at / 2] |= at % 2 == 0 ? value : value << 32;
        }

        @Override
        public boolean waits(int blocks) {
            return all.stream().mapToLong(Launch::gridX).sum() <= blocks;
        }

        @Override
        public boolean isSame(Entry other) {
            return false;
        }

        @Override
        public Touched touched() {
            long[] reads = new long[0], writes = new long[0];
            for (Launch l : all) {
                reads = joined(reads, l.touched.reads);
                writes = joined(writes, l.touched.writes);
            }
            return new Touched(reads, writes);
        }

        private static long[] joined(long[] a, long[] b) {
            long[] both = Arrays.copyOf(a, a.length + b.length);
            System.arraycopy(b, 0, both, a.length, b.length);
            return both;
        }
    }

    /** A kernel all of whose blocks run at the same time where they {@code meet}: then they wait for each other. */
    record Meeting(String name, long function, int blocks, int threads, long[] arguments, Touched touched, boolean meet)
            implements Entry {
        @Override
        public void issue(Commands commands, long stream) {
            long pointers = commands.pointers(arguments);
            if (meet) Driver.launchMeeting(function, blocks, threads, pointers, stream);
            else Driver.launch(function, blocks, 1, threads, pointers, stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return other instanceof Meeting m
                    && m.function == function
                    && m.blocks == blocks
                    && m.meet == meet
                    && Arrays.equals(m.arguments, arguments);
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

    /** What ranks do together on their cards; all of one communicator keeps its order. */
    record Exchange(NcclMember member, List<Fabric.Work> all) implements Entry {
        @Override
        public String name() {
            return "NCCL " + all.getFirst().kind();
        }

        @Override
        public void issue(Commands commands, long stream) {
            member.issue(all, stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return equals(other);
        }

        @Override
        public Touched touched() {
            long[] reads = new long[2 * all.size()], writes = new long[2 * all.size() + 2];
            for (int i = 0; i < all.size(); i++) {
                Fabric.Work w = all.get(i);
                reads[2 * i] = w.from();
                writes[2 * i] = w.to();
                reads[2 * i + 1] = writes[2 * i + 1] = w.count() * w.dtype().size();
            }
            writes[2 * all.size()] = member.token();
            writes[2 * all.size() + 1] = 1;
            return new Touched(reads, writes);
        }
    }

    /** Numbers of this run alone, for a place that only entries of one node read; in a graph they are written before it. */
    record Fresh(CudaSpace space, long place, long[] numbers) implements Entry {
        @Override
        public String name() {
            return "numbers of a run";
        }

        @Override
        public void issue(Commands commands, long stream) {
            space.put(numbers, place, stream);
        }

        @Override
        public boolean isSame(Entry other) {
            return other instanceof Fresh f && f.place == place && f.numbers.length == numbers.length;
        }

        @Override
        public Touched touched() {
            return new Touched(new long[0], new long[] {place, 8L * numbers.length});
        }
    }
}
