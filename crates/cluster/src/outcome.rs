//! The result that a worker sends for a bundle, and its encoding as a message.

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use turnwise_engine::words::one_line;

/// The message header with the worker's name.
const WORKER: &str = "Turnwise-Worker";

/// The message header that names the variant of [`Outcome`] in the message.
const OUTCOME: &str = "Turnwise-Outcome";

/// The message header with the worker's speed, see [`Origin::speed`].
const SPEED: &str = "Turnwise-Speed";

/// The message header with the size in bytes of each unit's result, separated by commas. Optional for a single unit.
const SIZES: &str = "Turnwise-Sizes";

/// The message header with each unit's time in seconds, separated by commas.
const SECONDS: &str = "Turnwise-Seconds";

/// The message header that says how often the bundle has been leased, including this lease.
const LEASES: &str = "Turnwise-Leases";

/// The message header with the index of the participant to which a failure belongs. Optional.
const AGENT: &str = "Turnwise-Agent";

/// The maximum number of characters in a worker's name; a longer name is cut.
const LONGEST_NAME: usize = 200;

/// The maximum number of characters in the reason of a failure; a longer reason is cut.
const LONGEST_REASON: usize = 500;

/// The reason why a worker cannot play a run or a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A description of the reason, which may contain unprintable characters.
    pub reason: String,
    /// The index of the participant whose program the worker cannot start, if this is the reason.
    pub agent: Option<usize>,
}

impl Failure {
    /// Creates the failure of a worker that cannot start the program of the participant with this index.
    pub(crate) fn of_agent(agent: usize, reason: String) -> Self {
        Self {
            reason,
            agent: Some(agent),
        }
    }

    /// Returns the reason on one line of limited length.
    pub(crate) fn in_short(&self) -> String {
        one_line(&self.reason, LONGEST_REASON)
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        let agent = None;
        Self { reason, agent }
    }
}

impl From<&str> for Failure {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

/// A worker's final message to the coordinator about a bundle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The bundle was played. The results are in the order of the units.
    Done(Vec<Part>),
    /// The bundle could not be played, for the reason given here.
    Failed(Failure),
    /// The bundle was not played, because too many workers had been lost while they played it.
    SetApart,
}

/// The result of one unit, with the time that playing the unit took.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The bytes of the result. For a pair, they are its lines of the log.
    pub content: Bytes,
    /// How long the unit took, in seconds of the worker's monotonic clock; 0 if unknown.
    pub seconds: f64,
}

/// The worker that sent a result. Any client of the server can forge this information.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The worker's name, cut to 200 characters, or a placeholder if it has none.
    pub worker: String,
    /// The worker's speed, measured when it started, in nodes per second; 0 if unknown.
    pub speed: f64,
    /// How often the bundle was leased.
    pub leases: u64,
}

impl Outcome {
    /// Decodes the message for a bundle of `units` units. An invalid message becomes [`Outcome::Failed`].
    pub fn of(message: &Message, units: usize) -> (Origin, Self) {
        let header = |name| {
            let value = message.headers.as_ref()?.get(name)?;
            Some(value.as_str())
        };
        let worker = header(WORKER).unwrap_or("a worker without a name");
        let origin = Origin {
            worker: worker.chars().take(LONGEST_NAME).collect(),
            speed: header(SPEED).map_or(0.0, amount),
            leases: header(LEASES).map_or(1, |text| text.parse().unwrap_or(1)),
        };
        let outcome = match header(OUTCOME) {
            Some("done") => {
                let seconds = header(SECONDS).unwrap_or_default();
                match parts(&message.payload, units, header(SIZES), seconds) {
                    Some(parts) => Self::Done(parts),
                    None => {
                        Self::Failed(format!("a result that is not one of {units} units").into())
                    }
                }
            }
            Some("set-apart") => Self::SetApart,
            _ => Self::Failed(Failure {
                reason: one_line(&String::from_utf8_lossy(&message.payload), LONGEST_REASON),
                agent: header(AGENT).and_then(|index| index.parse().ok()),
            }),
        };
        (origin, outcome)
    }

