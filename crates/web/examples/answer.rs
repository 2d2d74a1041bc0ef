//! Answers the requests of web pages without a browser: reads each request as a line of JSON, and prints each answer as
//! a line of JSON.
//!
//! Tests compare these answers with the answers that the WebAssembly module gives in a page.

use std::io;

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("{}", turnwise_web::answer_text(line?.as_bytes(), |_| {}));
    }
    Ok(())
}
