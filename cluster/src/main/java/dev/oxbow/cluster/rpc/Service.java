package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.OxbowException;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;

/** The calls that a server answers under one name. */
public final class Service {
    private final ServerServiceDefinition.Builder calls;
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
        Traffic.Meter meter = traffic.meter(method.name());
        calls.addMethod(method.answering(), (ServerCallHandler<Received<Q>, Sending<A>>)
                (call, headers) -> listen(call, handler, meter));
        return this;
    }

    ServerServiceDefinition definition() {
        return calls.build();
    }

    private static <Q extends MessageLite, A extends MessageLite> ServerCall.Listener<Received<Q>> listen(
            ServerCall<Received<Q>, Sending<A>> call, TensorHandler<Q, A> handler, Traffic.Meter meter) {
        call.request(2); // a second message would be one too many
        Call<A> answer = new Call<>(call, meter);
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
                meter.asked();
                if (q.error() != null) {
                    answer.fail(q.error());
                    return;
                }
                try {
                    handler.handle(q, answer);
                } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                    answer.fail(Statuses.of(e));
                } finally {
                    q.close();
                }
            }

            @Override
            public void onCancel() {
                if (request != null) request.close();
                answer.cancelled();
            }
        };
    }
}
