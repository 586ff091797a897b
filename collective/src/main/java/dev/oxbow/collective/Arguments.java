package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import java.util.Arrays;

/** Checks what a group is called with, before anything moves. */
record Arguments(Group group) {
    void member() {
        require(
                group.rank() >= 0,
                FAILED_PRECONDITION,
                "group %s: rank %d is not a member",
                group.name(),
                group.jobRank());
    }

    void root(Kind kind, int root) {
        member();
        require(
                root >= 0 && root < group.size(),
                INVALID_ARGUMENT,
                "%s of group %s: root must be in [0, %d), got %d",
                kind,
                group.name(),
                group.size(),
                root);
    }

    void reduction(Kind kind, DType dtype, Reduction reduction, Options options) {
        member();
        require(
                reduction.supports(dtype),
                INVALID_ARGUMENT,
                "%s of group %s: %s is not defined for %s",
                kind,
                group.name(),
                reduction,
                dtype);
        wire(kind, dtype, reduction, options);
    }

    private void wire(Kind kind, DType dtype, Reduction reduction, Options options) {
        if (options.wire() == WireFormat.NONE) return;
        require(
                kind == Kind.ALL_REDUCE && dtype == DType.F32 && reduction.isCommutative(),
                INVALID_ARGUMENT,
                "%s of group %s: %s on the wire needs an all-reduce of f32 with a commutative reduction, got %s",
                kind,
                group.name(),
                options.wire(),
                dtype);
    }

    /** What cards do not do together. */
    void onHost(Kind kind, Elements x) {
        require(
                !x.isOnCard(),
                INVALID_ARGUMENT,
                "%s of group %s: is for elements of the host, and these lie in the memory of %s",
                kind,
                group.name(),
                x.space().name());
    }

    void plain(Kind kind, Options options) {
        require(
                options.wire() == WireFormat.NONE,
                INVALID_ARGUMENT,
                "%s of group %s: can not be %s on the wire",
                kind,
                group.name(),
                options.wire());
        require(
                options.algorithm() == null,
                INVALID_ARGUMENT,
                "%s of group %s: only an all-reduce can wish an algorithm, got %s",
                kind,
                group.name(),
                options.algorithm());
    }

    void counts(Kind kind, long[] counts, long count) {
        member();
        require(
                counts.length == group.size()
                        && Arrays.stream(counts).allMatch(c -> c >= 0)
                        && Arrays.stream(counts).sum() == count,
                INVALID_ARGUMENT,
                "%s of group %s: counts must be %d numbers >= 0 with the sum %d, got %s",
                kind,
                group.name(),
                group.size(),
                count,
                Arrays.toString(counts));
    }

    void segment(Kind kind, Elements x, long[] counts, int root) {
        require(
                root == group.rank() || x.count() == counts[group.rank()],
                INVALID_ARGUMENT,
                "%s of group %s: rank %d has %d elements, but counts say %d",
                kind,
                group.name(),
                group.jobRank(),
                x.count(),
                counts[group.rank()]);
    }
}
