package dev.oxbow.net.sim;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;
import java.util.SplittableRandom;

/** How long a datagram is under way. */
public sealed interface Delay {

    /** Nanoseconds for the next datagram. */
    long sample(SplittableRandom random);

    /** Nanoseconds that are seldom exceeded. */
    long most();

    static Delay fixed(Duration delay) {
        return new Uniform(delay.toNanos(), delay.toNanos());
    }

    static Delay uniform(Duration least, Duration most) {
        return new Uniform(least.toNanos(), most.toNanos());
    }

    /** A least delay and an exponentially distributed one on top. */
    static Delay exponential(Duration least, Duration mean) {
        return new Exponential(least.toNanos(), mean.toNanos());
    }

    /** Every delay from {@code least} to {@code most} nanoseconds is as likely as the others. */
    record Uniform(long least, long most) implements Delay {
        public Uniform {
            require(least >= 0 && most >= least, INVALID_ARGUMENT, "Delay: from %d to %d ns is no time", least, most);
        }

        @Override
        public long sample(SplittableRandom random) {
            return least == most ? least : random.nextLong(least, most + 1);
        }
    }

    /** Long delays become rarer without end. */
    record Exponential(long least, long mean) implements Delay {
        public Exponential {
            require(
                    least >= 0 && mean > 0,
                    INVALID_ARGUMENT,
                    "Delay: %d and a mean of %d ns are no times",
                    least,
                    mean);
        }

        @Override
        public long sample(SplittableRandom random) {
            return least + (long) (-mean * Math.log(1 - random.nextDouble()));
        }

        @Override
        public long most() {
            return least + 5 * mean;
        }
    }
}
