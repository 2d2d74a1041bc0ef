//! Answers the pages' requests without a browser: one line of JSON in, one line of JSON out.
//!
//! Tests compare these answers with the answers of a page's engine.

use std::io;

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("{}", turnwise_web::answer_text(line?.as_bytes(), |_| {}));
    }
    Ok(())
}
