package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Strings and variants as a checkpoint stores them.
 *
 * @param what the tensor, for messages
 */
record StoredObjects(String what, boolean bigEndian) {

    /** All lengths as varints, their checksum, then all bytes; lengths are checksummed as fixed-width numbers. */
    int strings(ByteBuffer in, Object[] values) {
        in.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        Checksum checksum = new Checksum();
        int[] lengths = new int[values.length];
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            long length = Varint.read(in, what);
            checkLength(length, in);
            lengths[i] = (int) length;
            total += length;
            checksum.update(ByteBuffer.allocate(4)
                    .order(in.order())
                    .putInt((int) length)
                    .flip());
        }
        checkLength(total + 4, in);
        int computed = checksum.masked();
        checksum.update(in.slice(in.position(), 4));
        int stored = in.getInt();
        require(
                stored == computed,
                DATA_LOSS,
                "%s: the checksum of the lengths is %08x, stored is %08x",
                what,
                computed,
                stored);
        for (int i = 0; i < lengths.length; i++) {
            byte[] value = new byte[lengths[i]];
            in.get(value);
            checksum.update(value);
            values[i] = value;
        }
        return checksum.masked();
    }

    /** Length as a varint, message and checksum so far of each variant; lengths are checksummed as 8 bytes. */
    int variants(ByteBuffer in, Object[] values) {
        require(!bigEndian, UNIMPLEMENTED, "%s: its variants are big-endian", what);
        in.order(ByteOrder.LITTLE_ENDIAN);
        Checksum checksum = new Checksum();
        for (int i = 0; i < values.length; i++) {
            long length = Varint.read(in, what);
            checkLength(length, in);
            checkLength(length + 4, in);
            checksum.update(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(length)
                    .flip());
            ByteBuffer message = in.slice(in.position(), (int) length);
            checksum.update(message);
            in.position(in.position() + (int) length);
            int computed = checksum.masked();
            checksum.update(in.slice(in.position(), 4));
            int stored = in.getInt();
            require(stored == computed, DATA_LOSS, "%s: the checksum is %08x, stored is %08x", what, computed, stored);
            values[i] = Messages.parse(VariantTensorDataProto.parser(), message, what);
        }
        return checksum.masked();
    }

    private void checkLength(long length, ByteBuffer in) {
        require(
                length >= 0 && length <= in.remaining(),
                DATA_LOSS,
                "%s: %d bytes are wanted, %d are left",
                what,
                length,
                in.remaining());
    }
}
