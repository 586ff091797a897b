package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.OxbowException;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.HashMap;
import java.util.Map;

/** The calls that a server answers under one name. */
public final class Service {
    private final ServerServiceDefinition.Builder calls;
    private final Map<String, Answering<?, ?>> byName = new HashMap<>();
    private final Traffic traffic;

    /** Takes a request, and answers it now or later. */
    @FunctionalInterface
    public interface Handler<Q extends MessageLite, A extends MessageLite> {
        void handle(Q request, Call<A> call);
    }

    /** Takes a request that has tensors, and answers it now or later. */
    @FunctionalInterface
    public interface TensorHandler<Q extends MessageLite, A extends MessageLite> {
        void handle(Received<Q> request, Call<A> call);
    }

    public Service(String name, Traffic traffic) {
        this.traffic = traffic;
        this.calls = ServerServiceDefinition.builder(name);
    }

    public <Q extends MessageLite, A extends MessageLite> Service on(Method<Q, A> method, Handler<Q, A> handler) {
        return onTensors(method, (request, call) -> handler.handle(request.message(), call));
    }

    public <Q extends MessageLite, A extends MessageLite> Service onTensors(
            Method<Q, A> method, TensorHandler<Q, A> handler) {
        Answering<Q, A> a = new Answering<>(handler, traffic.meter(method.name()));
        byName.put(method.fullName(), a);
        calls.addMethod(
                method.answering(), (ServerCallHandler<Received<Q>, Sending<A>>) (call, headers) -> listen(call, a));
        return this;
    }

    ServerServiceDefinition definition() {
        return calls.build();
    }

    /** How its methods are answered, by full name. */
    Map<String, Answering<?, ?>> byName() {
        return byName;
    }

    /** How one method is answered. */
    record Answering<Q extends MessageLite, A extends MessageLite>(TensorHandler<Q, A> handler, Traffic.Meter meter) {

        /** Handles a request, whose tensors go with it unless they were taken. */
        void handle(Received<Q> request, Call<A> call) {
            meter.asked();
            if (request.error() != null) {
                call.fail(request.error());
                return;
            }
            try (request) {
                handler.handle(request, call);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                call.fail(Statuses.of(e));
            }
        }
    }

    private static <Q extends MessageLite, A extends MessageLite> ServerCall.Listener<Received<Q>> listen(
            ServerCall<Received<Q>, Sending<A>> call, Answering<Q, A> answering) {
        call.request(2); // a second message would be one too many
        Call<A> answer = new Call<>(new Wire<>(call), answering.meter());
        return new ServerCall.Listener<>() {
            private Received<Q> request;

            @Override
            public void onMessage(Received<Q> message) {
                if (request == null) {
                    request = message;
                    return;
                }
                message.close();
                answer.fail(new OxbowException(INVALID_ARGUMENT, "a call has one request"));
            }

            @Override
            public void onHalfClose() {
                if (request == null) {
                    answer.fail(new OxbowException(INVALID_ARGUMENT, "a call has one request, got none"));
                    return;
                }
                Received<Q> q = request;
                request = null;
                answering.handle(q, answer);
            }

            @Override
            public void onCancel() {
                if (request != null) request.close();
                answer.cancelled();
            }
        };
    }

    /** Answers by the connection that the request came by. */
    private record Wire<A extends MessageLite>(ServerCall<?, Sending<A>> call) implements Call.Way<A> {
        @Override
        public long answer(A message, Cargo cargo) {
            call.sendHeaders(new Metadata());
            call.sendMessage(Sending.of(message, cargo));
            call.close(Status.OK, new Metadata());
            return message.getSerializedSize() + (cargo == null ? 0 : cargo.bytes());
        }

        @Override
        public void fail(OxbowException e) {
            call.close(Statuses.status(e), Statuses.trailers(e));
        }

        @Override
        public Connection from() {
            return call.getAttributes().get(Connections.ID);
        }

        @Override
        public Cargo cargo() {
            return new Cargo();
        }
    }
}
