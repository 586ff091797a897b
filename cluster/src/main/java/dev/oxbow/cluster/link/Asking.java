package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.net.Link;
import dev.oxbow.net.shm.Lane;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.ErrorPlace;
import dev.oxbow.wire.proto.TensorProto;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The end of a line that wants values. */
final class Asking implements Line.End {
    private final String task;
    private final Line line;
    private final Consumer<OxbowException> lost;
    private final Map<Long, Wanted> wants = new HashMap<>();
    private long next;
    private int coming;

    /** Asks {@code task} by a link as {@code self}, in this life of it; {@code lost} is told when the line has ended. */
    Asking(
            Link link,
            String task,
            String self,
            long incarnation,
            LinkOptions options,
            long now,
            Consumer<OxbowException> lost) {
        this.task = task;
        this.lost = lost;
        this.line = new Line(link, task, options, now, this);
        line.say(Frame.HELLO, 0, incarnation, self.getBytes(StandardCharsets.UTF_8));
        Lane lane = options.laneBytes() == 0 ? null : Lane.create(ShmConfig.DEFAULT, options.laneBytes());
        if (lane == null) return;
        line.readFrom(lane);
        line.say(Frame.LANE, 0, lane.number(), lane.name().getBytes(StandardCharsets.UTF_8));
    }

    String task() {
        return task;
    }

    Line line() {
        return line;
    }

    /** Asks for a value. */
    void want(Wanted w) {
        if (line.isLost()) {
            w.end(null, line.loss());
            return;
        }
        w.id = ++next;
        wants.put(w.id, w);
        line.say(Frame.WANT, w.id, w.step, w.key.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends one that is not wanted any more. */
    void giveUp(Wanted w, OxbowException why) {
        if (wants.get(w.id) != w) return;
        line.say(Frame.CANCEL, w.id, 0);
        end(w.id, null, why);
    }

    /** Whether contents are on their way, so that it will move again soon. */
    boolean isTaking() {
        return coming > 0;
    }

    /** Sees to it that it does not keep who sends from sending. */
    void part(long now) {
        if (coming > 0 && !line.isLost() && line.lane() != null) line.lane().part(now);
    }

    int size() {
        return wants.size();
    }

    @Override
    public void frame(int kind, long id, long number, long address, int length) {
        switch (kind) {
            case Frame.LANE_FOUND -> line.laneAnswered(number != 0);
            case Frame.HAS -> has(id, number, bytes(address, length));
            case Frame.ERROR -> end(id, null, error((int) number, bytes(address, length)));
            case Frame.GOODBYE -> line.fail("was closed", null);
            case Frame.HEARTBEAT, Frame.BELL -> {}
            default -> throw unexpected(kind);
        }
    }

    static byte[] bytes(long address, int length) {
        byte[] b = new byte[length];
        if (length > 0) Memory.ALL.asSlice(address, length).asByteBuffer().get(b);
        return b;
    }

    static OxbowException unexpected(int kind) {
        return new OxbowException(UNAVAILABLE, "sent a frame of kind %d, which is not its to send".formatted(kind));
    }

    private OxbowException error(int code, byte[] place) {
        try {
            ErrorPlace p = ErrorPlace.parseFrom(place);
            return Statuses.error(code, p.getText(), p).in(task);
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(UNAVAILABLE, "sent an error that can not be read: " + e.getMessage(), e);
        }
    }

    private void has(long id, long number, byte[] message) {
        Wanted w = wants.get(id);
        if (w == null) return; // given up meanwhile
        require(w.value == null, UNAVAILABLE, "sent a value twice");
        if (number < 0) {
            end(id, null, null);
            return;
        }
        try {
            TensorProto p = TensorProto.parseFrom(message);
            if (number == 0)
                end(id, TensorCodec.decode(p, TensorCodec.DEFAULT_MAX_BYTES, MemoryPool.shared(), w.key), null);
            else begin(w, p, number);
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(UNAVAILABLE, "sent a value that can not be read: " + e.getMessage(), e);
        } catch (OxbowException e) { // too large for what there is; what comes of it is dropped
            line.say(Frame.CANCEL, id, 0);
            end(id, null, e.in(task));
        }
    }

    private void begin(Wanted w, TensorProto p, long bytes) {
        Tensor t = MemoryPool.shared()
                .tensor(
                        TensorCodec.decodeType(p.getDtype()),
                        TensorCodec.decodeShape(p.getTensorShape()),
                        "a value of another task");
        w.value = t;
        coming++;
        require(t.byteSize() == bytes, UNAVAILABLE, "sent %d bytes for %s", bytes, t.describe());
    }

    @Override
    public long place(long id, long offset, long length) {
        Wanted w = wants.get(id);
        if (w == null || w.value == null) return 0;
        if (offset < 0 || offset > w.value.byteSize() - length)
            throw new OxbowException(
                    UNAVAILABLE, "sent %d bytes at %d of %s".formatted(length, offset, w.value.describe()));
        return w.value.address() + offset;
    }

    @Override
    public void placed(long id, long length) {
        Wanted w = wants.get(id);
        if (w == null || w.value == null) return;
        w.got += length;
        if (w.got < w.value.byteSize()) return;
        end(id, w.value, null);
    }

    private void end(long id, Tensor value, Throwable error) {
        Wanted w = wants.remove(id);
        if (w == null) {
            if (value != null) value.release();
            return;
        }
        if (w.value != null) coming--;
        w.end(value, error);
    }

    @Override
    public void lost(OxbowException why) {
        List<Wanted> all = new ArrayList<>(wants.values());
        wants.clear();
        coming = 0;
        lost.accept(why);
        for (Wanted w : all) w.end(null, why.in(task));
    }
}
