package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Walks that take the elements of others one by one. */
final class Walks {
    private Walks() {}

    /** Each element after a function. */
    static Dataset map(Dataset from, Callee f, boolean keepsSize) {
        return new Dataset(f.captured(), List.of(from), () -> {
                    Elements all = from.open();
                    return new Through(all) {
                        @Override
                        public void next(Turn turn, Taker taker) {
                            all.next(turn, (element, error) -> {
                                if (element == null) taker.take(null, error);
                                else turn.call(f, element, taker);
                            });
                        }
                    };
                })
                .sized(keepsSize ? from.size() : Dataset.UNKNOWN);
    }

    /** The elements for which a function is true. */
    static Dataset filter(Dataset from, Callee f, boolean endsAtFalse) {
        return new Dataset(f.captured(), List.of(from), () -> {
            Elements all = from.open();
            return new Through(all) {
                private boolean ended;

                @Override
                public void next(Turn turn, Taker taker) {
                    if (ended) taker.take(null, null);
                    else
                        Repeating.start(
                                turn,
                                taker,
                                again -> all.next(turn, (element, error) -> {
                                    if (element == null) taker.take(null, error);
                                    else judge(turn, element, taker, again);
                                }));
                }

                private void judge(Turn turn, List<Tensor> element, Taker taker, Runnable again) {
                    List<Tensor> kept = new ArrayList<>();
                    for (Tensor t : element) kept.add(t.retain());
                    turn.call(f, element, (verdict, error) -> {
                        boolean keep = error == null && isTrue(verdict);
                        if (keep) {
                            taker.take(kept, null);
                            return;
                        }
                        kept.forEach(Tensor::release);
                        ended |= endsAtFalse;
                        if (error != null || endsAtFalse) taker.take(null, error);
                        else again.run();
                    });
                }
            };
        });
    }

    private static boolean isTrue(List<Tensor> verdict) {
        boolean yes = verdict.size() == 1 && verdict.getFirst().getLong(0) != 0;
        verdict.forEach(Tensor::release);
        return yes;
    }

    /** Up to so many elements of a data set, behind so many others; a negative number is all. */
    static Dataset part(Dataset from, long skipped, long most, long every) {
        return new Dataset(List.of(), List.of(from), () -> {
                    Elements all = from.open();
                    return new Through(all) {
                        private long before = skipped;
                        private long left = most;

                        @Override
                        public void next(Turn turn, Taker taker) {
                            if (left == 0) {
                                taker.take(null, null);
                                return;
                            }
                            Repeating.start(
                                    turn,
                                    taker,
                                    again -> all.next(turn, (element, error) -> {
                                        if (element == null || before == 0) {
                                            left = element == null ? left : left - 1;
                                            before = every - 1;
                                            taker.take(element, error);
                                            return;
                                        }
                                        before--;
                                        element.forEach(Tensor::release);
                                        again.run();
                                    }));
                        }
                    };
                })
                .sized(size(from.size(), skipped, most, every));
    }

    private static long size(long all, long skipped, long most, long every) {
        if (most == 0 && all != Dataset.UNKNOWN) return 0;
        if (all == Dataset.ENDLESS) return most < 0 ? all : most;
        long some = Dataset.sized(all, n -> Math.ceilDiv(Math.max(0, n - skipped), every));
        return some < 0 || most < 0 ? some : Math.min(some, most);
    }

    /** A data set so many times; for ever where the number is negative. */
    static Dataset repeat(Dataset d, long times) {
        long size = times == 0 || times < 0 && d.size() == 0
                ? 0
                : times < 0 ? Dataset.ENDLESS : Dataset.sized(d.size(), n -> n * times);
        return sequence(List.of(d), (n, empty) -> n == times || times < 0 && n > 0 && empty ? null : d)
                .sized(size);
    }

    /** Some data sets behind each other, the next one opened when one has ended; null ends. */
    interface Sequel {
        Dataset after(int count, boolean wasEmpty);
    }

