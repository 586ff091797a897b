package dev.oxbow.collective.algorithm;

import dev.oxbow.collective.algorithm.Board.Shares;
import java.util.stream.IntStream;

/**
 * All-reduce for ranks of one host that see each other's memory. Segment r belongs to rank r, which reads the others'
 * contributions where they lie and combines them in the order of the ranks, so the result is the serial one bit for bit;
 * then everyone copies the results of the others. Nobody writes to memory of another. Each rank reads 2(P-1)S/P bytes of
 * others, chunk by chunk while they are in the caches; 2(P-1) short messages at the start, then only counts in shared
 * memory. A buffer that is not shared goes through a small stage: S more bytes are copied. Where ranks do not see each
 * other's memory this is {@link DirectAllReduce}.
 *
 * @param chunk elements that are combined or copied at a time, or 0 for whole segments
 */
public record SharedAllReduce(long address, long count, long chunk) implements Algorithm {
    /** Chunks of a segment that a stage holds. */
    private static final int DEPTH = 4;
    /** Bytes of all ranks' chunks. */
    public static final long STAGE = 128 << 10;
    /** Segments begin at cache lines where the buffer does. */
    private static final int LINE = 64;
    /** What is combined at a time stays in the nearest cache. */
    private static final long STRIP = 16 << 10;
    /** Bytes after which messages get their turn. */
    private static final long TURN = 2 << 20;
    /** Rounds in which nothing moved before a rank sleeps. */
    private static final int PATIENCE = 300;

    @Override
    public void start(Exchange exchange) {
        if (exchange.size() == 1 || count == 0) exchange.finish();
        else new Run(exchange).begin();
    }

    private final class Run implements Exchange.Work {
        private final Exchange exchange;
        private final Split split;
        private final int rank;
        private final int ranks;
        private final int width;
        private final int chunks;
        private final Board own;
        private final Board[] boards;
        private final long[] memory;
        private final boolean[] staged;
        private final int[] copied;
        private final long strip;
        private Shares shares = Shares.NOTHING;
        private long boardAddress;
        private long scratch;
        private int given;
        private int combined;
        private int allCopied;
        private int missing;
        private int lent;
        private int idle;
        private boolean isDone;
        private boolean isDirect;

        Run(Exchange exchange) {
            this.exchange = exchange;
            rank = exchange.rank();
            ranks = exchange.size();
            width = exchange.width();
            split = Split.even(count, ranks, chunk, Math.max(1, LINE / width));
            chunks = split.mostChunks();
            strip = STRIP / width;
            boardAddress = exchange.scratch(Board.BYTES / width);
            own = new Board(boardAddress);
            boards = new Board[ranks];
            memory = new long[ranks];
            staged = new boolean[ranks];
            copied = new int[ranks];
            missing = ranks - 1;
            lent = ranks - 1;
        }

        void begin() {
            long reference = exchange.share(address, count);
            if (reference >= 0) {
                shares = Shares.BUFFER;
                memory[rank] = address;
            } else {
                memory[rank] = exchange.scratch(stageCount());
                reference = exchange.share(memory[rank], stageCount());
                staged[rank] = true;
                if (reference >= 0) shares = Shares.STAGE;
            }
            if (exchange.share(boardAddress, Board.BYTES / width) < 0) shares = Shares.NOTHING;
            own.write(shares, reference);
            for (int d = 1; d < ranks; d++) {
                int peer = (rank + d) % ranks;
                exchange.borrow(peer, 0, Board.BYTES / width, at -> arrived(peer, at));
            }
            for (int d = 1; d < ranks; d++)
                exchange.lend((rank + d) % ranks, 0, boardAddress, Board.BYTES / width, this::returned);
        }

        /** All ranks see all boards, so they all find out alike whether one of them shares nothing. */
        private void arrived(int peer, long at) {
            Board board = new Board(at);
            boards[peer] = board;
            isDirect |= board.shares() == Shares.NOTHING;
            staged[peer] = board.shares() == Shares.STAGE;
            if (--missing > 0) return;
            if (isDirect || shares == Shares.NOTHING) {
                isDirect = true;
                exchange.giveBack();
                fallBack();
                return;
            }
            for (int r = 0; r < ranks; r++) {
                if (r != rank) memory[r] = exchange.shared(r, boards[r].reference(), staged[r] ? stageCount() : count);
            }
            boards[rank] = own;
            scratch = rank > 1 || rank == 1 && !exchange.isCommutative() ? exchange.scratch(strip) : 0;
            exchange.poll(this);
        }

        /** Another rank has given the board back, and does not use memory of this one any more. */
        private void returned() {
            lent--;
            if (isDirect) fallBack();
            else if (isDone && lent == 0) exchange.finish();
        }

        private void fallBack() {
            if (lent == 0 && missing == 0) Direct.run(exchange, address, split, true);
        }

