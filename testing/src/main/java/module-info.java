/** Suites that compare Oxbow with recorded answers of TensorFlow; the command line runs them, libraries never see them. */
module dev.oxbow.testing {
    requires transitive dev.oxbow.tensor;
    requires dev.oxbow.wire;

    exports dev.oxbow.testing.conformance;

    uses dev.oxbow.testing.conformance.Engine;
}
