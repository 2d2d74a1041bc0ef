-- | The parser type of the course's engine, with its instances.
module Parser.Instances where

type Input = String

data ParseError
  = UnexpectedEof
  | ExpectedEof Input
  | UnexpectedChar Char
  | UnexpectedString String
  deriving (Eq, Show)

-- | The rest of the input with a value, or an error.
data ParseResult a = Error ParseError | Result Input a
  deriving (Eq, Show)

newtype Parser a = P { parse :: Input -> ParseResult a }

instance Functor Parser where
  fmap f parser = parser >>= pure . f

instance Applicative Parser where
  pure value = P (\input -> Result input value)
  functions <*> values = functions >>= \f -> f <$> values

instance Monad Parser where
  parser >>= next = P $ \input -> case parse parser input of
    Error reason      -> Error reason
    Result rest value -> parse (next value) rest
