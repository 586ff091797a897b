package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.net.HostPort;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Another process that is called; connected when first needed, and again when the connection was lost. */
public final class Peer implements AutoCloseable {

    /*
     * TensorFlow's servers hang up on whoever asks for signs of life more often than every five minutes while no data
     * flows. A process that dies is noticed at once by its connection; this is for cables that were cut.
     */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(310);

    private static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(20);
    private static final int CONNECT_MILLIS = 10_000;

    private final HostPort address;
    private final InetSocketAddress place;
    private final Loops loops;
    private final Security security;
    private final ManagedChannel channel;

    /** What it is for a server of this process that it calls without messages; null where it never does. */
    private final Connection direct;

    private volatile Door door;

    /** One that is called by messages. */
    public Peer(HostPort address, Loops loops, Security security, int maxMessageBytes) {
        this(address, loops, security, maxMessageBytes, null);
    }

    /** One that is called without messages while it is a server of this process that takes that, and otherwise by them. */
    public static Peer near(HostPort address, Loops loops, Security security, int maxMessageBytes) {
        return new Peer(address, loops, security, maxMessageBytes, new Connection());
    }

    private Peer(HostPort address, Loops loops, Security security, int maxMessageBytes, Connection direct) {
        this.address = address;
        this.place = new InetSocketAddress(address.host(), address.port());
        this.loops = loops;
        this.security = security;
        this.direct = direct;
        NettyChannelBuilder b = NettyChannelBuilder.forAddress(place)
                .eventLoopGroup(loops.events())
                .channelFactory(() -> channel(security))
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .withOption(ChannelOption.ALLOCATOR, Passage.INSTANCE)
                .withOption(ChannelOption.RECVBUF_ALLOCATOR, Loops.reads())
                .directExecutor()
                .disableRetry()
                .maxInboundMessageSize(maxMessageBytes)
                .flowControlWindow(Loops.WINDOW)
                .keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .idleTimeout(1, TimeUnit.DAYS);
        if (security.tls() == null) b.negotiationType(NegotiationType.PLAINTEXT);
        else b.sslContext(Tls.client(security.tls())).overrideAuthority("oxbow");
        if (!security.token().isEmpty()) b.intercept(new TokenProof(security.token()));
        this.channel = b.build();
    }

    private static NioSocketChannel channel(Security security) {
        NioSocketChannel c = new NioSocketChannel();
        if (security.tls() != null) return c;
        WholeFrames.ofClient(c);
        Greeting.await(c);
        return c;
    }

    public HostPort address() {
        return address;
    }

    private Door door() {
        return direct == null || direct.isGone() ? null : Door.at(place, security);
    }

    /** For the tensors of the next request. */
    public Cargo cargo() {
        return door() == null ? new Cargo() : Cargo.handed();
    }

    /** As {@link #callTensors}, for answers without tensors. */
    public <Q extends MessageLite, A extends MessageLite> void call(
            Method<Q, A> method,
            Q request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<A, OxbowException> then) {
        callTensors(
                method,
                request,
                null,
                cancellation,
                deadline,
                (answer, error) -> then.accept(answer == null ? null : answer.message(), error));
    }

    /**
     * Calls, and gives {@code then} the answer or the error, once. Cancelling ends the call here and there, and so does the
     * deadline; either may be null. The tensors of the request are in {@code cargo}, if there are any, until the answer.
     */
    public <Q extends MessageLite, A extends MessageLite> void callTensors(
            Method<Q, A> method,
            Q request,
            Cargo cargo,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<Received<A>, OxbowException> then) {
        Door d = door();
        if (d != null && (cargo == null || cargo.isHanded())) {
            door = d;
            d.call(method, request, cargo, direct, cancellation, deadline, loops, then);
            return;
        }
        if (cargo != null && cargo.isHanded()) {
            then.accept(null, failure(method, Status.UNAVAILABLE.withDescription("the server was closed"), null));
            return;
        }
        CallOptions options = deadline == null
                ? CallOptions.DEFAULT
                : CallOptions.DEFAULT.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
        // a call that is made while another is answered must not end with that one
        Context before = Context.ROOT.attach();
        try {
            start(method, Sending.of(request, cargo), cancellation, deadline, options, then);
        } finally {
            Context.ROOT.detach(before);
        }
    }

