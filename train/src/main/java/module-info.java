/** Layers, losses, metrics, optimizers and the trainer: everything here builds graphs that a session runs. */
module dev.oxbow.train {
    requires com.google.gson;
    requires com.google.protobuf;
    requires transitive dev.oxbow.data;
    requires transitive dev.oxbow.ops;
    requires transitive dev.oxbow.parallel;
    requires transitive dev.oxbow.runtime;
    requires org.slf4j;

    exports dev.oxbow.train;
    exports dev.oxbow.train.export;
    exports dev.oxbow.train.layer;
    exports dev.oxbow.train.loss;
    exports dev.oxbow.train.optimizer;
    exports dev.oxbow.train.state;

    opens dev.oxbow.train.state to
            com.google.gson;
}
