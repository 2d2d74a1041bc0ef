//! A reader for the JSON of a game's messages.

// Players of other games call other methods.
#![allow(dead_code)]

pub enum Json {
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a line, or returns a description of the error.
    pub fn read(line: &str) -> Result<Json, String> {
        Reader { left: line }.read()
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// Returns a member of an object, or null if it is absent.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => {
                let found = members.iter().find(|(own, _)| own == name);
                found.map_or(&Json::Null, |(_, value)| value)
            }
            _ => &Json::Null,
        }
    }

    /// Returns the items of a list; no items if this is not a list.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the text; an empty text if this is not a text.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// Returns the number; 0 if this is not a number.
    pub fn number(&self) -> f64 {
        match self {
            Json::Number(number) => *number,
            _ => 0.0,
        }
    }

    /// Returns the number as a whole number.
    ///
    /// # Panics
    ///
    /// If this is not a number.
    pub fn whole(&self) -> i64 {
        match self {
            Json::Number(number) => *number as i64,
            _ => panic!("a number is missing in the message"),
        }
    }

    /// Returns true if this is the value `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Json::Boolean(true))
    }
}

struct Reader<'a> {
    left: &'a str,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<Json, String> {
        match self.peek() {
            Some('{') => {
                self.take('{')?;
                let mut members = Vec::new();
                while self.peek() != Some('}') {
                    let name = self.read_text()?;
                    self.take(':')?;
                    members.push((name, self.read()?));
                    self.skip(',');
                }
                self.take('}')?;
                Ok(Json::Object(members))
            }
            Some('[') => {
                self.take('[')?;
                let mut items = Vec::new();
                while self.peek() != Some(']') {
                    items.push(self.read()?);
                    self.skip(',');
                }
                self.take(']')?;
                Ok(Json::List(items))
            }
            Some('"') => Ok(Json::Text(self.read_text()?)),
            _ => self.read_word(),
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.left = self.left.trim_start();
        self.left.chars().next()
    }

    fn skip(&mut self, separator: char) {
        if self.peek() == Some(separator) {
            self.left = &self.left[separator.len_utf8()..];
        }
    }

    fn take(&mut self, expected: char) -> Result<(), String> {
        match self.peek() == Some(expected) {
            true => Ok(self.skip(expected)),
            false => Err(format!("expected {expected} in the message, before {:?}", self.left)),
        }
    }

    /// Reads a text. It supports the escapes `\"` and `\\` only.
    fn read_text(&mut self) -> Result<String, String> {
        self.take('"')?;
        let mut text = String::new();
        let mut letters = self.left.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.left = &self.left[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
                letter => text.push(letter),
            }
        }
        Err("a text in the message has no end".to_owned())
    }

    fn read_word(&mut self) -> Result<Json, String> {
        let end = self.left.find([',', ']', '}', ' ', '\r']).unwrap_or(self.left.len());
        let (word, left) = self.left.split_at(end);
        self.left = left;
        match word {
            "null" => Ok(Json::Null),
            "true" | "false" => Ok(Json::Boolean(word == "true")),
            _ => word.parse().map(Json::Number).map_err(|_| format!("{word:?} in the message is not a number")),
        }
    }
}