    /// Encodes the outcome as a message, with the worker's `origin` in the headers.
    pub fn message(&self, origin: &Origin) -> (HeaderMap, Bytes) {
        let mut headers = HeaderMap::new();
        let (word, payload) = match self {
            Self::Done(parts) => {
                let list = |of: &dyn Fn(&Part) -> String| {
                    let words: Vec<String> = parts.iter().map(of).collect();
                    words.join(",")
                };
                headers.insert(SECONDS, &*list(&|part| format!("{:.6}", part.seconds)));
                headers.insert(SIZES, &*list(&|part| part.content.len().to_string()));
                let contents: Vec<&[u8]> = parts.iter().map(|part| &*part.content).collect();
                ("done", contents.concat().into())
            }
            Self::Failed(failure) => {
                if let Some(agent) = failure.agent {
                    headers.insert(AGENT, &*agent.to_string());
                }
                ("failed", failure.reason.clone().into())
            }
            Self::SetApart => ("set-apart", Bytes::new()),
        };
        headers.insert(WORKER, &*origin.worker);
        headers.insert(OUTCOME, word);
        headers.insert(SPEED, &*format!("{:.0}", origin.speed));
        headers.insert(LEASES, &*origin.leases.to_string());
        (headers, payload)
    }
}

/// Parses a speed or a time. An invalid value becomes 0.
fn amount(text: &str) -> f64 {
    let amount = text.parse().ok();
    amount
        .filter(|amount: &f64| amount.is_finite() && *amount >= 0.0)
        .unwrap_or(0.0)
}

/// Splits the result of a bundle into one result for each unit.
///
/// Returns `None` if the number of sizes is not `units`, or if the sizes do not add up to the size of `whole`.
fn parts(whole: &Bytes, units: usize, sizes: Option<&str>, seconds: &str) -> Option<Vec<Part>> {
    let all = whole.len().to_string();
    let sizes = sizes.unwrap_or(&all).split(',');
    let mut seconds = seconds.split(',').map(amount);
    let mut left = whole.clone();
    let mut parts = Vec::with_capacity(units);
    for size in sizes {
        let size: usize = size.parse().ok()?;
        if size > left.len() || parts.len() == units {
            return None;
        }
        parts.push(Part {
            content: left.split_to(size),
            seconds: seconds.next().unwrap_or(0.0),
        });
    }
    (left.is_empty() && parts.len() == units).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(content: &'static str, seconds: f64) -> Part {
        Part {
            content: content.into(),
            seconds,
        }
    }

    #[test]
    fn a_result_is_taken_apart_as_it_was_put_together() {
        let origin = Origin {
            worker: "attic".to_owned(),
            speed: 1000.0,
            leases: 1,
        };
        for sent in [
            vec![part("one", 0.25)],
            vec![part("one", 0.5), part("", 0.0), part("three", 2.0)],
        ] {
            let (headers, payload) = Outcome::Done(sent.clone()).message(&origin);
            let header = |name| headers.get(name).expect("it is there").as_str();
            let came = parts(&payload, sent.len(), Some(header(SIZES)), header(SECONDS));
            assert_eq!(came, Some(sent));
        }
    }

    #[test]
    fn sizes_that_are_lies_are_no_result() {
        let whole = Bytes::from_static(b"onetwo");
        let sizes = |units, sizes| parts(&whole, units, sizes, "");
        assert_eq!(sizes(1, None), Some(vec![part("onetwo", 0.0)]));
        assert_eq!(
            sizes(2, Some("3,3")),
            Some(vec![part("one", 0.0), part("two", 0.0)])
        );
        for (units, said) in [
            (2, None),
            (1, Some("3,3")),
            (3, Some("3,3")),
            (2, Some("3,2")),
            (2, Some("3,4")),
            (2, Some("7,0")),
            (2, Some("18446744073709551615,7")),
            (2, Some("99999999999999999999,6")),
            (2, Some("-3,9")),
            (2, Some("3;3")),
            (2, Some("3,,3")),
            (2, Some("")),
        ] {
            assert_eq!(sizes(units, said), None, "{units} {said:?}");
        }
    }

    #[test]
    fn what_is_no_time_counts_as_none() {
        let whole = Bytes::from_static(b"abcd");
        let came = parts(&whole, 4, Some("1,1,1,1"), "NaN,-1,inf");
        let came = came.expect("four parts");
        assert!(came.iter().all(|part| part.seconds == 0.0), "{came:?}");
    }
}
