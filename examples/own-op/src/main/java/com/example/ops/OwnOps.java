package com.example.ops;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** The ops of this jar: a name stands for the class of the same name beside this one. */
public final class OwnOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("Swish");
    }
}
