-- | JSON, as far as protocol/twentyone.md needs it. Numbers are whole.
module Json
  ( Json (..), asList, asNumber, asText, listOf, member, object, parsed
  , present, quoted ) where

import Control.Monad (replicateM)
import Data.Char
  ( chr, digitToInt, isAscii, isControl, isDigit, isHexDigit, ord )
import qualified Data.List as L
import Data.Maybe (fromMaybe)
import Numeric (showHex)

import Parser.Instances
import Parser.Parser

data Json
  = Null | Flag Bool | Number Int | Text String | List [Json]
  | Object [(String, Json)]
  deriving (Eq)

member :: String -> Json -> Maybe Json
member name json = case json of
  Object members -> lookup name members
  _              -> Nothing

present :: Json -> Maybe Json
present json = if json == Null then Nothing else Just json

asNumber :: Json -> Maybe Int
asNumber json = case json of
  Number n -> Just n
  _        -> Nothing

asText :: Json -> Maybe String
asText json = case json of
  Text text -> Just text
  _         -> Nothing

asList :: Json -> Maybe [Json]
asList json = case json of
  List values -> Just values
  _           -> Nothing

listOf :: Maybe Json -> [Json]
listOf json = fromMaybe [] (json >>= asList)

-- | Parses a line.
parsed :: String -> Maybe Json
parsed line = case parse (spaced value) line of
  Result "" json -> Just json
  _              -> Nothing

value :: Parser Json
value = foldr1 (|||)
  [ Null <$ word "null", Flag True <$ word "true", Flag False <$ word "false"
  , Number <$> wholeNumber, Text <$> string
  , List <$> (token '[' *> separated value <* token ']')
  , Object <$> (token '{' *> separated pair <* token '}') ]
  where pair = (,) <$> spaced string <* token ':' <*> value

word :: String -> Parser ()
word = mapM_ is

token :: Char -> Parser Char
token = spaced . is

-- | Parses with blanks on both sides.
spaced :: Parser a -> Parser a
spaced parser = blanks *> parser <* blanks
  where blanks = many (oneOf (`elem` " \t\r\n"))

oneOf :: (Char -> Bool) -> Parser Char
oneOf fits = character >>= \c ->
  if fits c then pure c else unexpectedCharParser c

many :: Parser a -> Parser [a]
many parser = ((:) <$> parser <*> many parser) ||| pure []

-- | Parses values with commas between them.
separated :: Parser a -> Parser [a]
separated parser =
  ((:) <$> spaced parser <*> many (token ',' *> spaced parser)) ||| pure []

wholeNumber :: Parser Int
wholeNumber = read <$> ((:) <$> oneOf isDigit <*> many (oneOf isDigit))

string :: Parser String
string = joined <$> (is '"' *> many letter <* is '"')
  where
    letter = oneOf (`notElem` "\"\\") ||| (is '\\' *> escaped)
    escaped = character >>= \c -> case lookup c escapes of
      Just meant          -> pure meant
      Nothing | c == 'u'  -> chr . L.foldl' hex 0 <$> replicateM 4 hexDigit
              | otherwise -> unexpectedCharParser c
    hexDigit = digitToInt <$> oneOf isHexDigit
    hex n digit = 16 * n + digit
    escapes = zip "\"\\/bfnrt" "\"\\/\b\f\n\r\t"

-- | Joins the two halves in which JSON escapes characters beyond U+FFFF.
joined :: String -> String
joined (a : b : rest)
  | within 0xD800 a && within 0xDC00 b =
      chr (0x10000 + 1024 * (ord a - 0xD800) + ord b - 0xDC00) : joined rest
  where within from c = from <= ord c && ord c < from + 1024
joined (c : rest) = c : joined rest
joined [] = []

object :: [(String, String)] -> String
object members = "{" ++ L.intercalate "," (map shown members) ++ "}"
  where shown (name, json) = quoted name ++ ":" ++ json

quoted :: String -> String
quoted text = "\"" ++ concatMap letter text ++ "\""
  where
    letter c
      | c `elem` "\"\\"            = ['\\', c]
      | isAscii c && not (isControl c) = [c]
      | ord c > 0xFFFF             = concatMap unit
          [0xD800 + (ord c - 0x10000) `div` 1024, 0xDC00 + ord c `mod` 1024]
      | otherwise                  = unit (ord c)
    unit n = "\\u" ++ reverse (take 4 (reverse (showHex n "") ++ repeat '0'))
