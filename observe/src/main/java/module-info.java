/** What training does, as one stream of events: event files, runs on disk, the dashboard, reports and diagnoses. */
module dev.oxbow.observe {
    requires com.google.gson;
    requires com.google.protobuf;
    requires transitive dev.oxbow.train;
    requires dev.oxbow.wire;
    requires static java.desktop;
    requires java.management;
    requires jdk.httpserver;
    requires jdk.management;
    requires org.slf4j;

    exports dev.oxbow.observe;
    exports dev.oxbow.observe.dashboard to
            dev.oxbow.cli;
    exports dev.oxbow.observe.diagnosis to
            dev.oxbow.cli;
    exports dev.oxbow.observe.report to
            dev.oxbow.cli;
    exports dev.oxbow.observe.run to
            dev.oxbow.cli;
}
