package dev.oxbow.testing;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Joins memories of queues in one process, whose ranks are threads: their queues wait for each other, for ever if need be. */
final class QueueFabric implements Fabric {
    private static final int IDENTITY = 128;
    private static final AtomicLong MADE = new AtomicLong();
    private static final Map<Long, Meeting> MEETINGS = new ConcurrentHashMap<>();

    private final QueueSpace space;

    QueueFabric(QueueSpace space) {
        this.space = space;
    }

    @Override
    public String name() {
        return "queues";
    }

    @Override
    public boolean supports(DType dtype, Combining how) {
        return how == null || dtype.isFloating() || dtype.isInteger() && how != Combining.MEAN;
    }

    @Override
    public byte[] identity() {
        return ByteBuffer.allocate(IDENTITY).putLong(0, MADE.incrementAndGet()).array();
    }

    @Override
    public Member join(byte[] identity, int rank, int size) {
        long number = ByteBuffer.wrap(identity).getLong(0);
        Meeting m = MEETINGS.computeIfAbsent(number, _ -> new Meeting(size));
        m.join(number);
        return new Joined(m, rank);
    }

    private final class Joined implements Member {
        private final Meeting meeting;
        private final int rank;
        private volatile OxbowException aborted;

        Joined(Meeting meeting, int rank) {
            this.meeting = meeting;
            this.rank = rank;
        }

        @Override
        public boolean isReady() {
            if (aborted != null) throw aborted.rethrown();
            return meeting.isWhole();
        }

        @Override
        public void run(List<Work> all) {
            if (aborted != null) throw aborted.rethrown();
            space.later(() -> meeting.meet(this, all));
        }

        @Override
        public Mark mark() {
            return space.mark()::isReached;
        }

        @Override
        public void abort(OxbowException why, boolean told) {
            if (aborted != null) return;
            if (told) space.raise(why);
            aborted = why;
            meeting.wake();
        }

        @Override
        public void close() {}

        Tensor seen(Work w, boolean result) {
            long place = result ? w.to() : w.from();
            Buffer there = Buffer.lent(space, place, w.count() * w.dtype().size());
            return space.seen(new Tensor(w.dtype(), Shape.of(w.count()), there));
        }
    }

    /** Where ranks wait for each other. */
    private static final class Meeting {
        private final Joined[] ranks;
        private final List<Work>[] asked;
        private int joined;
        private int arrived;
        private int round;

        @SuppressWarnings({"unchecked", "rawtypes"})
        Meeting(int size) {
            ranks = new Joined[size];
            asked = new List[size];
        }

        synchronized void join(long number) {
            if (++joined == ranks.length) MEETINGS.remove(number);
        }

        synchronized boolean isWhole() {
            return joined == ranks.length;
        }

        synchronized void wake() {
            notifyAll();
        }

        synchronized void meet(Joined who, List<Work> all) {
            if (who.aborted != null) return;
            ranks[who.rank] = who;
            asked[who.rank] = all;
            int mine = round;
            if (++arrived == ranks.length) {
                arrived = 0;
                round++;
                notifyAll();
                for (int i = 0; i < all.size(); i++) combine(i);
                return;
            }
            try {
                while (round == mine && who.aborted == null) wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void combine(int i) {
            Work first = asked[0].get(i);
            int n = Math.toIntExact(first.count());
            double[] result = null;
            for (int r = 0; r < ranks.length; r++) {
                Work w = asked[r].get(i);
                if (w.kind() != first.kind() || w.count() != n || w.how() != first.how() || w.peer() != first.peer())
                    throw new OxbowException(INVALID_ARGUMENT, "queues: ranks ask for " + first + " and " + w);
                double[] x = values(ranks[r].seen(w, false));
                if (w.kind() == Kind.BROADCAST) result = r == w.peer() ? x : result;
                else if (result == null) result = x;
                else for (int k = 0; k < n; k++) result[k] = combined(result[k], x[k], w);
            }
            if (first.how() == Combining.MEAN) for (int k = 0; k < n; k++) result[k] /= ranks.length;
            for (int r = 0; r < ranks.length; r++) {
                if (first.kind() == Kind.REDUCE && r != first.peer()) continue;
                Tensor y = ranks[r].seen(asked[r].get(i), true);
                for (int k = 0; k < n; k++) y.set(k, result[k]);
            }
        }

        private static double[] values(Tensor t) {
            double[] all = new double[Math.toIntExact(t.size())];
            Arrays.setAll(all, t::getDouble);
            return all;
        }

        /** As ranks add it up, one after the other. */
        private static double combined(double a, double b, Work w) {
            double v = switch (w.how()) {
                case SUM, MEAN -> a + b;
                case PRODUCT -> a * b;
                case MAX -> Math.max(a, b);
                case MIN -> Math.min(a, b);
            };
            return w.dtype() == DType.F32 ? (float) v : v;
        }
    }
}
