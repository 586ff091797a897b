package dev.oxbow.cuda;

/** Something that cuDNN computes, with all that decides how: equal ones have one plan. */
interface DnnWork {
    /** Descriptors of the operations, with their tensors by number. */
    long[] operations();

    /** All that decides how, in words that no other work has. */
    String key();

    /** Whether products must be those of f32. */
    boolean isTrueF32();
}