        @Override
        public boolean step() {
            if (isDone) return false;
            if (idle > PATIENCE) own.sleep(false);
            if (advance()) {
                idle = 0;
                return true;
            }
            if (++idle <= PATIENCE) {
                exchange.pause();
                return true;
            }
            own.sleep(true);
            if (!advance()) return false;
            own.sleep(false);
            idle = 0;
            return true;
        }

        /** Does what can be done, up to a bound; whether anything was. */
        private boolean advance() {
            boolean moved = false;
            for (long bytes = 0; bytes < TURN; bytes += slot() * width) {
                boolean more = give() | combine() | copy();
                if (!more) break;
                moved = true;
                for (int r = 0; r < ranks; r++) if (r != rank && boards[r].isAsleep()) exchange.wake(r);
            }
            if (combined == chunks && allCopied == chunks) done();
            return moved;
        }

        /** Puts contributions to the segments of others on the stage, where there is room. */
        private boolean give() {
            if (shares == Shares.BUFFER || given == chunks) return false;
            for (int r = 0; r < ranks; r++) if (r != rank && boards[r].combined() <= given - DEPTH) return false;
            for (int r = 0; r < ranks; r++) {
                if (r == rank || given >= split.chunks(r)) continue;
                exchange.publish(at(r, given), staged(rank, r, given), split.length(r, given));
            }
            own.give(++given);
            return true;
        }

        /** Makes the result of the next chunk of the own segment, when all contributions are there. */
        private boolean combine() {
            if (combined == chunks) return false;
            for (int r = 0; r < ranks; r++) {
                if (r == rank) continue;
                if (boards[r].given() <= combined || staged[rank] && boards[r].copied() <= combined - DEPTH)
                    return false;
            }
            if (combined < split.chunks(rank)) {
                long length = split.length(rank, combined);
                for (long done = 0; done < length; done += strip) combine(done, Math.min(strip, length - done));
            }
            own.combine(++combined);
            return true;
        }

        /** Combines a strip in the order of the ranks, with the own contribution where it lies as soon as its turn comes. */
        private void combine(long done, long n) {
            long at = at(rank, combined) + done * width, to = scratch == 0 ? at : scratch;
            if (scratch != 0) exchange.copy(contribution(0) + done * width, scratch, n);
            for (int r = scratch == 0 ? 0 : 1; r < ranks; r++) {
                if (r != rank) {
                    exchange.reduce(contribution(r) + done * width, to, n);
                } else if (to != at && !exchange.isCommutative()) {
                    exchange.reduce(at, to, n);
                } else if (to != at) {
                    exchange.reduce(to, at, n);
                    to = at;
                }
            }
            exchange.complete(to, n);
            exchange.copy(to, at, n);
            if (staged[rank]) exchange.publish(at, staged(rank, rank, combined) + done * width, n);
        }

        /** Where a rank's contribution to the next chunk of the own segment lies. */
        private long contribution(int r) {
            return staged[r] ? staged(r, rank, combined) : memory[r] + split.at(rank, combined) * width;
        }

        /** Takes the results of others that are there. */
        private boolean copy() {
            boolean moved = false;
            int least = chunks;
            for (int d = 1; d < ranks; d++) {
                int r = (rank + d) % ranks;
                if (copied[r] < chunks && boards[r].combined() > copied[r]) {
                    int c = copied[r]++;
                    moved = true;
                    if (c < split.chunks(r)) {
                        long from = staged[r] ? staged(r, r, c) : memory[r] + split.at(r, c) * width;
                        if (staged[rank]) exchange.copy(from, at(r, c), split.length(r, c));
                        else exchange.publish(from, at(r, c), split.length(r, c));
                    }
                }
                least = Math.min(least, copied[r]);
            }
            if (least > allCopied) {
                allCopied = least;
                own.copy(least);
            }
            return moved;
        }

        private void done() {
            isDone = true;
            if (!exchange.giveBack()) return;
            if (lent == 0) exchange.finish();
        }

        @Override
        public int[] waitsFor() {
            if (isDone) return new int[0];
            return IntStream.range(0, ranks)
                    .filter(r -> r != rank)
                    .filter(r -> boards[r].given() <= combined
                            || copied[r] < chunks && boards[r].combined() <= copied[r]
                            || staged[rank] && boards[r].copied() <= combined - DEPTH)
                    .toArray();
        }

        private long at(int segment, int c) {
            return address + split.at(segment, c) * width;
        }

        /** Where chunk {@code c} of a segment lies on a rank's stage. */
        private long staged(int of, int segment, int c) {
            return memory[of] + (c % DEPTH * (long) ranks + segment) * slot() * width;
        }

        private long stageCount() {
            return DEPTH * ranks * slot();
        }

        /** Elements of a place on a stage: the longest chunk, and a whole number of cache lines. */
        private long slot() {
            return (split.length(0, 0) + 127) / 128 * 128;
        }
    }
}
