/** Suites that compare Oxbow with recorded answers of TensorFlow; the command line runs them, libraries never see them. */
module dev.oxbow.testing {
    requires com.google.protobuf;
    requires transitive dev.oxbow.ops;
    requires transitive dev.oxbow.runtime;

    exports dev.oxbow.testing;
    exports dev.oxbow.testing.conformance;
    exports dev.oxbow.testing.fuzz;
    exports dev.oxbow.testing.samples;

    uses dev.oxbow.testing.conformance.Engine;

    provides dev.oxbow.testing.conformance.Engine with
            dev.oxbow.testing.SessionEngine;
}
