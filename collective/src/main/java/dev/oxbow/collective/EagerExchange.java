package dev.oxbow.collective;

import dev.oxbow.net.Sink;
import dev.oxbow.tensor.Memory;

/**
 * The messages of a small call: the hash of its signature goes in front of the data instead of ahead of it, so that the
 * call costs one trip. Data of another call is dropped before it is looked at.
 */
final class EagerExchange extends MeshExchange {
    private static final int HEADER = 64;

    EagerExchange(Call call) {
        super(call, false);
    }

    @Override
    public void send(int to, int slot, long address, long count, Runnable then) {
        long bytes = count * width();
        long block = communicator.blocks().take(HEADER + bytes);
        Memory.putLong(block, call.hash());
        Memory.copy(address, block + HEADER, bytes);
        Runnable release = () -> communicator.blocks().give(block, HEADER + bytes);
        sendBytes(to, slot, false, block, HEADER + bytes, then, release);
    }

    @Override
    public void receive(int from, int slot, long address, long count, Runnable then) {
        receive(from, slot, count, (at, offset, length) -> Memory.copy(at, address + offset, length), then);
    }

    @Override
    public void receive(int from, int slot, long count, Sink sink, Runnable then) {
        Checked checked = new Checked(sink);
        receiveBytes(from, slot, HEADER + count * width(), checked, () -> {
            if (checked.matches) then.run();
            else call.mismatch(call.participant(from));
        });
    }

    /** Compares the header and hands on what follows it. */
    private final class Checked implements Sink {
        private final Sink sink;
        private boolean matches;

        Checked(Sink sink) {
            this.sink = sink;
        }

        @Override
        public void accept(long address, long offset, long length) {
            if (offset > 0) {
                if (matches) sink.accept(address, offset - HEADER, length);
                return;
            }
            matches = Memory.getLong(address) == call.hash();
            if (matches && length > HEADER) sink.accept(address + HEADER, 0, length - HEADER);
        }
    }
}
