package dev.oxbow.cluster.rpc;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;

/** Buffers of connections, which take the contents of tensors straight from their memory. */
final class Passage extends AbstractByteBufAllocator {

    /*
     * gRPC takes a message as arrays and copies each into buffers that the allocator of the connection made. Contents of
     * tensors lie outside of the heap as these buffers do, so an array between them would be a second copy. Here it is but
     * a name: while a content is written, a window of this thread says which memory is meant, and a block that is given the
     * window's array copies from there. The window counts what was taken: where a message goes to other buffers, through a
     * compressor for instance, its call fails, and no wrong bytes arrive as if they were right.
     */

    static final Passage INSTANCE = new Passage();

    /** Buffers that may be the first of a message with such a content: it is as long at least. */
    private static final int LONG = Cargo.LONG;

    /**
     * Longer buffers are memory of a pool of ours: that of Netty gives chunks back as soon as they are empty, so that each
     * large message took, cleared and gave back its whole length of the system's (half of the time in which 64 MB arrive).
     */
    private static final int LARGE = 1 << 17;

    private static final MemoryPool LARGE_BLOCKS = new MemoryPool("connections", Long.MAX_VALUE);

    /** Stands for memory of a tensor; nothing is ever written to it. */
    private static final byte[] WINDOW = new byte[1 << 20];

    private static final ThreadLocal<Window> NOW = ThreadLocal.withInitial(Window::new);
    private static final PooledByteBufAllocator POOL = PooledByteBufAllocator.DEFAULT;

    private Passage() {
        super(true);
    }

    /** What the array of the window stands for, on one thread. */
    private static final class Window {
        private MemorySegment memory;
        private long taken;

        void write(MemorySegment m, OutputStream out) throws IOException {
            memory = m;
            taken = 0;
            try {
                out.write(WINDOW, 0, (int) m.byteSize());
            } finally {
                memory = null;
            }
            if (taken != m.byteSize())
                throw new IOException(
                        "of %d bytes of a tensor the buffers of the connection took %d".formatted(m.byteSize(), taken));
        }

        void take(int from, MemorySegment to) {
            MemorySegment.copy(memory, from, to, 0, to.byteSize());
            taken += to.byteSize();
        }
    }

    /** Writes memory to the stream of a message whose buffers are blocks of ours. */
    static void write(MemorySegment from, OutputStream out) throws IOException {
        Window window = NOW.get();
        for (long at = 0, n; at < from.byteSize(); at += n) {
            n = Math.min(WINDOW.length, from.byteSize() - at);
            window.write(from.asSlice(at, n), out);
        }
    }

    @Override
    public ByteBuf buffer(int initial, int most) {
        if (initial >= LARGE) return new Block(this, LARGE_BLOCKS.allocate(initial, "a message"), initial, most);
        ByteBuf pooled = POOL.directBuffer(initial, most);
        return initial >= LONG || NOW.get().memory != null ? new Block(this, pooled) : pooled;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
        return POOL.heapBuffer(initial, most);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int most) {
        return initial >= LARGE ? buffer(initial, most) : POOL.directBuffer(initial, most);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** A buffer of a pool to which the window's array means the memory behind it. */
    private static final class Block extends UnpooledDirectByteBuf {
        private final Runnable giveBack;

        Block(ByteBufAllocator allocator, ByteBuf pooled) {
            super(allocator, pooled.nioBuffer(0, pooled.capacity()), pooled.maxCapacity());
            this.giveBack = pooled::release;
            clear();
        }

        Block(ByteBufAllocator allocator, Buffer memory, int size, int most) {
            super(allocator, Memory.ALL.asSlice(memory.address(), size).asByteBuffer(), most);
            this.giveBack = memory::release;
            clear();
        }

        @Override
        public ByteBuf setBytes(int index, byte[] from, int start, int length) {
            if (from != WINDOW) return super.setBytes(index, from, start, length);
            NOW.get().take(start, MemorySegment.ofBuffer(internalNioBuffer(index, length)));
            return this;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            giveBack.run();
        }
    }
}
