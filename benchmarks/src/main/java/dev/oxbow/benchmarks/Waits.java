package dev.oxbow.benchmarks;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ops that stand for those of a network where only its time and its gradients matter: compute is a wait. */
final class Waits {
    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("waits").factory());

    private static volatile double pace = 1;

    private Waits() {}

    /** Makes all waits so many times as long; 0 for none. */
    static void pace(double times) {
        pace = times;
    }

    /** Its input, after a time; rows stay apart. */
    record Compute(long nanos) implements Op {
        private static final OpSignature SIGNATURE = OpSignature.parse("_Compute(x: T) -> (y: T) {T: type in [FLOAT]}");

        @Override
        public OpSignature signature() {
            return SIGNATURE;
        }

        @Override
        public Map<String, Object> attributes() {
            return Map.of();
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public boolean waits() {
            return true;
        }

        @Override
        public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
            return Pieces.along(axis, outputs, axis);
        }

        @Override
        public Kernel cpu() {
            return c -> {
                Tensor x = c.input(0), y = c.isAllocated(0) ? c.output(0) : c.allocate(0, x.shape());
                Memory.copy(x.address(), y.address(), x.byteSize());
                Completion end = c.defer();
                CLOCK.schedule(end::done, Math.round(pace * nanos), TimeUnit.NANOSECONDS);
            };
        }
    }

    /** The gradient of a layer's parameters: a sum over rows. */
    record Gradient(Shape shape) implements Op {
        private static final OpSignature SIGNATURE =
                OpSignature.parse("_Gradient(x: T) -> (y: T) {T: type in [FLOAT]}");

        @Override
        public OpSignature signature() {
            return SIGNATURE;
        }

        @Override
        public Map<String, Object> attributes() {
            return Map.of();
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(shape));
        }

        @Override
        public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
            return Pieces.summands(outputs, axis);
        }

        @Override
        public Kernel cpu() {
            return c -> c.output(0).set(0, 1);
        }
    }

    /** Where a whole gradient goes. */
    record Update() implements Op {
        private static final OpSignature SIGNATURE = OpSignature.parse("_Update(x: T) -> () {T: type in [FLOAT]}");

        @Override
        public OpSignature signature() {
            return SIGNATURE;
        }

        @Override
        public Map<String, Object> attributes() {
            return Map.of();
        }

        @Override
        public Effects effects() {
            return Effects.WRITES;
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        public Kernel cpu() {
            return _ -> {};
        }
    }
}
