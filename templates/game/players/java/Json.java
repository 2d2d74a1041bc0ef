import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A reader for the JSON of a game's messages. A value is a map, a list, a text, a number, a boolean or null. */
final class Json {
    private static final Json NULL = new Json(null);

    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    static Json read(String line) {
        return new Reader(line).read();
    }

    boolean isNull() {
        return value == null;
    }

    /** Returns a member of an object, or null as a value if it is absent. */
    @SuppressWarnings("unchecked")
    Json get(String name) {
        return value == null ? NULL : ((Map<String, Json>) value).getOrDefault(name, NULL);
    }

    /** Returns the items of a list; no items if the value is null. */
    @SuppressWarnings("unchecked")
    List<Json> items() {
        return value == null ? List.of() : (List<Json>) value;
    }

    /** Returns the text; an empty text if the value is null. */
    String text() {
        return value == null ? "" : (String) value;
    }

    double number() {
        return (Double) value;
    }

    long whole() {
        return Math.round(number());
    }

    boolean isTrue() {
        return Boolean.TRUE.equals(value);
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
                throw new IllegalArgumentException("expected " + expected + " in the message at " + at);
            }
            at++;
        }

        private void skip(char separator) {
            if (peek() == separator) {
                at++;
            }
        }

        /** Supports the escapes of quotation marks and backslashes only. */
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
                    return NULL;
                case "true":
                case "false":
                    return new Json(word.equals("true"));
                default:
                    return new Json(Double.valueOf(word));
            }
        }
    }
}
