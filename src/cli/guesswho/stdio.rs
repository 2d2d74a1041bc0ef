//! `turnwise stdio guesswho`: plays for another program over standard input and output.
//!
//! The protocol is in `protocol/guesswho.md`.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_protocol::guesswho::{Guess, LONGEST_REQUEST, Reply, Request, RequestError};

use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::game;
use turnwise_guesswho::parse::{self, Strictness};
use turnwise_guesswho::player::{Player, Strategy};
use turnwise_guesswho::strategies::StrategyKind;

/// Arguments of `turnwise stdio guesswho`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which strategy plays
    #[arg(long, value_parser = strategy_kind, default_value = "custom")]
    player: StrategyKind,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn strategy_kind(name: &str) -> Result<StrategyKind, String> {
    let known = || StrategyKind::ALL.map(StrategyKind::name).join(", ");
    StrategyKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| format!("expected one of {}", known()))
}

/// Serves standard input until it ends.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let random = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    run_stdio(
        arguments.player,
        random,
        &mut std::io::stdin().lock(),
        &mut std::io::stdout().lock(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Serves `input` until it ends or says `quit`; each reply is flushed at once.
///
/// # Errors
/// Reading or writing fails.
pub fn run_stdio(
    kind: StrategyKind,
    random: Xoshiro256PlusPlus,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> std::io::Result<()> {
    let mut session = Session {
        kind,
        random,
        table: None,
    };
    while let Some(line) = next_line(input)? {
        let reply = match line.and_then(|line| {
            line.parse()
                .map_err(|error: RequestError| error.to_string())
        }) {
            Ok(Request::Quit) => return Ok(()),
            Ok(request) => session.serve(request).unwrap_or_else(Reply::Error),
            Err(message) => Reply::Error(message),
        };
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}

/// A board, what the strategy knows of it, and the game in progress.
struct Table {
    board: Board,
    strategy: Box<dyn Strategy>,
    player: Option<Player>,
}

/// One conversation.
struct Session {
    kind: StrategyKind,
    random: Xoshiro256PlusPlus,
    table: Option<Table>,
}

impl Session {
    /// Serves one request; an error changes nothing.
    fn serve(&mut self, request: Request) -> Result<Reply, String> {
        if let Request::Load(path) = &request {
            let board = load(path)?;
            let persons = board.configuration().persons.len();
            self.table = Some(Table {
                board,
                strategy: self.kind.create(),
                player: None,
            });
            return Ok(Reply::Loaded(persons));
        }
        let Some(Table {
            board,
            strategy,
            player,
        }) = &mut self.table
        else {
            return Err(format!("expected load PATH first, got {request}"));
        };
        if let Request::Chosen(name) = &request {
            let person = board.configuration().person(name);
            let person =
                person.ok_or_else(|| format!("person {name} is not in the configuration"))?;
            *player = Some(Player::new(board, person as u32));
            strategy.begin(person as u32);
            return Ok(Reply::Ok);
        }
        let player = player
            .as_mut()
            .ok_or_else(|| format!("expected chosen NAME first, got {request}"))?;
        play(board, request, player, strategy.as_mut(), &mut self.random)
    }
}

/// Serves a request of a game in progress.
fn play(
    board: &Board,
    request: Request,
    player: &mut Player,
    strategy: &mut dyn Strategy,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Reply, String> {
    match request {
        Request::Guess => {
            let question =
                game::draw(strategy, player, board, random).map_err(|error| error.to_string())?;
            Ok(Reply::Guess(by_names(board, question)))
        }
        Request::Answer(guess) => Ok(Reply::Answer(match by_index(board, &guess) {
            Some(question) => player.answer(board, question),
            None => player.answer_unknown(),
        })),
        Request::Result(guess, answer) => {
            let question = by_index(board, &guess);
            let question = question.ok_or_else(|| {
                format!("{guess} is not in the configuration: it was not our guess")
            })?;
            let finished = player
                .receive_answer(board, question, answer)
                .map_err(|error| error.to_string())?;
            Ok(Reply::Finished(finished))
        }
        Request::Load(_) | Request::Chosen(_) | Request::Quit => {
            unreachable!("served by the caller")
        }
    }
}

fn by_names(board: &Board, question: Question) -> Guess {
    match board.names(question) {
        (Some(attribute), value) => Guess::Attribute {
            attribute: attribute.into(),
            value: value.into(),
        },
        (None, person) => Guess::Person(person.into()),
    }
}

fn by_index(board: &Board, guess: &Guess) -> Option<Question> {
    match guess {
        Guess::Attribute { attribute, value } => {
            let (attribute, value) = board.configuration().pair(attribute, value)?;
            Some(Question::Attribute {
                attribute: attribute as u32,
                value: value as u32,
            })
        }
        Guess::Person(name) => board
            .configuration()
            .person(name)
            .map(|person| Question::Person(person as u32)),
    }
}

/// Reads a configuration leniently; warnings go to standard error.
fn load(path: &str) -> Result<Board, String> {
    let path = Path::new(path);
    let text = super::read(path).map_err(|error| format!("{error:#}"))?;
    let parsed = parse::configuration(&text, Strictness::Lenient)
        .map_err(|error| format!("{}:{}", path.display(), error.problems[0]))?;
    super::report_warnings(path, &parsed.warnings);
    Ok(Board::new(parsed.configuration))
}

/// The next line, or what is wrong with it; nothing at the end of the input.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<Result<String, String>>> {
    let mut bytes = Vec::new();
    let limit = LONGEST_REQUEST as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 == limit {
        skip_line(input)?;
        return Ok(Some(Err(format!(
            "a request has at most {LONGEST_REQUEST} bytes"
        ))));
    }
    Ok(Some(
        String::from_utf8(bytes).map_err(|_| "the request is not UTF-8".into()),
    ))
}

/// Skips the rest of a line without keeping it.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffered = input.fill_buf()?;
        let (length, ended) = match buffered.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffered.len(), buffered.is_empty()),
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}
