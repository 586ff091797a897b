package dev.oxbow.net.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** The numbers under which Linux knows the sockets of this process. */
final class Descriptors {

    /*
     * Java does not tell the descriptor of a channel. A connected socket is the only one in the process with its pair of
     * addresses, so all descriptors are asked for theirs. As long as the channel is open, so is what is found.
     */

    private static final short INET = 2;
    private static final short INET6 = 10;
    private static final int LONGEST_NAME = 128;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final FunctionDescriptor NAME = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle OWN_NAME = call("getsockname", NAME);
    private static final MethodHandle PEER_NAME = call("getpeername", NAME);

    private Descriptors() {}

    /** A function of the C library. */
    @SuppressWarnings("restricted")
    static MethodHandle call(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** The descriptor of a connected channel, or -1 where it can not be found. */
    static int of(SocketChannel channel) throws IOException {
        InetSocketAddress own = (InetSocketAddress) channel.getLocalAddress(),
                peer = (InetSocketAddress) channel.getRemoteAddress();
        String[] open = new File("/proc/self/fd").list();
        if (open == null) return -1;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(8 + LONGEST_NAME, 8);
            for (String descriptor : open) {
                int n = Integer.parseInt(descriptor);
                if (own.equals(name(OWN_NAME, n, name)) && peer.equals(name(PEER_NAME, n, name))) return n;
            }
        }
        return -1;
    }

    /** An end of a socket, or null for what is none. */
    private static InetSocketAddress name(MethodHandle end, int descriptor, MemorySegment name) throws IOException {
        name.set(JAVA_INT, 0, LONGEST_NAME);
        try {
            int failed = (int) end.invokeExact(descriptor, name.address() + 8, name.address());
            if (failed != 0) return null;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        short family = name.get(ValueLayout.JAVA_SHORT, 8);
        if (family != INET && family != INET6) return null;
        long at = family == INET ? 12 : 16;
        byte[] address = name.asSlice(at, family == INET ? 4 : 16).toArray(ValueLayout.JAVA_BYTE);
        return new InetSocketAddress(InetAddress.getByAddress(address), Short.toUnsignedInt(name.get(PORT, 10)));
    }
}
