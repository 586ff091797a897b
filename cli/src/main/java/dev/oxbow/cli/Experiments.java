package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.examples.Bundled;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.Experiment;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Finds experiments: a bundled one by name, the one in a Java source file, or a class of a class path. */
final class Experiments {
    private static final long COMPILE_SECONDS = 120;

    private Experiments() {}

    static List<String> names() {
        return Bundled.all().stream().map(e -> e.about().name()).toList();
    }

    /** The experiment that a user means. */
    static Experiment of(CommandLine line, String what, String classPath) {
        for (Experiment e : Bundled.all()) if (e.about().name().equals(what)) return e;
        if (what.endsWith(".java")) return inSource(Path.of(what), classPath);
        if (what.indexOf('.') < 0)
            throw new ParameterException(
                    line,
                    "there is no example '%s', only %s; or give a Java source file, or the name of a class"
                            .formatted(what, String.join(", ", names())));
        try {
            return made(new URLClassLoader(urls(classPath), Experiments.class.getClassLoader()).loadClass(what));
        } catch (ClassNotFoundException e) {
            throw new OxbowException(NOT_FOUND, "train: there is no class %s in %s".formatted(what, classPath), e);
        }
    }

    private static Experiment inSource(Path file, String classPath) {
        require(Files.isRegularFile(file), NOT_FOUND, "train: there is no file %s", file);
        try {
            Path classes = Files.createTempDirectory("oxbow-classes");
            compile(file, classes, classPath);
            List<String> names = new ArrayList<>();
            try (Stream<Path> all = Files.walk(classes)) {
                all.filter(p -> p.toString().endsWith(".class"))
                        .map(p -> classes.relativize(p).toString())
                        .forEach(p -> names.add(
                                p.substring(0, p.length() - ".class".length()).replace(File.separatorChar, '.')));
            }
            URL[] urls = urls(classes + File.pathSeparator + classPath);
            ClassLoader loader = new URLClassLoader(urls, Experiments.class.getClassLoader());
            List<Class<?>> found = new ArrayList<>();
            for (String name : names) {
                Class<?> c = Class.forName(name, false, loader);
                if (Experiment.class.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers())) found.add(c);
            }
            require(
                    found.size() == 1,
                    INVALID_ARGUMENT,
                    "train: %s has %d classes that implement dev.oxbow.train.Experiment, wanted is one; a program with a main"
                            + " method is for ./oxbow run",
                    file,
                    found.size());
            return made(found.getFirst());
        } catch (IOException | ReflectiveOperationException e) {
            throw new OxbowException(INVALID_ARGUMENT, "train: can not use %s: %s".formatted(file, e), e);
        }
    }

    private static void compile(Path file, Path classes, String classPath) throws IOException {
        List<String> command = JavaCommand.compiler(classPath);
        command.addAll(List.of("-d", classes.toString(), file.toString()));
        Path log = Files.createTempFile("oxbow-javac", ".log");
        try {
            Process javac = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean done = javac.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS);
            if (!done) javac.destroyForcibly();
            require(
                    done && javac.exitValue() == 0,
                    INVALID_ARGUMENT,
                    "train: %s does not compile:%n%s",
                    file,
                    Files.readString(log).strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while compiling", e);
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static URL[] urls(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator))
                .filter(p -> !p.isEmpty())
                .map(Experiments::url)
                .toArray(URL[]::new);
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toAbsolutePath().toUri().toURL();
        } catch (MalformedURLException e) {
            throw new OxbowException(INVALID_ARGUMENT, "train: '%s' is no place of classes".formatted(path), e);
        }
    }

    private static Experiment made(Class<?> c) {
        require(
                Experiment.class.isAssignableFrom(c),
                INVALID_ARGUMENT,
                "train: class %s does not implement dev.oxbow.train.Experiment",
                c.getName());
        try {
            var constructor = c.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (Experiment) constructor.newInstance();
        } catch (InvocationTargetException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "train: %s can not be made: %s".formatted(c.getName(), e.getCause()), e);
        } catch (ReflectiveOperationException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "train: class %s needs a constructor that takes nothing".formatted(c.getName()),
                    e);
        }
    }
}
