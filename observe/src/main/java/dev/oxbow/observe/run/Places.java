package dev.oxbow.observe.run;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Where records of one kind are, thinned to a bound: every second, fourth, eighth, ... and always the newest. */
final class Places {
    static final int MOST = 256;

    private final List<Place> kept = new ArrayList<>();
    private long seen;
    private long each = 1;
    private Place newest;

    void add(Place p) {
        newest = p;
        if (seen++ % each != 0) return;
        kept.add(p);
        if (kept.size() < MOST) return;
        for (int i = 0; i < MOST / 2; i++) kept.set(i, kept.get(2 * i));
        kept.subList(MOST / 2, kept.size()).clear();
        each *= 2;
    }

    List<Place> all() {
        List<Place> all = new ArrayList<>(kept);
        if (newest != null && (all.isEmpty() || all.getLast() != newest)) all.add(newest);
        return all;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(seen);
        out.writeLong(each);
        out.writeInt(kept.size());
        for (Place p : kept) write(out, p);
        out.writeBoolean(newest != null);
        if (newest != null) write(out, newest);
    }

    private static void write(DataOutput out, Place p) throws IOException {
        out.writeLong(p.step());
        out.writeDouble(p.seconds());
        out.writeInt(p.file());
        out.writeLong(p.offset());
    }

    static Places read(DataInput in) throws IOException {
        Places p = new Places();
        p.seen = in.readLong();
        p.each = in.readLong();
        int n = in.readInt();
        if (n < 0 || n > MOST || p.each < 1) throw new IOException(n + " places");
        for (int i = 0; i < n; i++) p.kept.add(place(in));
        if (in.readBoolean()) p.newest = place(in);
        return p;
    }

    private static Place place(DataInput in) throws IOException {
        return new Place(in.readLong(), in.readDouble(), in.readInt(), in.readLong());
    }
}
