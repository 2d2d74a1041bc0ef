//! Parses the options `--sprt` and `--sprt-points`, which describe a sequential test.

use anyhow::{Context, bail};
use turnwise_arena::records::{Sprt, Unit};

/// Returns the sequential test that either option describes; `None` if neither option is given.
pub(super) fn test(elo: Option<&str>, points: Option<&str>) -> anyhow::Result<Option<Sprt>> {
    let (unit, name, text) = match (elo, points) {
        (Some(text), _) => (Unit::Elo, "elo", text),
        (_, Some(text)) => (Unit::Points, "points", text),
        _ => return Ok(None),
    };
    let expected = || {
        format!(
            "expected {name}0=..,{name}1=.. and optionally alpha=..,beta=.., with {name}0 below {name}1 \
             and error rates between 0 and 0.5, got {text:?}"
        )
    };
    let [mut lower, mut upper] = [None, None];
    let [mut alpha, mut beta] = [0.05, 0.05];
    for option in text.split(',') {
        let (key, value) = option.split_once('=').with_context(expected)?;
        let value = value.parse().ok().with_context(expected)?;
        match key {
            "alpha" => alpha = value,
            "beta" => beta = value,
            _ if key == format!("{name}0") => lower = Some(value),
            _ if key == format!("{name}1") => upper = Some(value),
            _ => bail!(expected()),
        }
    }
    let (lower, upper) = lower.zip(upper).with_context(expected)?;
    let test = Sprt {
        unit,
        lower,
        upper,
        alpha,
        beta,
    };
    if !test.is_sound() {
        bail!(expected());
    }
    Ok(Some(test))
}
