package dev.oxbow.net.tcp;

import dev.oxbow.net.HostPort;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Opens sockets with the options that a transport wants. */
final class Sockets {
    private static final int BACKLOG = 1024;
    /** On one host there is no distance to fill, and bytes that wait in a long queue fall out of the caches. */
    private static final int MOST_INSIDE = 1 << 20;

    private static final Map<Integer, Boolean> GRANTED = new ConcurrentHashMap<>();

    private Sockets() {}

    static ServerSocketChannel listen(InetSocketAddress address, int buffer) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.configureBlocking(false);
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            // the window that a connection offers is settled by the listener's buffer, before it is accepted
            size(listener, StandardSocketOptions.SO_RCVBUF, suited(buffer, address));
            return listener.bind(address, BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    static SocketChannel connect(InetSocketAddress address, int buffer) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            prepare(channel, address, buffer);
            channel.connect(address);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Prepares a connection that somebody else has made. */
    static void prepare(SocketChannel channel, int buffer) throws IOException {
        prepare(channel, (InetSocketAddress) channel.getRemoteAddress(), buffer);
    }

    private static void prepare(SocketChannel channel, InetSocketAddress peer, int buffer) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        size(channel, StandardSocketOptions.SO_RCVBUF, suited(buffer, peer));
        size(channel, StandardSocketOptions.SO_SNDBUF, suited(buffer, peer));
    }

    private static int suited(int buffer, InetSocketAddress peer) {
        boolean inside =
                peer != null && peer.getAddress() != null && peer.getAddress().isLoopbackAddress();
        return inside ? Math.min(buffer, MOST_INSIDE) : buffer;
    }

    /** An address by which other hosts may reach this one; a host's own name often means loopback. */
    static InetAddress localHost() throws IOException {
        return NetworkInterface.networkInterfaces()
                .filter(Sockets::isUsable)
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .flatMap(NetworkInterface::inetAddresses)
                .filter(a -> !a.isLinkLocalAddress())
                .min(Comparator.comparing(a -> !(a instanceof Inet4Address)))
                .orElseGet(InetAddress::getLoopbackAddress);
    }

    private static boolean isUsable(NetworkInterface network) {
        try {
            return network.isUp() && !network.isLoopback();
        } catch (IOException _) {
            return false;
        }
    }

    /** What went wrong, for a message. */
    static String why(IOException e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    static String text(InetSocketAddress address) {
        if (address == null) return "a closed connection";
        String host = address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return new HostPort(host, address.getPort()).toString();
    }

    /*
     * A size that was asked for ends the kernel's own tuning, even when the kernel then grants less than its tuning
     * would have reached. So a size is asked for only where a socket is seen to get it.
     */
    private static void size(NetworkChannel channel, SocketOption<Integer> option, int bytes) throws IOException {
        if (bytes > 0 && GRANTED.computeIfAbsent(bytes, Sockets::isGranted)) channel.setOption(option, bytes);
    }

    private static boolean isGranted(int bytes) {
        try (SocketChannel probe = SocketChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
            probe.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
            return probe.getOption(StandardSocketOptions.SO_SNDBUF) >= bytes
                    && probe.getOption(StandardSocketOptions.SO_RCVBUF) >= bytes;
        } catch (IOException _) {
            return false;
        }
    }
}
