import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as the calls of a table need: a value, which is a map, a list, a text, a number, a truth or null. */
final class Json {
    private static final Json NOTHING = new Json(null);

    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    static Json read(String line) {
        return new Reader(line).read();
    }

    boolean isNothing() {
        return value == null;
    }

    /** A member of an object; nothing if it is absent. */
    @SuppressWarnings("unchecked")
    Json get(String name) {
        return value == null ? NOTHING : ((Map<String, Json>) value).getOrDefault(name, NOTHING);
    }

    /** The items of a list; none if it is absent. */
    @SuppressWarnings("unchecked")
    List<Json> items() {
        return value == null ? List.of() : (List<Json>) value;
    }

    /** Empty if it is absent. */
    String text() {
        return value == null ? "" : (String) value;
    }

    long number() {
        return Math.round((Double) value);
    }

    private static final class Reader {
        private final String line;
        private int at;

        Reader(String line) {
            this.line = line;
        }

        Json read() {
            switch (peek()) {
                case '{':
                    Map<String, Json> members = new HashMap<>();
                    for (take('{'); peek() != '}'; skip(',')) {
                        String name = readText();
                        take(':');
                        members.put(name, read());
                    }
                    take('}');
                    return new Json(members);
                case '[':
                    List<Json> items = new ArrayList<>();
                    for (take('['); peek() != ']'; skip(',')) {
                        items.add(read());
                    }
                    take(']');
                    return new Json(items);
                case '"':
                    return new Json(readText());
                default:
                    return readWord();
            }
        }

        private char peek() {
            while (Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            return line.charAt(at);
        }

        private void take(char expected) {
            if (peek() != expected) {
                throw new IllegalArgumentException("expected " + expected + " in the call at " + at);
            }
            at++;
        }

        private void skip(char separator) {
            if (peek() == separator) {
                at++;
            }
        }

        /** An escaped character stands for itself: the calls have no others. */
        private String readText() {
            StringBuilder text = new StringBuilder();
            for (take('"'); line.charAt(at) != '"'; at++) {
                if (line.charAt(at) == '\\') {
                    at++;
                }
                text.append(line.charAt(at));
            }
            at++;
            return text.toString();
        }

        private Json readWord() {
            int start = at;
            while (at < line.length() && ",]} \r".indexOf(line.charAt(at)) < 0) {
                at++;
            }
            String word = line.substring(start, at);
            switch (word) {
                case "null":
                    return NOTHING;
                case "true":
                case "false":
                    return new Json(word.equals("true"));
                default:
                    return new Json(Double.valueOf(word));
            }
        }
    }
}
