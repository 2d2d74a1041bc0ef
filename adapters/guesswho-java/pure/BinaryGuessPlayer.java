import java.io.IOException;
import java.util.List;

/** Asks the question that divides the candidates most evenly, or names a person if no question divides them. */
public class BinaryGuessPlayer extends TurnwisePlayer
{
    public BinaryGuessPlayer(String gameFilename, String chosenName) throws IOException
    {
        super(gameFilename, chosenName);
    }

    @Override
    Question choose()
    {
        List<Question> mostEven = Lookahead.mostEven(board, candidates(), 1);
        return mostEven.isEmpty() ? Question.person(candidates()[0]) : mostEven.get(0);
    }
}
