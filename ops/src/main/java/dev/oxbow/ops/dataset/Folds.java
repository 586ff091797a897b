package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Functions that go over all elements with a state. */
final class Folds {
    private Folds() {}

    /** Each time what a function makes of the state and an element, behind the state that it leaves. */
    static Dataset scan(Dataset from, List<Tensor> state, Callee f, boolean keepsSize) {
        List<Tensor> held = new ArrayList<>(state);
        held.addAll(f.captured());
        return new Dataset(held, List.of(from), () -> {
                    Elements all = from.open();
                    return new Walks.Through(all) {
                        private List<Tensor> now =
                                state.stream().map(Tensor::retain).toList();

                        @Override
                        public void next(Turn turn, Taker taker) {
                            all.next(turn, (element, error) -> {
                                if (element == null) taker.take(null, error);
                                else step(turn, element, taker);
                            });
                        }

                        private void step(Turn turn, List<Tensor> element, Taker taker) {
                            List<Tensor> both = new ArrayList<>(now);
                            both.addAll(element);
                            now.forEach(Tensor::retain); // a call that fails leaves the state as it was
                            turn.call(f, both, (made, error) -> {
                                if (error != null) {
                                    taker.take(null, error);
                                    return;
                                }
                                now.forEach(Tensor::release);
                                now = List.copyOf(made.subList(0, state.size()));
                                taker.take(new ArrayList<>(made.subList(state.size(), made.size())), null);
                            });
                        }

                        @Override
                        public void close() {
                            now.forEach(Tensor::release);
                            now = List.of();
                            super.close();
                        }
                    };
                })
                .sized(keepsSize ? from.size() : Dataset.UNKNOWN);
    }

    /** Gives the state, which begins as the inputs behind the first, after a function was called with each element of input 0. */
    static void reduce(KernelContext c, FunctionRef function, int states, List<DType> types, List<Shape> shapes) {
        Callee f = Callee.of(c, function, 1 + states, c.inputCount());
        Walk walk = new Walk(c, f.captured(), types, shapes);
        List<Tensor> state = DatasetOp.kept(c, 1, 1 + states);
        Runnable forget = () -> {
            state.forEach(Tensor::release);
            state.clear();
        };
        Repeating.start(
                walk.turn,
                walk,
                again -> walk.elements.next(walk.turn, (element, error) -> {
                    if (error != null) {
                        forget.run();
                        walk.take(null, error);
                        return;
                    }
                    List<Tensor> both = new ArrayList<>(state);
                    state.clear(); // they are the kernel's, or the call's, which frees its arguments
                    if (element == null) {
                        walk.take(both, null);
                        return;
                    }
                    both.addAll(element);
                    walk.turn.call(f, both, (made, failure) -> {
                        if (failure != null) {
                            walk.take(null, failure);
                            return;
                        }
                        state.addAll(made);
                        again.run();
                    });
                }),
                forget);
    }

    /** Gives the one element of input 0. */
    static void single(KernelContext c, List<DType> types, List<Shape> shapes) {
        Walk walk = new Walk(c, List.of(), types, shapes);
        Turn.guarded(
                walk,
                () -> walk.elements.next(walk.turn, (element, error) -> {
                    if (element == null) {
                        walk.take(
                                null,
                                error != null ? error : new OxbowException(INVALID_ARGUMENT, "Dataset was empty."));
                        return;
                    }
                    Turn.guarded(
                            walk,
                            () -> walk.elements.next(walk.turn, (more, failure) -> {
                                if (more == null && failure == null) {
                                    walk.take(element, null);
                                    return;
                                }
                                element.forEach(Tensor::release);
                                if (more != null) more.forEach(Tensor::release);
                                walk.take(
                                        null,
                                        failure != null
                                                ? failure
                                                : new OxbowException(
                                                        INVALID_ARGUMENT, "Dataset had more than one element."));
                            }));
                }));
    }

    /** A kernel that walks over the data set of input 0, and gives what it has taken. */
    private static final class Walk implements Taker {
        final Turn turn;
        final Elements elements;
        private final Dataset dataset;
        private final List<Tensor> held;
        private final List<DType> types;
        private final List<Shape> shapes;
        private final Completion done;
        private final AtomicBoolean ended = new AtomicBoolean();

        Walk(KernelContext c, List<Tensor> held, List<DType> types, List<Shape> shapes) {
            turn = new Turn(c);
            dataset = Dataset.same(c, 0);
            this.held = held;
            this.types = types;
            this.shapes = shapes;
            elements = dataset.open();
            done = c.defer();
        }

        @Override
        public void take(List<Tensor> element, Throwable error) {
            if (ended.getAndSet(true)) return;
            elements.close();
            dataset.release();
            held.forEach(Tensor::release);
            Iterators.finish(turn.context(), done, element, error, types, shapes);
        }
    }
}
