package dev.oxbow.ops.dataset;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Elements that are kept once one walk has seen all of them. */
final class Caching {
    private Caching() {}

    static Dataset of(Dataset from, MemoryCache cache) {
        return new Dataset(List.of(), List.of(from), () -> {
                    List<List<Tensor>> whole = cache.kept();
                    return whole == null ? new Filling(from.open(), cache) : new Kept(whole);
                })
                .sized(from.size());
    }

    private static List<Tensor> shared(List<Tensor> element) {
        List<Tensor> copy = new ArrayList<>();
        for (Tensor t : element) copy.add(t.reshaped(t.shape()));
        return copy;
    }

    private static final class Filling extends Walks.Through {
        private final Elements all;
        private final MemoryCache cache;
        private final List<List<Tensor>> seen = new ArrayList<>();

        Filling(Elements all, MemoryCache cache) {
            super(all);
            this.all = all;
            this.cache = cache;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            all.next(turn, (element, error) -> {
                if (element != null) seen.add(shared(element));
                else if (error == null) cache.keep(seen);
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
