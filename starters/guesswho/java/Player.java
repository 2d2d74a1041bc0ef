import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A player of Guess Who that looks one question ahead. It speaks plain lines on standard input and output. */
public final class Player {
    private static final class Person {
        final String name;
        /** Of each attribute. */
        final Map<String, String> values = new HashMap<>();

        Person(String name) {
            this.name = name;
        }
    }

    private List<String> attributes = new ArrayList<>();
    private List<Person> persons = new ArrayList<>();
    private List<Person> candidates = new ArrayList<>();
    private Person own;
    /** The opponent has found the own person: only a right name can still tie. */
    private boolean isLastChance;
    private final PrintStream output;

    private Player(PrintStream output) {
        this.output = output;
    }

    private void readBoard(String path) throws IOException {
        attributes = new ArrayList<>();
        persons = new ArrayList<>();
        boolean isNewBlock = true;
        boolean arePersons = false;
        for (String line : Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8)) {
            String[] words = line.trim().split("\\s+");
            if (words[0].isEmpty()) {
                arePersons = arePersons || !attributes.isEmpty();
                isNewBlock = true;
            } else if (!arePersons) {
                attributes.add(words[0]);
            } else if (isNewBlock) {
                persons.add(new Person(words[0]));
                isNewBlock = false;
            } else {
                persons.get(persons.size() - 1).values.put(words[0], words[1]);
            }
        }
    }

    /** The true answer to a guess, "Attribute hat red" or "Person P5", if it is about this person. */
    private static boolean answer(List<String> guess, Person person) {
        if (guess.get(0).equals("Person")) {
            return guess.get(1).equals(person.name);
        }
        return guess.get(2).equals(person.values.get(guess.get(1)));
    }

    /** What can be asked: about each value that a candidate has, then about each candidate. */
    private List<List<String>> guesses() {
        List<List<String>> all = new ArrayList<>();
        for (String attribute : attributes) {
            Set<String> known = new HashSet<>();
            for (Person person : candidates) {
                String value = person.values.get(attribute);
                if (known.add(value)) {
                    all.add(List.of("Attribute", attribute, value));
                }
            }
        }
        for (Person person : candidates) {
            all.add(List.of("Person", person.name));
        }
        return all;
    }

    // ------------------------------------------------------------------ what to change first

    /** How many candidates the answer leaves on average, times their number. A right name leaves none. */
    private long candidatesLeft(List<String> guess) {
        long yes = 0;
        for (Person person : candidates) {
            yes += answer(guess, person) ? 1 : 0;
        }
        long no = candidates.size() - yes;
        return guess.get(0).equals("Person") ? no * no : yes * yes + no * no;
    }

    /** The guess that leaves the fewest candidates; a name if only that can still tie. */
    private List<String> chooseGuess() {
        if (isLastChance) {
            return List.of("Person", candidates.get(0).name);
        }
        List<String> best = null;
        long fewest = Long.MAX_VALUE;
        for (List<String> guess : guesses()) {
            long left = candidatesLeft(guess);
            if (left < fewest) {
                fewest = left;
                best = guess;
            }
        }
        return best;
    }

    // ----------------------------------------------------------------------------------------

    private void say(String line) {
        output.println(line);
        // Otherwise the line may wait in a buffer, and the clock runs.
        output.flush();
    }

    private void hear(String request, List<String> guess, String line) throws IOException {
        if (request.equals("load")) {
            readBoard(line.substring("load".length()).trim());
            say("loaded " + persons.size());
        } else if (request.equals("chosen")) {
            for (Person person : persons) {
                if (person.name.equals(guess.get(0))) {
                    own = person;
                }
            }
            candidates = new ArrayList<>(persons);
            isLastChance = false;
            say("ok");
        } else if (request.equals("guess?")) {
            say("guess " + String.join(" ", chooseGuess()));
        } else if (request.equals("answer?")) {
            boolean truth = answer(guess, own);
            isLastChance = truth && guess.get(0).equals("Person");
            say("answer " + truth);
        } else if (request.equals("result")) {
            boolean truth = guess.get(guess.size() - 1).equals("true");
            candidates.removeIf(person -> answer(guess, person) != truth);
            say("finished " + (truth && guess.get(0).equals("Person")));
        } else {
            say("error unknown request " + request);
        }
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        Player player = new Player(output);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String trimmed = line.trim();
            List<String> words = Arrays.asList(trimmed.split("\\s+"));
            if (words.get(0).equals("quit")) {
                break;
            }
            if (!trimmed.isEmpty()) {
                player.hear(words.get(0), words.subList(1, words.size()), trimmed);
            }
        }
    }
}
