package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The code in the Javadoc of packages that {@code dev.oxbow} shows to everybody. Every public type there is used in a snippet, in
 * its own Javadoc or elsewhere in its package, and every snippet compiles. Enums, annotations and exceptions need none.
 */
final class SnippetsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern REQUIRED = Pattern.compile("requires transitive dev\\.oxbow\\.(\\w+);");
    private static final Pattern EXPORTED = Pattern.compile("exports ([\\w.]+);");
    private static final Pattern TYPE =
            Pattern.compile("(?m)^public (?:abstract |final |sealed |non-sealed )*(?:class|record|interface) (\\w+)");
    private static final Pattern NO_CODE = Pattern.compile("//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"");
    private static final Pattern DECLARATION = Pattern.compile(
            "(?:(?:public|final|abstract) )*(?:class|record|interface|enum|void) .*|@\\w+.*|static [^=]*\\) (?:throws \\w+ )?\\{");

    @TempDir
    private Path home;

    /** A snippet, and where it is from. */
    private record Snippet(String file, int number, String code) {
        /** A class that has it in a method, or as its members where it declares something. */
        String source(String name, Set<String> packages, String own, List<String> types) {
            StringBuilder imports = new StringBuilder();
            types.forEach(t ->
                    imports.append("import ").append(own).append('.').append(t).append(";\n"));
            packages.forEach(p -> imports.append("import ").append(p).append(".*;\n"));
            for (String p : List.of("java.time", "java.util", "java.nio.file", "java.io"))
                imports.append("import ").append(p).append(".*;\n");
            Map<Boolean, List<String>> lines =
                    code.lines().collect(Collectors.partitioningBy(l -> l.startsWith("import ")));
            lines.get(true).forEach(l -> imports.append(l).append('\n'));
            String body = String.join("\n", lines.get(false)).strip();
            String first =
                    body.lines().filter(l -> !l.startsWith("//")).findFirst().orElseThrow();
            boolean declares = DECLARATION.matcher(first).matches();
            return imports + "class " + name + " {\n"
                    + (declares ? body : "void run() throws Exception {\n" + body + "\n}") + "\n}\n";
        }
    }

    @Test
    void everyTypeThatUsersSeeIsInASnippetAndEverySnippetCompiles() throws IOException {
        Map<String, Path> packages = packages();
        assertTrue(packages.containsKey("dev.oxbow.train.layer"), () -> "packages " + packages.keySet());
        List<String> without = new ArrayList<>();
        List<JavaFileObject> units = new ArrayList<>();
        Map<String, String> origins = new TreeMap<>();
        for (var p : packages.entrySet()) {
            List<Snippet> snippets = new ArrayList<>();
            List<String> types = new ArrayList<>();
            try (Stream<Path> files = Files.list(p.getValue())) {
                for (Path f : files.filter(f -> f.toString().endsWith(".java"))
                        .sorted()
                        .toList()) {
                    String text = Files.readString(f);
                    Matcher type = TYPE.matcher(text);
                    if (type.find() && !type.group(1).endsWith("Exception")) types.add(type.group(1));
                    snippets.addAll(snippets(ROOT.relativize(f).toString(), text));
                }
            }
            String all = snippets.stream()
                    .map(s -> NO_CODE.matcher(s.code).replaceAll(""))
                    .collect(Collectors.joining("\n"));
            for (String t : types)
                if (!Pattern.compile("\\b" + t + "\\b").matcher(all).find()) without.add(p.getKey() + "." + t);
            for (Snippet s : snippets) {
                String name = "Snippet" + units.size();
                units.add(unit(name, s.source(name, packages.keySet(), p.getKey(), types)));
                origins.put("/" + name + ".java", s.file + " #" + s.number);
            }
        }
        assertEquals("", compiled(units, origins));
        assertEquals(List.of(), without);
    }

    /** What is wrong with these, one line for each error. */
    private String compiled(List<JavaFileObject> units, Map<String, String> origins) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var found = new DiagnosticCollector<JavaFileObject>();
        List<String> options = List.of(
                "-proc:none", "-d", home.toString(), "-cp", System.getProperty("java.class.path"), "-Xmaxerrs", "500");
        compiler.getTask(null, null, found, options, null, units).call();
        return found.getDiagnostics().stream()
                .filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
                .map(d -> origins.get(d.getSource().toUri().getPath()) + ": " + d.getMessage(null))
                .collect(Collectors.joining("\n"));
    }

    private static JavaFileObject unit(String name, String code) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return code;
            }
        };
    }

    /** The inline snippets of a file, without the margin of their comments. */
    private static List<Snippet> snippets(String file, String text) {
        List<Snippet> all = new ArrayList<>();
        for (int at = text.indexOf("{@snippet"); at >= 0; at = text.indexOf("{@snippet", at + 1)) {
            int depth = 0, end = at;
            do {
                char c = text.charAt(end++);
                depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            } while (depth > 0);
            String inside = text.substring(text.indexOf('\n', at) + 1, end - 1);
            String code =
                    inside.lines().map(l -> l.replaceFirst("^ *\\* ?", "")).collect(Collectors.joining("\n"));
            all.add(new Snippet(file, all.size() + 1, code.stripIndent()));
        }
        return all;
    }

    /** By name, the folders of packages that the library's modules, and those that these bring along, export to all. */
    private static Map<String, Path> packages() throws IOException {
        Map<String, Path> packages = new TreeMap<>();
        Set<String> seen = new TreeSet<>();
        List<String> work = new ArrayList<>(List.of("library"));
        while (!work.isEmpty()) {
            String module = work.removeLast();
            if (!seen.add(module)) continue;
            Path sources = ROOT.resolve(module).resolve("src/main/java");
            String descriptor = Files.readString(sources.resolve("module-info.java"));
            REQUIRED.matcher(descriptor).results().forEach(r -> work.add(r.group(1)));
            EXPORTED.matcher(descriptor)
                    .results()
                    .forEach(r ->
                            packages.put(r.group(1), sources.resolve(r.group(1).replace('.', '/'))));
        }
        return packages;
    }
}
