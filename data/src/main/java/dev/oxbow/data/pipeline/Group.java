package dev.oxbow.data.pipeline;

import java.util.ArrayList;
import java.util.List;

/** Several elements as one. */
record Group<T>(List<Lazy<? extends T>> members) implements Lazy<List<T>> {

    static <T> Lazy<List<T>> of(List<? extends Lazy<? extends T>> members) {
        return new Group<>(List.copyOf(members));
    }

    @Override
    public List<T> get() {
        List<T> all = new ArrayList<>();
        try {
            for (Lazy<? extends T> m : members) all.add(m.get());
            return all;
        } catch (RuntimeException e) {
            Ownership.close(all);
            throw e;
        }
    }

    @Override
    public long bytes() {
        return members.stream().mapToLong(Lazy::bytes).sum();
    }

    @Override
    public void drop() {
        members.forEach(Lazy::drop);
    }
}
