//! Tests the parsers of single lines on the wires.

use turnwise_protocol::entropy::Line;
use turnwise_protocol::guesswho::{Reply, Request};
use turnwise_protocol::halma_serve::Answer as HalmaAnswer;
use turnwise_protocol::twentyone::{Answer, Call, Refusal};
use turnwise_twentyone::rules::{RuleSet, Settings};
use turnwise_twentyone::wire;

/// The maximum number of bytes of an input that are parsed. The rest of a longer input is ignored.
const LONGEST: usize = 16 << 10;

pub fn entropy_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Line>() {
        Ok(line) => assert_eq!(line.to_string().parse(), Ok(line)),
        Err(error) => assert!(error.to_string().len() < 1024, "{error}"),
    }
}

pub fn guesswho_request(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        match line.parse::<Request>() {
            Ok(request) => assert_eq!(request.to_string().parse(), Ok(request)),
            Err(error) => {
                let reply = Reply::Error(error.to_string()).to_string();
                assert!(
                    reply.len() < 1024 && reply.lines().count() == 1,
                    "{reply:?}"
                );
            }
        }
    }
}

pub fn halma_answer(bytes: &[u8]) {
    if let Ok(answer) = HalmaAnswer::from_line(bytes) {
        let line = serde_json::to_vec(&answer).expect("plain data");
        let again = HalmaAnswer::from_line(&line).expect("its own line");
        assert_eq!(again, answer);
    }
}

/// Checks that Twenty-One's strong player answers any line with an action or a refusal.
pub fn twentyone_call(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    for rules in [RuleSet::Text, RuleSet::Engine] {
        let settings = Settings::of(rules);
        let Some(reply) = wire::reply_line(&settings, Some(bytes)) else {
            assert!(String::from_utf8_lossy(bytes).trim().is_empty());
            continue;
        };
        assert!(!reply.contains('\n'), "{reply:?}");
        match serde_json::from_str::<Refusal>(&reply) {
            Ok(refusal) => assert!(!refusal.error.is_empty()),
            Err(_) => {
                let answer = Answer::parse(&reply).expect("an answer or a refusal");
                assert!(wire::reply_of(&reply).is_ok(), "{answer:?}");
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(call) = Call::<Settings>::parse(&text) {
        let line = serde_json::to_string(&call).expect("plain data");
        assert_eq!(Call::parse(&line).expect("its own line"), call);
    }
}

pub fn twentyone_answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(answer) = Answer::parse(&text) {
        let line = serde_json::to_string(&answer).expect("plain data");
        assert_eq!(Answer::parse(&line).expect("its own line"), answer);
    }
    if let Err(error) = wire::reply_of(&text) {
        assert!(error.len() < 4096, "{error}");
    }
}
