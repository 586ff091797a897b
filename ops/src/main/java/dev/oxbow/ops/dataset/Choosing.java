package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Some of the elements of one or several data sets. */
final class Choosing {
    private Choosing() {}

    /** Of the next element what becomes of it: true where it was given on, false where the next one is wanted. */
    interface Choice {
        boolean take(List<Tensor> element, Taker taker);
    }

    /** The elements that a choice, made for each walk, gives on. */
    static Dataset chosen(Dataset from, Supplier<Choice> choices) {
        return new Dataset(List.of(), List.of(from), () -> {
            Elements all = from.open();
            Choice choice = choices.get();
            return new Walks.Through(all) {
                @Override
                public void next(Turn turn, Taker taker) {
                    Repeating.start(
                            turn,
                            taker,
                            again -> all.next(turn, (element, error) -> {
                                if (element == null) taker.take(null, error);
                                else if (!choice.take(element, taker)) {
                                    element.forEach(Tensor::release);
                                    again.run();
                                }
                            }));
                }
            };
        });
    }

    /** An element of the data set that another one names, each time. */
    static Dataset directed(Dataset selector, List<Dataset> inputs, boolean stopsAtEmpty) {
        List<Dataset> all = new ArrayList<>(inputs);
        all.add(selector);
        return new Dataset(List.of(), all, () -> {
            Elements names = selector.open();
            List<Elements> open = new ArrayList<>();
            for (Dataset d : inputs) open.add(d.open());
            return new Directed(names, open, stopsAtEmpty);
        });
    }

    /** Each element when it is met first. */
    static Dataset unique(Dataset from) {
        return chosen(from, () -> {
            Set<Object> met = new HashSet<>();
            return (element, taker) -> {
                Tensor t = element.getFirst();
                boolean isKnown = t.dtype() == DType.STRING || t.dtype() == DType.I32 || t.dtype() == DType.I64;
                if (element.size() != 1 || !isKnown) {
                    element.forEach(Tensor::release);
                    taker.take(
                            null,
                            new OxbowException(
                                    INVALID_ARGUMENT,
                                    "UniqueDataset only supports inputs with a single component of type int32, int64"
                                            + " or string,"
                                            + " got %d of which the first is %s".formatted(element.size(), t.dtype())));
                    return true;
                }
                if (!met.add(content(t))) return false;
                taker.take(element, null);
                return true;
            };
        });
    }

    /** What is equal for equal tensors. */
    private static Object content(Tensor t) {
        List<Object> all = new ArrayList<>();
        all.add(t.shape());
        for (long i = 0; i < t.size(); i++)
            all.add(t.dtype() == DType.STRING ? ByteBuffer.wrap((byte[]) t.objects()[(int) i]) : (Object) t.getLong(i));
        return all;
    }

    /** The elements whose last component is true, without it. */
    static Dataset marked(Dataset from) {
        return chosen(from, () -> (element, taker) -> {
            Tensor mark = element.getLast();
            if (mark.dtype() != DType.BOOL || !mark.shape().isScalar()) {
                taker.take(
                        null,
                        new OxbowException(
                                INVALID_ARGUMENT, "the last component must be a scalar bool, got " + mark.describe()));
                element.forEach(Tensor::release);
                return true;
            }
            if (mark.getLong(0) == 0) return false;
            mark.release();
            taker.take(element.subList(0, element.size() - 1), null);
            return true;
        });
    }

    /** The same elements, of which there must be so many. */
    static Dataset asserted(Dataset from, long wanted) {
        return new Dataset(List.of(), List.of(from), () -> {
                    Elements all = from.open();
                    return new Walks.Through(all) {
                        private long seen;

                        @Override
                        public void next(Turn turn, Taker taker) {
                            all.next(turn, (element, error) -> {
                                if (element != null) seen++;
                                String wrong = error != null ? null : wrong(element == null);
                                if (wrong == null) {
                                    taker.take(element, error);
                                    return;
                                }
                                if (element != null) element.forEach(Tensor::release);
                                taker.take(null, new OxbowException(FAILED_PRECONDITION, wrong));
                            });
                        }

                        private String wrong(boolean ended) {
                            if (ended && wanted != seen)
                                return "Input dataset was expected to contain %s but contained only %s."
                                        .formatted(elements(wanted), elements(seen));
                            if (!ended && wanted != Dataset.ENDLESS && seen > wanted)
                                return "Input dataset was expected to contain %s but contained at least %s."
                                        .formatted(elements(wanted), elements(seen));
                            return null;
                        }
                    };
                })
                .sized(wanted);
    }

    private static String elements(long n) {
        return n == Dataset.ENDLESS ? "an infinite number of elements" : n == 1 ? "1 element" : n + " elements";
    }

    private static final class Directed extends Walks.Through {
        private final Elements names;
        private final List<Elements> open;
        private final boolean stopsAtEmpty;
        private int left;
        private boolean ended;

        Directed(Elements names, List<Elements> open, boolean stopsAtEmpty) {
            super(names);
            this.names = names;
            this.open = open;
            this.stopsAtEmpty = stopsAtEmpty;
            left = open.size();
        }

        @Override
        public void next(Turn turn, Taker taker) {
            Repeating.start(turn, taker, again -> {
                if (ended || left == 0) {
                    taker.take(null, null);
                    return;
                }
                names.next(turn, (name, error) -> {
                    if (name == null) {
                        ended = error == null;
                        taker.take(null, error);
                        return;
                    }
                    Turn.guarded(taker, () -> draw(number(name), turn, taker, again));
                });
            });
        }

        private int number(List<Tensor> name) {
            try {
                long i = name.getFirst().getLong(0);
                require(
                        i >= 0 && i < open.size(),
                        INVALID_ARGUMENT,
                        "Selector index out of range: %d >= %d",
                        i,
                        open.size());
                return (int) i;
            } finally {
                name.forEach(Tensor::release);
            }
        }

        private void draw(int i, Turn turn, Taker taker, Runnable again) {
            if (open.get(i) == null) {
                again.run();
                return;
            }
            open.get(i).next(turn, (element, error) -> {
                if (element != null || error != null) {
                    taker.take(element, error);
                    return;
                }
                open.get(i).close();
                open.set(i, null);
                left--;
                ended = stopsAtEmpty;
                again.run();
            });
        }

        @Override
        public void close() {
            for (Elements e : open) if (e != null) e.close();
            super.close();
        }
    }
}
