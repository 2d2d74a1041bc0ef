//! Answers the requests of pages without a browser: reads a line of JSON for each request, and prints a line of JSON
//! for each answer.
//!
//! Tests compare these answers with the answers of the engine in a page.

use std::io;

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("{}", turnwise_web::answer_text(line?.as_bytes(), |_| {}));
    }
    Ok(())
}
