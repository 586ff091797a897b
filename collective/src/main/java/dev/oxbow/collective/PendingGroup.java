package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

/** A group that is being formed. */
public final class PendingGroup extends Pending {
    private volatile Group group;

    PendingGroup(Communicator communicator) {
        super(communicator);
    }

    /** The group; fails before {@link #isDone} and when forming it failed. */
    public Group group() {
        require(isDone(), FAILED_PRECONDITION, "PendingGroup: the group is still being formed");
        if (error() != null) throw error();
        return group;
    }

    void formed(Group formed) {
        group = formed;
        end(null);
    }
}
