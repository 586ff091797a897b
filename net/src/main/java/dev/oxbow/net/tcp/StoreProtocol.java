package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Store;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Requests and replies between a store and its clients; every length is checked before the bytes are read. */
final class StoreProtocol {
    /** What a client asks for. */
    enum Verb {
        PUT,
        GET,
        FIND,
        ADD,
        ASK
    }

    /** How a request ended: with a value, without one, or with an error code and a message. */
    enum Outcome {
        VALUE,
        NOTHING,
        ERROR
    }

    /** {@code number} is the timeout of a get in milliseconds, and the delta of an add. */
    record Request(Verb verb, String key, long number, byte[] value) {}

    /** {@code code} is the ordinal of an error code, whose message the value then is. */
    record Reply(Outcome outcome, int code, byte[] value) {}

    private StoreProtocol() {}

    /** Lets both ends introduce themselves; the rank at the other end. */
    static int introduce(Introduction introduction, Socket socket) throws IOException, Refusal {
        int total = 0;
        try {
            while (true) {
                byte[] output = introduction.output();
                if (output.length > 0) socket.getOutputStream().write(output);
                if (introduction.isDone()) return introduction.peer();
                int wanted = introduction.wanted();
                byte[] input = socket.getInputStream().readNBytes(wanted);
                total += input.length;
                if (input.length < wanted) throw new EOFException("it closed the connection after " + total + " bytes");
                introduction.take(input);
            }
        } catch (Refusal e) {
            if (e.farewell().length > 0) socket.getOutputStream().write(e.farewell());
            throw e;
        }
    }

    static void write(DataOutputStream out, Request request) throws IOException {
        out.writeByte(request.verb.ordinal());
        bytes(out, request.key.getBytes(StandardCharsets.UTF_8));
        out.writeLong(request.number);
        bytes(out, request.value);
        out.flush();
    }

    static Request readRequest(DataInputStream in) throws IOException {
        int verb = in.readUnsignedByte();
        require(verb < Verb.values().length, INVALID_ARGUMENT, "store: there is no request %d", verb);
        String key = new String(bytes(in, Store.MAX_KEY), StandardCharsets.UTF_8);
        return new Request(Verb.values()[verb], key, in.readLong(), bytes(in, Store.MAX_VALUE));
    }

    static void write(DataOutputStream out, Reply reply) throws IOException {
        out.writeByte(reply.outcome.ordinal());
        out.writeByte(reply.code);
        bytes(out, reply.value);
        out.flush();
    }

    static Reply readReply(DataInputStream in) throws IOException {
        int outcome = in.readUnsignedByte(), code = in.readUnsignedByte();
        if (outcome >= Outcome.values().length) throw new IOException("it gave the unknown answer " + outcome);
        return new Reply(Outcome.values()[outcome], code, bytes(in, Store.MAX_VALUE));
    }

    static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, value).array();
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInputStream in, int most) throws IOException {
        int length = in.readInt();
        require(
                length >= 0 && length <= most,
                INVALID_ARGUMENT,
                "store: a field claims %d bytes, at most %d are allowed",
                length,
                most);
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
