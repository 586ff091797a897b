package dev.oxbow.data.pipeline;

import java.util.ArrayList;
import java.util.List;

/** Elements of several stages side by side, up to the end of the shortest. */
record ZipStage(List<Stage<?>> inputs) implements Stage<List<Object>> {

    ZipStage {
        inputs = List.copyOf(inputs);
    }

    @Override
    public Cursor<List<Object>> open(Setting setting) {
        List<Cursor<?>> all = Opened.all(inputs, setting);
        return new Cursor<>() {
            private boolean ended;

            @Override
            public Lazy<List<Object>> next() {
                List<Lazy<?>> parts = new ArrayList<>();
                for (Cursor<?> c : all) {
                    Lazy<?> next = ended ? null : c.next();
                    ended |= next == null;
                    if (next != null) parts.add(next);
                }
                if (!ended) return Group.of(parts);
                parts.forEach(Lazy::drop);
                return null;
            }

            @Override
            public long skip(long n) {
                long least = n;
                for (Cursor<?> c : all) least = Math.min(least, c.skip(n));
                ended |= least < n;
                return least;
            }

            @Override
            public void close() {
                Opened.close(all);
            }
        };
    }

    @Override
    public String describe() {
        return "zip";
    }
}
