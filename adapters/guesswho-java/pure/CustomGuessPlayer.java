import java.io.IOException;

/** The strongest player. It needs no other program. */
public class CustomGuessPlayer extends TurnwisePlayer
{
    public CustomGuessPlayer(String gameFilename, String chosenName) throws IOException
    {
        super(gameFilename, chosenName);
    }
}
