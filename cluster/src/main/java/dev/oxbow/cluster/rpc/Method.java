package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;

/** A call with one request and one answer, under TensorFlow's name. */
public record Method<Q extends MessageLite, A extends MessageLite>(String name, MethodDescriptor<Q, A> descriptor) {

    static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(
            String service, String name, Q request, A answer) {
        return new Method<>(
                name,
                MethodDescriptor.<Q, A>newBuilder(new Marshal<>(request), new Marshal<>(answer))
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                        .build());
    }

    @Override
    public String toString() {
        return name;
    }
}
