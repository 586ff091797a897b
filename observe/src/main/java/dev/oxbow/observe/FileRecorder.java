package dev.oxbow.observe;

import com.google.protobuf.ByteString;
import dev.oxbow.observe.run.GrowingIndex;
import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.LogMessage;
import dev.oxbow.wire.proto.SessionLog;
import dev.oxbow.wire.proto.Summary;
import dev.oxbow.wire.proto.TaggedRunMetadata;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events to an event file, and lets others see them when there is nothing more to write, or each second. Where the disk is
 * full it says so once, counts what is lost, and tries again each second.
 */
final class FileRecorder implements EventReader {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecorder.class);
    private static final long FLUSH_MILLIS = 1000;

    private final EventFile file;
    private GrowingIndex index;
    private long lost;
    private long unseen;
    private long flushed;
    private long failed = Long.MIN_VALUE / 2;
    private boolean told;

    FileRecorder(Path folder) throws IOException {
        this(EventFile.create(folder, ".oxbow"));
    }

    FileRecorder(EventFile file) {
        this.file = file;
    }

    Path file() {
        return file.path();
    }

    /** How many events are in no file. */
    long lost() {
        return lost;
    }

    @Override
    public void lost(long count) {
        lost += count;
    }

    @Override
    public void event(long millis, Event event) throws IOException {
        if (millis - failed < FLUSH_MILLIS) {
            lost++;
            return;
        }
        try {
            long before = file.flushed();
            unseen++;
            record(millis, event);
            if (file.flushed() > before) unseen = 0;
            if (millis - flushed > FLUSH_MILLIS) {
                flushed = millis;
                flush(false);
            }
        } catch (IOException e) {
            failed(millis, e);
        }
    }

    private void failed(long millis, IOException e) {
        lost += unseen;
        unseen = 0;
        failed = millis;
        if (index != null) index.forget();
        if (!told) LOG.warn("{} can not be written, events are lost until it can: {}", file.path(), e.toString());
        told = true;
    }

    private void record(long millis, Event event) throws IOException {
        double seconds = millis / 1000.0;
        switch (event) {
            case Event.Started s -> {
                add(millis, 0, Messages.settings(s.settings(), seconds));
                session(millis, 0, SessionLog.SessionStatus.START, "");
            }
            case Event.Step s -> add(millis, s.step(), Messages.step(s));
            case Event.Figures f -> add(millis, f.step(), Messages.figures("", f.values()));
            case Event.Summarised s -> add(millis, s.step(), Summary.parseFrom(s.summary()));
            case Event.Graphed g -> write(EventFile.event(millis, 0).setGraphDef(ByteString.copyFrom(g.graph())));
            case Event.Traced t ->
                write(EventFile.event(millis, t.step())
                        .setTaggedRunMetadata(TaggedRunMetadata.newBuilder()
                                .setTag("step " + t.step())
                                .setRunMetadata(Messages.trace(t.spans()))));
            case Event.Health h -> {
                Summary.Builder figures = Messages.figures("health/", h.values()).toBuilder();
                add(
                        millis,
                        h.step(),
                        figures.addValue(Summaries.scalar("health/lost_events", lost))
                                .build());
            }
            case Event.Said s ->
                write(EventFile.event(millis, 0)
                        .setLogMessage(
                                LogMessage.newBuilder().setLevel(s.level()).setMessage(s.text())));
            case Event.Ended e -> {
                add(millis, e.step(), Messages.end(e.why().isEmpty(), seconds));
                session(millis, e.step(), SessionLog.SessionStatus.STOP, e.why());
            }
        }
    }

    private void session(long millis, long step, SessionLog.SessionStatus status, String text) throws IOException {
        write(EventFile.event(millis, step)
                .setSessionLog(SessionLog.newBuilder().setStatus(status).setMsg(text)));
    }

    private void add(long millis, long step, Summary summary) throws IOException {
        write(EventFile.event(millis, step).setSummary(summary));
    }

    private void write(dev.oxbow.wire.proto.Event.Builder event) throws IOException {
        if (index == null) index = GrowingIndex.of(file.path());
        dev.oxbow.wire.proto.Event e = event.build();
        index.add(e, file.write(e.toByteArray()));
    }

    private void flush(boolean last) throws IOException {
        file.flush();
        unseen = 0;
        if (index != null) index.flushed(file.flushed(), last);
    }

    @Override
    public void idle() {
        try {
            if (unseen > 0) flush(false);
        } catch (IOException e) {
            failed(System.currentTimeMillis(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try (file) {
            flush(true);
        }
    }
}
