//! Admits guests by name and secret, and ignores clients that have guessed wrong too often.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use turnwise_engine::guest::{BEFORE_SECRET, Guest, Secret};
use turnwise_engine::log_throttle::LogThrottle;

use crate::goodbye::Goodbye;

/// The number of wrong secrets per name, address and minute after which no further secret is checked.
const MOST_WRONG: u32 = 16;
const MINUTE: Duration = Duration::from_secs(60);

/// The maximum number of counters of wrong secrets; a further counter replaces the oldest.
const MOST_KEPT: usize = 4096;

/// The number of bits of an IPv6 address that identify its network.
///
/// A client may have any number of addresses within its network, so all addresses of the network count as one.
const NETWORK_BITS: u32 = 64;

/// The reason why a newcomer is not admitted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    /// The goodbye to send. Its text never contains a secret.
    pub goodbye: Goodbye,
    /// The name whose secret has just been guessed too often, so that further guesses are ignored.
    ///
    /// This is set once per lockout, so that the log reports it once.
    pub guessed: Option<String>,
}

impl From<Goodbye> for Rejection {
    fn from(goodbye: Goodbye) -> Self {
        Self {
            goodbye,
            guessed: None,
        }
    }
}

/// The guests that may join, with their secrets and the wrong guesses so far.
pub(super) struct Admission {
    guests: BTreeMap<String, Option<Secret>>,
    guesses: Mutex<Guesses>,
}

/// A counter of the wrong secrets for one name from one address.
struct Guessing {
    wrong: u32,
    since: Instant,
}

#[derive(Default)]
struct Guesses {
    by_whom: HashMap<(IpAddr, String), Guessing>,
    throttle: LogThrottle,
}

impl Guesses {
    fn is_looked_at(&self, whose: &(IpAddr, String), now: Instant) -> bool {
        let guessing = self.by_whom.get(whose);
        guessing.is_none_or(|it| it.wrong < MOST_WRONG || is_over(it, now))
    }

    /// Counts a wrong secret. Returns true if the count reaches the limit and the log should report it.
    fn add(&mut self, whose: &(IpAddr, String), now: Instant) -> bool {
        if !self.by_whom.contains_key(whose) {
            self.make_room(now);
        }
        let new = || Guessing {
            wrong: 0,
            since: now,
        };
        let guessing = self.by_whom.entry(whose.clone()).or_insert_with(new);
        if is_over(guessing, now) {
            *guessing = new();
        }
        guessing.wrong += 1;
        guessing.wrong == MOST_WRONG && self.throttle.one_more(now)
    }

    fn make_room(&mut self, now: Instant) {
        if self.by_whom.len() < MOST_KEPT {
            return;
        }
        self.by_whom.retain(|_, guessing| !is_over(guessing, now));
        if self.by_whom.len() < MOST_KEPT {
            return;
        }
        let oldest = self.by_whom.iter().min_by_key(|(_, it)| it.since);
        if let Some(oldest) = oldest.map(|(whose, _)| whose.clone()) {
            self.by_whom.remove(&oldest);
        }
    }
}

fn is_over(guessing: &Guessing, now: Instant) -> bool {
    now.saturating_duration_since(guessing.since) >= MINUTE
}

