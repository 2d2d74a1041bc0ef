//! What a worker says of a unit, and how a message says it.

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use bytes::Bytes;

/// The header of a result that names the worker.
const WORKER: &str = "Turnwise-Worker";

/// The header of a result that says what it is.
const OUTCOME: &str = "Turnwise-Outcome";

/// The header with the worker's speed, see [`Origin::speed`].
const SPEED: &str = "Turnwise-Speed";

/// The header with the seconds that the unit took.
const SECONDS: &str = "Turnwise-Seconds";

/// The header that counts how often the unit was leased, this time included.
const LEASES: &str = "Turnwise-Leases";

/// The longest name of a worker that is told, in letters.
const LONGEST_NAME: usize = 200;

/// What a worker says of a unit.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// What it came to: of a pair, its lines of the log.
    Done(Bytes),
    /// It could not be done, in words.
    Failed(String),
    /// Too many workers were lost in the middle of it.
    SetApart,
}

/// Where a result comes from. Whoever can talk to the server can say anything here.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The name that the worker gave, cut to 200 characters; words that say so if it gave none.
    pub worker: String,
    /// What the worker's speed came to when it began, in nodes a second; 0 if it does not say.
    pub speed: f64,
    /// How long the unit took, in seconds by the worker's monotonic clock; 0 if it does not say.
    pub seconds: f64,
    /// How often the unit was leased.
    pub leases: u64,
}

impl Outcome {
    /// What a message says, and who says it. What is none is a failure.
    pub fn of(message: &Message) -> (Origin, Self) {
        let header = |name| {
            let value = message.headers.as_ref()?.get(name)?;
            Some(value.as_str())
        };
        let number = |name| {
            let number = header(name).and_then(|text| text.parse().ok());
            number
                .filter(|number: &f64| number.is_finite() && *number >= 0.0)
                .unwrap_or(0.0)
        };
        let worker = header(WORKER).unwrap_or("a worker without a name");
        let origin = Origin {
            worker: worker.chars().take(LONGEST_NAME).collect(),
            speed: number(SPEED),
            seconds: number(SECONDS),
            leases: header(LEASES).map_or(1, |text| text.parse().unwrap_or(1)),
        };
        let outcome = match header(OUTCOME) {
            Some("done") => Self::Done(message.payload.clone()),
            Some("set-apart") => Self::SetApart,
            _ => Self::Failed(String::from_utf8_lossy(&message.payload).into_owned()),
        };
        (origin, outcome)
    }

    /// The message that says it.
    pub fn message(self, origin: &Origin) -> (HeaderMap, Bytes) {
        let (word, payload) = match self {
            Self::Done(result) => ("done", result),
            Self::Failed(reason) => ("failed", reason.into()),
            Self::SetApart => ("set-apart", Bytes::new()),
        };
        let mut headers = HeaderMap::new();
        headers.insert(WORKER, &*origin.worker);
        headers.insert(OUTCOME, word);
        headers.insert(SPEED, &*format!("{:.0}", origin.speed));
        headers.insert(SECONDS, &*format!("{:.6}", origin.seconds));
        headers.insert(LEASES, &*origin.leases.to_string());
        (headers, payload)
    }
}
