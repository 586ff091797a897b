package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.Summary;
import java.util.List;

/** What ops do with the writer of input 0. */
final class Writing {
    private Writing() {}

    /** Does something with a writer. */
    interface On extends NotDifferentiable, Changing {
        void act(KernelContext c, EventWriter writer);

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> act(c, ResourceHandle.resource(c.input(0), EventWriter.class));
        }
    }

    /** Writes the event of a step, which is input 1. */
    interface OfStep extends On {
        void fill(KernelContext c, Event.Builder event);

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            c.scalar(1);
            return List.of();
        }

        @Override
        default void act(KernelContext c, EventWriter writer) {
            Event.Builder e = EventFile.event(c.input(1).getLong(0));
            fill(c, e);
            writer.write(e.build().toByteArray());
        }
    }

    /** Writes a summary. */
    interface OfSummary extends OfStep {
        Summary summary(KernelContext c);

        @Override
        default void fill(KernelContext c, Event.Builder event) {
            event.setSummary(summary(c));
        }
    }

    static Event parse(byte[] bytes) {
        try {
            return Event.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(INVALID_ARGUMENT, "an event is no message: " + e.getMessage(), e);
        }
    }
}