    static Dataset sequence(List<Dataset> inputs, Sequel sequel) {
        return new Dataset(List.of(), inputs, () -> new Elements() {
            private Elements current;
            private int count;
            private boolean empty;
            private boolean ended;

            @Override
            public void next(Turn turn, Taker taker) {
                Repeating.start(turn, taker, again -> {
                    if (current == null && !ended) {
                        Dataset d = sequel.after(count++, empty);
                        ended = d == null;
                        current = ended ? null : d.open();
                        empty = true;
                    }
                    if (ended) {
                        taker.take(null, null);
                        return;
                    }
                    current.next(turn, (element, error) -> {
                        if (element != null || error != null) {
                            empty = false;
                            taker.take(element, error);
                            return;
                        }
                        current.close();
                        current = null;
                        again.run();
                    });
                });
            }

            @Override
            public void close() {
                if (current != null) current.close();
            }
        });
    }

    /** Elements of all side by side. */
    static Dataset zip(List<Dataset> inputs) {
        return new Dataset(List.of(), inputs, () -> {
                    List<Elements> all = inputs.stream().map(Dataset::open).toList();
                    return new Elements() {
                        @Override
                        public void next(Turn turn, Taker taker) {
                            List<Tensor> joined = new ArrayList<>();
                            int[] at = {0};
                            Runnable forget = () -> {
                                joined.forEach(Tensor::release);
                                joined.clear();
                            };
                            Repeating.start(
                                    turn,
                                    taker,
                                    again -> {
                                        if (at[0] == all.size()) {
                                            List<Tensor> whole = List.copyOf(joined);
                                            joined.clear(); // they are the taker's
                                            taker.take(whole, null);
                                            return;
                                        }
                                        all.get(at[0]++).next(turn, (element, error) -> {
                                            if (element == null) {
                                                forget.run();
                                                taker.take(null, error);
                                                return;
                                            }
                                            joined.addAll(element);
                                            again.run();
                                        });
                                    },
                                    forget);
                        }

                        @Override
                        public void close() {
                            all.forEach(Elements::close);
                        }
                    };
                })
                .sized(least(inputs));
    }

    private static long least(List<Dataset> inputs) {
        long least = Dataset.ENDLESS;
        for (Dataset d : inputs) {
            if (d.size() == Dataset.UNKNOWN) return Dataset.UNKNOWN;
            if (d.size() >= 0 && (least < 0 || d.size() < least)) least = d.size();
        }
        return least;
    }

    /** What joins so many elements to one. */
    interface Join {
        List<Tensor> of(Turn turn, List<List<Tensor>> elements);
    }

    /** So many elements as one. */
    static Dataset batch(Dataset from, long size, boolean dropRest, List<Tensor> held, Join join) {
        if (size <= 0) throw new OxbowException(INVALID_ARGUMENT, "Batch size must be greater than zero, got " + size);
        return new Dataset(held, List.of(from), () -> {
                    Elements all = from.open();
                    return new Through(all) {
                        private boolean ended;

                        @Override
                        public void next(Turn turn, Taker taker) {
                            List<List<Tensor>> some = new ArrayList<>();
                            Repeating.start(
                                    turn,
                                    taker,
                                    again -> {
                                        if (some.size() == size || ended) {
                                            give(turn, some, taker);
                                            return;
                                        }
                                        all.next(turn, (element, error) -> {
                                            if (error != null) {
                                                Pieces.release(some);
                                                taker.take(null, error);
                                                return;
                                            }
                                            if (element == null) ended = true;
                                            else some.add(element);
                                            again.run();
                                        });
                                    },
                                    () -> Pieces.release(some));
                        }

                        private void give(Turn turn, List<List<Tensor>> some, Taker taker) {
                            List<Tensor> joined = null;
                            try {
                                if (!some.isEmpty() && (some.size() == size || !dropRest)) joined = join.of(turn, some);
                            } finally {
                                Pieces.release(some);
                            }
                            taker.take(joined, null);
                        }
                    };
                })
                .sized(Dataset.sized(from.size(), n -> dropRest ? n / size : Math.ceilDiv(n, size)));
    }

    /** A walk over another one, which is closed with it. */
    abstract static class Through implements Elements {
        private final Elements from;

        Through(Elements from) {
            this.from = from;
        }

        @Override
        public void close() {
            from.close();
        }
    }
}
