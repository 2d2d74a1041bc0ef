//! Starts the Studio and controls a browser that shows it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{is_there, turnwise};

/// The time limit for every wait, long enough even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// The time between two checks of a condition.
const LOOK: Duration = Duration::from_millis(30);

/// The window of the browser in a test.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    width: u32,
    height: u32,
    is_dark: bool,
}

impl Window {
    /// Returns the window that the environment variable TURNWISE_WINDOW asks for, such as `768 1024 dark`, or else this
    /// one.
    pub fn or_asked(self) -> Self {
        let Ok(asked) = std::env::var("TURNWISE_WINDOW") else {
            return self;
        };
        let mut words = asked.split(' ');
        let mut size = || words.next()?.parse().ok();
        let [width, height] = [size(), size()].map(|size| size.expect(&asked));
        let is_dark = words.next() == Some("dark");
        Self {
            width,
            height,
            is_dark,
        }
    }
}

/// A desktop window.
pub const DESK: Window = Window {
    width: 1280,
    height: 900,
    is_dark: false,
};

/// The window of a very small telephone in dark mode.
pub const DARK: Window = Window {
    is_dark: true,
    ..TELEPHONE
};

/// The window of a very small telephone.
pub const TELEPHONE: Window = Window {
    width: 320,
    height: 640,
    is_dark: false,
};

/// The window of a phone.
pub const PHONE: Window = Window {
    width: 360,
    height: 740,
    is_dark: false,
};

/// The window of a small laptop.
pub const LAPTOP: Window = Window {
    width: 1280,
    height: 800,
    is_dark: false,
};

/// The screen of a projector.
pub const PROJECTOR: Window = Window {
    width: 1920,
    height: 1080,
    is_dark: false,
};

/// The screen of a small projector, in dark mode.
pub const SMALL_PROJECTOR: Window = Window {
    width: 1280,
    height: 720,
    is_dark: true,
};

/// A process that is killed at the end of the test, when this value is dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The process may already have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the path of a log in the test data, or of the folder of logs.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/arena")
        .join(name)
}

/// Writes the log of a small tournament with faults into `folder`, and returns its path.
pub fn log_of_tournament(folder: &Path) -> PathBuf {
    let log = std::fs::read_to_string(data("faults.jsonl")).expect("a log");
    let heading =
        r#""tournament":{"title":"The cup","class":"CS 1","date":"2027-01-31"},"agents":"#;
    let path = folder.join("cup.jsonl");
    std::fs::write(&path, log.replacen("\"agents\":", heading, 1)).expect("it can be written");
    path
}

/// A running `turnwise studio` with its logs.
pub struct Studio {
    process: Option<Process>,
    folder: TempDir,
    pub port: u16,
    logs: Vec<String>,
}

impl Studio {
    /// Creates and starts a Studio with these logs or folders of logs.
    fn with(logs: &[&Path]) -> Self {
        let path = |path: &&Path| path.to_str().expect("the path is UTF-8").to_owned();
        let mut studio = Self {
            process: None,
            folder: tempfile::tempdir().expect("a folder"),
            port: 0,
            logs: logs.iter().map(path).collect(),
        };
        studio.start();
        studio
    }

    /// Starts the Studio, on its previous port if it ran before.
    pub fn start(&mut self) {
        let file = self.folder.path().join("port");
        let _ = std::fs::remove_file(&file);
        let listen = format!("127.0.0.1:{}", self.port);
        let child = turnwise(&["studio", "--no-browser", "--listen", &listen, "--port-file"])
            .arg(&file)
            .args(&self.logs)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        self.process = Some(Process(child.expect("the studio starts")));
        self.port = loop {
            let told = std::fs::read_to_string(&file).unwrap_or_default();
            match told.trim().parse() {
                Ok(port) => break port,
                Err(_) => std::thread::sleep(LOOK),
            }
        };
    }

    /// Ends the Studio abruptly, as when a machine loses power.
    pub fn stop(&mut self) {
        self.process = None;
    }
}

/// The class file of a TwentyOne tournament at one table.
///
/// The participants are a slow program, a program that exits immediately, and an agent.
const CLASS: &str = r#"
game = "twentyone"
seed = 3
faults = 99
isolate = false
[settings]
seats = 4
rounds = 1000
[time]
clock = 300
[format]
kind = "tables"
rounds = 2
[[participant]]
name = "ada"
agent = "turnwise"
[[participant]]
name = "broken"
run = "false"
[[participant]]
name = "slow"
run = "sh slow.sh"
"#;

