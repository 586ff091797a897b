package dev.oxbow.observe;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Something that happened in a run. Whoever makes one hands it to an {@link EventStream} and goes on; what is costly, such as the
 * bytes of a file, is for its readers.
 */
public sealed interface Event {

    /** About how many bytes it holds beside itself, which a stream counts. */
    default long bytes() {
        return 0;
    }

    /** A run begins with these settings: numbers, booleans or texts. */
    record Started(Map<String, Object> settings) implements Event {
        public Started {
            settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        }
    }

    /**
     * A step has ended.
     *
     * @param nanos since the one before
     * @param inputNanos of these, until its input was there
     * @param examples the rows that this process had
     */
    record Step(long step, double loss, long nanos, long inputNanos, long examples) implements Event {}

    /** Numbers by name, such as the metrics of an epoch. */
    record Figures(long step, Map<String, Double> values) implements Event {
        public Figures {
            values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        }
    }

    /** Values for TensorBoard: a serialised summary of TensorFlow's. */
    record Summarised(long step, byte[] summary) implements Event {
        @Override
        public long bytes() {
            return summary.length;
        }
    }

    /** A graph: a serialised GraphDef. */
    record Graphed(byte[] graph) implements Event {
        @Override
        public long bytes() {
            return graph.length;
        }
    }

    /** What a step did, on the devices of this process. */
    record Traced(long step, List<Span> spans) implements Event {
        @Override
        public long bytes() {
            return 200L * spans.size();
        }
    }

    /** How a process does: whatever can be counted, by name. */
    record Health(long step, Map<String, Double> values) implements Event {
        public Health {
            values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        }
    }

    /** A line of the log; levels are those of TensorFlow: 20 says, 30 warns, 40 is an error. */
    record Said(int level, String text) implements Event {
        @Override
        public long bytes() {
            return text.length();
        }
    }

    /** The run has ended; {@code why} is empty where all went well. */
    record Ended(long step, String why) implements Event {}

    /**
     * Something that a device did in a step.
     *
     * @param nodes one, or those that ran as one kernel
     * @param ops of the nodes
     * @param origin the line that made the first of them; empty where nobody knows
     * @param fromNanos since 1970, as the clock of this process has it
     */
    record Span(String device, List<String> nodes, List<String> ops, String origin, long fromNanos, long toNanos) {}
}
