package dev.oxbow.tensor;

/** Stable codes of every error that Oxbow raises: TensorFlow's status codes, with the category that decides whether to retry. */
public enum ErrorCode {
    CANCELLED(1, Category.PEER),
    UNKNOWN(2, Category.INTERNAL),
    INVALID_ARGUMENT(3, Category.USER),
    DEADLINE_EXCEEDED(4, Category.PEER),
    NOT_FOUND(5, Category.USER),
    ALREADY_EXISTS(6, Category.USER),
    PERMISSION_DENIED(7, Category.USER),
    RESOURCE_EXHAUSTED(8, Category.RESOURCE),
    FAILED_PRECONDITION(9, Category.USER),
    ABORTED(10, Category.PEER),
    OUT_OF_RANGE(11, Category.USER),
    UNIMPLEMENTED(12, Category.USER),
    INTERNAL(13, Category.INTERNAL),
    UNAVAILABLE(14, Category.PEER),
    DATA_LOSS(15, Category.RESOURCE),
    UNAUTHENTICATED(16, Category.USER);

    /** Whose fault it is, and so whether trying again can help. */
    public enum Category {
        /** The program or its input is wrong; trying again gives the same answer. */
        USER,
        /** Memory, disk or another bounded resource ran out. */
        RESOURCE,
        /** Another task, or whoever cancelled; trying again may help. */
        PEER,
        /** A defect of Oxbow. */
        INTERNAL
    }

    private final int number;
    private final Category category;

    ErrorCode(int number, Category category) {
        this.number = number;
        this.category = category;
    }

    /** TensorFlow's status code. */
    public int number() {
        return number;
    }

    public Category category() {
        return category;
    }
}
