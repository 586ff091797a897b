package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;

/** NCCL, between an engine's card and those of other processes. */
record NcclFabric(Card card) implements Fabric {

    /** Fails with one sentence where there is no NCCL, or an old one. */
    NcclFabric {
        String missing = Libraries.missingNccl();
        require(missing == null, FAILED_PRECONDITION, "%s", missing);
    }

    @Override
    public String name() {
        return "NCCL " + Libraries.text(Nccl.version());
    }

    @Override
    public boolean supports(DType dtype, Combining how) {
        return Nccl.type(dtype) >= 0 && (how != Combining.MEAN || dtype.isFloating());
    }

    @Override
    public byte[] identity() {
        card.enter();
        return Nccl.identity();
    }

    @Override
    public Member join(byte[] identity, int rank, int size) {
        card.enter();
        return new NcclMember(card, Nccl.join(identity, rank, size), rank, size);
    }
}
