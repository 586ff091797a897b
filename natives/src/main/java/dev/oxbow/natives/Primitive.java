package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A oneDNN primitive with the arguments that it takes, for several threads at once. */
final class Primitive {

    /*
     * Running one means pointing memory objects at addresses, so each thread that runs it at the same time needs its
     * own; they are made when needed and kept. Everything is destroyed when the primitive becomes unreachable. A
     * description of a product takes a quarter of a megabyte and a primitive has a copy of its own, so only that is kept.
     */

    private static final Cleaner CLEANER = Cleaner.create();

    private final int[] arguments;
    private final State state;
    private final long scratchBytes;
    private final boolean usesProducts;

    /** From a description, which it takes over, with the arguments that {@link #run} gets addresses for. */
    Primitive(long description, int... arguments) {
        this.arguments = arguments;
        synchronized (OneDnn.GENERATES) {
            long primitive = Dnn.primitive(description);
            this.state = new State(Dnn.description(primitive), primitive);
            Dnn.destroy("primitive_desc", description);
        }
        CLEANER.register(this, state);
        scratchBytes = Dnn.bytes(layout(Dnn.SCRATCHPAD));
        usesProducts = implementation().contains("gemm:");
    }

    /** The layout of an argument; it lives as long as this does. */
    long layout(int argument) {
        return Dnn.layout(state.description, argument);
    }

    String implementation() {
        String name = Dnn.implementation(state.description);
        Reference.reachabilityFence(this);
        return name;
    }

    long scratchBytes() {
        return scratchBytes;
    }

    /** Runs on the calling thread; addresses are in the order of the arguments. */
    void run(long scratch, long x, long y) {
        run(scratch, x, y, 0);
    }

    void run(long scratch, long x, long y, long z) {
        OneDnn.useOneThread();
        Call call = state.free.poll();
        if (call == null) call = new Call(state.description, arguments);
        Dnn.place(call.memories[0], x);
        Dnn.place(call.memories[1], y);
        if (arguments.length > 2) Dnn.place(call.memories[2], z);
        Dnn.place(call.memories[arguments.length], scratch);
        long signals = usesProducts ? Signals.hold() : 0;
        try {
            Dnn.execute(state.primitive, call.stream, arguments.length + 1, call.structures.address());
        } finally {
            Signals.release(signals);
        }
        state.free.add(call);
        Reference.reachabilityFence(this);
    }

    /** What one run at a time needs; knows no primitive, which could never become unreachable otherwise. */
    private static final class Call {
        final long stream = Dnn.stream();
        final long[] memories;
        final MemorySegment structures;

        Call(long description, int[] arguments) {
            memories = new long[arguments.length + 1];
            structures = Arena.ofAuto().allocate(16L * memories.length, 8);
            for (int i = 0; i <= arguments.length; i++) {
                int argument = i < arguments.length ? arguments[i] : Dnn.SCRATCHPAD;
                memories[i] = Dnn.memory(Dnn.layout(description, argument));
                structures.set(JAVA_INT, 16L * i, argument);
                structures.set(JAVA_LONG, 16L * i + 8, memories[i]);
            }
        }
    }

    private record State(long description, long primitive, ConcurrentLinkedQueue<Call> free) implements Runnable {
        State(long description, long primitive) {
            this(description, primitive, new ConcurrentLinkedQueue<>());
        }

        @Override
        public void run() {
            for (Call call : List.copyOf(free)) {
                for (long memory : call.memories) Dnn.destroy("memory", memory);
                Dnn.destroy("stream", call.stream);
            }
            Dnn.destroy("primitive", primitive);
        }
    }
}
