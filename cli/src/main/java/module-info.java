/** The command line: one class per command. */
module dev.oxbow.cli {
    requires com.google.gson;
    requires dev.oxbow.cluster;
    requires dev.oxbow.data;
    requires dev.oxbow.examples;
    requires dev.oxbow.kernels;
    requires dev.oxbow.observe;
    requires dev.oxbow.testing;
    requires dev.oxbow.wire;
    requires info.picocli;
    requires java.desktop; // reports as pixels
    requires java.management;
    requires jdk.management;

    opens dev.oxbow.cli to
            info.picocli;
}
