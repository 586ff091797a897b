package dev.oxbow.collective;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/**
 * Why a group was aborted, as the rank saw it that noticed first.
 *
 * @param key the collective in which it was noticed
 * @param label kind and name of that collective
 * @param origin the rank of the job that noticed it
 * @param culprit the rank of the job that is to blame, or -1 where only the states of all ranks can tell
 * @param text what happened, in words that follow "rank N"
 */
record Cause(Type type, long key, String label, int origin, int culprit, String text) {

    static Cause lost(long key, String label, int origin, int culprit, OxbowException loss) {
        return new Cause(Type.LOST, key, label, origin, culprit, loss.text());
    }

    /** What went wrong; where several things did, the first of this list is what the others followed from. */
    enum Type {
        MISMATCH(ErrorCode.INVALID_ARGUMENT),
        DUPLICATE(ErrorCode.ALREADY_EXISTS),
        FAULT(ErrorCode.INTERNAL),
        CANCELLED(ErrorCode.CANCELLED),
        LOST(ErrorCode.UNAVAILABLE),
        DEADLINE(ErrorCode.DEADLINE_EXCEEDED);

        private final ErrorCode code;

        Type(ErrorCode code) {
            this.code = code;
        }

        ErrorCode code() {
            return code;
        }
    }
}