/// A slow player of TwentyOne, which makes bids and never draws a card.
const SLOW: &str = r#"
while read -r call; do
    sleep 0.05
    case "$call" in
        *'"hand":{'*) echo '{"action":"stand","memory":""}' ;;
        *) echo '{"action":"bid","points":10,"memory":""}' ;;
    esac
done
"#;

/// A match or tournament of slow games, with a live view for spectators.
pub struct War {
    _process: Process,
    folder: TempDir,
    pub link: String,
}

impl War {
    /// Starts a match of this many pairs of games. When it is over, its server ends too.
    pub fn of_pairs(pairs: u32) -> Self {
        let words = format!("arena turnwise holes --pairs {pairs} --size 4 --clock 8");
        Self::by(tempfile::tempdir().expect("a folder"), &words)
    }

    /// Starts a tournament of three participants at one table, in which one program is eliminated at its first move.
    pub fn at_a_table() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("class.toml", CLASS), ("slow.sh", SLOW)] {
            std::fs::write(folder.path().join(name), text).expect("there is room");
        }
        Self::by(folder, "tournament class.toml --yes")
    }

    /// Starts a final of eight programs, which wait until [`go`](Self::go) before they make their first moves.
    pub fn final_of_eight() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let player = folder.path().join("player");
        let made = turnwise(&["new", "entropy", "--lang", "python"])
            .arg(&player)
            .output();
        assert!(made.expect("it starts").status.success());
        // A game takes half a second at least, so that the standings change more than once.
        let wait = format!(
            "while ! [ -e '{}/go' ]; do sleep 0.1; done\nsleep 0.5\nexec python3 player.py\n",
            folder.path().display()
        );
        std::fs::write(player.join("wait.sh"), wait).expect("there is room");
        let mut class = "game = \"entropy\"\nisolate = false\nstart = 600\n[settings]\nsize = 4\n\
            [time]\nclock = 600\ncounts = \"wall\"\n[format]\nkind = \"round-robin\"\n"
            .to_owned();
        for name in [
            "Ada",
            "Alan",
            "Barbara",
            "Donald",
            "Edsger",
            "Grace",
            "Katherine",
            "Tony",
        ] {
            class += &format!(
                "[[participant]]\nname = \"{name}\"\nfolder = \"player\"\nrun = \"sh wait.sh\"\n"
            );
        }
        std::fs::write(folder.path().join("class.toml"), class).expect("there is room");
        Self::by(folder, "tournament class.toml --yes --jobs 4")
    }

    /// Lets the programs of the final begin.
    pub fn go(&self) {
        std::fs::write(self.folder.path().join("go"), "").expect("there is room");
    }

    /// Starts a tournament of this class file.
    pub fn in_class(class: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("class.toml"), class).expect("there is room");
        Self::by(folder, "tournament class.toml --yes")
    }

    /// Starts the program in this folder, with these words as its command line and with a live view.
    fn by(folder: TempDir, words: &str) -> Self {
        let child = turnwise(&words.split(' ').collect::<Vec<_>>())
            .arg("--live=127.0.0.1:0")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the arena starts");
        Self::following(child, folder)
    }

    /// Reads the link for spectators from the pipe to which the process writes it.
    fn following(mut child: Child, folder: TempDir) -> Self {
        let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let process = Process(child);
        let link = said.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, link) = line.split_once("http://")?;
            Some(format!("http://{link}"))
        });
        std::thread::spawn(move || said.for_each(drop));
        Self {
            _process: process,
            folder,
            link: link.expect("it says where to watch"),
        }
    }
}

/// A page of the Studio in a browser.
pub struct Page {
    pub client: Client,
    pub address: String,
}

/// Starts a Studio and runs `act` on it in a browser with this window. Skips the test if no browser is installed.
pub fn in_a_browser(window: Window, act: impl AsyncFnOnce(&Page, &mut Studio)) {
    with_logs(window, &[], act);
}

/// Runs `act` like [`in_a_browser`], in a Studio with these logs.
pub fn with_logs(window: Window, logs: &[&Path], act: impl AsyncFnOnce(&Page, &mut Studio)) {
    if !is_there("chromedriver") {
        println!(
            "skipped: the Studio in a browser; Chromium and its chromedriver make it possible, the packages chromium \
             and chromium-driver of Debian"
        );
        return;
    }
    let mut studio = Studio::with(logs);
    let address = format!("http://127.0.0.1:{}/", studio.port);
    at(&address, window, async |page| act(page, &mut studio).await);
}

