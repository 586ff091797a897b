package dev.oxbow.graph;

import java.util.List;

/** An op that says where its inputs lie: a planned value that nobody else reads is written there in the first place. */
public interface PlacesInputs {
    /** Memory for inputs of these types, used by one step at a time; null when their places make no difference. */
    Places places(Services services, List<TensorType> inputs);

    /** Memory for the inputs of one op, until it is closed. */
    interface Places extends AutoCloseable {
        /** Where an input lies. */
        long address(int input);

        @Override
        void close();
    }
}
