package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;

/**
 * Elements of one dtype in native memory, which belongs to the caller and stays valid until the collective has ended.
 *
 * @param address where they lie, in the host's memory or in that of a card
 */
public record Elements(long address, long count, DType dtype, Space space) {
    public Elements {
        require(count >= 0, INVALID_ARGUMENT, "Elements: count must not be negative, got %d", count);
        require(!dtype.isObject(), INVALID_ARGUMENT, "Elements: %s elements have no bytes", dtype);
        require(address != 0 || count == 0, INVALID_ARGUMENT, "Elements: %d elements at address 0", count);
    }

    /** In the host's memory. */
    public Elements(long address, long count, DType dtype) {
        this(address, count, dtype, Space.HOST);
    }

    /** The elements of a tensor, in place. */
    public static Elements of(Tensor tensor) {
        long at = tensor.isIn(Space.HOST) ? tensor.address() : tensor.place();
        return new Elements(at, tensor.size(), tensor.dtype(), tensor.space());
    }

    /** Whether they lie on a card. */
    public boolean isOnCard() {
        return space != Space.HOST;
    }

    public long bytes() {
        return count * dtype.size();
    }

    /** The elements {@code [from, from + count)} of these. */
    public Elements slice(long from, long count) {
        require(
                from >= 0 && count >= 0 && from + count <= this.count,
                INVALID_ARGUMENT,
                "Elements: [%d, %d) is not inside %d elements",
                from,
                from + count,
                this.count);
        return new Elements(address + from * dtype.size(), count, dtype, space);
    }
}
