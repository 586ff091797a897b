package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.ops.queue.Again;
import dev.oxbow.ops.queue.NextTuple;
import dev.oxbow.ops.queue.ServedLine;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Takes names of files from a queue and gives their records, with keys, to one step after the other. */
final class Reader implements Resource {

    /**
     * A kind of reader.
     *
     * @param numbered whether a file has several records, whose keys have a number behind the file's name
     */
    record Kind(String name, boolean numbered, FileRecords.Format format) {}

    private final Kind kind;
    private final String name;
    private final ServedLine line;

    private String work = "";
    private FileRecords open;
    private long started;
    private long finished;
    private long produced;

    Reader(String name, Kind kind) {
        this.kind = kind;
        this.name = name;
        line = new ServedLine("the reader '" + name + "'");
    }

    Kind declared() {
        return kind;
    }

    /** Keys and values, or an error. */
    interface Taker {
        void take(List<byte[]> keys, List<byte[]> values, Throwable error);
    }

    /** Reads up to {@code most} records of one file, the next one that has any, and one at least. */
    void read(KernelContext c, int queue, long most, Taker taker) {
        line.ask(
                c.cancellation(),
                e -> taker.take(null, null, e),
                ended -> new Reading(c, queue, most, (keys, values, error) -> {
                            ended.run();
                            taker.take(keys, values, error);
                        })
                        .again.run());
    }

    private final class Reading {
        private final KernelContext c;
        private final int queue;
        private final long most;
        private final Taker taker;
        private final Again again = new Again(this::step);
        private final List<byte[]> keys = new ArrayList<>();
        private final List<byte[]> values = new ArrayList<>();

        Reading(KernelContext c, int queue, long most, Taker taker) {
            this.c = c;
            this.queue = queue;
            this.most = most;
            this.taker = taker;
        }

        private void step() {
            try {
                if (keys.size() < most && started <= finished) NextTuple.take(c, queue, this::begin);
                else if (readOn()) taker.take(keys, values, null);
                else again.run();
            } catch (RuntimeException e) {
                taker.take(null, null, Graph.contained(e));
            }
        }

        private void begin(Tensor[] names, Throwable error) {
            if (error != null) {
                taker.take(null, null, error);
                return;
            }
            try {
                Reader.this.begin(names);
                again.run();
            } catch (RuntimeException e) {
                taker.take(null, null, Graph.contained(e));
            } finally {
                for (Tensor t : names) t.release();
            }
        }

        /** Takes records of the file; whether that was all that is wanted. */
        private boolean readOn() {
            synchronized (Reader.this) {
                while (keys.size() < most) {
                    if (open == null) open = kind.format.open(work);
                    byte[] record = open.next();
                    if (record != null) {
                        keys.add(key());
                        values.add(record);
                        produced++;
                    }
                    if (record == null || !kind.numbered) {
                        finish();
                        return !keys.isEmpty();
                    }
                }
                return true;
            }
        }

        private byte[] key() {
            return (kind.numbered ? work + ":" + open.label : work).getBytes(StandardCharsets.UTF_8);
        }
    }

    private synchronized void begin(Tensor[] names) {
        require(names.length == 1, INVALID_ARGUMENT, "Expected single component queue, got %d", names.length);
        require(
                names[0].dtype() == DType.STRING && names[0].size() == 1,
                INVALID_ARGUMENT,
                "Expected queue with single string component, got %s",
                names[0].describe());
        String next = FileNames.text(names[0], 0);
        if (kind.numbered) open = kind.format.open(next);
        work = next;
        started++;
    }

    private void finish() {
        finished = started;
        forget();
    }

    private void forget() {
        if (open != null) open.close();
        open = null;
    }

    synchronized long produced() {
        return produced;
    }

    synchronized long finished() {
        return finished;
    }

    synchronized void reset() {
        forget();
        started = 0;
        finished = 0;
        produced = 0;
        work = "";
    }

    /** TensorFlow's message of where it is, of readers that have a record for a file: others are not asked for it. */
    synchronized byte[] state() {
        require(!kind.numbered, UNIMPLEMENTED, "Reader SerializeState: a %s has none", kind.name);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            if (started != 0) out.writeInt64(1, started);
            if (finished != 0) out.writeInt64(2, finished);
            if (produced != 0) out.writeInt64(3, produced);
            if (!work.isEmpty()) out.writeByteArray(4, work.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    /** Goes where a message says; one that does not fit leaves it where it began. */
    synchronized void restore(byte[] state) {
        try {
            set(state);
        } catch (OxbowException e) {
            if (!kind.numbered) reset();
            throw e;
        }
    }

    private void set(byte[] state) {
        require(!kind.numbered, UNIMPLEMENTED, "Reader RestoreState: a %s has none", kind.name);
        long[] numbers = new long[4];
        byte[] current = {};
        try {
            CodedInputStream in = CodedInputStream.newInstance(state);
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag == (4 << 3 | 2)) current = in.readByteArray();
                else if ((tag & 7) == 0 && tag >> 3 >= 1 && tag >> 3 <= 3) numbers[tag >> 3] = in.readInt64();
                else in.skipField(tag);
            }
        } catch (IOException e) {
            throw new OxbowException(INVALID_ARGUMENT, "Could not parse state for %s: %s".formatted(name, e), e);
        }
        forget();
        started = numbers[1];
        finished = numbers[2];
        produced = numbers[3];
        work = new String(current, StandardCharsets.UTF_8);
        require(
                started >= 0 && finished >= 0 && produced >= 0,
                INVALID_ARGUMENT,
                "Unexpected negative value when restoring in %s: %d, %d, %d",
                name,
                started,
                finished,
                produced);
        require(
                started <= finished,
                INVALID_ARGUMENT,
                "Inconsistent work started vs. finished when restoring in %s: %d vs. %d",
                name,
                started,
                finished);
    }

    @Override
    public void close() {
        line.close();
        synchronized (this) {
            forget();
        }
    }

    @Override
    public String kind() {
        return kind.name;
    }
}
