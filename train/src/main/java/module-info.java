/** Layers, losses, metrics, optimizers and the trainer: everything here builds graphs that a session runs. */
module dev.oxbow.train {
    requires transitive dev.oxbow.ops;
    requires transitive dev.oxbow.runtime;

    exports dev.oxbow.train;
    exports dev.oxbow.train.layer;
    exports dev.oxbow.train.loss;
    exports dev.oxbow.train.optimizer;
}
