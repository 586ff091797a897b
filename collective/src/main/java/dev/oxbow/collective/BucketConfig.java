package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;

/**
 * How tensors are packed.
 *
 * @param bytes a bucket that has so many is full; larger tensors travel alone, in place
 * @param delay tensors that became ready so long after the first one of a bucket go into the next
 * @param tune whether some sizes are tried in the first steps and the fastest is kept; never in deterministic mode
 * @param reduction of all tensors
 * @param wire how f32 tensors are written on the wire
 */
public record BucketConfig(long bytes, Duration delay, boolean tune, Reduction reduction, WireFormat wire) {
    /** Means in buckets of 4 MB, or what turns out to be fastest, with tensors that are ready within 20 ms. */
    public static final BucketConfig DEFAULT =
            new BucketConfig(4 << 20, Duration.ofMillis(20), true, Reduction.MEAN, WireFormat.NONE);

    public BucketConfig {
        require(
                bytes > 0 && delay.isPositive(),
                INVALID_ARGUMENT,
                "BucketConfig: bytes and delay must be positive, got %d and %s",
                bytes,
                delay);
        require(!wire.isTopK(), INVALID_ARGUMENT, "BucketConfig: top-k does not work on buckets");
    }

    public BucketConfig withBytes(long bytes) {
        return new BucketConfig(bytes, delay, tune, reduction, wire);
    }

    public BucketConfig withDelay(Duration delay) {
        return new BucketConfig(bytes, delay, tune, reduction, wire);
    }

    public BucketConfig withTune(boolean tune) {
        return new BucketConfig(bytes, delay, tune, reduction, wire);
    }

    public BucketConfig withReduction(Reduction reduction) {
        return new BucketConfig(bytes, delay, tune, reduction, wire);
    }

    public BucketConfig withWire(WireFormat wire) {
        return new BucketConfig(bytes, delay, tune, reduction, wire);
    }
}
