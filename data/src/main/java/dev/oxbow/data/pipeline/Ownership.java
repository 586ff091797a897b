package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Who closes an element: what holds tensors is closed by its last owner, all else is left to the collector. */
final class Ownership {
    private Ownership() {}

    static void close(Object o) {
        switch (o) {
            case Tensor t -> t.close();
            case Sample s -> s.close();
            case Batch b -> b.close();
            case List<?> l -> l.forEach(Ownership::close);
            case null, default -> {}
        }
    }

    /** Closes what {@code after} was made of, except the tensors that it has itself. */
    static void passOn(Object before, Object after) {
        if (before == after) return;
        List<Tensor> kept = new ArrayList<>();
        collect(after, kept);
        List<Tensor> had = new ArrayList<>();
        collect(before, had);
        for (Tensor t : had) if (kept.stream().noneMatch(k -> k == t)) t.close();
    }

    private static void collect(Object o, Collection<Tensor> into) {
        switch (o) {
            case Tensor t -> into.add(t);
            case Sample s -> into.addAll(s.tensors());
            case Batch b -> into.addAll(b.tensors());
            case List<?> l -> l.forEach(e -> collect(e, into));
            case null, default -> {}
        }
    }

    /** Another owner's handle of the same element; tensors are views. */
    @SuppressWarnings("unchecked")
    static <T> T share(T o) {
        return (T)
                switch (o) {
                    case Tensor t -> t.reshaped(t.shape());
                    case Sample s -> new Sample(share(s.tensors()));
                    case Batch b -> new Batch(share(b.tensors()), b.number(), b.first(), b.rows());
                    case List<?> l -> l.stream().map(Ownership::share).toList();
                    case null, default -> o;
                };
    }
}
