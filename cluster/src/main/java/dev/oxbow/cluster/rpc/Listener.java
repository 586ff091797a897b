package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.HostPort;
import dev.oxbow.tensor.OxbowException;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The port of a server: takes connections, and hands requests to its services. */
public final class Listener implements AutoCloseable {
    private static final long KEEP_ALIVE_SECONDS = 30;
    private static final long OFTEN_SECONDS = 5;

    private final Server server;

    /** For callers of this process; null where they come by messages, too. */
    private final Door door;

    /**
     * Listens; {@code gone} is told of connections that ended, by what {@link Call#connection} gave. Those of this process
     * need no messages where {@code direct}.
     */
    public Listener(
            HostPort address,
            Loops loops,
            Security security,
            int maxMessageBytes,
            List<Service> services,
            boolean direct,
            Consumer<Connection> gone) {
        NettyServerBuilder b = NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                .bossEventLoopGroup(loops.events())
                .workerEventLoopGroup(loops.events())
                .channelFactory(() -> channel(security))
                .withOption(ChannelOption.SO_REUSEADDR, true)
                .withChildOption(ChannelOption.ALLOCATOR, Passage.INSTANCE)
                .withChildOption(ChannelOption.RECVBUF_ALLOCATOR, Loops.reads())
                .directExecutor()
                .maxInboundMessageSize(maxMessageBytes)
                .flowControlWindow(Loops.WINDOW)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(OFTEN_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .addTransportFilter(new Connections(gone));
        for (Service s : services)
            b.addService(
                    security.token().isEmpty()
                            ? s.definition()
                            : ServerInterceptors.intercept(s.definition(), new TokenProof(security.token())));
        if (security.tls() != null) b.sslContext(Tls.server(security.tls()));
        try {
            this.server = b.build().start();
        } catch (IOException e) {
            throw new OxbowException(
                    UNAVAILABLE, "server: cannot listen at %s: %s".formatted(address, e.getMessage()), e);
        }
        this.door = direct ? new Door(new InetSocketAddress(address.host(), port()), security, services, gone) : null;
    }

    private static NioServerSocketChannel channel(Security security) {
        return new NioServerSocketChannel() {
            @Override
            protected int doReadMessages(List<Object> accepted) throws Exception {
                int before = accepted.size(), n = super.doReadMessages(accepted);
                if (security.tls() == null)
                    for (Object c : accepted.subList(before, accepted.size())) WholeFrames.ofServer((Channel) c);
                return n;
            }
        };
    }

    public int port() {
        return server.getPort();
    }

    /** Takes no more requests, and waits until answers have been sent and callers have left. */
    public void drain(Duration grace) {
        server.shutdown();
        long start = System.nanoTime();
        if (door != null) door.drain(grace);
        grace = grace.minusNanos(System.nanoTime() - start);
        try {
            server.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (door != null) door.close();
        server.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