/// Opens an address in a browser with this window and runs `act` on the page.
pub fn at(address: &str, window: Window, act: impl AsyncFnOnce(&Page)) {
    let (_driver, port) = start_driver();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let client = connect(port, window).await;
        let page = Page {
            client,
            address: address.to_owned(),
        };
        act(&page).await;
        page.client.close().await.expect("the browser closes");
    });
}

/// The number of attempts to start chromedriver.
///
/// Several attempts may be needed, because many tests start at once, and a chromedriver that finds no free port exits.
const DRIVER_STARTS: usize = 3;

/// Starts chromedriver, with several attempts if necessary. Returns the process and its port.
fn start_driver() -> (Process, u16) {
    (0..DRIVER_STARTS)
        .find_map(|_| try_to_start_driver())
        .expect("chromedriver says its port")
}

/// Starts chromedriver once. Returns the process and its port, or `None` if it exited before it had a port.
fn try_to_start_driver() -> Option<(Process, u16)> {
    let mut child = Command::new("chromedriver")
        .args(["--port=0", "--log-level=SEVERE"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let said = BufReader::new(child.stdout.take().expect("a pipe"));
    let driver = Process(child);
    let port = said.lines().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })?;
    Some((driver, port))
}

async fn connect(port: u16, window: Window) -> Client {
    let Window { width, height, .. } = window;
    let size = format!("--window-size={width},{height}");
    // A real window cannot be narrower than 500 px, and its size includes the bars of the browser.
    let is_phone = width < 500;
    let device = json!({"deviceMetrics": {
        "width": width, "height": height, "pixelRatio": 1.0, "touch": is_phone, "mobile": is_phone,
    }});
    let options = json!({"mobileEmulation": device, "args": [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", size,
        if window.is_dark { "--force-dark-mode" } else { "--no-first-run" },
    ]});
    let Value::Object(wanted) = json!({
        "goog:chromeOptions": options,
    }) else {
        unreachable!("it is written as an object");
    };
    let driver = format!("http://127.0.0.1:{port}");
    ClientBuilder::new(HttpConnector::new())
        .capabilities(wanted)
        .connect(&driver)
        .await
        .expect("chromedriver opens a browser")
}

impl Page {
    /// Returns a page at another address, in this page's browser.
    pub fn at(&self, address: &str) -> Self {
        Self {
            client: self.client.clone(),
            address: address.to_owned(),
        }
    }

    /// Writes a picture of the window to the folder that the environment variable TURNWISE_SCREENSHOTS names, if any.
    pub async fn photograph(&self, name: &str) {
        let Some(folder) = std::env::var_os("TURNWISE_SCREENSHOTS") else {
            return;
        };
        let name = name.replace(|letter: char| !letter.is_alphanumeric(), "-");
        let picture = self.client.screenshot().await.expect("a picture");
        let path = Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(path, picture).expect("there is room");
    }

    /// Opens a place of the Studio. `place` is the part of the address after the hash sign.
    pub async fn go(&self, place: &str) {
        // The blank page forces a reload of the document.
        self.client.goto("about:blank").await.expect("a blank page");
        let address = format!("{}#/{place}", self.address);
        self.client.goto(&address).await.expect("the page loads");
        self.until("!document.querySelector('#main').textContent.startsWith('One moment')")
            .await;
    }

    /// Returns the value of a JavaScript expression that is evaluated in the page.
    pub async fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        let value = self.client.execute(&script, vec![]).await;
        value.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Returns the number of elements that match the selector.
    pub async fn count(&self, selector: &str) -> u64 {
        let found = self
            .eval(&format!("document.querySelectorAll({selector:?}).length"))
            .await;
        found.as_u64().expect("a count")
    }

    /// Returns the text of an element, or an empty text if the element does not exist.
    pub async fn text(&self, selector: &str) -> String {
        let expression = format!("document.querySelector({selector:?})?.textContent ?? ''");
        let text = self.eval(&expression).await;
        text.as_str().expect("a text").to_owned()
    }

    /// Waits until a JavaScript expression is true in the page.
    pub async fn until(&self, expression: &str) {
        let holds = tokio::time::timeout(PATIENCE, async {
            while self.eval(expression).await != json!(true) {
                tokio::time::sleep(LOOK).await;
            }
        });
        if holds.await.is_err() {
            let seen = self.eval("document.body.innerText").await;
            panic!("never: {expression}\n{seen}");
        }
    }