/// Returns the address under which guesses are counted: all addresses of an IPv6 network count as one.
fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::MAX << (u128::BITS - NETWORK_BITS);
            Ipv6Addr::from_bits(address.to_bits() & network).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl Admission {
    pub fn new(guests: Vec<Guest>) -> Self {
        let guests = guests.into_iter().map(|guest| (guest.name, guest.secret));
        Self {
            guests: guests.collect(),
            guesses: Mutex::default(),
        }
    }

    /// Returns the name under which a newcomer from this address may join, or the reason for rejecting the newcomer.
    ///
    /// `said` is the text that the newcomer has sent: its name, and possibly its secret.
    pub fn admit(&self, from: IpAddr, said: &str, now: Instant) -> Result<String, Rejection> {
        let (name, proof) = match said.split_once(BEFORE_SECRET) {
            Some((name, proof)) => (name.trim(), Some(proof)),
            None => (said, None),
        };
        match (self.guests.get(name), proof) {
            (Some(None), _) => Ok(name.to_owned()),
            (Some(Some(secret)), Some(proof)) => self.proved(from, name, secret.is(proof), now),
            (Some(Some(_)), None) => Err(Goodbye::Because(format!(
                "expected `{name}{BEFORE_SECRET}` and the secret of {name}, got only the name; turnwise play sends \
                 it with --secret-file"
            ))
            .into()),
            (None, _) => Err(Goodbye::Because(format!(
                "expected the name of a participant as in the tournament's file, and `{BEFORE_SECRET}` before a \
                 secret; got something else, which is not shown because it may contain a secret"
            ))
            .into()),
        }
    }

    /// Decides whether to admit a newcomer that has sent a secret; `is_right` is true if the secret is correct.
    fn proved(
        &self,
        from: IpAddr,
        name: &str,
        is_right: bool,
        now: Instant,
    ) -> Result<String, Rejection> {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let whose = (counted(from), name.to_owned());
        if !guesses.is_looked_at(&whose, now) {
            // Do not reveal whether the secret was right.
            let reason = format!(
                "got {MOST_WRONG} wrong secrets for {name} from this address: try again in a minute"
            );
            return Err(Goodbye::ComeAgain(reason).into());
        }
        if is_right {
            guesses.by_whom.remove(&whose);
            return Ok(whose.1);
        }
        let is_told = guesses.add(&whose, now);
        Err(Rejection {
            goodbye: Goodbye::Because(format!("wrong secret for {name}")),
            guessed: is_told.then_some(whose.1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "10.0.0.1";

    fn admission() -> Admission {
        let secret = |text: &str| Some(Secret::new(text.to_owned()));
        let guests = [
            ("ada", None),
            ("bob", secret("sesame")),
            ("carol", secret("barley")),
        ];
        let guests = guests.map(|(name, secret)| Guest {
            name: name.to_owned(),
            secret,
        });
        Admission::new(guests.into())
    }

    /// Sends `said` from an address, and returns whether it is admitted.
    fn is_in(admission: &Admission, from: &str, said: &str, now: Instant) -> bool {
        let from = from.parse().expect("an address");
        admission.admit(from, said, now).is_ok()
    }

    #[test]
    fn a_guest_is_known_by_its_name_and_its_secret_and_no_secret_is_told() {
        let admission = admission();
        let from = HOME.parse().expect("an address");
        let said = |said| {
            let admitted = admission.admit(from, said, Instant::now());
            admitted.map_err(|rejection| rejection.goodbye)
        };
        assert_eq!(said("ada"), Ok("ada".to_owned()));
        assert_eq!(said("ada:anything"), Ok("ada".to_owned()));
        assert_eq!(said("bob:sesame"), Ok("bob".to_owned()));
        for (wrong, told) in [
            ("bob", "`bob:` and the secret of bob"),
            ("bob:", "wrong secret for bob"),
            ("bob:sesam", "wrong secret for bob"),
            ("bob:sesame:", "wrong secret for bob"),
            ("Bob:hunter2", "the name of a participant"),
            ("bob hunter2", "the name of a participant"),
            ("bob=hunter2", "the name of a participant"),
            ("bob\u{ff1a}hunter2", "the name of a participant"),
            ("hunter2:bob", "the name of a participant"),
            ("hunter2", "the name of a participant"),
            (
                "{\"name\":\"bob\",\"secret\":\"hunter2\"}",
                "the name of a participant",
            ),
            ("", "the name of a participant"),
        ] {
            let Err(Goodbye::Because(reason)) = said(wrong) else {
                panic!("{wrong} is refused for good");
            };
            assert!(reason.contains(told), "{wrong}: {reason}");
            assert!(!reason.contains("sesam") && !reason.contains("hunter2"));
        }
    }

    #[test]
    fn whoever_guesses_is_not_listened_to_for_a_minute_and_nobody_else_suffers() {
        let admission = admission();
        let now = Instant::now();
        let from = HOME.parse().expect("an address");
        let mut told = Vec::new();
        for number in 0..100 {
            let rejected = admission.admit(from, &format!("bob:{number}"), now);
            told.extend(rejected.expect_err("a guess").guessed);
        }
        assert_eq!(told, ["bob"], "it is told once");
        let locked = admission.admit(from, "bob:sesame", now + MINUTE / 2);
        let locked = locked.expect_err("nothing is looked at").goodbye;
        assert!(matches!(locked, Goodbye::ComeAgain(_)), "{locked:?}");
        assert!(is_in(&admission, HOME, "carol:barley", now));
        assert!(is_in(&admission, HOME, "ada", now));
        assert!(is_in(&admission, "10.0.0.2", "bob:sesame", now));
        assert!(is_in(&admission, HOME, "bob:sesame", now + MINUTE));
    }

    #[test]
    fn whoever_knows_the_secret_begins_anew_and_a_name_alone_is_no_guess() {
        let admission = admission();
        let now = Instant::now();
        for _ in 0..10 {
            for _ in 1..MOST_WRONG {
                assert!(!is_in(&admission, HOME, "bob:barley", now));
                assert!(!is_in(&admission, HOME, "bob", now));
            }
            assert!(is_in(&admission, HOME, "bob:sesame", now));
        }
    }

    #[test]
    fn the_addresses_of_a_network_are_one() {
        let admission = admission();
        let now = Instant::now();
        for number in 0..MOST_WRONG {
            let from = format!("2001:db8::{number:x}");
            assert!(!is_in(&admission, &from, "bob:x", now));
            let mapped = "::ffff:10.0.0.1";
            assert!(!is_in(&admission, mapped, "carol:x", now));
        }
        assert!(!is_in(&admission, "2001:db8::ffff", "bob:sesame", now));
        assert!(is_in(&admission, "2001:db8:0:1::1", "bob:sesame", now));
        assert!(!is_in(&admission, HOME, "carol:barley", now));
    }

    #[test]
    fn of_many_addresses_some_are_forgotten_and_memory_is_bounded() {
        let admission = admission();
        let now = Instant::now();
        for number in 0..3 * MOST_KEPT as u32 {
            let from = std::net::Ipv4Addr::from_bits(number).to_string();
            assert!(!is_in(&admission, &from, "bob:x", now));
        }
        let guesses = admission.guesses.lock().expect("no panic");
        assert_eq!(guesses.by_whom.len(), MOST_KEPT);
    }

    #[test]
    fn what_is_over_is_forgotten_first_and_then_the_oldest_and_nothing_else() {
        let admission = admission();
        let began = Instant::now();
        let later = |seconds: f64| began + Duration::from_secs_f64(seconds);
        let says = |number: u32, said: &str, now| {
            let from = std::net::Ipv4Addr::from_bits(number).to_string();
            is_in(&admission, &from, said, now)
        };
        for (number, since) in [(0, 0.0), (1, 1.0), (2, 1.5)] {
            for _ in 0..MOST_WRONG {
                assert!(!says(number, "bob:x", later(since)));
            }
        }
        let most = MOST_KEPT as u32;
        for number in 3..=most {
            assert!(!says(number, "bob:x", later(2.0)));
        }
        assert!(
            says(0, "bob:sesame", later(2.0)),
            "there was no room for it"
        );
        assert!(!says(1, "bob:sesame", later(2.0)));
        // The minute of the second address is over, which makes room for the counter of another address.
        assert!(!says(most + 1, "bob:x", later(61.0)));
        assert!(!says(2, "bob:sesame", later(61.0)));
    }
}
