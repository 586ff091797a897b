package dev.oxbow.graph.file;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * Graphs with their functions as binary GraphDefs, such as the frozen graphs of TensorFlow; both ways.
 *
 * {@snippet :
 * Graph graph = GraphFile.read(Path.of("frozen.pb"));
 * IO.println(graph + ", ends with " + graph.sinks());
 * GraphFile.write(graph, Path.of("copy.pb"));
 * }
 */
public final class GraphFile {
    private GraphFile() {}

    /** The graph in a file; anything wrong with it is an error with a stable code. */
    public static Graph read(Path file) {
        return GraphImporter.read(GraphParser.read(file));
    }

    /** The graph in all that is left of a stream, such as a resource of a jar. */
    public static Graph read(InputStream in) throws IOException {
        return parse(in.readAllBytes());
    }

    /** The graph in these bytes, which must not change afterwards: constants may be views of them. */
    public static Graph parse(byte[] bytes) {
        return GraphImporter.read(bytes);
    }

    /** Writes a graph; the file is there whole or not at all. */
    public static void write(Graph graph, Path file) {
        WholeFile.write(file, out -> out.write(bytes(graph)));
    }

    /** The bytes of a graph, the same ones for equal graphs. */
    public static byte[] bytes(Graph graph) {
        return GraphParser.serialise(GraphExporter.write(graph));
    }
}
