package dev.oxbow.observe.run;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.wire.RecordFrame;
import dev.oxbow.wire.proto.Event;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The records of an event file from an offset on, as far as they are whole. */
final class RecordTail {
    /** Longer records are taken for damage. */
    private static final int LONGEST = 256 << 20;

    private static final int BUFFER = 1 << 18;

    private RecordTail() {}

    /** Takes a record, which begins at an offset; false to be given no more. */
    interface Taker {
        boolean take(long offset, Event event);
    }

    /** Hands whole records on; the offset behind the last one. A record that is damaged is an error that names its place. */
    static long read(Path file, long from, Taker taker) throws IOException {
        long at = from, size = Files.size(file);
        if (size <= from) return from;
        try (var channel = Files.newByteChannel(file, StandardOpenOption.READ)) {
            channel.position(from);
            InputStream plain = Channels.newInputStream(channel);
            DataInputStream in = new DataInputStream(new BufferedInputStream(plain, BUFFER));
            byte[] header = new byte[RecordFrame.HEADER];
            while (size - at >= RecordFrame.HEADER + RecordFrame.FOOTER) {
                in.readFully(header);
                String wrong = RecordFrame.lengthError(header);
                long length = RecordFrame.length(header);
                if (wrong == null && (length < 0 || length > LONGEST))
                    wrong = "a record of " + length + " bytes is too long";
                if (wrong != null) throw new DamagedFileException(file, at, wrong);
                if (size - at < RecordFrame.HEADER + length + RecordFrame.FOOTER) break; // it is being written
                byte[] framed = new byte[(int) length + RecordFrame.FOOTER];
                in.readFully(framed);
                wrong = RecordFrame.contentError(framed);
                if (wrong != null) throw new DamagedFileException(file, at, wrong);
                boolean more = taker.take(at, parse(file, at, framed));
                at += RecordFrame.HEADER + framed.length;
                if (!more) break;
            }
        } catch (EOFException e) {
            return at; // it became shorter
        }
        return at;
    }

    private static Event parse(Path file, long at, byte[] framed) throws DamagedFileException {
        try {
            return Event.parser().parseFrom(framed, 0, framed.length - RecordFrame.FOOTER);
        } catch (InvalidProtocolBufferException e) {
            throw new DamagedFileException(file, at, "no event: " + e.getMessage());
        }
    }

    /** The one record at an offset; null where there is none. */
    static Event one(Path file, long offset) throws IOException {
        Event[] found = new Event[1];
        read(file, offset, (_, e) -> {
            found[0] = e;
            return false;
        });
        return found[0];
    }

    /** A file whose records can not be told apart any more. */
    static final class DamagedFileException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedFileException(Path file, long at, String why) {
            super("%s is damaged at byte %d: %s".formatted(file.getFileName(), at, why));
        }
    }
}
