package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.net.Link;
import dev.oxbow.net.shm.Lane;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The end of a line that has values. */
final class Serving implements Line.End {
    private final Line line;
    private final Way.Calls source;
    private final Executor thread;
    private final Traffic.Meter meter;
    private final Consumer<Serving> lost;
    private final Map<Long, Cancellation> wanted = new HashMap<>();
    private final Map<Long, Content> going = new HashMap<>();

    /** Gives what {@code source} has; {@code thread} is the one that moves the line. */
    Serving(
            Link link,
            Way.Calls source,
            Executor thread,
            LinkOptions options,
            Traffic.Meter meter,
            long now,
            Consumer<Serving> lost) {
        this.source = source;
        this.thread = thread;
        this.meter = meter;
        this.lost = lost;
        this.line = new Line(link, link.peer(), options, now, this);
    }

    Line line() {
        return line;
    }

    /** How many values are wanted or on their way. */
    int size() {
        return wanted.size() + going.size();
    }

    @Override
    public void frame(int kind, long id, long number, long address, int length) {
        switch (kind) {
            case Frame.HELLO, Frame.HEARTBEAT, Frame.BELL -> {}
            case Frame.LANE -> findLane(text(address, length), number);
            case Frame.WANT -> want(id, number, text(address, length));
            case Frame.CANCEL -> cancel(id);
            case Frame.GOODBYE -> line.fail("was closed", null);
            default -> throw Asking.unexpected(kind);
        }
    }

    private static String text(long address, int length) {
        return new String(Asking.bytes(address, length), StandardCharsets.UTF_8);
    }

    private void findLane(String name, long number) {
        require(line.lane() == null, UNAVAILABLE, "sent a second ring");
        Lane lane = Lane.open(ShmConfig.DEFAULT, name, number);
        if (lane != null) line.writeTo(lane);
        line.say(Frame.LANE_FOUND, 0, lane == null ? 0 : 1);
    }

    private void want(long id, long step, String key) {
        Cancellation c = new Cancellation();
        require(wanted.put(id, c) == null, UNAVAILABLE, "wants something twice under the number %d", id);
        meter.asked();
        source.receive(step, key, c, (value, error) -> thread.execute(() -> answer(id, value, error)));
    }

    private void answer(long id, Tensor value, Throwable error) {
        if (wanted.remove(id) == null || line.isLost()) { // given up meanwhile
            if (value != null) value.release();
            return;
        }
        try {
            if (error != null) refuse(id, Statuses.of(error));
            else if (value == null) line.say(Frame.HAS, id, -1);
            else give(id, value);
            meter.answered(value == null || value.dtype().isObject() ? 0 : value.byteSize());
        } catch (RuntimeException | OutOfMemoryError e) { // such a value does not travel
            refuse(id, Statuses.of(e));
        } finally {
            if (value != null) value.release();
        }
    }

    private void refuse(long id, OxbowException e) {
        line.say(
                Frame.ERROR,
                id,
                e.code().number(),
                Statuses.place(e).toByteString().toByteArray());
    }

    private void give(long id, Tensor value) {
        boolean large = !value.dtype().isObject() && value.byteSize() >= Frame.INLINE;
        if (!large) {
            line.say(Frame.HAS, id, 0, new Cargo().encode(value).toByteArray());
            return;
        }
        Tensor t = value.isIn(Space.HOST) ? value.retain() : value.toHost();
        Content c = new Content(id, t, () -> going.remove(id));
        TensorProto type = TensorProto.newBuilder()
                .setDtype(TensorCodec.encodeType(t.dtype()))
                .setTensorShape(TensorCodec.encodeShape(t.shape()))
                .build();
        going.put(id, c);
        line.give(c, type.toByteArray());
    }

    private void cancel(long id) {
        Cancellation c = wanted.remove(id);
        if (c != null) c.cancel(CANCELLED, "the task that wanted the value has given up");
        Content content = going.get(id);
        if (content != null) line.drop(content);
    }

    @Override
    public long place(long id, long offset, long length) {
        throw Asking.unexpected(Frame.DATA);
    }

    @Override
    public void placed(long id, long length) {
        throw Asking.unexpected(Frame.DATA);
    }

    @Override
    public void lost(OxbowException why) {
        List<Cancellation> all = new ArrayList<>(wanted.values());
        wanted.clear();
        lost.accept(this);
        for (Cancellation c : all) c.cancel(why);
    }
}