    /// Waits until an element contains a text.
    pub async fn until_text(&self, selector: &str, text: &str) {
        let expression =
            format!("(document.querySelector({selector:?})?.textContent ?? '').includes({text:?})");
        self.until(&expression).await;
    }

    pub async fn find(&self, selector: &str) -> Element {
        let found = self
            .client
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(selector));
        found
            .await
            .unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    /// Clicks or taps an element.
    pub async fn click(&self, selector: &str) {
        let element = self.find(selector).await;
        let clicked = element.click().await;
        clicked.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Confirms the chosen move if the page asks for it.
    pub async fn confirm(&self) {
        if self.count("#confirm").await > 0 {
            self.click("#confirm").await;
        }
    }

    /// Chooses the option with this value in a list.
    pub async fn choose(&self, selector: &str, value: &str) {
        let element = self.find(selector).await;
        let chosen = element.select_by_value(value).await;
        chosen.unwrap_or_else(|error| panic!("{selector} {value}: {error}"));
    }

    /// Replaces the text of a field.
    pub async fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector).await;
        element.clear().await.expect("it is a field");
        element.send_keys(text).await.expect("it is a field");
    }

    /// Presses keys on the focused element.
    pub async fn press(&self, keys: &str) {
        let focused = self.client.active_element().await.expect("a focus");
        focused.send_keys(keys).await.expect("the keys are pressed");
    }

    /// Drags the mouse from one element to another, and keeps its button pressed.
    pub async fn drag_over(&self, from: &str, to: &str) {
        let [from, to] = [self.find(from).await, self.find(to).await];
        let over = |element| PointerAction::MoveToElement {
            element,
            duration: None,
            x: 0.0,
            y: 0.0,
        };
        let actions = MouseActions::new("mouse".to_owned())
            .then(over(from))
            .then(PointerAction::Down {
                button: MOUSE_BUTTON_LEFT,
            })
            .then(over(to));
        let dragged = self.client.perform_actions(actions).await;
        dragged.expect("it is dragged");
    }

    /// Releases the button of the mouse.
    pub async fn drop_there(&self) {
        let button = MOUSE_BUTTON_LEFT;
        let up = MouseActions::new("mouse".to_owned()).then(PointerAction::Up { button });
        let dropped = self.client.perform_actions(up).await;
        dropped.expect("it is dropped");
    }

    /// Opens the further fields of the form for a new game.
    pub async fn open_advanced(&self) {
        self.find(".setup button[type=submit]").await;
        self.eval("[...document.querySelectorAll('.setup details')].forEach((node) => { node.open = true; })")
            .await;
    }

    /// Chooses a value by its picture in the form for a new game: for "role" the side, or "2" for a random side; for
    /// "level" the level, or "0" for full strength.
    pub async fn pick(&self, name: &str, value: &str) {
        self.click(&format!("label:has([name='{name}'][value='{value}'])"))
            .await;
    }

    /// Opens the form for a new game, fills in the fields with these names and values, and starts the game.
    pub async fn begin(&self, game: &str, fields: &[(&str, &str)]) {
        self.go(&format!("play?game={game}")).await;
        self.open_advanced().await;
        for (name, value) in fields {
            if ["role", "level"].contains(name) {
                self.pick(name, value).await;
                continue;
            }
            let selector = format!("[name='{name}']");
            let tag = self.find(&selector).await.tag_name().await;
            match tag.as_deref() {
                Ok("select") => self.choose(&selector, value).await,
                _ => self.fill(&selector, value).await,
            }
        }
        self.click(".setup button[type=submit]").await;
        self.my_move().await;
    }

    /// Waits until it is the person's turn and returns true. Returns false if the game is over.
    pub async fn my_move(&self) -> bool {
        self.until(
            "/^(Your move|The game is over|You )/.test(document.querySelector('#status')?.textContent ?? '')",
        )
        .await;
        self.text("#status").await == "Your move."
    }

    /// Returns the number of moves that the page shows for the game so far.
    pub async fn moves(&self) -> u64 {
        self.count(".history li").await
    }

    /// Waits until the opponent has answered the person's move, or the game is over.
    pub async fn answered(&self, moves_before: u64) -> bool {
        self.until(&format!(
            "document.querySelectorAll('.history li').length > {moves_before}"
        ))
        .await;
        self.my_move().await
    }
}
