package dev.oxbow.tensor;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** The tensors that a run gives, in order. The caller owns them; closing this closes all of them. */
public final class Results extends AbstractList<Tensor> implements RandomAccess, AutoCloseable {
    private final Tensor[] tensors;

    public Results(List<Tensor> tensors) {
        this.tensors = tensors.toArray(Tensor[]::new);
    }

    @Override
    public Tensor get(int i) {
        return tensors[i];
    }

    @Override
    public int size() {
        return tensors.length;
    }

    /** Gives the memory of every tensor back. Closing twice, or a tensor by itself before, is harmless. */
    @Override
    public void close() {
        for (Tensor t : tensors) t.close();
    }
}
