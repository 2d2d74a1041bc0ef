import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets turnwise referee a game that is written in Java: the rules are a subclass of {@link Game}, which {@link #run}
 * serves.
 *
 * <p>You need not change this file. The referee may print: the text goes to standard error, where turnwise shows it.
 */
public final class TurnwiseReferee {
    /** The seat to move after the end of a game. */
    public static final int NOBODY = -1;

    /** The seat for which {@link Game#view} shows what all may see. */
    public static final int SPECTATORS = -1;

    /** The move breaks a rule, which the message names: "cell 4 is taken". */
    public static final class IllegalMove extends RuntimeException {
        public IllegalMove(String rule) {
            super(rule);
        }
    }

    /** The referee cannot continue. turnwise shows the message to the user and blames no player. */
    public static final class RefereeError extends RuntimeException {
        public RefereeError(String message) {
            super(message);
        }
    }

    /**
     * The rules and the state of one game.
     *
     * <p>A subclass overrides the abstract methods, and others if it can; turnwise offers what they make possible. The
     * game must not use randomness except in {@link #resample}.
     */
    public abstract static class Game {
        /** Begins a game. The settings map the names in game.toml to values. */
        public abstract void start(Map<String, Object> settings, int seats);

        /** Returns the seat to move, or {@link #NOBODY} if the game is over. */
        public abstract int turn();

        /**
         * Plays a move of the seat to move, and returns it in the form for the log.
         *
         * @throws IllegalMove if the move is illegal, before anything changes
         */
        public abstract String play(String move);

        /** Returns a score for each seat after the end. */
        public abstract double[] scores();

        /** Returns how the game ended, as in "three in a row", or null. */
        public String ending() {
            return null;
        }

        /** Returns the legal moves; required for random agents and tree search. */
        public List<String> moves() {
            return null;
        }

        /** Returns an independent copy of the game; required for tree search. */
        public Game copy() {
            throw new UnsupportedOperationException();
        }

        /** Returns what a user interface shows to this seat, or to {@link #SPECTATORS}. */
        public Map<String, Object> view(int seat) {
            throw new UnsupportedOperationException();
        }

        /** Returns the position as a text, from which {@link #startFrom} begins an equal game. */
        public String position() {
            throw new UnsupportedOperationException();
        }

        /** Begins a game at a position; called instead of {@link #start}. */
        public void startFrom(String position, Map<String, Object> settings, int seats) {
            throw new UnsupportedOperationException();
        }

        /** Returns the immediate value of each legal move for the seat to move. */
        public Map<String, Double> values() {
            throw new UnsupportedOperationException();
        }

        /** Returns the number of random values that the game needs now. */
        public int draws() {
            return 0;
        }

        /**
         * Settles what chance decides. Each value is an unsigned integer of 64 bits. Returns a text for each value that
         * says what it decided, or null.
         */
        public List<String> draw(long[] values) {
            throw new UnsupportedOperationException();
        }

        /** Replaces what the seat does not know by a guess that agrees with what it has seen. */
        public void resample(int seat, Random random) {
            throw new UnsupportedOperationException();
        }

        /** Removes a seat whose program failed; the others continue. */
        public void out(int seat) {
            throw new UnsupportedOperationException();
        }

        /** Returns what this seat's program sees: maps, lists, texts, numbers, booleans and null. */
        public Object observation(int seat) {
            return null;
        }

        /** Returns the lines that ask this seat's program for a move. */
        public List<String> lines(int seat) {
            Map<String, Object> question = object("type", "move", "seat", seat);
            List<String> moves = moves();
            if (moves != null) {
                question.put("moves", moves);
            }
            question.put("state", observation(seat));
            return List.of(Json.write(question));
        }

        /** Returns the lines that begin the game for this seat's program, here one line with these members. */
        public List<String> greetings(int seat, Map<String, Object> start) {
            return List.of(Json.write(start));
        }
    }

    /** Returns a number from 0 to count - 1 that a random value selects. */
    public static int choose(long value, int count) {
        // The high half of the product of two unsigned numbers.
        return (int) (Math.multiplyHigh(value, count) + (value < 0 ? count : 0));
    }

    /** Returns the items in random order. One random value is needed for each item. */
    public static <T> List<T> shuffle(long[] values, List<T> items) {
        List<T> shuffled = new ArrayList<>(items);
        for (int index = 0; index < values.length; index++) {
            int other = index + choose(values[index], shuffled.size() - index);
            shuffled.set(index, shuffled.set(other, shuffled.get(index)));
        }
        return shuffled;
    }

    /** Returns a map with these names and values, in this order. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            object.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return object;
    }

    /** Serves a game to turnwise until standard input ends. */
    public static void run(Supplier<Game> rules) throws IOException {
        Matcher name = Pattern.compile("^name *= *\"([^\"]*)\"", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("game.toml")));
        if (!name.find()) {
            throw new RefereeError("game.toml has no name");
        }
        TurnwiseReferee referee = new TurnwiseReferee(rules, name.group(1));
        PrintStream replies = System.out;
        System.setOut(System.err);
        // Each byte becomes a character, so that a line can be checked for malformed UTF-8.
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.ISO_8859_1));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            replies.write((referee.answer(line) + "\n").getBytes(StandardCharsets.UTF_8));
            replies.flush();
        }
    }

    /** A game in progress, with what is needed to play it once more. */
    private static final class Session {
        final Map<String, Object> start;
        final List<Event> events = new ArrayList<>();
        Game game;
        boolean isGreeted;

        Session(Map<String, Object> start, Game game) {
            this.start = start;
            this.game = game;
        }
    }

    private static final class Event {
        // False if chance decided.
        final boolean isTurn;
        final Consumer<Game> effect;

        Event(boolean isTurn, Consumer<Game> effect) {
            this.isTurn = isTurn;
            this.effect = effect;
        }
    }

    private static final class RpcError extends RuntimeException {
        final int code;

        RpcError(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    private final Supplier<Game> rules;
    private final String name;
    private final List<String> abilities = new ArrayList<>();
    private final Map<Object, Session> sessions = new HashMap<>();

    private TurnwiseReferee(Supplier<Game> rules, String name) {
        this.rules = rules;
        this.name = name;
        addAbility("moves", "moves");
        addAbility("view", "view");
        addAbility("views", "view");
        addAbility("position", "startFrom", "position");
        addAbility("values", "values");
        addAbility("rollout", "moves", "copy");
        addAbility("resample", "resample", "copy");
        addAbility("out", "out");
    }

    /** Adds an ability if the game overrides the methods that it needs. */
    private void addAbility(String ability, String... needed) {
        List<String> overridden = new ArrayList<>();
        for (Class<?> type = rules.get().getClass(); type != Game.class; type = type.getSuperclass()) {
            Arrays.stream(type.getDeclaredMethods()).forEach(method -> overridden.add(method.getName()));
        }
        if (overridden.containsAll(List.of(needed))) {
            abilities.add(ability);
        }
    }

    /** Returns the reply to a request, without a line break. */
    private String answer(String line) {
        Object id = null;
        Map<String, Object> failure;
        try {
            Object request = parse(line);
            if (!(request instanceof Map)) {
                throw new RpcError(-32600, "the request is not an object");
            }
            Map<String, Object> members = asMap(request);
            id = members.get("id");
            Object result = dispatch(String.valueOf(members.get("method")), asMap(members.get("params")));
            return Json.write(object("jsonrpc", "2.0", "id", id, "result", result));
        } catch (RpcError error) {
            failure = object("code", error.code, "message", error.getMessage());
        } catch (RefereeError error) {
            failure = object("code", -32000, "message", error.getMessage());
        } catch (RuntimeException | StackOverflowError error) {
            error.printStackTrace();
            failure = object("code", -32000, "message", describe(error));
        }
        return Json.write(object("jsonrpc", "2.0", "id", id, "error", failure));
    }

    private static Object parse(String line) {
        try {
            byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
            return Json.read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException | RuntimeException | StackOverflowError error) {
            throw new RpcError(-32700, "the request is not JSON: " + error.getMessage());
        }
    }

    /** Returns the error and the line of the game's code that caused it. */
    private static String describe(Throwable error) {
        // Only the classes of Java itself are in a named module.
        return error + Arrays.stream(error.getStackTrace())
            .filter(frame -> frame.getModuleName() == null)
            .findFirst()
            .map(frame -> " (" + frame.getFileName() + ", line " + frame.getLineNumber() + ")")
            .orElse("");
    }

    private Object dispatch(String method, Map<String, Object> params) {
        boolean isRequired = List.of("describe", "start", "draw", "play", "end").contains(method);
        // "resample" is a parameter of "rollout".
        if (!isRequired && (!abilities.contains(method) || method.equals("resample"))) {
            throw new RpcError(-32601, "no method " + method);
        }
        switch (method) {
            case "describe":
                return object("protocol", 1, "name", name, "abilities", abilities);
            case "start":
                Session started = new Session(params, begin(params));
                sessions.put(params.get("game"), started);
                return status(started);
            case "end":
                sessions.remove(params.get("game"));
                return object();
            default:
                Session session = sessions.get(params.get("game"));
                if (session == null) {
                    throw new RpcError(-32602, "no game " + params.get("game"));
                }
                return dispatch(method, session, params);
        }
    }

    private Object dispatch(String method, Session session, Map<String, Object> params) {
        Game game = session.game;
        switch (method) {
            case "draw":
                long[] values = asList(params.get("values")).stream().mapToLong(value -> (Long) value).toArray();
                List<String> drawn = game.draw(values);
                Map<String, Object> drawnStatus = happened(session, new Event(false, other -> other.draw(values)));
                if (drawn != null) {
                    drawnStatus.put("drawn", drawn);
                }
                return drawnStatus;
            case "play":
                return play(session, asInt(params.get("seat")), (String) params.get("move"));
            case "out":
                int leaving = asInt(params.get("seat"));
                game.out(leaving);
                return happened(session, new Event(true, other -> other.out(leaving)));
            case "moves":
                return object("moves", game.moves());
            case "view":
                return game.view(params.get("seat") == null ? SPECTATORS : asInt(params.get("seat")));
            case "views":
                return object("views", views(session));
            case "position":
                return object("position", game.position());
            case "values":
                Map<String, Double> byMove = game.values();
                return object("moves", List.copyOf(byMove.keySet()), "values", List.copyOf(byMove.values()));
            default:
                return rollout(game, params);
        }
    }

    private Game begin(Map<String, Object> params) {
        Game game = rules.get();
        Map<String, Object> settings = asMap(params.get("settings"));
        int seats = asInt(params.get("seats"));
        if (params.get("position") == null) {
            game.start(settings, seats);
        } else {
            game.startFrom((String) params.get("position"), settings, seats);
        }
        return game;
    }

    private Map<String, Object> play(Session session, int seat, String move) {
        if (seat != session.game.turn()) {
            throw new RpcError(-32602, "seat " + seat + " is not to move");
        }
        String notation;
        try {
            notation = session.game.play(move);
        } catch (IllegalMove error) {
            String rule = error.getMessage();
            return object("illegal", rule.substring(0, Math.min(rule.length(), 500)));
        } catch (RefereeError error) {
            throw error;
        } catch (RuntimeException error) {
            if (session.game.moves() == null) {
                throw error;
            }
            // Rules that cannot read a text, as in parseInt("x"), must not fail because of a player. They may have
            // changed the game before they failed.
            session.game = replay(session);
            if (session.game.moves().contains(move)) {
                throw error;
            }
            error.printStackTrace();
            return object("illegal", "the rules cannot read this move");
        }
        Map<String, Object> status = happened(session, new Event(true, game -> game.play(move)));
        status.put("notation", notation);
        return status;
    }

    /** Returns the game as it was after its last event. */
    private Game replay(Session session) {
        Game game = begin(session.start);
        session.events.forEach(event -> event.effect.accept(game));
        return game;
    }

    /** Stores what has happened, and returns the status. */
    private Map<String, Object> happened(Session session, Event event) {
        session.events.add(event);
        return status(session);
    }

    private Map<String, Object> status(Session session) {
        Game game = session.game;
        if (game.draws() > 0) {
            return object("draws", game.draws());
        }
        int seat = game.turn();
        if (seat == NOBODY) {
            Map<String, Object> end = object("scores", game.scores());
            if (game.ending() != null) {
                end.put("ending", game.ending());
            }
            return end;
        }
        Map<String, Object> status = object("seat", seat, "lines", game.lines(seat));
        if (!session.isGreeted) {
            session.isGreeted = true;
            status.put("greetings", greetings(session));
        }
        return status;
    }

    private List<Object> greetings(Session session) {
        int seats = asInt(session.start.get("seats"));
        List<Object> greetings = new ArrayList<>();
        for (int seat = 0; seat < seats; seat++) {
            Object settings = session.start.get("settings");
            Map<String, Object> start =
                object("type", "start", "game", name, "seat", seat, "seats", seats, "settings", settings);
            greetings.add(session.game.greetings(seat, start));
        }
        return greetings;
    }

    /** Plays the game once more, so that games of which nobody wants the views do not pay for them. */
    private List<Object> views(Session session) {
        Game game = begin(session.start);
        List<Object> views = new ArrayList<>();
        views.add(game.draws() > 0 ? null : game.view(SPECTATORS));
        for (Event event : session.events) {
            event.effect.accept(game);
            if (event.isTurn) {
                views.add(null);
            }
            if (game.draws() == 0) {
                views.set(views.size() - 1, game.view(SPECTATORS));
            }
        }
        return views;
    }

    private static Map<String, Object> rollout(Game original, Map<String, Object> params) {
        Random random = new Random((Long) params.get("seed"));
        Game game = original.copy();
        if (params.get("resample") != null) {
            game.resample(asInt(params.get("resample")), random);
        }
        int played = 0;
        settle(game, random);
        for (Object move : asList(params.get("moves"))) {
            if (game.turn() == NOBODY) {
                break;
            }
            try {
                game.play((String) move);
            } catch (IllegalMove error) {
                break;
            }
            played++;
            settle(game, random);
        }
        boolean isOver = game.turn() == NOBODY;
        Map<String, Object> result = object("played", played, "seat", isOver ? null : game.turn());
        result.put("moves", isOver ? List.of() : game.moves());
        List<String> path = new ArrayList<>();
        while (game.turn() != NOBODY) {
            List<String> moves = game.moves();
            path.add(moves.get(random.nextInt(moves.size())));
            game.play(path.get(path.size() - 1));
            settle(game, random);
        }
        result.put("path", path);
        result.put("scores", game.scores());
        return result;
    }

    private static void settle(Game game, Random random) {
        while (game.draws() > 0) {
            game.draw(random.longs(game.draws()).toArray());
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> asList(Object value) {
        return (List<Object>) value;
    }

    private static int asInt(Object value) {
        return Math.toIntExact((Long) value);
    }

    /** JSON as maps, lists, texts, numbers, booleans and null. */
    static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static Object read(String text) {
            Json json = new Json(text);
            Object value = json.readValue();
            if (json.peek() != '\0') {
                throw json.unexpected();
            }
            return value;
        }

        static String write(Object value) {
            StringBuilder out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        /** Returns the next character that is not a blank, or a zero character at the end. */
        private char peek() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private boolean skip(char expected) {
            boolean isNext = peek() == expected;
            at += isNext ? 1 : 0;
            return isNext;
        }

        private void take(char expected) {
            if (!skip(expected)) {
                throw unexpected();
            }
        }

        private IllegalArgumentException unexpected() {
            return new IllegalArgumentException("unexpected character at " + at);
        }

        private Object readValue() {
            switch (peek()) {
                case '{':
                    Map<String, Object> members = new LinkedHashMap<>();
                    take('{');
                    if (!skip('}')) {
                        do {
                            peek();
                            String name = readText();
                            take(':');
                            members.put(name, readValue());
                        } while (skip(','));
                        take('}');
                    }
                    return members;
                case '[':
                    List<Object> items = new ArrayList<>();
                    take('[');
                    if (!skip(']')) {
                        do {
                            items.add(readValue());
                        } while (skip(','));
                        take(']');
                    }
                    return items;
                case '"':
                    return readText();
                default:
                    return readWord();
            }
        }

        private String readText() {
            take('"');
            StringBuilder out = new StringBuilder();
            while (text.charAt(at) != '"') {
                char next = text.charAt(at++);
                if (next < ' ') {
                    throw unexpected();
                }
                out.append(next == '\\' ? readEscape() : next);
            }
            at++;
            return out.toString();
        }

        private char readEscape() {
            char letter = text.charAt(at++);
            int plain = "\"\\/bfnrt".indexOf(letter);
            if (plain >= 0) {
                return "\"\\/\b\f\n\r\t".charAt(plain);
            }
            if (letter != 'u') {
                throw unexpected();
            }
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }

        private Object readWord() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            switch (word) {
                case "null":
                    return null;
                case "true":
                    return true;
                case "false":
                    return false;
                default:
                    return readNumber(word);
            }
        }

        /** An integer becomes a Long, in which a random value uses all 64 bits. */
        private static Object readNumber(String word) {
            if (word.matches("\\d{1,20}")) {
                return Long.parseUnsignedLong(word);
            }
            return word.matches("-\\d{1,18}") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
        }

        private static void write(Object value, StringBuilder out) {
            if (value instanceof Map) {
                char separator = '{';
                for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                    out.append(separator);
                    write(member.getKey().toString(), out);
                    out.append(':');
                    write(member.getValue(), out);
                    separator = ',';
                }
                out.append(separator == '{' ? "{}" : "}");
            } else if (value instanceof Iterable) {
                char separator = '[';
                for (Object item : (Iterable<?>) value) {
                    out.append(separator);
                    write(item, out);
                    separator = ',';
                }
                out.append(separator == '[' ? "[]" : "]");
            } else if (value instanceof double[]) {
                write(Arrays.asList(Arrays.stream((double[]) value).boxed().toArray()), out);
            } else if (value instanceof Double) {
                writeNumber((Double) value, out);
            } else if (value instanceof String) {
                writeText((String) value, out);
            } else if (value == null || value instanceof Boolean || value instanceof Number) {
                out.append(value);
            } else {
                throw new IllegalArgumentException("JSON cannot express " + value.getClass());
            }
        }

        private static void writeNumber(double number, StringBuilder out) {
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw new IllegalArgumentException("JSON cannot express " + number);
            }
            if (number == Math.rint(number) && Math.abs(number) < 1e15) {
                out.append((long) number);
            } else {
                out.append(number);
            }
        }

        private static void writeText(String text, StringBuilder out) {
            out.append('"');
            for (int index = 0; index < text.length(); index++) {
                char letter = text.charAt(index);
                if (letter == '"' || letter == '\\') {
                    out.append('\\').append(letter);
                } else if (letter < ' ') {
                    out.append(String.format("\\u%04x", (int) letter));
                } else {
                    out.append(letter);
                }
            }
            out.append('"');
        }
    }
}
