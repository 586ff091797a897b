package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;

/**
 * A call with one request and one answer, under TensorFlow's name.
 *
 * @param asking for who calls
 * @param answering for who is called
 */
public record Method<Q extends MessageLite, A extends MessageLite>(
        String name,
        MethodDescriptor<Sending<Q>, Received<A>> asking,
        MethodDescriptor<Received<Q>, Sending<A>> answering) {

    /** A method whose messages have tensors at the end of these fields, if there are any. */
    static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(
            String service, String name, Q request, int[] requestPath, A answer, int[] answerPath) {
        String full = MethodDescriptor.generateFullMethodName(service, name);
        return new Method<>(
                name,
                MethodDescriptor.newBuilder(new Marshal.Going<Q>(requestPath), Marshal.Coming.of(answer, answerPath))
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(full)
                        .build(),
                MethodDescriptor.newBuilder(Marshal.Coming.of(request, requestPath), new Marshal.Going<A>(answerPath))
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(full)
                        .build());
    }

    String fullName() {
        return asking.getFullMethodName();
    }

    @Override
    public String toString() {
        return name;
    }
}
