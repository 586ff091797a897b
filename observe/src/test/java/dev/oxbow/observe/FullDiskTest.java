package dev.oxbow.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.observe.run.Runs;
import dev.oxbow.observe.run.WorkerLog;
import dev.oxbow.wire.event.EventFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FullDiskTest {
    @TempDir
    private Path home;

    /** A file on a disk that has so much room and takes what fits of a write, as disks do. */
    private static final class Disk implements SeekableByteChannel {
        final FileChannel file;
        long room = Long.MAX_VALUE;

        Disk(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            long fits = Math.min(from.remaining(), room - file.position());
            if (fits <= 0) throw new IOException("No space left on device");
            ByteBuffer some = from.slice(from.position(), (int) fits);
            int done = file.write(some);
            from.position(from.position() + done);
            return done;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return file.read(to);
        }

        @Override
        public long position() throws IOException {
            return file.position();
        }

        @Override
        public SeekableByteChannel position(long to) throws IOException {
            file.position(to);
            return this;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public SeekableByteChannel truncate(long size) throws IOException {
            file.truncate(size);
            return this;
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private WorkerLog read() {
        try (Runs runs = Runs.read(List.of(home))) {
            return runs.all().getFirst().first();
        }
    }

    @Test
    void whatADiskHasNoRoomForIsCountedAndTheFileGoesOnWhenThereIsRoomAgain() throws IOException {
        Path path = home.resolve(EventFile.PREFIX + "1");
        Disk disk = new Disk(path);
        FileRecorder recorder = new FileRecorder(EventFile.on(path, disk));
        long now = 1_000_000;
        for (int i = 1; i <= 10; i++) recorder.event(now, step(i));
        recorder.idle();
        disk.room = disk.size() + 100; // one record and a half
        for (int i = 11; i <= 20; i++) recorder.event(now, step(i));
        recorder.idle();
        assertEquals(10, recorder.lost());
        for (int i = 21; i <= 30; i++) recorder.event(now + 1, step(i)); // it does not try again so soon
        assertEquals(20, recorder.lost());
        WorkerLog full = read();
        assertEquals(10, full.step());
        assertEquals("", full.damage());
        disk.room = Long.MAX_VALUE;
        long later = System.currentTimeMillis() + 10_000;
        recorder.event(later, step(31));
        recorder.event(later, new Event.Health(31, Map.of("cpu", 1.0)));
        recorder.close();
        WorkerLog again = read();
        assertEquals(11, again.points("train/loss"));
        assertEquals(31, again.step());
        assertEquals(20, again.last("health/lost_events"));
        assertEquals("", again.damage());
    }

    @Test
    void aFileThatCanNotBeWrittenAnyMoreHoldsNothingUp() throws IOException {
        Path path = home.resolve(EventFile.PREFIX + "1");
        Disk disk = new Disk(path);
        FileRecorder recorder = new FileRecorder(EventFile.on(path, disk));
        EventStream stream = new EventStream();
        stream.attach("file", recorder);
        disk.room = 0;
        for (int i = 0; i < 10_000; i++) stream.publish(step(i));
        stream.close();
        assertEquals(10_000, recorder.lost());
        assertEquals(0, stream.lost());
        assertEquals("", read().damage());
    }

    private static Event.Step step(int i) {
        return new Event.Step(i, 0.5, 1_000_000, 1_000, 32);
    }
}
