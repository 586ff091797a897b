package dev.oxbow.observe;

import com.google.protobuf.ByteString;
import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.LogMessage;
import dev.oxbow.wire.proto.SessionLog;
import dev.oxbow.wire.proto.Summary;
import dev.oxbow.wire.proto.TaggedRunMetadata;
import java.io.IOException;
import java.nio.file.Path;

/** Writes events to an event file, and lets others see them when there is nothing more to write, or each second. */
final class FileRecorder implements EventReader {
    private static final long FLUSH_MILLIS = 1000;

    private final EventFile file;
    private long lost;
    private long flushed;
    private boolean dirty;

    FileRecorder(Path folder) throws IOException {
        file = EventFile.create(folder, ".oxbow");
    }

    Path file() {
        return file.path();
    }

    @Override
    public void lost(long count) {
        lost += count;
    }

    @Override
    public void event(long millis, Event event) throws IOException {
        double seconds = millis / 1000.0;
        switch (event) {
            case Event.Started s -> {
                add(millis, 0, Messages.settings(s.settings(), seconds));
                session(millis, 0, SessionLog.SessionStatus.START, "");
            }
            case Event.Step s -> add(millis, s.step(), Messages.step(s));
            case Event.Figures f -> add(millis, f.step(), Messages.figures("", f.values()));
            case Event.Summarised s -> add(millis, s.step(), Summary.parseFrom(s.summary()));
            case Event.Graphed g ->
                write(EventFile.event(millis, 0)
                        .setGraphDef(ByteString.copyFrom(g.graph()))
                        .build()
                        .toByteArray());
            case Event.Traced t ->
                write(EventFile.event(millis, t.step())
                        .setTaggedRunMetadata(TaggedRunMetadata.newBuilder()
                                .setTag("step " + t.step())
                                .setRunMetadata(Messages.trace(t.spans())))
                        .build()
                        .toByteArray());
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
                                LogMessage.newBuilder().setLevel(s.level()).setMessage(s.text()))
                        .build()
                        .toByteArray());
            case Event.Ended e -> {
                add(millis, e.step(), Messages.end(e.why().isEmpty(), seconds));
                session(millis, e.step(), SessionLog.SessionStatus.STOP, e.why());
            }
        }
        if (millis - flushed > FLUSH_MILLIS) {
            flushed = millis;
            idle();
        }
    }

    private void session(long millis, long step, SessionLog.SessionStatus status, String text) throws IOException {
        write(EventFile.event(millis, step)
                .setSessionLog(SessionLog.newBuilder().setStatus(status).setMsg(text))
                .build()
                .toByteArray());
    }

    private void add(long millis, long step, Summary summary) throws IOException {
        write(EventFile.event(millis, step).setSummary(summary).build().toByteArray());
    }

    private void write(byte[] event) throws IOException {
        file.write(event);
        dirty = true;
    }

    @Override
    public void idle() throws IOException {
        if (dirty) file.flush();
        dirty = false;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
