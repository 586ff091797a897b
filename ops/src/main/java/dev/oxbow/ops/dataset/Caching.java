package dev.oxbow.ops.dataset;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Elements that are kept once one walk has seen all of them. */
final class Caching {
    private final Dataset from;
    private List<List<Tensor>> whole;

    private Caching(Dataset from) {
        this.from = from;
    }

    static Dataset of(Dataset from) {
        Caching cache = new Caching(from);
        return new Dataset(List.of(), List.of(from), cache::open);
    }

    private synchronized Elements open() {
        return whole == null ? new Filling(from.open()) : new Kept(whole);
    }

    private synchronized void keep(List<List<Tensor>> all) {
        if (whole == null) whole = all;
    }

    private static List<Tensor> shared(List<Tensor> element) {
        List<Tensor> copy = new ArrayList<>();
        for (Tensor t : element) copy.add(t.reshaped(t.shape()));
        return copy;
    }

    private final class Filling extends Walks.Through {
        private final Elements all;
        private final List<List<Tensor>> seen = new ArrayList<>();

        Filling(Elements all) {
            super(all);
            this.all = all;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            all.next(turn, (element, error) -> {
                if (element != null) seen.add(shared(element));
                else if (error == null) keep(seen);
                taker.take(element, error);
            });
        }
    }

    private static final class Kept implements Elements {
        private final List<List<Tensor>> all;
        private int at;

        Kept(List<List<Tensor>> all) {
            this.all = all;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            List<Tensor> element = new ArrayList<>();
            if (at < all.size()) for (Tensor t : all.get(at)) element.add(t.retain());
            taker.take(at++ < all.size() ? element : null, null);
        }
    }
}
