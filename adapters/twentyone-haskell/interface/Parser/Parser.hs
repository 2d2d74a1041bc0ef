-- | The parser combinators of the course's engine that players use.
module Parser.Parser where

import Parser.Instances

-- | Fails with a character that was not expected.
unexpectedCharParser :: Char -> Parser a
unexpectedCharParser c = P (const (Error (UnexpectedChar c)))

-- | Parses any character.
character :: Parser Char
character = P $ \input -> case input of
  []       -> Error UnexpectedEof
  c : rest -> Result rest c

-- | Parses this character.
is :: Char -> Parser Char
is wanted = do
  found <- character
  if found == wanted then pure found else unexpectedCharParser found

-- | Parses with the second parser if the first fails.
(|||) :: Parser a -> Parser a -> Parser a
first ||| second = P $ \input -> case parse first input of
  Error _ -> parse second input
  result  -> result
