//! Answers requests of the pages without a browser: a line of JSON in, a line of JSON out. What a page's engine
//! says can be compared with it.

use std::io;

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("{}", turnwise_web::answer_text(line?.as_bytes(), |_| {}));
    }
    Ok(())
}
