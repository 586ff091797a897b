package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.collective.failure.Cause;
import dev.oxbow.collective.failure.EarlyNotes;
import dev.oxbow.collective.failure.Note;
import dev.oxbow.collective.failure.NoteReader;
import dev.oxbow.collective.failure.NoteWriter;
import dev.oxbow.collective.failure.Status;
import dev.oxbow.tensor.OxbowException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The groups that this rank knows, and the notes that come for them. One thread at a time. */
final class KnownGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KnownGroups.class);
    private static final long MAX_EARLY = 16 << 20;
    private static final int MAX_FAILED = 256;
    private static final int MAX_GONE = 4096;

    private final Communicator communicator;
    private final NoteWriter writer = new NoteWriter();
    private final NoteReader reader;
    private final Map<Long, Group> groups = new LinkedHashMap<>();
    private final LinkedHashSet<Long> gone = new LinkedHashSet<>();
    private final EarlyNotes early = new EarlyNotes(MAX_EARLY);

    KnownGroups(Communicator communicator) {
        this.communicator = communicator;
        reader = new NoteReader(communicator.size());
    }

    List<Group> all() {
        return List.copyOf(groups.values());
    }

    int size() {
        return groups.size();
    }

    void add(Group group) {
        groups.put(group.id(), group);
        for (int m : group.members())
            if (m != communicator.rank() && communicator.mesh().loss(m) != null)
                group.failing().lost(m);
        for (EarlyNotes.Early e : early.take(group.id())) group.calls().note(e.from(), e.note());
        forgetFailed();
    }

    /** A new group, which no other rank needs to agree on. */
    Group form(long id, String name, int[] members) {
        Group group = new Group(communicator, id, name, members);
        add(group);
        return group;
    }

    private void forgetFailed() {
        int failed = 0;
        for (Group g : groups.values()) if (g.error() != null) failed++;
        for (Iterator<Group> all = groups.values().iterator(); failed > MAX_FAILED && all.hasNext(); ) {
            Group g = all.next();
            if (g == communicator.world() || g.error() == null) continue;
            all.remove();
            bury(g);
            failed--;
        }
    }

    /** A group is over on all ranks; what still comes for it is not early. */
    void remove(Group group) {
        groups.remove(group.id());
        bury(group);
    }

    private void bury(Group group) {
        gone.add(group.id());
        if (gone.size() > MAX_GONE) gone.removeFirst();
    }

    void note(int to, Note note) {
        if (communicator.mesh().loss(to) == null) communicator.mesh().note(to, writer.address(), writer.write(note));
    }

    void noted(int from, long address, int length) {
        Note note;
        try {
            note = reader.read(address, length);
        } catch (OxbowException e) {
            if (e.code() != DATA_LOSS) throw e;
            LOG.warn("rank {}: dropped a note of rank {}: {}", communicator.rank(), from, e.getMessage());
            return;
        }
        Group group = groups.get(note.group());
        if (group != null) {
            group.calls().note(from, note);
        } else if (note instanceof Note.Ask(long id, long key)) {
            notCalled(from, id, true, key);
        } else if (!gone.contains(note.group())) {
            if (note instanceof Note.Abort(long id, Cause cause)) notCalled(from, id, false, cause.key());
            int dropped = early.keep(from, note, length);
            if (dropped > 0)
                LOG.warn(
                        "rank {}: dropped {} notes for groups that never came to be here",
                        communicator.rank(),
                        dropped);
        }
    }

    /** Tells of a call in a group that this rank does not have. */
    private void notCalled(int to, long group, boolean asked, long key) {
        Status.State state = gone.contains(group) ? Status.State.FINISHED : Status.State.NOT_CALLED;
        int[] none = {};
        Status status = new Status(key, communicator.rank(), state, List.of(), new long[0], "", none, none, null);
        note(to, new Note.Answered(group, asked, status));
    }

    void lost(int peer, OxbowException why) {
        LOG.debug("rank {} has lost rank {}: {}", communicator.rank(), peer, why.getMessage());
        for (Group g : all()) g.failing().lost(peer);
    }

    @Override
    public void close() {
        writer.close();
    }
}
