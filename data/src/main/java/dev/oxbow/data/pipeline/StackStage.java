package dev.oxbow.data.pipeline;

import java.util.List;

/** Each list of samples as a batch, of which a worker stacks its rows. */
record StackStage(Stage<List<Sample>> from, Rows rows) implements Stage<Batch> {

    @Override
    public Cursor<Batch> open(Setting setting) {
        Cursor<List<Sample>> upstream = from.open(setting.whole());
        return new Cursor<>() {
            private long number;

            @Override
            public Lazy<Batch> next() {
                Lazy<List<Sample>> next = upstream.next();
                if (next == null) return null;
                long n = number++;
                return next.then(list -> stack(list, n, setting));
            }

            @Override
            public long skip(long n) {
                long some = upstream.skip(n);
                number += some;
                return some;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
    }

    private Batch stack(List<Sample> list, long number, Setting setting) {
        try {
            long first = Batch.first(list.size(), setting.rank(), setting.ranks());
            long end = Batch.first(list.size(), setting.rank() + 1, setting.ranks());
            return new Batch(rows.stack(list, (int) first, (int) end), number, first, list.size());
        } finally {
            Ownership.close(list);
        }
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String describe() {
        return "padded batch";
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
