/** A guess with the constructor, accessors and text of the course's class; a stand-in for tests. */
public class Guess
{
    /** What is asked about. */
    public enum GuessType { Attribute, Person }

    private final GuessType type;
    private final String attribute;
    private final String value;

    /**
     * @param type what is asked about
     * @param attribute the attribute, empty for a person
     * @param value the value, or the person's name
     */
    public Guess(GuessType type, String attribute, String value)
    {
        this.type = type;
        this.attribute = attribute;
        this.value = value;
    }

    public GuessType getType()
    {
        return type;
    }

    public String getAttribute()
    {
        return attribute;
    }

    public String getValue()
    {
        return value;
    }

    @Override
    public String toString()
    {
        return type + " " + attribute + " " + value;
    }
}
