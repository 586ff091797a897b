package dev.oxbow.collective.failure;

import dev.oxbow.tensor.ErrorCode;

/** What communicators tell each other besides data. Ranks are ranks of the job. */
public sealed interface Note {
    long group();

    /** The sender has made a call and, in rounds after the first, heard of others that did. */
    record Agree(long group, long key, long hash, int round) implements Note {}

    /** The group is aborted; whoever hears it first tells others. */
    record Abort(long group, Cause cause) implements Note {}

    /** Asks for the state of a collective. */
    record Ask(long group, long key) implements Note {}

    /** An answer to {@link Ask}, or part of what a verdict is found from. */
    record Answered(long group, boolean asked, Status status) implements Note {}

    /** The one error that all survivors report; {@code culprit} is -1 where it is no single rank's. */
    record Sentence(long group, long key, ErrorCode code, int culprit, String text) implements Note {}

    /** The sender wants to go on in a new group made of the survivors. */
    record Join(long group, int attempt, int[] lost) implements Note {}

    /** The survivors, as the one found them that collected who joined. */
    record Form(long group, int attempt, int[] members) implements Note {}
}