    private <Q extends MessageLite, A extends MessageLite> void start(
            Method<Q, A> method,
            Sending<Q> request,
            Cancellation cancellation,
            Duration deadline,
            CallOptions options,
            BiConsumer<Received<A>, OxbowException> then) {
        if (cancellation != null && cancellation.isCancelled()) {
            then.accept(null, cancellation.reason());
            return;
        }
        ClientCall<Sending<Q>, Received<A>> call = channel.newCall(method.asking(), options);
        Asked<A> asked = new Asked<>(method, cancellation, deadline, then);
        call.start(asked, new Metadata());
        call.request(2);
        call.sendMessage(request);
        call.halfClose();
        asked.watch(call);
    }

    /** One call by messages, until it has its answer. */
    private final class Asked<A extends MessageLite> extends ClientCall.Listener<Received<A>> {
        private final Method<?, A> method;
        private final Cancellation cancellation;
        private final Duration deadline;
        private final BiConsumer<Received<A>, OxbowException> then;
        private Received<A> answer;
        private long link = -1;
        private boolean ended;

        Asked(
                Method<?, A> method,
                Cancellation cancellation,
                Duration deadline,
                BiConsumer<Received<A>, OxbowException> then) {
            this.method = method;
            this.cancellation = cancellation;
            this.deadline = deadline;
            this.then = then;
        }

        /** From now on it is given up by its token: not earlier, since one that was given up can not be started. */
        void watch(ClientCall<?, ?> call) {
            if (cancellation == null) return;
            long l = cancellation.register(reason -> call.cancel(reason.getMessage(), reason));
            if (l < 0) {
                call.cancel(cancellation.reason().getMessage(), cancellation.reason());
                return;
            }
            synchronized (this) {
                link = l;
                if (!ended) return;
            }
            cancellation.unregister(l);
        }

        @Override
        public void onMessage(Received<A> message) {
            if (answer != null) answer.close();
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            synchronized (this) {
                ended = true;
            }
            if (link >= 0) cancellation.unregister(link); // it is not set any more
            try (Received<A> a = answer) {
                if (status.isOk() && a != null && a.error() != null) then.accept(null, a.error());
                else if (status.isOk() && a != null) then.accept(a, null);
                else if (status.getCode() == Status.Code.CANCELLED
                        && cancellation != null
                        && cancellation.isCancelled()) then.accept(null, cancellation.reason());
                else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED
                        && deadline != null
                        && !Statuses.isOurs(trailers)) then.accept(null, late());
                else then.accept(null, failure(method, status, trailers));
            }
        }

        private OxbowException late() {
            return new OxbowException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "%s: %s gave no answer within %d ms".formatted(method, address, deadline.toMillis()));
        }
    }

    private OxbowException failure(Method<?, ?> method, Status status, Metadata trailers) {
        if (status.isOk()) return new OxbowException(ErrorCode.INTERNAL, method + ": " + address + " gave no answer");
        if (status.getCause() instanceof ClosedChannelException) // in the middle of a call: gRPC says UNKNOWN
        status = Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause());
        OxbowException e = Statuses.error(status, trailers);
        return status.getCode() == Status.Code.UNAVAILABLE && e.task() == null
                ? e.saying("%s: %s does not answer: %s".formatted(method, address, cause(status, e)))
                : e;
    }

    private static String cause(Status status, OxbowException e) {
        return status.getCause() == null
                ? e.text()
                : e.text() + ", " + status.getCause().getMessage();
    }

    /** Has the next call connect at once, where the last attempt was lately. */
    public void hurry() {
        channel.resetConnectBackoff();
    }

    /** Has the next call connect anew: a connection on which nothing comes back may hang for long after its way is whole again. */
    public void renew() {
        channel.enterIdle();
    }

    @Override
    public void close() {
        if (direct != null) direct.end(); // so a call that is about to go through a door ends, too
        Door d = door;
        if (d != null) d.left(direct);
        channel.shutdownNow();
    }
}
